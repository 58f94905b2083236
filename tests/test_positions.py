"""Where values stand: each path's place is where the text begins that reads as its value."""

from __future__ import annotations

import json
from json.decoder import JSONDecoder
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.positions import Text, find, place
from contractlab.problems import Position, Problem, Related, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.problems import Path

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts, st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=20,
)


def paths(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(inner, (*path, step))


def offset(text: str, position: Position) -> int:
    """By lines, as an editor finds a place: independent of how `Text` does."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: position.line - 1]) + position.column - 1


@given(values, st.sampled_from([None, 0, 1, "\t"]), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_a_values_place_is_where_the_text_begins_that_reads_as_it(
    value: Any, indent: Any, ascii_: bool, newline: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_).replace("\n", newline)
    wanted = [(path, False) for path, _ in paths(value)]
    found = find(text.encode(), wanted)
    for path, inner in paths(value):
        at = offset(text, found[path, False])
        assert JSONDecoder().raw_decode(text, at)[0] == inner


@given(values, st.sampled_from([None, 2]))
def test_a_keys_place_is_where_the_text_begins_that_reads_as_it(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    keys = [path for path, _ in paths(value) if path and isinstance(path[-1], str)]
    found = find(text.encode(), [(path, True) for path in keys])
    for path in keys:
        assert JSONDecoder().raw_decode(text, offset(text, found[path, True]))[0] == path[-1]


def test_a_path_that_is_not_there_has_the_place_of_its_deepest_ancestor() -> None:
    found = find(b'{"a": [1, {"b": 2}]}', [(("a", 1, "c", 5), False), (("x",), True)])
    assert found[("a", 1, "c", 5), False].column == 11
    assert found[("x",), True].column == 1


@given(st.text("ab\n\r\t\u00e9\U0001f600", max_size=200), st.data())
def test_line_and_column_are_those_of_splitting_at_line_feeds(text: str, data: Any) -> None:
    at = data.draw(st.integers(0, len(text)))
    position = Text(text).position(at)
    before = text[:at].split("\n")
    assert (position.line, position.column) == (len(before), len(before[-1]) + 1)
    line = text.split("\n")[position.line - 1]
    assert position.excerpt in line
    if position.excerpt_column <= len(position.excerpt):
        assert position.excerpt[position.excerpt_column - 1] == text[at]


@pytest.mark.parametrize("at", [0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 20_000, 25_000])
@pytest.mark.parametrize("period", [1, 7, 4096, 5000, 100_000])
def test_places_are_right_on_both_sides_of_every_block(at: int, period: int) -> None:
    text = "".join("\n" if index % period == period - 1 else "x" for index in range(25_000))
    position = Text(text).position(at)
    before = text[:at].split("\n")
    assert (position.line, position.column) == (len(before), len(before[-1]) + 1)


def test_a_very_long_line_is_excerpted_around_the_place() -> None:
    text = "a" * 5000 + "X" + "b" * 5000
    position = Text(text).position(5000)
    assert len(position.excerpt) <= 160
    assert position.excerpt[position.excerpt_column - 1] == "X"


def test_problems_are_sorted_by_file_and_then_by_place() -> None:
    texts_ = {"b.json": b"[1,\n 2]", "a.json": b"[1, 2, 3]"}
    problems = [
        Problem(Rule.WRONG_TYPE, "a2", file="a.json", path=(2,)),
        Problem(Rule.WRONG_TYPE, "a0", file="a.json", path=(0,)),
        Problem(Rule.WRONG_TYPE, "b1", file="b.json", path=(1,)),
        Problem(Rule.WRONG_TYPE, "b0", file="b.json", path=(0,)),
        Problem(Rule.UNKNOWN_RELEASE, "nowhere"),
    ]
    order = [each.message for each in place(problems, texts_)]
    assert order == ["nowhere", "b0", "b1", "a0", "a2"]


def test_a_related_place_in_another_file_is_found_too() -> None:
    problem = Problem(
        Rule.DUPLICATE_RELEASE, "twice", file="a", path=(0,), related=(Related("b", (1,), "there"),)
    )
    (placed,) = place([problem], {"a": b"[1]", "b": b"[1,\n 2]"})
    there = placed.related[0].position
    assert there is not None
    assert (there.line, there.column) == (2, 2)
