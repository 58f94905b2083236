"""The interval of candidate minus baseline: percentile bootstrap over cases or families.

Everything that decides a bound is ``+ - * /`` and ``sqrt`` on floats (correctly rounded by
IEEE 754) or exact integers, so a seed gives the same interval on every machine.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, isqrt, sqrt
from random import Random
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

METHOD = "percentile-multinomial-inverse"
FAMILY_METHOD = "percentile-families"
FAMILY_T_METHOD = "t-families"
VERSION = 1

_EXACT_UP_TO = 256
"""Up to this many cases the weights are exact integers; above, floats."""

_MAX_FAMILY_DRAWS = 200_000
"""Single family draws (about 0.15 µs each) before the t interval takes over."""

_FEW_FAMILIES = 50
"""Below, families are resampled whatever it costs: t is not to be trusted with so few."""

_FIRST_WEIGHT = 2.0**-500
"""Weight at a window's first sum: others may be 2**1500 times as heavy, or 2**500 as light.

Within a window of ``_half_window`` no two weights are further apart than about 2**530.
"""


@dataclass(frozen=True, slots=True)
class DifferenceCounts:
    """How many of n cases got worse (-1), stayed (0) and got better (+1); n >= 1."""

    worse: int
    same: int
    better: int

    def __post_init__(self) -> None:
        if min(self.worse, self.same, self.better) < 0 or self.n < 1:
            msg = f"counts must be 0 or more and at least one case in all: {self}"
            raise ValueError(msg)

    @property
    def n(self) -> int:
        """How many cases there are."""
        return self.worse + self.same + self.better


@dataclass(frozen=True, slots=True)
class Interval:
    """Both bounds, which belong to the interval; ``low <= high``."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BootstrapResult:
    """The seeded interval, next to the one it converges to with more resamples."""

    interval: Interval
    exact: Interval
    """Quantiles of the resampling distribution itself: no seed, no resamples."""
    method: str = METHOD
    version: int = VERSION
    """Rises whenever a seed could give another interval than before."""


@dataclass(frozen=True, slots=True)
class FamilyResult:
    """The interval over families, and how it was reached."""

    interval: Interval
    families: int
    """Below about 10 families every method gives intervals that are too narrow."""
    method: str
    """``METHOD`` where each family is one case, ``FAMILY_METHOD``, or ``FAMILY_T_METHOD``."""
    version: int = VERSION


def paired_bootstrap(
    counts: DifferenceCounts, *, resamples: int, confidence: Fraction, seed: int
) -> BootstrapResult:
    """Percentile interval of the mean paired pass difference (candidate minus baseline).

    A case's difference is -1, 0 or +1, so a resample of n cases is one multinomial draw of
    the three counts, and all that matters of it is its sum. That sum is drawn by inverse
    transform: the smallest sum s with P(sum <= s) > u, u uniform. The transform is monotone,
    so the k-th smallest resample comes from the k-th smallest u, and only the two resamples
    that become bounds are ever inverted. (Percentile interval: Efron & Tibshirani 1993,
    ch. 13; inverse transform: Devroye 1986, ch. II.)

    Up to 256 cases the distribution is exact. Above, it carries rounding (a million cases
    against 40-digit decimals: each probability to 4e-14 of itself, P(sum <= s) to 1e-15), so a
    bound can differ from the true one only where u is that near to a jump of the
    distribution, and even then it is the same on every machine.

    Args:
        counts: how many of the n cases got worse, stayed, got better.
        resamples: 1 or more; rubrics allow 100 to 100,000.
        confidence: share of resampled means inside the interval, between 0 and 1. Make it
            from decimal text, ``Fraction("0.95")``: the float 0.95 moves the ranks.
        seed: 0 or more; only ``Random(seed).random()`` is used, the one stream that Python
            promises to keep (https://docs.python.org/3/library/random.html).

    Returns:
        Both intervals in pass-rate points, -1 to 1; ``low == high`` where no case differs.

    Raises:
        ValueError: an argument is out of its range.
    """
    _check(resamples=resamples, confidence=confidence, seed=seed)
    uniforms = _uniforms(resamples, seed)
    low_rank, high_rank = ranks(resamples, confidence)
    sums = _sum_distribution(counts)
    alpha = (1 - confidence) / 2
    return BootstrapResult(
        interval=Interval(
            low=sums.first_above(uniforms[low_rank - 1]) / counts.n,
            high=sums.first_above(uniforms[high_rank - 1]) / counts.n,
        ),
        exact=Interval(
            low=sums.first_reaching(alpha) / counts.n,
            high=sums.first_reaching(1 - alpha) / counts.n,
        ),
    )


