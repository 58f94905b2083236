"""The cases as compact JSON for the report's script, within a budget of bytes.

`script.js` is the only reader, so the form is free to change:

    expected: [[aspect, value, ...], ...] each
    lists:    the same of what was done
    outcomes: [[check, 0 or 1], ...] each
    stories:  [flip, list, list, measured, measured, outcomes, outcomes, changed, words] each
    cases:    [id, family, slice, critical, input, shortened, expected, story, measure, ...] each

where `flip` and all that is named like a table is a place in that table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from contractlab.render import sentences
from contractlab.render.page.casebook import input_shown
from contractlab.render.page.parts import FLIPS
from contractlab.unseen import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.render.page.casebook import Entry, Facts, Outcomes, Story

_SHORTEST = 80
"""Bytes of an input that every case may show while there is room for it."""
_INPUT, _SHORTENED = 4, 5


@dataclass(frozen=True, slots=True)
class Island:
    """The JSON and what had no room in it."""

    json: str
    left_out: int
    """Cases, the least concerning ones."""
    shortened: int
    """Cases whose input is cut further than elsewhere in the report."""


def island(entries: Sequence[Entry], budget: int) -> Island:
    """The cases that fit, worst first.

    Args:
        entries: in the order of concern.
        budget: bytes; exceeded only where it has no room for the names of the tables.
    """
    count = len(entries)
    while True:
        data = _data(entries[:count])
        size = len(_json(data))
        if size <= budget or not count:
            break
        count = min(count - 1, count * max(budget, 0) // size)
    shortened = _add_inputs(data["cases"], entries[:count], budget - size)
    return Island(_json(data).decode(), len(entries) - count, shortened)


def _data(entries: Sequence[Entry]) -> dict[str, Any]:
    """The tables and the cases, still without their inputs."""
    families: dict[str, int] = {}
    slices: dict[str, int] = {}
    # The casebook has each expectation and each story once, so their identity will do.
    expected: dict[int, int] = {}
    expectations: list[Facts] = []
    places: dict[int, int] = {}
    stories: list[Story] = []
    cases: list[list[Any]] = []
    for case, asked, story, measures in entries:
        if id(asked) not in expected:
            expected[id(asked)] = len(expected)
            expectations.append(asked)
        if id(story) not in places:
            places[id(story)] = len(places)
            stories.append(story)
        cases.append(
            [
                visible(case.id),
                families.setdefault(case.family_id, len(families)),
                slices.setdefault(case.slice, len(slices)),
                int(case.critical),
                "",
                0,
                expected[id(asked)],
                places[id(story)],
                *measures,
            ]
        )
    return {
        "flips": FLIPS,
        "words": [sentences.FLIPS[flip] for flip in FLIPS],
        "families": [visible(name) for name in families],
        "slices": [visible(name) for name in slices],
        "expected": [_facts(facts) for facts in expectations],
        **_stories(stories),
        "cases": cases,
    }


def _stories(stories: Sequence[Story]) -> dict[str, Any]:
    lists: dict[Facts, int] = {}
    outcomes: dict[Outcomes, int] = {}
    rows = [
        [
            FLIPS.index(story.flip),
            lists.setdefault(story.before, len(lists)),
            lists.setdefault(story.after, len(lists)),
            story.measured_before,
            story.measured_after,
            outcomes.setdefault(story.outcomes_before, len(outcomes)),
            outcomes.setdefault(story.outcomes_after, len(outcomes)),
            story.changed,
            visible(story.words),
            [visible(name) for name in story.forbidden_before],
            [visible(name) for name in story.forbidden_after],
        ]
        for story in stories
    ]
    return {
        "lists": [_facts(facts) for facts in lists],
        "outcomes": [[[name, int(held)] for name, held in each] for each in outcomes],
        "stories": rows,
    }


def _add_inputs(cases: list[list[Any]], entries: Sequence[Entry], spare: int) -> int:
    """Gives each case its input as far as there is room, and counts those that are cut.

    The worst cases take what they need, and leave every later one its shortest form.
    """
    whole = [visible(input_shown(entry.case)) for entry in entries]
    sizes = [len(_json(text)) - 2 for text in whole]
    shortest = [min(size, _SHORTEST) for size in sizes]
    if sum(shortest) > spare:
        shortest = [0] * len(whole)
    spare -= sum(shortest)
    shortened = 0
    for case, entry, text, size, own in zip(cases, entries, whole, sizes, shortest, strict=True):
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


def _facts(facts: Facts) -> list[list[str]]:
    return [[aspect, *map(visible, values)] for aspect, values in facts]


def _json(value: Any) -> bytes:
    """JSON inside a script element: no tag, no comment and no entity begins in it."""
    text = orjson.dumps(value)
    for char, escaped in _ESCAPES:
        text = text.replace(char, escaped)
    return text


_ESCAPES = ((b"<", b"\\u003c"), (b">", b"\\u003e"), (b"&", b"\\u0026"))
