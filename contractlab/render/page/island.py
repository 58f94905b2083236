"""The cases as compact JSON for the report's script, within a budget of bytes.

`script.js` is the only reader, so the form is free to change:

    facts:    [aspect, value, ...] each
    lists:    [fact, ...] each: what was asked, or what was done
    outcomes: [[check, runs in which it holds, runs], ...] each
    stories:  [flip, flaky, outcomes, outcomes, changed, words], and where there is room
              [..., list, list, forbidden, forbidden, runs, shown] each
    cases:    [id, family, slice, critical, input, shortened, tags, risk, story], and where there
              is room [..., list, measure, ...] each

where `flip` and all that is named like a table is a place in that table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from contractlab.render import sentences
from contractlab.render.behaviour import MEASURED
from contractlab.render.page.casebook import input_shown
from contractlab.render.page.parts import FLIPS
from contractlab.unseen import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contractlab.render.page.casebook import Casebook, Entry, Facts, Story

_SHORTEST = 80
"""Bytes of an input that every case may show while there is room for it."""
_INPUT, _SHORTENED = 4, 5
_INPUTS = 8
"""One part in so many is for inputs, where not everything fits."""
_BRIEF = 3
"""One part in so many is for cases of which the outcome alone is shown."""


@dataclass(frozen=True, slots=True)
class Island:
    """The JSON and what had no room in it."""

    json: str
    left_out: int
    """Cases, the least concerning ones."""
    brief: int
    """Cases with their outcome alone, the least concerning of those that are there."""
    shortened: int
    """Cases whose input is cut further than elsewhere in the report."""


def island(book: Casebook, budget: int) -> Island:
    """The cases that fit, worst first.

    Each with its outcome, and as many as there is room for with what was asked and done.

    Args:
        book: in the order of concern.
        budget: bytes; exceeded only where it has no room for the names of the tables.
    """
    tables = _Tables()
    whole: list[Entry] = []
    sizes = [tables.size]
    while len(whole) < len(book) and sizes[-1] <= budget:
        entry = book[len(whole)]
        tables.add(entry)
        whole.append(entry)
        sizes.append(tables.size)
    if sizes[-1] > budget:
        briefly = [book.briefly(place) for place in range(len(book))]
        del whole[_most(sizes, briefly, budget) :]
        tables = _filled([*whole, *briefly[len(whole) :]], budget)
    shortened = _add_inputs(tables.cases, whole, budget - tables.size)
    left_out = len(book) - len(tables.cases)
    data = _json(tables.data()).decode()
    return Island(data, left_out, len(tables.cases) - len(whole), shortened)


def _most(sizes: Sequence[int], briefly: Sequence[Entry], budget: int) -> int:
    """How many cases can have all they have, so that others have their outcome at least.

    Args:
        sizes: of the tables with none, one, two and more whole cases.
        briefly: all cases with their outcome alone.
        budget: bytes.
    """
    tables = _Tables()
    brief = [tables.add(entry) for entry in briefly]
    most = len(sizes) - 1
    left = sum(brief[most:])
    while most and sizes[most] + min(left, budget // _BRIEF) > budget - budget // _INPUTS:
        most -= 1
        left += brief[most]
    return most


def _filled(entries: Sequence[Entry], budget: int) -> _Tables:
    """The first cases, as many as there is room for."""
    tables = _Tables()
    for count, entry in enumerate(entries):
        tables.add(entry)
        if tables.size > budget:
            return _filled(entries[:count], budget)
    return tables


class _Table:
    """Values that rows name by their place."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        self.rows: list[Any] = []
        self.size = 0
        """Bytes of all rows."""

    def place(self, key: Any, make: Callable[[Any], Any]) -> int:
        """Where a value stands; `make` gives its row where it is new."""
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.rows)
            self.rows.append(make(key))
            self.size += len(_json(self.rows[-1])) + 1
        return place


