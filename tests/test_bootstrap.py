"""The bootstrap against exact convolution, its own frozen streams, and its laws."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab import bootstrap
from contractlab import families as family_module
from contractlab.bootstrap import (
    METHOD,
    DifferenceCounts,
    paired_bootstrap,
    ranks,
)
from contractlab.families import FAMILY_METHOD, FAMILY_T_METHOD, family_bootstrap
from contractlab.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

C95 = Fraction("0.95")

small_counts = (
    st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8))
    .filter(lambda three: sum(three) > 0)
    .map(lambda three: DifferenceCounts(worse=three[0], same=three[1], better=three[2]))
)
confidences = st.sampled_from(["0.5", "0.8", "0.9", "0.95", "0.99", "0.999"]).map(Fraction)


def counts(worse: int, same: int, better: int) -> DifferenceCounts:
    return DifferenceCounts(worse=worse, same=same, better=better)


def convolved(of: DifferenceCounts) -> list[Fraction]:
    """P(sum = s), s from -n to n, by n plain convolutions."""
    draw = [Fraction(weight, of.n) for weight in (of.worse, of.same, of.better)]
    pmf = [Fraction(1)]
    for _ in range(of.n):
        longer = [Fraction(0)] * (len(pmf) + 2)
        for place, weight in enumerate(pmf):
            for step, share in enumerate(draw):
                longer[place + step] += weight * share
        pmf = longer
    return pmf


def first_reaching(pmf: list[Fraction], share: Fraction) -> int:
    cdf = list(accumulate(pmf))
    return next(i for i, below in enumerate(cdf) if below >= share) - len(pmf) // 2


def shares(sums: range, weights: Sequence[float]) -> dict[int, float]:
    total = sum(weights)
    return {s: weight / total for s, weight in zip(sums, weights, strict=True)}


@pytest.mark.parametrize(
    ("of", "confidence", "low", "high"),
    [
        pytest.param(counts(7, 13, 1), "0.95", -11 / 21, -1 / 21, id="1-1-7-12"),
        pytest.param(counts(2, 36, 12), "0.95", 0.06, 0.34, id="20-12-2-16"),
        pytest.param(counts(1, 43, 0), "0.9", -3 / 44, 0.0, id="43-0-1-0"),
        pytest.param(counts(2, 75, 25), "0.95", 0.137254902, 0.3137254902, id="7-25-2-68"),
        pytest.param(counts(0, 6, 0), "0.95", 0.0, 0.0, id="5-0-0-1"),
        pytest.param(counts(1, 5, 0), "0.95", -0.5, 0.0, id="5-0-1-0"),
        pytest.param(counts(12, 183, 5), "0.95", -0.075, 0.005, id="170-5-12-13"),
    ],
)
def test_exact_bounds_are_the_reference_values(
    of: DifferenceCounts, confidence: str, low: float, high: float
) -> None:
    result = paired_bootstrap(of, resamples=100, confidence=Fraction(confidence), seed=0)
    assert (result.exact.low, result.exact.high) == pytest.approx((low, high), abs=5e-11)


@given(of=small_counts, confidence=confidences)
def test_exact_bounds_are_the_quantiles_of_the_convolution(
    of: DifferenceCounts, confidence: Fraction
) -> None:
    pmf = convolved(of)
    alpha = (1 - confidence) / 2
    result = paired_bootstrap(of, resamples=10, confidence=confidence, seed=1)
    assert result.exact == Interval(
        low=first_reaching(pmf, alpha) / of.n, high=first_reaching(pmf, 1 - alpha) / of.n
    )


@given(of=small_counts, confidence=confidences, resamples=st.integers(1, 60), seed=st.integers(0))
@settings(deadline=None)
def test_seeded_bounds_are_those_of_inverting_every_resample(
    of: DifferenceCounts, confidence: Fraction, resamples: int, seed: int
) -> None:
    cdf = list(accumulate(convolved(of)))
    stream = Random(seed)
    sums = sorted(bisect_right(cdf, Fraction(stream.random())) - of.n for _ in range(resamples))
    low_rank, high_rank = ranks(resamples, confidence)
    result = paired_bootstrap(of, resamples=resamples, confidence=confidence, seed=seed)
    assert result.interval == Interval(
        low=sums[low_rank - 1] / of.n, high=sums[high_rank - 1] / of.n
    )


def test_a_quantile_that_the_distribution_reaches_exactly_is_the_sum_that_reaches_it() -> None:
    # 1/4, 1/2, 1/4 on -2, 0, 2: exactly a quarter lies at or below -2, three quarters below 2.
    result = paired_bootstrap(counts(1, 0, 1), resamples=100, confidence=Fraction("0.5"), seed=0)
    assert result.exact == Interval(low=-1.0, high=0.0)


@pytest.mark.parametrize(
    ("resamples", "confidence", "expected"),
    [
        pytest.param(2000, "0.95", (50, 1950), id="where-floats-give-51"),
        pytest.param(1000, "0.9", (50, 950), id="ninety"),
        pytest.param(100, "0.95", (3, 98), id="rounded-up"),
        pytest.param(100, "0.999", (1, 100), id="tail-without-a-resample"),
        pytest.param(1, "0.5", (1, 1), id="one-resample"),
    ],
)
def test_bounds_stand_at_exact_nearest_ranks(
    resamples: int, confidence: str, expected: tuple[int, int]
) -> None:
    assert ranks(resamples, Fraction(confidence)) == expected


@pytest.mark.parametrize(
    ("of", "resamples", "seed", "low", "high"),
    [
        pytest.param(counts(10, 140, 10), 2000, 7, -9, 9, id="small"),
        pytest.param(counts(2, 36, 12), 2000, 0, 3, 17, id="issue-sized"),
        pytest.param(counts(300_000, 400_000, 300_000), 100_000, 7, -1523, 1506, id="million"),
        pytest.param(counts(500_000, 0, 500_000), 100_000, 7, -1966, 1944, id="all-discordant"),
        pytest.param(counts(499_999, 1, 500_000), 100_000, 7, -1965, 1946, id="one-unchanged"),
        pytest.param(counts(10, 999_990, 0), 100_000, 7, -17, -4, id="few-worse"),
    ],
)
def test_a_seed_gives_this_interval_for_ever(
    of: DifferenceCounts, resamples: int, seed: int, low: int, high: int
) -> None:
    result = paired_bootstrap(of, resamples=resamples, confidence=C95, seed=seed)
    assert (result.method, result.version) == ("percentile-multinomial-inverse", 1)
    assert result.interval == Interval(low=low / of.n, high=high / of.n)


@pytest.mark.parametrize(
    ("of", "bound"),
    [
        pytest.param(counts(0, 7, 0), 0.0, id="all-same"),
        pytest.param(counts(7, 0, 0), -1.0, id="all-worse"),
        pytest.param(counts(0, 0, 7), 1.0, id="all-better"),
        pytest.param(counts(0, 1_000_000, 0), 0.0, id="a-million-same"),
        pytest.param(counts(0, 0, 1_000_000), 1.0, id="a-million-better"),
    ],
)
def test_where_all_cases_agree_the_interval_is_a_point(of: DifferenceCounts, bound: float) -> None:
    result = paired_bootstrap(of, resamples=200, confidence=C95, seed=3)
    assert result.interval == result.exact == Interval(low=bound, high=bound)


@given(of=small_counts.filter(lambda c: 0 < c.better <= c.worse and c.same > 0))
def test_the_window_of_three_values_agrees_with_exact_integers(of: DifferenceCounts) -> None:
    window = shares(*bootstrap._three_valued_weights(of.worse, of.same, of.better))
    exact = shares(*bootstrap._exact_weights(of.worse, of.same, of.better))
    assert window == pytest.approx({s: exact[s] for s in window}, rel=1e-12)


@pytest.mark.parametrize(
    "of",
    [
        pytest.param(counts(900, 1200, 900), id="window-with-a-lead-in"),
        pytest.param(counts(1499, 2, 1499), id="odd-and-even-hardly-mix"),
        pytest.param(counts(1500, 1499, 1), id="one-better"),
        pytest.param(counts(2990, 5, 5), id="almost-all-worse"),
        pytest.param(counts(1, 2998, 1), id="almost-all-same"),
        pytest.param(counts(1000, 1900, 100), id="window-below-zero"),
    ],
)
def test_a_window_far_inside_the_support_agrees_with_exact_integers(of: DifferenceCounts) -> None:
    sums, weights = bootstrap._three_valued_weights(of.worse, of.same, of.better)
    _, exact = bootstrap._exact_weights(of.worse, of.same, of.better)
    inside = exact[sums[0] + of.n : sums[-1] + of.n + 1]
    everything = of.n**of.n
    assert Fraction(sum(inside), everything) > 1 - Fraction(1, 10**21)
    total = sum(weights)
    window = [weight / total for weight in weights]
    assert window == pytest.approx([weight / everything for weight in inside], rel=1e-11, abs=0)


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize(("low", "high"), [(1500, 1500), (2999, 1), (1, 2999), (700, 2300)])
def test_the_window_of_two_values_agrees_with_exact_integers(
    low: int, high: int, step: int
) -> None:
    sums, weights = bootstrap._two_valued_weights(low, high, step=step)
    three = (low, high, 0) if step == 1 else (low, 0, high)
    exact = shares(*bootstrap._exact_weights(*three))
    assert shares(sums, weights) == pytest.approx({s: exact[s] for s in sums}, rel=1e-11, abs=0)


@given(worse=st.integers(1, 400), same=st.integers(1, 400), better=st.integers(1, 400))
@settings(max_examples=30, deadline=None)
def test_swapping_the_releases_mirrors_the_distribution(worse: int, same: int, better: int) -> None:
    there = bootstrap._sum_distribution(counts(worse, same, better))
    back = bootstrap._sum_distribution(counts(better, same, worse))
    assert list(there.sums) == [-s for s in reversed(back.sums)]
    for share in (0.01, 0.3, 0.9):  # none of them a value that the distribution reaches
        assert there.first_above(share) == -back.first_above(1 - share)


@pytest.mark.parametrize("same", [1, 10, 1000, 100_000, 999_998])
def test_the_windows_memory_follows_the_standard_deviation(same: int) -> None:
    half = (1_000_000 - same) // 2
    distribution = bootstrap._sum_distribution(counts(half, same, half))
    assert len(distribution.cumulative) == len(distribution.sums) <= 20 * sqrt(2 * half) + 140


def test_the_mean_lies_in_the_interval_and_more_confidence_widens_it() -> None:
    of = counts(30, 400, 50)
    results = [
        paired_bootstrap(of, resamples=2000, confidence=Fraction(c), seed=11)
        for c in ("0.5", "0.8", "0.95", "0.99")
    ]
    for result in results:
        assert result.interval.low <= 20 / 480 <= result.interval.high
    lows = [result.interval.low for result in results]
    highs = [result.interval.high for result in results]
    assert lows == sorted(lows, reverse=True)
    assert highs == sorted(highs)


def test_many_resamples_come_near_the_exact_bounds() -> None:
    of = counts(60, 900, 40)
    result = paired_bootstrap(of, resamples=100_000, confidence=C95, seed=5)
    assert result.interval.low == pytest.approx(result.exact.low, abs=1 / of.n)
    assert result.interval.high == pytest.approx(result.exact.high, abs=1 / of.n)


@pytest.mark.parametrize(
    ("worse", "same", "better"), [(0, 0, 0), (-1, 5, 0), (1, -1, 1), (1, 1, -1)]
)
def test_counts_need_one_case_and_no_negative_number(worse: int, same: int, better: int) -> None:
    with pytest.raises(ValueError, match="at least one case"):
        counts(worse, same, better)


@pytest.mark.parametrize(
    ("resamples", "confidence", "seed", "named"),
    [(0, "0.95", 0, "resamples"), (9, "1", 0, "confidence"), (9, "0", 0, "confidence"),
     (9, "0.95", -7, "seed")],
)  # fmt: skip
def test_arguments_out_of_range_are_refused_by_name(
    resamples: int, confidence: str, seed: int, named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        paired_bootstrap(
            counts(1, 1, 1), resamples=resamples, confidence=Fraction(confidence), seed=seed
        )
    with pytest.raises(ValueError, match=named):
        family_bootstrap([(1, 2)], resamples=resamples, confidence=Fraction(confidence), seed=seed)


def test_results_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Interval(low=0.0, high=1.0).low = 1.0  # type: ignore[misc]


# ── families ────────────────────────────────────────────────────────────────────────────────


def test_families_of_one_case_each_give_the_case_bootstrap() -> None:
    families = [(-1, 1)] * 3 + [(0, 1)] * 20 + [(1, 1)] * 5
    result = family_bootstrap(families, resamples=2000, confidence=C95, seed=7)
    by_case = paired_bootstrap(counts(3, 20, 5), resamples=2000, confidence=C95, seed=7)
    assert (result.interval, result.method, result.families) == (by_case.interval, METHOD, 28)


def test_drawing_families_of_one_case_one_by_one_has_the_case_bootstraps_distribution() -> None:
    of = counts(3, 12, 5)
    resamples = 20_000
    families = [(-1, 1)] * of.worse + [(0, 1)] * of.same + [(1, 1)] * of.better
    drawn = Counter(family_module._family_means(families, resamples=resamples, seed=1))
    observed = accumulate(drawn[s / of.n] / resamples for s in range(-of.n, of.n + 1))
    expected = accumulate(map(float, convolved(of)))
    worst = max(abs(a - b) for a, b in zip(observed, expected, strict=True))
    assert worst < 1.63 / sqrt(resamples)  # Kolmogorov-Smirnov, 1 %


def test_doubling_every_case_within_its_family_changes_no_resample() -> None:
    families = [(-1, 2), (0, 1), (3, 3), (1, 4), (-2, 2)]
    doubled = [(2 * total, 2 * size) for total, size in families]
    once = family_module._family_means(families, resamples=300, seed=4)
    assert family_module._family_means(doubled, resamples=300, seed=4) == once


def test_family_bounds_are_those_of_a_plain_resampling() -> None:
    families = [(-2, 3), (0, 1), (3, 3), (1, 4), (-2, 2), (0, 5)]
    stream = Random(9)
    means = []
    for _ in range(400):
        chosen = [families[int(stream.random() * 6)] for _ in range(6)]
        means.append(sum(total for total, _ in chosen) / sum(size for _, size in chosen))
    means.sort()
    result = family_bootstrap(families, resamples=400, confidence=C95, seed=9)
    assert result.interval == Interval(low=means[9], high=means[389])
    assert (result.method, result.families) == (FAMILY_METHOD, 6)


def test_families_that_move_together_widen_the_interval() -> None:
    together = [(-4, 4)] * 5 + [(0, 4)] * 25 + [(4, 4)] * 10
    apart = counts(20, 100, 40)
    family = family_bootstrap(together, resamples=2000, confidence=C95, seed=2).interval
    case = paired_bootstrap(apart, resamples=2000, confidence=C95, seed=2).interval
    assert 1.8 < (family.high - family.low) / (case.high - case.low) < 2.2


def test_too_many_draws_give_a_t_interval_close_to_the_bootstrap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Random(0)
    families = []
    for _ in range(600):
        size = 1 + int(stream.random() * 4)
        families.append((int(stream.random() * (2 * size + 1)) - size, size))
    costly = family_bootstrap(families, resamples=100_000, confidence=C95, seed=0)
    monkeypatch.setattr(family_module, "_MAX_FAMILY_DRAWS", 5_000_000)
    drawn = family_bootstrap(families, resamples=5000, confidence=C95, seed=0)
    assert (costly.method, drawn.method) == (FAMILY_T_METHOD, FAMILY_METHOD)
    width = costly.interval.high - costly.interval.low
    assert costly.interval.low == pytest.approx(drawn.interval.low, abs=0.05 * width)
    assert costly.interval.high == pytest.approx(drawn.interval.high, abs=0.05 * width)


def test_a_t_interval_of_equal_families_is_the_textbook_one() -> None:
    families = [(-2, 2)] * 20 + [(0, 2)] * 61 + [(2, 2)] * 20
    # mean 0; sd of family means sqrt(40 / 100); t(100 df) = 1.983971519
    margin = 1.983971519 * sqrt(0.4) / sqrt(101)
    result = family_module._family_t_interval(families, C95)
    assert (result.low, result.high) == pytest.approx((-margin, margin), rel=1e-7)


def test_the_t_interval_stays_within_minus_one_and_one() -> None:
    families = [(2, 2)] * 59 + [(-2, 2)]
    result = family_bootstrap(families, resamples=100_000, confidence=Fraction("0.999"), seed=0)
    assert result.method == FAMILY_T_METHOD
    assert result.interval.high == 1.0


def test_one_family_alone_gives_a_point() -> None:
    result = family_bootstrap([(2, 5)], resamples=100, confidence=C95, seed=0)
    assert (result.interval, result.families) == (Interval(low=0.4, high=0.4), 1)


@pytest.mark.parametrize("families", [[], [(0, 0)], [(3, 2)], [(-3, 2)]])
def test_impossible_families_are_refused(families: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="family"):
        family_bootstrap(families, resamples=100, confidence=C95, seed=0)