def family_bootstrap(
    family_sums: Sequence[tuple[int, int]], *, resamples: int, confidence: Fraction, seed: int
) -> FamilyResult:
    """Interval of the mean paired pass difference when cases of a family are not independent.

    A resample draws as many families as there are, with replacement; its mean is its summed
    differences over its summed sizes (Cameron, Gelbach & Miller 2008: pairs cluster
    bootstrap). Three ways, by cost:

    * every family is one case: the case bootstrap, which this then is;
    * fewer than 50 families, or at most 200,000 draws in all: drawn one by one, bounds at the
      same exact ranks;
    * more: mean -/+ t · SE, with the SE of a ratio from the families' residuals (Cochran
      1977, ch. 6; Miller 2024, arXiv:2411.00640) and G - 1 degrees of freedom.

    Args:
        family_sums: per family (summed differences, number of cases); sizes 1 or more.
            Their order is part of what the seed stands for.
        resamples: 1 or more.
        confidence: between 0 and 1, from decimal text.
        seed: 0 or more.

    Returns:
        Bounds in pass-rate points, -1 to 1. One family alone gives ``low == high``, since
        nothing is known about how families differ.

    Raises:
        ValueError: an argument is out of its range.
    """
    _check(resamples=resamples, confidence=confidence, seed=seed)
    if not family_sums or any(size < 1 or abs(total) > size for total, size in family_sums):
        msg = "a family needs at least one case and a sum within its size, a set one family"
        raise ValueError(msg)
    families = len(family_sums)
    if all(size == 1 for _, size in family_sums):
        worse = sum(total < 0 for total, _ in family_sums)
        better = sum(total > 0 for total, _ in family_sums)
        counts = DifferenceCounts(worse=worse, same=families - worse - better, better=better)
        by_case = paired_bootstrap(counts, resamples=resamples, confidence=confidence, seed=seed)
        return FamilyResult(interval=by_case.interval, families=families, method=METHOD)
    if families < _FEW_FAMILIES or families * resamples <= _MAX_FAMILY_DRAWS:
        means = _family_means(family_sums, resamples=resamples, seed=seed)
        low_rank, high_rank = ranks(resamples, confidence)
        interval = Interval(low=means[low_rank - 1], high=means[high_rank - 1])
        return FamilyResult(interval=interval, families=families, method=FAMILY_METHOD)
    interval = _family_t_interval(family_sums, confidence)
    return FamilyResult(interval=interval, families=families, method=FAMILY_T_METHOD)


def ranks(resamples: int, confidence: Fraction) -> tuple[int, int]:
    """Which resamples, counted from 1 upward by size, are the bounds (nearest rank, exact).

    2,000 resamples at 0.95 give 50 and 1950; in floats ``(1 - 0.95) / 2 * 2000`` is
    50.00000000000004 and would give 51.
    """
    alpha = (1 - confidence) / 2
    return max(1, ceil(alpha * resamples)), ceil((1 - alpha) * resamples)


def normal_quantile(share: Fraction) -> float:
    """The standard normal value with this share (between 0 and 1) at or below it.

    To 12 decimals: its logarithm may differ in the last bits between C libraries.
    """
    return round(NormalDist().inv_cdf(float(share)), 12)


def _check(*, resamples: int, confidence: Fraction, seed: int) -> None:
    if resamples < 1:
        msg = f"resamples must be 1 or more: {resamples}"
        raise ValueError(msg)
    if not 0 < confidence < 1:
        msg = f"confidence must be between 0 and 1: {confidence}"
        raise ValueError(msg)
    if seed < 0:  # Random(-7) is Random(7): two names for one stream
        msg = f"seed must be 0 or more: {seed}"
        raise ValueError(msg)


def _uniforms(resamples: int, seed: int) -> list[float]:
    """The stream's first numbers in [0, 1), smallest first."""
    draw = Random(seed).random  # noqa: S311 - reproducible, nothing to keep secret
    return sorted([draw() for _ in range(resamples)])


