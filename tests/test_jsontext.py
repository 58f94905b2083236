"""The strict reader: which texts are JSON, and that its values are those of Python's json."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contractlab.jsontext import parse, too_deep
from contractlab.limits import MAX_DEPTH
from contractlab.problems import ContractError

NUMBERS = [
    "0", "-0", "-0.0", "0.0", "-0e0", "1e0", "1E400", "-1e400", "5e-324", "2e-324", "-5e-324",
    "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308",
    "1.7976931348623158e308", "1.7976931348623159e308", "0.1", "0.30000000000000004",
    "9007199254740993", "9007199254740993.0", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "-9223372036854775809", "1" * 309, "1" * 4300, "0.1e-999",
    "1." + "1" * 800, "0." + "0" * 400 + "1", "123456789012345678901234567890.125e-20",
    "4.35", "8.41e21", "9.109e-31", "1.00000000000000011102230246251565404",
]  # fmt: skip
"""Where parsers are known to differ: subnormals, halfway cases, 64-bit ends, long digits."""

digits = st.text("0123456789", min_size=1, max_size=30)
number_texts = st.one_of(
    st.integers(0, len(NUMBERS) - 1).map(lambda index: NUMBERS[index]),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers().map(str),
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from(["", "-"]),
        st.integers(0, 10**25).map(str),
        st.one_of(st.just(""), digits.map(".{}".format)),
        st.one_of(st.just(""), st.integers(-400, 400).map("e{:+d}".format)),
    ),
)
spaces = st.text(" \t\r\n", max_size=2)
string_texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])).map(json.dumps),
    st.text(st.characters(exclude_categories=["Cs"])).map(
        lambda text: json.dumps(text, ensure_ascii=False)
    ),
    st.sampled_from(
        [r'"\ud83d\ude00"', r'"\/\b\f"', r'"\u0000"', '"\x7f\u2028\ufeff"', '"\U0010ffff"']
    ),
)


def arrays(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(spaces, inner, spaces).map("".join), max_size=4).map(
        lambda items: f"[{','.join(items)}]"
    )


def objects(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(
        st.tuples(string_texts, inner), max_size=4, unique_by=lambda pair: json.loads(pair[0])
    ).map(lambda pairs: "{" + ",".join(f"{key} : {value}" for key, value in pairs) + "}")


json_texts = st.recursive(
    st.one_of(number_texts, string_texts, st.sampled_from(["true", "false", "null"])),
    lambda inner: st.one_of(arrays(inner), objects(inner)),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    """Equal in type too, and floats bit by bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    return bool(one == other)


@given(json_texts)
def test_a_strict_text_has_the_value_that_pythons_json_gives_it(text: str) -> None:
    assert same(parse(text.encode()), json.loads(text))


@pytest.mark.parametrize("text", NUMBERS, ids=lambda text: text[:30])
def test_an_odd_number_is_the_very_double_or_integer_of_pythons_json(text: str) -> None:
    assert same(parse(text.encode()), json.loads(text))


@given(st.text('{}[]":,\\0123456789.eE+-truefalsn ux\t\n\ud7ff\U0001f600', max_size=12))
@example("")
@example("-")
@example("01")
@example("1.")
@example(".5")
@example("+1")
@example('"\\x"')
@example("[1,]")
def test_what_pythons_json_refuses_is_refused(text: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        with pytest.raises(ContractError):
            parse(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":1,"a":2}',
        b'{"a":1,"\\u0061":2}',
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b'"\\ud800"',
        b'"\\udc00\\ud800"',
        b'{"\\ud800":1}',
        b"\xef\xbb\xbf{}",
        b"1" * 4301,
        b"[" * 202 + b"]" * 202,
    ],
    ids=lambda text: text[:20].decode("latin-1"),
)
def test_stricter_than_pythons_json(text: bytes) -> None:
    if not text.startswith((b"\xef", b"1")):  # json.loads refuses a BOM, and 4,301 digits too
        json.loads(text)
    with pytest.raises(ContractError):
        parse(text)


def test_1e999_reads_as_infinite_so_that_the_shape_says_which_field_holds_it() -> None:
    assert parse(b"1e999") == math.inf


def test_64_deep_is_not_too_deep() -> None:
    assert too_deep(json.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)) is None


def test_the_65th_bracket_is_too_deep_and_its_path_is_told() -> None:
    assert too_deep(json.loads("[" * 65 + "]" * 65)) == (0,) * 64
    assert too_deep({"a": [1, {"b": json.loads("[" * 62 + "]" * 62)}]}) == (
        ("a", 1, "b") + (0,) * 61
    )


def test_scalars_are_never_too_deep() -> None:
    assert too_deep({"a": [1, "b", None]}) is None
