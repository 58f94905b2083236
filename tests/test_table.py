"""Objects spelled by columns are what they would be one by one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.canonical import Rows, encode, encode_report, harmless, number
from contractlab.table import Kinds, each, numbers, objects

if TYPE_CHECKING:
    from contractlab.table import Columns

texts = st.text() | st.sampled_from([",", '",', '","', "\\", '\\",', "a\nb", ",\n  ", "\0", "##["])
floats = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(texts, floats, st.sampled_from(["é::", "b", None]), st.booleans())))
def test_objects_by_columns_are_the_objects_one_by_one(rows: list[tuple[Any, ...]]) -> None:
    names, costs, kinds, flags = (list(column) for column in zip(*rows, strict=True)) if rows else (
        [], [], [], [],
    )  # fmt: skip
    inmost: Columns = {"flag": Kinds().column(flags)}
    inner: Columns = {"cost": numbers(costs), "é": inmost}
    columns: Columns = {
        "name": each(names),
        "inner": inner,
        "kind": Kinds().column(kinds),
    }
    plain = [
        {"name": name, "inner": {"cost": number(cost), "é": {"flag": flag}}, "kind": kind}
        for name, cost, kind, flag in rows
    ]
    spelled = [objects(columns)] if rows else []
    assert encode_report({"rows": Rows(spelled)}) == encode_report({"rows": plain})


@given(st.lists(texts))
def test_each_text_of_a_column_is_spelled_by_itself(values: list[str]) -> None:
    assert each(values) == [harmless(encode(value)) for value in values]


@given(st.lists(floats))
def test_numbers_are_spelled_as_pythons_json_spells_them(values: list[float | None]) -> None:
    assert numbers(values) == [json.dumps(value).encode() for value in values]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_stops_a_column(value: float) -> None:
    with pytest.raises(ValueError, match="no JSON number"):
        numbers([1.0, value])


def test_a_lone_surrogate_is_spelled_as_its_escape() -> None:
    assert each(["a", "\ud800"]) == [b'"a"', b'"\\ud800"']


def test_values_with_one_key_are_spelled_once() -> None:
    asked: list[dict[str, bool]] = []

    def shown(value: dict[str, bool]) -> dict[str, bool]:
        asked.append(value)
        return value

    kinds = Kinds(shown)
    assert kinds.column([{"b": True, "a": False}, {}], [1, 1]) == [b'{"a":false,"b":true}'] * 2
    assert kinds.column([{}, {"c": True}], [1, 2]) == [b'{"a":false,"b":true}', b'{"c":true}']
    assert len(asked) == 2


def test_more_kinds_than_are_remembered_are_spelled_too() -> None:
    kinds = Kinds()
    for start in range(0, 40_000, 9_000):
        values = [str(number) for number in range(start, start + 9_000)]
        assert kinds.column(values) == [f'"{value}"'.encode() for value in values]


def test_members_that_are_alike_stand_after_the_other_fields() -> None:
    rest = Kinds(members=True).column([{"z": "é", "y": True}] * 2, [0, 0])
    rows = objects({"a": each(["one", "two"])}, rest)
    assert rows(b"|") == b'{"a":"one","y":true,"z":"\\u00e9"}|{"a":"two","y":true,"z":"\\u00e9"}'