# ── the distribution of a resample's sum ────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _SumDistribution:
    """A resample's possible sums, upward, with weights cumulated from the smallest sum on.

    Weights are in an arbitrary unit; the last cumulated one stands for probability 1.
    """

    sums: range
    cumulative: list[int] | list[float]

    def first_above(self, share: float) -> int:
        """Smallest sum with more than this share (below 1) at or below it."""
        target = Fraction(share) * Fraction(self.cumulative[-1])
        return self.sums[bisect_right(self.cumulative, target, key=Fraction)]

    def first_reaching(self, share: Fraction) -> int:
        """Smallest sum with at least this share (above 0) at or below it."""
        target = share * Fraction(self.cumulative[-1])
        return self.sums[bisect_left(self.cumulative, target, key=Fraction)]


def _sum_distribution(counts: DifferenceCounts) -> _SumDistribution:
    """Distribution of the sum of n draws with replacement from n differences.

    Seen from the side with more worse than better cases; otherwise its mirror image. Memory
    is proportional to the standard deviation of the sum, not to n.
    """
    low, high = sorted((counts.worse, counts.better), reverse=True)
    sums: range
    weights: list[int] | list[float]
    if low == 0:
        sums, weights = range(1), [1]
    elif counts.n <= _EXACT_UP_TO:
        sums, weights = _exact_weights(low, counts.same, high)
    elif counts.same == 0:
        sums, weights = _two_valued_weights(low, high, step=2)
    elif high == 0:
        sums, weights = _two_valued_weights(low, counts.same, step=1)
    else:
        sums, weights = _three_valued_weights(low, counts.same, high)
    if counts.better > counts.worse:
        sums = range(-sums[-1], -sums[0] + 1, sums.step)
        weights.reverse()
    return _SumDistribution(sums=sums, cumulative=list(accumulate(weights)))


def _exact_weights(worse: int, same: int, better: int) -> tuple[range, list[int]]:
    """Coefficients of (worse + same·x + better·x²)^n, all of them; worse >= 1.

    With f the polynomial and P = f^n, f·P' = n·f'·P read coefficient by coefficient gives

        worse (k+1) p[k+1] = (n-k) same p[k] + (2n-k+1) better p[k-1].

    The division leaves no remainder, and integers do not mind the negative term at k > n.
    """
    n = worse + same + better
    before, weight = 0, worse**n
    weights = [weight]
    for k in range(2 * n):
        after = (n - k) * same * weight + (2 * n - k + 1) * better * before
        before, weight = weight, after // (worse * (k + 1))
        weights.append(weight)
    return range(-n, n + 1), weights


def _half_window(variance: float) -> int:
    """How far from its mean the sum stays, up to a probability of exp(-50) on each side.

    Bernstein's inequality for n independent differences, each at most 2 from its mean:
    P(sum - mean >= t) <= exp(-t²/2 / (variance + 2t/3)), which is exp(-50) or less from
    t = 10·sd + 67 on. A double's uniform has steps of 2**-53 = exp(-36.7).
    """
    return ceil(10 * sqrt(variance)) + 67


def _two_valued_weights(low: int, high: int, *, step: int) -> tuple[range, list[float]]:
    """Binomial: n = low + high draws, each -1 with weight low, else ``step`` more.

    Here the first weight may be any, and only the window is ever visited.
    """
    n = low + high
    half = _half_window(low * high / n)
    first, last = max(0, high - half), min(n, high + half)
    weight = _FIRST_WEIGHT
    weights = [weight]
    for k in range(first, last):
        weight = weight * ((n - k) * high) / ((k + 1) * low)
        weights.append(weight)
    return range(step * first - n, step * last - n + 1, step), weights


