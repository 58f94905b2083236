"""Numbers as text: rounded to the worse side, never minus zero, undefined as such."""

from __future__ import annotations

import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.render import numbers

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.one_of(finite, st.fractions(max_denominator=10**6)), st.integers(0, 8))
def test_down_is_at_or_below_up_at_or_above_and_both_within_one_unit(
    value: float | Fraction, places: int
) -> None:
    exact = value if isinstance(value, Fraction) else Fraction(repr(value))
    down, up = (Fraction(numbers.rounded(value, places, side)) for side in ("down", "up"))
    unit = Fraction(1, 10**places)
    assert exact - unit < down <= exact <= up < exact + unit


@given(finite, st.sampled_from(["down", "up", "nearest"]))
def test_nothing_reads_as_minus_zero(value: float, towards: str) -> None:
    for text in (
        numbers.rate(value, towards),
        numbers.difference(value, towards),
        numbers.points(value, towards),
        numbers.percent(value, towards),
    ):
        assert Decimal(text.removesuffix(" %")) != 0 or "-" not in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (numbers.rate(Fraction(9999, 10000)), "0.999"),
        (numbers.rate(Fraction(1)), "1.000"),
        (numbers.rate(Fraction(2, 3), "up"), "0.667"),
        (numbers.rate(0.7), "0.700"),
        (numbers.rate(None), "n/a (0/0)"),
        (numbers.percent(Fraction(9999, 10000)), "99.9 %"),
        (numbers.percent(0.07), "7.0 %"),
        (numbers.percent(None), "n/a (0/0)"),
        (numbers.difference(Fraction(1, 3)), "+0.333"),
        (numbers.difference(Fraction(-1, 3)), "-0.334"),
        (numbers.difference(-0.0), "0.000"),
        (numbers.difference(-0.0001, "up"), "0.000"),
        (numbers.milliseconds(1010.0), "1,010 ms"),
        (numbers.milliseconds(1010.0001), "1,011 ms"),
        (numbers.milliseconds(0.0), "0.0 ms"),
        (numbers.milliseconds(5e-324), "0.1 ms"),
        (numbers.usd(0.0042), "$0.0042"),
        (numbers.usd(0), "$0.0000"),
        (numbers.usd(12.5), "$12.50"),
        (numbers.count(1_000_000), "1,000,000"),
    ],
)  # fmt: skip
def test_numbers_read_so(text: str, expected: str) -> None:
    assert text == expected


def test_the_largest_double_is_written_out() -> None:
    assert numbers.milliseconds(sys.float_info.max).startswith("179,769,313,486,231,57")
    assert numbers.usd(10**308).startswith("$100,000,000")


@given(st.fractions(0, 1).filter(lambda value: value < 1))
def test_a_rate_below_1_never_reads_as_1(value: Fraction) -> None:
    assert numbers.rate(value) != "1.000"
    assert numbers.percent(value) != "100.0 %"


@given(st.floats(0.001, 1e12))
def test_costs_and_latencies_round_up_by_less_than_their_last_place(value: float) -> None:
    cost = numbers.usd(value).removeprefix("$")
    latency = numbers.milliseconds(value).removesuffix(" ms")
    for text in (cost, latency):
        places = len(text.partition(".")[2])
        added = Decimal(text.replace(",", "")) - Decimal(repr(value))
        assert 0 <= added < Decimal(1).scaleb(-places)
