"""The closed forms and the bootstrap's distribution against scipy, statsmodels and numpy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]
from statsmodels.stats import (  # type: ignore[import-untyped]
    contingency_tables,
    multitest,
    proportion,
)

from contractlab import bootstrap, families
from contractlab.bootstrap import DifferenceCounts, paired_bootstrap
from contractlab.interval import Interval
from contractlab.stats import (
    holm,
    mcnemar,
    smallest_detectable_regression,
    wilson,
)

C95 = Fraction("0.95")


def counts(worse: int, same: int, better: int) -> DifferenceCounts:
    return DifferenceCounts(worse=worse, same=same, better=better)


def share_at_or_below(total: int, of: DifferenceCounts) -> float:
    """P(sum <= total): first how many of n draws are discordant, then how many of these +1."""
    discordant = of.worse + of.better
    spread = 40 + int(12 * (discordant * of.same / of.n) ** 0.5)
    moved = np.arange(max(0, discordant - spread), min(of.n, discordant + spread) + 1)
    improved = np.floor((total + moved) / 2)
    given_moved = scipy.stats.binom.cdf(improved, moved, of.better / discordant)
    of_moved = scipy.stats.binom.pmf(moved, of.n, discordant / of.n)
    return float((of_moved * given_moved).sum())


MILLIONS = [
    pytest.param(counts(300_000, 400_000, 300_000), id="balanced"),
    pytest.param(counts(100_000, 500_000, 400_000), id="far-from-zero"),
    pytest.param(counts(1_500, 997_000, 1_500), id="few-discordant"),
    pytest.param(counts(1, 999_998, 1), id="two-discordant"),
    pytest.param(counts(999_998, 1, 1), id="one-better"),
    pytest.param(counts(10, 999_989, 1), id="skewed"),
    pytest.param(counts(500_000, 0, 500_000), id="all-discordant"),
    pytest.param(counts(999_990, 0, 10), id="all-discordant-skewed"),
    pytest.param(counts(499_999, 1, 500_000), id="one-same"),
    pytest.param(counts(600_000, 20, 399_980), id="twenty-same"),
    pytest.param(counts(499_500, 1_000, 499_500), id="thousand-same"),
    pytest.param(counts(10, 999_990, 0), id="ten-worse"),
    pytest.param(counts(0, 500_000, 500_000), id="none-worse"),
]


@pytest.mark.parametrize("of", MILLIONS)
def test_a_million_cases_have_scipys_distribution(of: DifferenceCounts) -> None:
    distribution = bootstrap._sum_distribution(of)
    last = distribution.cumulative[-1]
    for share in (1e-9, 0.0005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9995):
        total = distribution.first_above(share)
        place = distribution.sums.index(total)
        ours = distribution.cumulative[place] / last
        assert ours == pytest.approx(share_at_or_below(total, of), rel=2e-9)


@pytest.mark.parametrize("of", MILLIONS)
def test_exact_bounds_of_a_million_cases_are_scipys_quantiles(of: DifferenceCounts) -> None:
    exact = paired_bootstrap(of, resamples=100, confidence=C95, seed=0).exact
    for bound, share in ((exact.low, 0.025), (exact.high, 0.975)):
        total = round(bound * of.n)
        assert share_at_or_below(total - 1, of) < share <= share_at_or_below(total, of)


@pytest.mark.parametrize("n", [300, 1001, 50_000, 1_000_000])
def test_one_sided_counts_have_the_binomials_quantiles(n: int) -> None:
    better = n // 3
    low, high = scipy.stats.binom.ppf([0.025, 0.975], n, better / n)
    result = paired_bootstrap(counts(0, n - better, better), resamples=9, confidence=C95, seed=0)
    assert result.exact == Interval(low=float(low) / n, high=float(high) / n)


def test_scipys_case_by_case_bootstrap_gives_nearly_the_same_interval() -> None:
    differences = np.array([-1] * 12 + [0] * 183 + [1] * 5)
    theirs = scipy.stats.bootstrap(
        (differences,), np.mean, n_resamples=20_000, method="percentile",
        confidence_level=0.95, rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    ours = paired_bootstrap(counts(12, 183, 5), resamples=20_000, confidence=C95, seed=1).interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1 / 200)


@pytest.mark.parametrize("improved", [0, 1, 3, 20, 490, 5_000, 498_000, 499_999, 500_000])
@pytest.mark.parametrize("regressed", [0, 7, 20, 510, 5_200, 500_000, 1_000_000])
def test_mcnemar_agrees_with_scipys_binomial(improved: int, regressed: int) -> None:
    pairs, fewer = improved + regressed, min(improved, regressed)
    coin = scipy.stats.binom(pairs, 0.5)
    exact = min(1.0, 2 * coin.cdf(fewer))
    mid_p = exact - coin.pmf(fewer) if improved != regressed else 1 - coin.pmf(fewer)
    result = mcnemar(improved, regressed)
    expected_mid = mid_p if pairs else 1.0
    assert result.exact == pytest.approx(exact, rel=1e-8, abs=1e-280)
    assert result.mid_p == pytest.approx(expected_mid, rel=1e-8, abs=1e-280)
    assert result.one_sided == pytest.approx(coin.sf(regressed - 1), rel=1e-8, abs=1e-280)


@pytest.mark.parametrize(("improved", "regressed"), [(2, 9), (15, 4), (60, 81)])
def test_mcnemar_agrees_with_statsmodels(improved: int, regressed: int) -> None:
    theirs = contingency_tables.mcnemar([[30, regressed], [improved, 12]], exact=True)
    assert mcnemar(improved, regressed).exact == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize(("successes", "n"), [(0, 9), (3, 9), (9, 9), (450, 501), (7, 1_000_000)])
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
def test_wilson_agrees_with_statsmodels(successes: int, n: int, confidence: str) -> None:
    low, high = proportion.proportion_confint(
        successes, n, alpha=1 - float(confidence), method="wilson"
    )
    ours = wilson(successes, n, Fraction(confidence))
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-9, abs=1e-15)


def test_holm_agrees_with_statsmodels() -> None:
    p_values = [0.2, 0.001, 0.04, 0.04, 0.9, 0.013, 0.0002]
    theirs = multitest.multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(list(theirs), rel=1e-12)


@pytest.mark.parametrize("n", [5, 6, 20, 333, 1_000_000])
@pytest.mark.parametrize(("level", "needed"), [(0.05, 5), (0.01, 7), (0.5, 1)])
def test_the_smallest_detectable_regression_has_the_power_asked_for(
    n: int, level: float, needed: int
) -> None:
    rate = smallest_detectable_regression(n, power=0.9, level=level)
    if n < needed:
        assert rate is None
        return
    assert rate is not None
    assert scipy.stats.binom.sf(needed - 1, n, rate) >= 0.9 - 1e-9
    assert scipy.stats.binom.sf(needed - 1, n, rate - 2e-9) < 0.9


@pytest.mark.parametrize("degrees", [50, 80, 400, 10_000])
@pytest.mark.parametrize("share", ["0.75", "0.95", "0.975", "0.9995"])
def test_students_t_is_good_to_two_hundred_thousandths(degrees: int, share: str) -> None:
    theirs = scipy.stats.t.ppf(float(share), degrees)
    assert families._t_quantile(Fraction(share), degrees) == pytest.approx(theirs, abs=2e-5)