def _three_valued_weights(worse: int, same: int, better: int) -> tuple[range, list[float]]:
    """Coefficients of (worse + same·x + better·x²)^n near the mean; worse >= better >= 1.

    The recurrence of ``_exact_weights``, for the ratio r[k] = p[k] / p[k-1]:

        r[k+1] = ((n-k) same + (2n-k+1) better / r[k]) / (worse (k+1)),

    has only positive terms while k <= n (sums up to 0), so nothing cancels and the error of a
    start somewhere below the window dies out (see ``_lead_in_start``). Sums above 0 follow
    from the mirror image: p[n+j] · worse^j = p[n-j] · better^j.
    """
    n = worse + same + better
    mean = better - worse
    half = _half_window(worse + better - mean * mean / n)
    first, last = max(0, n + mean - half), min(2 * n, n + mean + half)
    start = _lead_in_start(worse, same, better, first)
    # Whole numbers below 2**53 as floats: exact, and quicker than integers.
    q0, q1, q2 = float(worse), float(same), float(better)
    a, b, c = (n - start) * q1, (2 * n - start + 1) * q2, (start + 1) * q0
    ratio = a / c  # as if p[start-1] were 0, which at start = 0 it is
    for _ in range(start, first):
        a -= q1
        b -= q2
        c += q0
        ratio = (a + b / ratio) / c
    weight = _FIRST_WEIGHT
    weights = [weight]
    for _ in range(first, min(last, n)):
        weight *= ratio
        weights.append(weight)
        a -= q1
        b -= q2
        c += q0
        ratio = (a + b / ratio) / c
    tilt = 1.0
    centre = n - first
    for j in range(1, last - n + 1):
        tilt = tilt * q2 / q0
        weights.append(weights[centre - j] * tilt)
    return range(first - n, last - n + 1), weights


def _lead_in_start(worse: int, same: int, better: int, first: int) -> int:
    """Where to start so that, from ``first`` on, ratios are free of the start; 0 is exact.

    Two steps of the recurrence are a positive 2x2 matrix. Whatever two positive vectors it is
    applied to, the logarithm of the quotient of their ratios shrinks by at least
    (√x - 1) / (√x + 1) <= exp(-2 / (√x + 1)), x the matrix's cross ratio (Birkhoff 1957):

        x = 1 + worse · better · k (2n-k+1) / (same² (n-k) (n-k+1)),

    which grows with k, so a block's top bounds the whole block. With few cases unchanged, x
    is huge (odd and even sums hardly mix) and the walk ends at 0, the exact start. The first
    two steps bring the logarithm to at most log x < 100, and exp(-50) of that is below 1e-19.
    """
    n = worse + same + better
    start, decay = first, 0.0
    while start > 0 and decay < 50:
        k = start
        cross = worse * better * k * (2 * n - k + 1) / (same * same * (n - k) * (n - k + 1))
        block = 64 + (first - start) // 8 * 2  # even: steps come in pairs
        decay += block / (sqrt(1 + cross) + 1)
        start -= block
    return max(0, start)


# ── families ────────────────────────────────────────────────────────────────────────────────


def _family_means(
    family_sums: Sequence[tuple[int, int]], *, resamples: int, seed: int
) -> list[float]:
    """Means of resamples of whole families, smallest first."""
    # One integer holds both: sizes below, sums (of either sign) above; one addition a draw.
    families = len(family_sums)
    shift = (families * max(size for _, size in family_sums)).bit_length()
    packed = [(total << shift) + size for total, size in family_sums]
    mask = (1 << shift) - 1
    draw = Random(seed).random  # noqa: S311 - reproducible, nothing to keep secret
    means = []
    for _ in range(resamples):
        both = sum([packed[int(draw() * families)] for _ in range(families)])
        means.append((both >> shift) / (both & mask))
    means.sort()
    return means


def _family_t_interval(family_sums: Sequence[tuple[int, int]], confidence: Fraction) -> Interval:
    """Mean -/+ t · SE over at least two families, cut to -1 to 1.

    SE² = G / (G-1) · Σ (sum - mean · size)² / n², in integers until the last division.
    """
    families = len(family_sums)
    total = sum(differences for differences, _ in family_sums)
    n = sum(size for _, size in family_sums)
    squares = sum((differences * n - total * size) ** 2 for differences, size in family_sums)
    # isqrt: the float of a large integer's quotient could overflow, its root does not
    scaled_error = isqrt(squares * families * 4**64 // (families - 1))
    margin = _t_quantile((1 + confidence) / 2, families - 1) * (scaled_error / (n * n << 64))
    mean = total / n
    return Interval(low=max(-1.0, mean - margin), high=min(1.0, mean + margin))


def _t_quantile(share: Fraction, degrees: int) -> float:
    """Student's t, to 2e-5 from 50 degrees of freedom on (Abramowitz & Stegun 26.7.5)."""
    z = normal_quantile(share)
    square = z * z
    return z * (
        1
        + (square + 1) / (4 * degrees)
        + ((5 * square + 16) * square + 3) / (96 * degrees * degrees)
        + (((3 * square + 19) * square + 17) * square - 15) / (384 * degrees * degrees * degrees)
    )
