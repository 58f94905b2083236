"""What was done and what changed, so that two things that differ read as two."""

from __future__ import annotations

import pytest

from contractlab.model import Call
from contractlab.render.behaviour_v2 import behaviour, call_text, expected
from contractlab.render.columns import cut_apart
from tests.v2.builders import expecting, loaded_record


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (900, "900"),
        ("900", '"900"'),
        ("-1.5e3", '"-1.5e3"'),
        (True, "true"),
        ("true", '"true"'),
        (None, "null"),
        ("null", '"null"'),
        ([1], "[1]"),
        ("[1]", '"[1]"'),
        ("A-102", "A-102"),
        ("007", "007"),
        ("nullable", "nullable"),
    ],
)
def test_a_text_argument_that_reads_as_another_kind_is_in_quotes(value: object, told: str) -> None:
    assert call_text(Call("refund", {"amount": value}, ok=True)) == f"refund(amount={told})"
    forbidden = [{"name": "refund", "arguments": {"amount": {"equals": value}}}]
    (aspect,) = expected(expecting(forbidden=forbidden))
    assert aspect.values[0].startswith("refund(amount=")


def test_an_expected_text_that_reads_as_a_number_is_in_quotes() -> None:
    spelled = [
        expected(expecting(forbidden=[{"name": "pay", "arguments": {"amount": value}}]))[0].values
        for value in (900, "900")
    ]
    assert spelled == [("pay(amount=900)",), ('pay(amount="900")',)]


def test_an_answer_stays_as_it_was_given() -> None:
    found = behaviour(loaded_record(answer='{"total": 3}'))
    assert [each.values for each in found if each.name == "answer"] == [('{"total": 3}',)]


COMMIT = "8b29f11c0d6e4c55a1f2e0b7d9a3c4e5f6a7b8c9"


@pytest.mark.parametrize("at", [0, 5, 15, 20, 27, 35, 39])
@pytest.mark.parametrize("most", [28, 56, 100])
def test_what_differs_between_two_values_is_in_both_of_their_cuts(at: int, most: int) -> None:
    other = f"{COMMIT[:at]}x{COMMIT[at + 1 :]}"
    cuts = cut_apart(f'"{COMMIT}"', f'"{other}"', most)
    assert cuts[0] != cuts[1]
    assert "x" in cuts[1]
    for each in cuts:
        assert each[0] == each[-1] == '"'
        assert len(each) <= most + 3


def test_one_value_that_goes_on_where_the_other_ends_is_told_apart() -> None:
    one, other = cut_apart("a" * 200, "a" * 200 + "b", 30)
    assert other.endswith("b")
    assert one != other
