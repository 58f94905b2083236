"""What is said of a text that is not strict JSON: each fault, at its place."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.jsontext import parse
from contractlab.limits import MOST_PROBLEMS
from contractlab.problems import ContractError, Problem
from fuzz import fuzz_reader

Found = list[tuple[str, int, int]]


def problems(data: bytes) -> list[Problem]:
    with pytest.raises(ContractError) as caught:
        parse(data, file="x.json")
    return caught.value.problems


def found(data: bytes) -> Found:
    return [
        (each.rule.code, each.position.line, each.position.column)
        for each in problems(data)
        if each.position
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", [("CL103", 1, 1)]),
        (b" \n ", [("CL103", 2, 2)]),
        (b'{"a": 1', [("CL103", 1, 8)]),
        (b'{"a": "b', [("CL103", 1, 7)]),
        (b'{"a": ', [("CL103", 1, 7)]),
        (b"{},{}", [("CL103", 1, 3)]),
        (b"[1,\n 2,]", [("CL103", 2, 4)]),
        (b'{"a": 1,}', [("CL103", 1, 9)]),
        (b'{"a": 1 // one\n}', [("CL103", 1, 9)]),
        (b'{"a": /* one */ 1}', [("CL103", 1, 7)]),
        (b"{'a': 1}", [("CL103", 1, 2)]),
        (b'{"a" 1}', [("CL103", 1, 6)]),
        (b'["a\tb"]', [("CL103", 1, 4)]),
        (b'["a\nb"]', [("CL103", 1, 4)]),
        (b'["\x00"]', [("CL103", 1, 3)]),
        (b'["\\x"]', [("CL103", 1, 3)]),
        (b"[01]", [("CL103", 1, 3)]),
        (b"[nul]", [("CL103", 1, 2)]),
        (b"\xef\xbb\xbf{}", [("CL102", 1, 1)]),
        ("{}".encode("utf-16"), [("CL101", 1, 1)]),
        ("{}".encode("utf-16-be"), [("CL101", 1, 1)]),
        ("{}".encode("utf-16-le"), [("CL101", 1, 1)]),
        ("{}".encode("utf-32-le"), [("CL101", 1, 1)]),
        ("{}".encode("utf-32-be"), [("CL101", 1, 1)]),
        (b'["\xed\xa0\x80"]', [("CL101", 1, 3)]),
        (b'["ok",\n "caf\xe9"]', [("CL101", 2, 6)]),
        (b'["\xc0\xaf"]', [("CL101", 1, 3)]),
        (b'{"a":1,"b":2,"a":3}', [("CL104", 1, 14)]),
        (b'{"a":1,"\\u0061":2}', [("CL104", 1, 8)]),
        (b'{"a":1,"a":2,"a":3}', [("CL104", 1, 8), ("CL104", 1, 14)]),
        (b'[{"a":1,"a":2},\n{"b":1,"b":2}]', [("CL104", 1, 9), ("CL104", 2, 8)]),
        (b'{"a":{"b":1,"b":2},"a":{"c":1}}', [("CL104", 1, 13), ("CL104", 1, 20)]),
        (b'{"a":[{"b":{"c":0,"c":0}}]}', [("CL104", 1, 19)]),
        (b'{"":1,"":2}', [("CL104", 1, 7)]),
        (b"[NaN, Infinity,\n-Infinity]", [("CL105", 1, 2), ("CL105", 1, 7), ("CL105", 2, 1)]),
        (b'["NaN", NaN]', [("CL105", 1, 9)]),
        (b'["\\ud800"]', [("CL106", 1, 3)]),
        (b'["\\udfff\\ud800"]', [("CL106", 1, 3), ("CL106", 1, 9)]),
        (b'["\\ud800\\ud800\\udc00"]', [("CL106", 1, 3)]),
        (b'["\\ud800","\\udc00"]', [("CL106", 1, 3), ("CL106", 1, 12)]),
        (b'["\\ud800\\\\udc00"]', [("CL106", 1, 3)]),
        (b'{"\\uD83D": 1}', [("CL106", 1, 3)]),
        (b"[" + b"9" * 4301 + b"]", [("CL108", 1, 2)]),
        (b"[-" + b"9" * 5000 + b"]", [("CL108", 1, 2)]),
        (b"[" + b"9" * 4301 + b".5]", [("CL108", 1, 2)]),
        (b"[0." + b"9" * 5000 + b", 1e-" + b"9" * 5000 + b", NaN]", [("CL105", 1, 10011)]),
        (b"[" * 100_000, [("CL107", 1, 65)]),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, [("CL107", 1, 321)]),
        (b'["[[[", ' + b"[" * 64 + b"1", [("CL103", 1, 74)]),
        (b'{"a":NaN,"a":"\\ud800"}', [("CL105", 1, 6), ("CL104", 1, 10), ("CL106", 1, 15)]),
    ],
    ids=lambda each: each[:24].decode("latin-1") if isinstance(each, bytes) else "",
)
def test_each_fault_is_told_at_its_place(data: bytes, expected: Found) -> None:
    assert found(data) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_columns_count_code_points_and_lines_end_in_a_line_feed(newline: str) -> None:
    text = newline.join(["{", '\t"\U0001f600\u0301": "\u6c49",', '"b": NaN}'])
    assert found(text.encode()) == [("CL105", 3, 6)]
    text = f'{{"a": 1,{newline}"\U0001f600\U0001f600": NaN}}'
    assert found(text.encode()) == [("CL105", 2, 7)]


def test_a_duplicate_key_names_the_place_of_the_first() -> None:
    (problem,) = problems(b'{"a":1,\n "\\u0061":2}')
    (related,) = problem.related
    assert related.position is not None
    assert (related.position.line, related.position.column) == (1, 2)


def test_a_truncated_text_is_said_to_end_too_early_wherever_it_is_cut() -> None:
    text = json.dumps({"cases": [{"id": "a\u00e9", "n": -1.5e3, "t": [True, None]}]})
    for end in range(1, len(text)):
        (problem,) = problems(text[:end].encode())
        assert problem.rule.code == "CL103"


@pytest.mark.parametrize(
    "data",
    [
        b'"' + b'\\"' * 400_000 + b"\\",
        b"9" * 4_000_000 + b"e1",
        b"\n" * 4_000_000,
        b"{}," * 4_000_000,
        b'["' + b"\\" * 4_000_000,
        b"[" + b"[],{}," * 500_000 + b"NaN]",
        b"-" * 4_000_000,
        b"[" + b"1e" * 2_000_000,
    ],
    ids=lambda data: data[:8].decode(),
)
def test_a_hostile_text_of_megabytes_is_told_without_quadratic_work(data: bytes) -> None:
    # Each took hours with one of the plainer ways to look for the fault.
    assert found(data)


@pytest.mark.parametrize(
    "data",
    [
        b"{" + b'"a":1,' * 30_000 + b'"b":1}',
        b"[" + b"NaN," * 30_000 + b"1]",
        b'["' + b"\\ud800" * 30_000 + b'"]',
    ],
    ids=["keys", "constants", "surrogates"],
)
def test_a_file_that_is_wrong_many_times_is_listed_up_to_a_cap(data: bytes) -> None:
    assert len(problems(data)) == MOST_PROBLEMS


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_placed_problems(data: bytes) -> None:
    check(data)


@given(
    st.lists(
        st.sampled_from(
            [b"{", b"}", b"[", b"]", b",", b":", b'"', b'"a"', b"\\", b"\\ud83d", b"\\ude00",
             b"NaN", b"1", b"-", b"e5", b".", b" ", b"\n", b"\xc3\xa9", b"\xff", b"tru", b"null"]
        ),
        max_size=16,
    ).map(b"".join)
)  # fmt: skip
def test_any_pieces_of_json_are_a_value_or_placed_problems(data: bytes) -> None:
    check(data)


def test_the_repositorys_contracts_broken_anyhow_are_a_value_or_placed_problems() -> None:
    choose, corpus = random.Random(7), fuzz_reader.seeds()
    for _ in range(1500):
        fuzz_reader.check(fuzz_reader.mutated(choose.choice(corpus), choose))


def check(data: bytes) -> None:
    try:
        parse(data, file="x.json")
    except ContractError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.message
            assert problem.position is not None
            lines = data.decode("utf-8", "replace").split("\n")
            assert 1 <= problem.position.line <= len(lines)
            assert 1 <= problem.position.column <= len(lines[problem.position.line - 1]) + 1
            assert not problem.message.startswith("not strict JSON"), problem.message
