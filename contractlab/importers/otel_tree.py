"""How a trace's spans nest: parents that are lost, that form a loop, and that are very many.

Each question costs time proportional to the number of spans, however deep they nest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contractlab.importers.otel_span import Span


class Tree:
    """The spans of one trace by their parents."""

    def __init__(self, trace: Sequence[Span]) -> None:
        """Takes the spans in the order of their starts."""
        self.spans = {span.id: span for span in trace}
        self._above: dict[str, str | None] = {
            span.id: span.parent if span.parent in self.spans else None for span in trace
        }
        self._tops: dict[str, str] = {}
        for span in trace:
            self._climb(span.id)

    def _climb(self, id_: str) -> None:
        """Finds the top of a span and of those on the way; a loop is cut at its earliest span."""
        way: list[str] = []
        seen: set[str] = set()
        at: str | None = id_
        while at is not None and at not in self._tops and at not in seen:
            way.append(at)
            seen.add(at)
            at = self._above[at]
        if at is None:
            top = way[-1]
        elif at in self._tops:
            top = self._tops[at]
        else:
            top = min(way[way.index(at) :], key=lambda each: self.spans[each].start_ns or 0)
            self._above[top] = None
        self._tops.update(dict.fromkeys(way, top))

    def top(self, span: Span) -> Span:
        """The outermost span around a span that is known; itself, where there is none."""
        return self.spans[self._tops[span.id]]

    def is_cut_off(self, span: Span) -> bool:
        """Whether the spans around it were not all exported."""
        top = self.top(span)
        return top.parent is not None and top.parent != top.id and top.parent not in self.spans

    def innermost(self, some: Iterable[Span]) -> list[Span]:
        """Those that hold no other of them."""
        some = list(some)
        outer: set[str] = set()
        for span in some:
            above = self._above[span.id]
            while above is not None and above not in outer:
                outer.add(above)
                above = self._above[above]
        return [span for span in some if span.id not in outer]

    def outermost(self, some: Iterable[Span]) -> list[Span]:
        """Those that are in no other of them."""
        some = list(some)
        nearest = self.nearest(some)
        return [span for span in some if nearest[span.id] is None]

    def nearest(self, some: Iterable[Span]) -> dict[str, str | None]:
        """For every span of the trace, the nearest of these that is around it."""
        wanted = {span.id for span in some}
        found: dict[str, str | None] = {}
        for id_ in self.spans:
            way = []
            at: str | None = id_
            while at is not None and at not in found:
                way.append(at)
                at = self._above[at]
            for each in reversed(way):
                above = self._above[each]
                if above is None:
                    found[each] = None
                else:
                    found[each] = above if above in wanted else found[above]
        return found
