"""Closed forms against published and independently computed values."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.bootstrap import DifferenceCounts
from contractlab.interval import Interval
from contractlab.stats import (
    McNemar,
    PairedCounts,
    could_have_missed,
    fewest_resamples,
    holm,
    mcnemar,
    newcombe,
    resolves,
    smallest_detectable_regression,
    wilson,
    zero_failures_upper_rate,
)

C90, C95 = Fraction("0.9"), Fraction("0.95")


def paired(both: int, improved: int, regressed: int, neither: int) -> PairedCounts:
    return PairedCounts(both=both, improved=improved, regressed=regressed, neither=neither)


small_paired = (
    st.tuples(*[st.integers(0, 30)] * 4)
    .filter(lambda four: sum(four) > 0)
    .map(lambda four: paired(*four))
)


def test_delta_is_an_exact_fraction_and_differences_keep_every_case() -> None:
    counts = paired(1, 1, 7, 12)
    assert (counts.n, counts.delta) == (21, Fraction(-6, 21))
    assert counts.differences == DifferenceCounts(worse=7, same=13, better=1)


@pytest.mark.parametrize(
    ("both", "improved", "regressed", "neither"), [(0, 0, 0, 0), (-1, 2, 0, 0), (5, 0, -1, 0)]
)
def test_paired_counts_need_one_case_and_no_negative_number(
    both: int, improved: int, regressed: int, neither: int
) -> None:
    with pytest.raises(ValueError, match="at least one case"):
        paired(both, improved, regressed, neither)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (6, 6, 0.6096657121, 1.0),
        (18, 20, 0.6989663548, 0.9721335188),
        (45, 50, 0.7863976856, 0.9565242351),
    ],
)
def test_wilson_gives_the_reference_values(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson(successes, n, C95)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-10)


def test_wilson_ends_exactly_at_zero_and_one() -> None:
    none, every = wilson(0, 37, C95), wilson(37, 37, C95)
    assert none is not None
    assert every is not None
    assert (none.low, every.high) == (0.0, 1.0)


def test_wilson_of_no_cases_is_undefined() -> None:
    assert wilson(0, 0, C95) is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (0, -1)])
def test_wilson_refuses_impossible_counts(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="successes"):
        wilson(successes, n, C95)


@pytest.mark.parametrize("confidence", ["0", "1", "1.5"])
def test_a_confidence_must_lie_between_zero_and_one(confidence: str) -> None:
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, Fraction(confidence))


@pytest.mark.parametrize(
    ("counts", "confidence", "low", "high"),
    [
        pytest.param(paired(1, 1, 7, 12), C95, -0.5069202267, -0.0255591242, id="1-1-7-12"),
        pytest.param(paired(20, 12, 2, 16), C95, 0.0561564248, 0.3292069954, id="20-12-2-16"),
        pytest.param(paired(43, 0, 1, 0), C90, -0.0956624264, 0.0378268729, id="43-0-1-0"),
        pytest.param(paired(7, 25, 2, 68), C95, 0.1329487073, 0.3184751497, id="7-25-2-68"),
        pytest.param(paired(5, 0, 0, 1), C95, -0.3643784445, 0.3643784445, id="5-0-0-1"),
        pytest.param(paired(5, 0, 1, 0), C95, -0.5635028222, 0.2468838734, id="5-0-1-0"),
        pytest.param(paired(170, 5, 12, 13), C95, -0.0797149716, 0.007213478, id="170-5-12-13"),
    ],
)
def test_newcombe_gives_the_reference_values(
    counts: PairedCounts, confidence: Fraction, low: float, high: float
) -> None:
    interval = newcombe(counts, confidence)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-10)


@given(counts=small_paired)
def test_newcombe_holds_delta_and_mirrors_when_the_releases_swap(counts: PairedCounts) -> None:
    interval = newcombe(counts, C95)
    assert -1 <= interval.low <= float(counts.delta) <= interval.high <= 1
    swapped = newcombe(paired(counts.both, counts.regressed, counts.improved, counts.neither), C95)
    assert (-swapped.high, -swapped.low) == pytest.approx((interval.low, interval.high))


def test_could_have_missed_is_the_loss_not_ruled_out_and_never_negative() -> None:
    assert could_have_missed(paired(5, 0, 0, 1), C95) == pytest.approx(0.3643784445, abs=1e-10)
    assert could_have_missed(paired(20, 12, 2, 16), C95) == 0.0


@pytest.mark.parametrize(
    ("improved", "regressed", "expected"),
    [
        pytest.param(0, 6, McNemar(exact=0.03125, mid_p=0.015625, one_sided=0.015625), id="0-6"),
        pytest.param(
            1, 7, McNemar(exact=0.0703125, mid_p=0.0390625, one_sided=0.03515625), id="1-7"
        ),
        pytest.param(
            5, 5, McNemar(exact=1.0, mid_p=0.75390625, one_sided=1 - 386 / 1024), id="5-5"
        ),
        pytest.param(0, 0, McNemar(exact=1.0, mid_p=1.0, one_sided=1.0), id="0-0"),
        pytest.param(6, 0, McNemar(exact=0.03125, mid_p=0.015625, one_sided=1.0), id="6-0"),
    ],
)
def test_mcnemar_gives_the_reference_values(
    improved: int, regressed: int, expected: McNemar
) -> None:
    assert mcnemar(improved, regressed) == expected


@pytest.mark.parametrize("pairs", [1025, 1026, 2001])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.45, 0.49, 0.5, 0.55])
def test_mcnemar_of_many_pairs_agrees_with_exact_integers(pairs: int, share: float) -> None:
    improved = int(pairs * share)
    regressed = pairs - improved
    scale = 2**pairs
    point = comb(pairs, improved)
    two_sided = 2 * sum(comb(pairs, k) for k in range(min(improved, regressed) + 1))
    mid_p = two_sided - point if improved != regressed else scale - point
    one_sided = sum(comb(pairs, k) for k in range(regressed, pairs + 1))
    result = mcnemar(improved, regressed)
    # abs: below the smallest float the exact value and the result are both shown as 0
    assert result.exact == pytest.approx(min(1, two_sided / scale), rel=1e-11, abs=1e-290)
    assert result.mid_p == pytest.approx(mid_p / scale, rel=1e-11, abs=1e-290)
    assert result.one_sided == pytest.approx(one_sided / scale, rel=1e-11, abs=1e-290)


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        mcnemar(-1, 3)


def test_four_regressions_alone_never_reach_five_percent() -> None:
    assert mcnemar(0, 4).one_sided > 0.05 >= mcnemar(0, 5).one_sided


@pytest.mark.parametrize(
    ("n", "points", "digits"),
    [(6, 86, 0), (12, 50, 0), (20, 31, 0), (50, 13, 0),
     (100, 6.6, 1), (200, 3.3, 1), (500, 1.3, 1)],
)  # fmt: skip
def test_smallest_detectable_regression_gives_the_reference_table(
    n: int, points: float, digits: int
) -> None:
    rate = smallest_detectable_regression(n)
    assert rate is not None
    assert round(100 * rate, digits) == points


@pytest.mark.parametrize("n", [0, 1, 4])
def test_fewer_than_five_cases_detect_no_regression_at_all(n: int) -> None:
    assert smallest_detectable_regression(n) is None


def test_five_cases_detect_only_a_regression_of_nearly_all() -> None:
    rate = smallest_detectable_regression(5)
    assert rate == pytest.approx(0.8**0.2, abs=2e-9)


def test_a_million_cases_detect_a_few_in_a_million() -> None:
    rate = smallest_detectable_regression(1_000_000)
    assert rate == pytest.approx(6.721e-6, rel=1e-3)  # Poisson: P(X >= 5) = 0.8 at 6.721


@pytest.mark.parametrize(
    ("power", "level", "named"),
    [(0.0, 0.05, "power"), (1.0, 0.05, "power"), (0.8, 0.0, "level"), (0.8, 1e-10, "level")],
)
def test_smallest_detectable_regression_refuses_shares_out_of_range(
    power: float, level: float, named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        smallest_detectable_regression(50, power=power, level=level)


@pytest.mark.parametrize(("n", "rate"), [(6, 0.39), (20, 0.14), (50, 0.058), (200, 0.015)])
def test_zero_failures_leave_the_reference_rates_open(n: int, rate: float) -> None:
    observed = zero_failures_upper_rate(n)
    assert observed == pytest.approx(1 - 0.05 ** (1 / n), rel=1e-12)
    assert float(f"{observed:.2g}") == rate


def test_zero_failures_in_no_cases_say_nothing() -> None:
    assert zero_failures_upper_rate(0) is None


def test_holm_gives_the_textbook_values_in_the_order_given() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_never_exceeds_one_and_keeps_an_empty_list() -> None:
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_of_p_values_and_lowers_none(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    by_p = [a for _, a in sorted(zip(p_values, adjusted, strict=True))]
    assert by_p == sorted(by_p)


@pytest.mark.parametrize(
    ("confidence", "fewest"), [("0.5", 4), ("0.9", 20), ("0.95", 40), ("0.999", 2000)]
)
def test_each_tail_needs_a_resample(confidence: str, fewest: int) -> None:
    assert fewest_resamples(Fraction(confidence)) == fewest
    assert resolves(fewest, Fraction(confidence))
    assert not resolves(fewest - 1, Fraction(confidence))


def test_an_interval_is_compared_by_value() -> None:
    assert Interval(low=0.0, high=1.0) == Interval(low=0.0, high=1.0)
