from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contractlab.batches import BATCH
from contractlab.canonical import (
    Rows,
    encode,
    encode_in_order,
    encode_report,
    in_order,
    number,
)
from contractlab.evidence import digest

HARD_FLOATS: list[float] = [
    *(0.0, -0.0, 1e-5, 9.999999999999999e-05, 1e-4, 0.00012345, 1e15, 9999999999999998.0, 1e16),
    *(1e17, 123456789012345680.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308),
    *(0.1, 1 / 3, 2.5, 100.0, -1e-7, -1e22),
]
HARD_INTEGERS = [0, -1, 2**53, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 10**400, -(10**30)]
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(HARD_FLOATS),
    st.integers(),
    st.sampled_from(HARD_INTEGERS),
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(
        ["::", "##[", "\x7f", "\0", "\u2028", "汉字", "\U0001f600", '"\\/', "a::b##[c"]
    ),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner),
        st.dictionaries(texts, inner),
        # Objects alike, as cases and records are.
        st.lists(st.fixed_dictionaries({"b": inner, "a": numbers, "ü": st.lists(scalars)})),
    ),
    max_leaves=30,
)


def by_json(value: Any) -> bytes:
    text = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return text.encode()


def same(one: Any, other: Any) -> bool:
    """Equal in kind too: 1, 1.0 and True are three values of JSON."""
    return by_json(one) == by_json(other)


@given(values)
@example([{"a": 1e-5, "b": None}, {"a": 1, "b": 1e16}])
@example([[1.5], [], [1e-9, 2**70]])
@example([{"a": 1}, {"a": 1, "b": 1e-7}])
def test_the_bytes_are_those_of_pythons_json(value: Any) -> None:
    assert encode(value) == by_json(value)


@given(values)
@example({"b": 1e-5, "a": {"d": 1e16, "c": "0.0000"}})
@example({"b": 2**70, "a": []})
def test_in_order_the_bytes_are_those_of_pythons_json_unsorted(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert encode_in_order(value) == text.encode()
    rows = [{"z": 1, "any": value}] * 2
    report = encode_report({"rows": Rows([in_order(rows)])})

    def spelled(data: str | bytes) -> Any:
        # Members in order, numbers as they are written.
        return json.loads(data, parse_float=str, parse_int=str, object_pairs_hook=list)

    assert spelled(report) == spelled(json.dumps({"rows": rows}))


@pytest.mark.parametrize("hard", [*HARD_FLOATS, *HARD_INTEGERS], ids=lambda value: repr(value)[:25])
def test_a_number_is_spelled_as_python_does_wherever_it_stands(hard: float) -> None:
    row = {"first": 1.5, "hard": hard, "list": [hard, 2.5]}
    for value in (hard, [hard], {"a": hard}, [row] * 3, [{**row, "hard": 1.5}, row], [[row]]):
        assert encode(value) == by_json(value)


def test_rows_beyond_one_batch_are_spelled_too() -> None:
    rows = [{"id": str(index), "cost": 1.5} for index in range(BATCH * 2 + 7)]
    assert encode({"rows": rows}) == by_json({"rows": rows})
    rows[BATCH + 3]["cost"] = 1e-7
    assert encode({"rows": rows}) == by_json({"rows": rows})


@pytest.mark.parametrize("wrong", [math.inf, -math.inf, math.nan], ids=str)
@pytest.mark.parametrize("encoder", [encode, encode_report], ids=["encode", "encode_report"])
def test_what_is_not_finite_is_no_json(wrong: float, encoder: Any) -> None:
    for value in (wrong, [1.5, wrong], [wrong, 1.5], [{"a": wrong}], [{"a": 1.5}, {"a": wrong}]):
        with pytest.raises(ValueError, match="no JSON number"):
            encoder({"value": value})


@pytest.mark.parametrize("value", ["\ud800", ["a\udc80"], {"\udfff": 1}], ids=ascii)
def test_a_lone_surrogate_has_no_bytes(value: Any) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        encode(value)


@given(values)
@example({"a": [{"::": "##["}], "b": "x::y"})
@example({"a": [{"\0": "\0"}, "0\0"]})
def test_a_report_reads_as_the_same_value_and_obeys_nobody(value: Any) -> None:
    data = encode_report({"value": value})
    assert same(json.loads(data), {"value": value})
    assert data.isascii()
    assert data.endswith(b"}\n")
    assert data.replace(b"\n", b" ").decode().isprintable()
    assert b"::" not in data
    assert b"##[" not in data


@given(values)
def test_a_report_has_sorted_keys_and_pythons_numbers(value: Any) -> None:
    data = encode_report({"value": value})
    spelled = json.loads(data, parse_float=str, parse_int=str, object_pairs_hook=list)
    expected = json.loads(by_json({"value": value}), parse_float=str, parse_int=str,
                          object_pairs_hook=list)  # fmt: skip
    assert spelled == expected


@given(st.lists(st.dictionaries(texts, texts)))
def test_rows_made_one_by_one_give_the_same_bytes(rows: list[dict[str, str]]) -> None:
    lazily = {"b": Rows(dict(row) for row in rows), "a": {"c": Rows(iter(rows))}}
    assert encode_report(lazily) == encode_report({"b": rows, "a": {"c": rows}})


def test_a_row_that_holds_what_looks_like_rows_is_one_line() -> None:
    rows = [{"a": index, "inner": [{"a": 1}, {"a": 2}]} for index in range(3)]
    lines = encode_report({"rows": rows}).decode().splitlines()
    assert [line.strip(" ,") for line in lines[2:5]] == [
        f'{{"a":{index},"inner":[{{"a":1}},{{"a":2}}]}}' for index in range(3)
    ]


def test_an_object_in_an_array_is_one_line() -> None:
    rows = [{"id": "a", "cost": number(1e-05), "deep": {"x": [1, 2]}}, {"id": "b"}]
    assert encode_report({"n": 1, "rows": rows, "few": [1], "none": []}).decode() == (
        "{\n"
        '  "few": [\n'
        "    1\n"
        "  ],\n"
        '  "n": 1,\n'
        '  "none": [],\n'
        '  "rows": [\n'
        '    {"cost":1e-05,"deep":{"x":[1,2]},"id":"a"},\n'
        '    {"id":"b"}\n'
        "  ]\n"
        "}\n"
    )


def test_a_file_name_that_is_not_utf_8_does_not_stop_a_report() -> None:
    name = b"r\xe9sum\xe9.json".decode("utf-8", "surrogateescape")
    data = encode_report({"file": name, "problems": [{"file": name, "small": 1e-7}]})
    assert json.loads(data)["problems"][0]["file"] == name
    assert data.isascii()
    assert b"1e-07" in data


def test_the_digest_is_the_published_one() -> None:
    value = {"z": "汉字", "a": [1, 2.5], "nested": {"β": "值"}}
    expected = "ee2f7ef27b87716fd2359ee2f42aae77a38d58792636bf959292c885242152d6"
    assert digest(value, "release-v1") == expected


@given(st.lists(values, max_size=4))
def test_a_digest_is_one_of_an_array(parts: list[Any]) -> None:
    import hashlib  # noqa: PLC0415

    assert digest(*parts) == hashlib.sha256(by_json(parts)).hexdigest()