class _Tables:
    """All of the data, and how many bytes it takes."""

    def __init__(self) -> None:
        self._named = {name: _Table() for name in _NAMES}
        self.cases: list[list[Any]] = []
        self._rows = len(_json(self.data()))

    @property
    def size(self) -> int:
        """Bytes of all of it."""
        return self._rows + sum([table.size for table in self._named.values()])

    def data(self) -> dict[str, Any]:
        """As the script reads it."""
        return {
            "flips": FLIPS,
            "words": [sentences.FLIPS[flip] for flip in FLIPS],
            "measured": MEASURED,
            **{name: table.rows for name, table in self._named.items()},
            "cases": self.cases,
        }

    def add(self, entry: Entry) -> int:
        """A case, still without its input; the bytes of its row."""
        case, story, named = entry.case, entry.story, self._named
        row = [
            visible(case.id),
            named["families"].place(case.family_id, visible),
            named["slices"].place(case.slice, visible),
            int(case.critical),
            "",
            0,
            named["tags"].place(case.tags, _visible),
            case.risk or "",
            # The casebook has each story once, so its identity will do.
            named["stories"].place(id(story), lambda _: self._story(story)),
        ]
        if story.before is not None:
            row += [named["lists"].place(entry.expected, self._facts), *entry.measures]
        self.cases.append(row)
        size = len(_json(row)) + 1
        self._rows += size
        return size

    def _story(self, story: Story) -> list[Any]:
        named = self._named
        row = [
            FLIPS.index(story.flip),
            int(story.flaky),
            named["outcomes"].place(story.outcomes_before, list),
            named["outcomes"].place(story.outcomes_after, list),
            _visible(story.changed),
            visible(story.words),
        ]
        if story.before is not None and story.after is not None:
            row += [
                named["lists"].place(story.before, self._facts),
                named["lists"].place(story.after, self._facts),
                _visible(story.forbidden_before),
                _visible(story.forbidden_after),
                [_visible(run) for run in story.runs],
                story.shown,
            ]
        return row

    def _facts(self, facts: Facts) -> list[int]:
        # Most of what a case asks for is what both releases did.
        place = self._named["facts"].place
        return [place(fact, lambda of: _visible((of[0], *of[1]))) for fact in facts]


_NAMES = ("families", "slices", "tags", "facts", "lists", "outcomes", "stories")


def _visible(texts: Sequence[str]) -> list[str]:
    return [visible(text) for text in texts]


def _add_inputs(cases: list[list[Any]], entries: Sequence[Entry], spare: int) -> int:
    """Gives the first cases their inputs as far as there is room, and counts those that are cut.

    The worst cases take what they need, and leave every later one its shortest form.
    """
    whole = [visible(input_shown(entry.case)) for entry in entries]
    sizes = [len(_json(text)) - 2 for text in whole]
    shortest = [min(size, _SHORTEST) for size in sizes]
    if sum(shortest) > spare:
        shortest = [0] * len(whole)
    spare -= sum(shortest)
    shortened = 0
    for case, entry, text, size, own in zip(cases, entries, whole, sizes, shortest, strict=False):
        if size <= own + spare:
            case[_INPUT] = text
            spare -= size - own
        else:
            cut, size_of_cut = _cut(input_shown(entry.case), own + spare)
            case[_INPUT], case[_SHORTENED] = cut, 1
            spare -= size_of_cut - own
            shortened += 1
    return shortened


def _cut(text: str, most: int) -> tuple[str, int]:
    """A start of a text whose JSON, quotes aside, has at most so many bytes, and how many."""
    length = min(len(text), most)
    while length > 0:
        cut = f"{visible(text[:length])}…"
        size = len(_json(cut)) - 2
        if size <= most:
            return cut, size
        length = min(length - 1, length * most // size)
    return "", 0


def _json(value: Any) -> bytes:
    """JSON inside a script element: no tag, comment, entity or workflow command begins in it."""
    text = orjson.dumps(value).replace(b"<", b"\\u003c").replace(b">", b"\\u003e")
    return text.replace(b"&", b"\\u0026").replace(b"##[", b"#\\u0023[")
