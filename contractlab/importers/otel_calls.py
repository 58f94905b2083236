"""The tool calls of a trace: those that were run, and those that a model only asked for."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.importers.neutral import Call
    from contractlab.importers.otel_span import Span
    from contractlab.importers.otel_tree import Tree

_UNSEEN = "asked for; no span shows that it was carried out"


def calls_of(
    telling: Sequence[Span], models: Sequence[Span], whole: Sequence[Span], tree: Tree
) -> list[Call]:
    """The tools that were run, by their spans; what a model only asked for, after them."""
    starts = [span.start_ns or 0 for span in models]
    results = {key: told for span in telling for key, told in span.told.results.items()}
    asked = [(turn + 1, call) for turn, span in enumerate(models) for call in span.told.asked]
    run = [(span.start_ns or 0, span.call) for span in _tools(telling, tree) if span.call]
    for start, call in run:
        call.turn = bisect_right(starts, start) if models else None
    made = [call for _, call in run]
    if not made and not asked:
        # Nothing but the run's own span tells what was said in it.
        asked = [(0, call) for span in whole for call in span.told.asked]
    _fill(made, [call for _, call in asked], results)
    # Clocks are coarse: what began at the same moment stands in the order of the asking.
    place = {call.id: index for index, (_, call) in enumerate(asked) if call.id}
    run.sort(key=lambda each: (each[0], place.get(each[1].id or "", len(place))))
    return [call for _, call in run] + _only_asked(asked, made, results)


def _tools(telling: Sequence[Span], tree: Tree) -> list[Span]:
    """The tools' spans; of a tool's span in another of the same call, the outer one.

    A framework's span holds the MCP client's, and that the MCP server's.
    """
    nearest = tree.nearest(span for span in telling if span.kind in ("tool", "agent", "llm"))
    kept = []
    for span in telling:
        if span.kind != "tool":
            continue
        above = nearest[span.id]
        outer = tree.spans[above] if above is not None else None
        if outer is None or outer.kind != "tool" or not _is_same(outer.call, span.call):
            kept.append(span)
        elif outer.call is not None and span.call is not None:
            if outer.call.arguments is None:
                outer.call.arguments = span.call.arguments
            if outer.call.ok and span.call.ok is False:
                outer.call.ok, outer.call.error = False, span.call.error
    return kept


def _is_same(one: Call | None, other: Call | None) -> bool:
    if one is None or other is None:
        return False
    return one.name == other.name or (one.id is not None and one.id == other.id)


def _fill(made: Sequence[Call], asked: Sequence[Call], results: dict[str, str | None]) -> None:
    """What a tool's span does not have, from the call that it carries out."""
    adopt(made, asked)
    for call in made:
        if call.ok and call.id and results.get(call.id):
            call.ok, call.error = False, results[call.id]


def adopt(made: Sequence[Call], asked: Sequence[Call]) -> None:
    """Gives calls that were made what only the model's asking for them tells.

    They are joined by id; calls without one by name: with the one of the same arguments, else
    in the order of both.
    """
    by_id = {call.id: call for call in asked if call.id}
    unnamed: dict[str, list[Call]] = {}
    for call in asked:
        unnamed.setdefault(call.name, []).append(call)
    for call in made:
        same = by_id.get(call.id) if call.id else None
        if same is None and call.id is None and (left := unnamed.get(call.name)):
            alike = (each for each in left if _is_rendered(each.arguments, call.arguments))
            same = next(alike, left[0])
            left.remove(same)
        if same is not None:
            call.id = call.id or same.id
            if call.arguments is None or _is_rendered(same.arguments, call.arguments):
                call.arguments = same.arguments


def _is_rendered(asked: Any, given: Any) -> bool:
    """Whether arguments are those that a model asked with, perhaps as a tracer writes them."""
    if given in (asked, {"input": asked}):
        return True
    if type(given) is not str or type(asked) is not dict:
        return False
    values = list(asked.values())
    return given == str(asked) or (len(values) == 1 and given == str(values[0]))


def _only_asked(
    asked: Sequence[tuple[int, Call]], made: Sequence[Call], results: dict[str, str | None]
) -> list[Call]:
    run = {call.name for call in made}
    ids = {call.id for call in made if call.id}
    left = []
    for turn, call in asked:
        if call.id and call.id in ids:
            continue
        if call.id:
            ids.add(call.id)
        if call.name in run:
            continue
        call.turn = turn
        if call.id in results:
            call.ok, call.error = results[call.id] is None, results[call.id]
        elif made:
            call.ok, call.error = False, _UNSEEN
        left.append(call)
    return left
