"""The interval of candidate minus baseline: percentile bootstrap over cases.

Everything that decides a bound is ``+ - * /`` and ``sqrt`` on floats (correctly rounded by
IEEE 754) or exact integers, so a seed gives the same interval on every machine.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, sqrt
from random import Random
from typing import NamedTuple

from contractlab.interval import Interval

METHOD = "percentile-multinomial-inverse"
VERSION = 1

_EXACT_UP_TO = 256
"""Up to this many cases the weights are exact integers; above, floats."""

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


class BootstrapResult(NamedTuple):
    """The seeded interval, next to the one it converges to with more resamples."""

    interval: Interval
    exact: Interval
    """Quantiles of the resampling distribution itself: no seed, no resamples."""
    method: str = METHOD
    version: int = VERSION
    """Rises whenever a seed could give another interval than before."""


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
    check_arguments(resamples=resamples, confidence=confidence, seed=seed)
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


def ranks(resamples: int, confidence: Fraction) -> tuple[int, int]:
    """Which resamples, counted from 1 upward by size, are the bounds (nearest rank, exact).

    2,000 resamples at 0.95 give 50 and 1950; in floats ``(1 - 0.95) / 2 * 2000`` is
    50.00000000000004 and would give 51.
    """
    alpha = (1 - confidence) / 2
    return max(1, ceil(alpha * resamples)), ceil((1 - alpha) * resamples)


def check_arguments(*, resamples: int, confidence: Fraction, seed: int) -> None:
    """Raises ValueError where one is out of its range."""
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


class _SumDistribution(NamedTuple):
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
