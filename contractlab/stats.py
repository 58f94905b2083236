"""Closed-form statistics of paired pass/fail outcomes: intervals, exact tests, what was missed.

Undefined is ``None``. Sources and reference values: docs/gates-and-statistics.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, comb, expm1, fsum, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

from contractlab.bootstrap import DifferenceCounts
from contractlab.interval import Interval, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXACT_PAIRS = 1024
"""Up to this many discordant pairs, McNemar's p-values are correctly rounded."""

_RATE_STEPS = 10**9
"""Rates found by search are whole multiples of one in this many."""


@dataclass(frozen=True, slots=True)
class PairedCounts:
    """Cases by whether the baseline and the candidate passed; n >= 1."""

    both: int
    improved: int
    """Only the candidate passed."""
    regressed: int
    """Only the baseline passed."""
    neither: int

    def __post_init__(self) -> None:
        if min(self.both, self.improved, self.regressed, self.neither) < 0 or self.n < 1:
            msg = f"counts must be 0 or more and at least one case in all: {self}"
            raise ValueError(msg)

    @property
    def n(self) -> int:
        """How many cases there are."""
        return self.both + self.improved + self.regressed + self.neither

    @property
    def delta(self) -> Fraction:
        """Candidate's pass rate minus baseline's, -1 to 1."""
        return Fraction(self.improved - self.regressed, self.n)

    @property
    def differences(self) -> DifferenceCounts:
        """The same cases as the bootstrap sees them."""
        return DifferenceCounts(
            worse=self.regressed, same=self.both + self.neither, better=self.improved
        )


class McNemar(NamedTuple):
    """P-values of McNemar's test on discordant pairs, each 0 to 1."""

    exact: float
    """Two-sided. Keeps the level, but needlessly far."""
    mid_p: float
    """Two-sided; the one to prefer (Fagerland, Lydersen & Laake 2013)."""
    one_sided: float
    """For the claim that the candidate is worse."""


def wilson(successes: int, n: int, confidence: Fraction) -> Interval | None:
    """Wilson's score interval of a rate (Wilson 1927), 0 to 1; None where n is 0.

    Args:
        successes: 0 to n.
        n: 0 or more.
        confidence: between 0 and 1, from decimal text.
    """
    if not 0 <= successes <= n:
        msg = f"successes must be 0 to n: {successes} of {n}"
        raise ValueError(msg)
    return _wilson(successes, n, _two_sided_z(confidence)) if n else None


def newcombe(counts: PairedCounts, confidence: Fraction) -> Interval:
    """Interval of the paired difference of pass rates: method 10 of Newcombe 1998.

    Two Wilson intervals, combined with a continuity-corrected correlation of the outcomes.
    Covers at least 94.7 % at a nominal 95 % for each n tried from 6 to 200 (Stat Med 17:2635).

    Args:
        counts: the four kinds of cases.
        confidence: between 0 and 1, from decimal text.

    Returns:
        Candidate minus baseline in pass-rate points, -1 to 1.
    """
    n = counts.n
    z = _two_sided_z(confidence)
    candidate_passes = counts.both + counts.improved
    baseline_passes = counts.both + counts.regressed
    candidate = _wilson(candidate_passes, n, z)
    baseline = _wilson(baseline_passes, n, z)
    candidate_rate, baseline_rate = candidate_passes / n, baseline_passes / n
    correlation = _correlation(counts)
    delta = float(counts.delta)
    down = _combined(
        candidate_rate - candidate.low, baseline.high - baseline_rate, correlation=correlation
    )
    up = _combined(
        baseline_rate - baseline.low, candidate.high - candidate_rate, correlation=correlation
    )
    return Interval(low=max(-1.0, delta - down), high=min(1.0, delta + up))


def newcombe_of_shares(
    shares: tuple[float, float, float, float], n: float, confidence: Fraction
) -> Interval:
    """Newcombe's method 10 where cases are clustered: on shares, and an effective size.

    The formulas of `newcombe`, with counts that need not be whole: cases of one family and
    trials of one case are worth fewer independent ones (effective sample size: Rao & Scott
    1992, Biometrics 48:577).

    Args:
        shares: of all cases, 0 to 1: both pass, improved, regressed, neither; their sum is 1.
        n: how many independent cases they are worth, above 0.
        confidence: between 0 and 1, from decimal text.
    """
    both, improved, regressed, neither = shares
    z = _two_sided_z(confidence)
    candidate_rate, baseline_rate = min(1.0, both + improved), min(1.0, both + regressed)
    candidate, baseline = _wilson(candidate_rate * n, n, z), _wilson(baseline_rate * n, n, z)
    margins = candidate_rate * (regressed + neither) * baseline_rate * (improved + neither)
    excess = both * neither - improved * regressed
    corrected = excess if excess < 0 else max(0.0, excess - 1 / (2 * n))
    correlation = corrected / sqrt(margins) if margins > 0 else 0.0
    delta = improved - regressed
    down = _combined(
        candidate_rate - candidate.low, baseline.high - baseline_rate, correlation=correlation
    )
    up = _combined(
        baseline_rate - baseline.low, candidate.high - candidate_rate, correlation=correlation
    )
    return Interval(low=max(-1.0, delta - down), high=min(1.0, delta + up))


def could_have_missed(counts: PairedCounts, confidence: Fraction) -> float:
    """The largest loss of pass rate these cases do not rule out, 0 to 1; stands by a PASS."""
    return max(0.0, -newcombe(counts, confidence).low)


def mcnemar(improved: int, regressed: int) -> McNemar:
    """McNemar's exact, mid-p and one-sided p-values; all 1 where no pair is discordant.

    With X the regressions among m discordant pairs, Bin(m, 1/2) if nothing changed:
    exact = min(1, 2 P(X <= min)), mid-p = exact - P(X = min), or 1 - P(X = min) where both
    are equal, one-sided = P(X >= regressed) (Fagerland, Lydersen & Laake 2013, BMC Med Res
    Methodol 13:91). Correctly rounded up to 1,024 pairs, relative error below 1e-10 above.
    """
    if min(improved, regressed) < 0:
        msg = f"counts must be 0 or more: {improved}, {regressed}"
        raise ValueError(msg)
    pairs, fewer = improved + regressed, min(improved, regressed)
    if pairs == 0:
        return McNemar(exact=1.0, mid_p=1.0, one_sided=1.0)
    point, tail, everything = _fair_coin(pairs, fewer)
    two_sided = 2 * tail
    mid_p = two_sided - point if improved != regressed else everything - point
    one_sided = tail if improved <= regressed else everything - tail + point
    return McNemar(
        exact=min(1.0, two_sided / everything),
        mid_p=min(1.0, mid_p / everything),
        one_sided=min(1.0, one_sided / everything),
    )


def smallest_detectable_regression(
    n: int, *, power: float = 0.8, level: float = 0.05
) -> float | None:
    """Smallest true loss of pass rate that n cases would show, if nothing improved.

    "Show" is a one-sided McNemar p of at most ``level``, with probability ``power``. Without
    improvements p is 2^-r for r regressions, so r must reach 5 at a level of 0.05.

    Args:
        n: how many cases, 0 or more.
        power: between 0 and 1.
        level: at least 1e-9 (30 regressions), below 1.

    Returns:
        A rate, 0 to 1, rounded up to a billionth; None where n cases cannot show any.
    """
    _check_share("power", power)
    _check_share("level", level)
    if level < 1e-9:  # the terms of _fewer_than would leave a float's range
        msg = f"level must be at least 1e-9: {level}"
        raise ValueError(msg)
    needed = 1
    while 0.5**needed > level:
        needed += 1
    if n < needed:
        return None
    below, enough = 0, _RATE_STEPS
    while enough - below > 1:
        middle = (below + enough) // 2
        if _fewer_than(needed, n, middle / _RATE_STEPS) <= 1 - power:
            enough = middle
        else:
            below = middle
    return enough / _RATE_STEPS


def zero_failures_upper_rate(n: int, *, level: float = 0.05) -> float | None:
    """The failure rate that n cases without a failure do not rule out; None where n is 0.

    1 - level^(1/n): a higher rate gives no failure with a probability below ``level``.
    """
    _check_share("level", level)
    return -expm1(log(level) / n) if n > 0 else None


def hat_k(successes: int, trials: int, k: int) -> Fraction:
    """Probability that k of a case's trials, drawn without replacement, all pass.

    C(successes, k) / C(trials, k): tau-bench's pass^k of one case (Yao et al. 2024,
    arXiv:2406.12045); 1 <= k <= trials.
    """
    return Fraction(comb(successes, k), comb(trials, k))


def at_k(successes: int, trials: int, k: int) -> Fraction:
    """Probability that at least one of k trials passes: pass@k (Chen et al. 2021)."""
    return 1 - Fraction(comb(trials - successes, k), comb(trials, k))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values (Holm 1979), in the order given.

    A claim holds at a level, for all claims together, where its adjusted p is at most that.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    scaled = [min(1.0, (len(order) - place) * p_values[index]) for place, index in enumerate(order)]
    adjusted = [0.0] * len(order)
    for index, value in zip(order, accumulate(scaled, max), strict=True):
        adjusted[index] = value
    return adjusted


def fewest_resamples(confidence: Fraction) -> int:
    """How many resamples a percentile interval of this confidence needs.

    Each tail, a share (1 - confidence) / 2, must hold at least one resample. With fewer, the
    bounds are simply the smallest and the largest resample, the same ones for every higher
    confidence: the number printed beside the interval would then mean nothing.
    """
    _check_share("confidence", confidence)
    return ceil(2 / (1 - confidence))


def resolves(resamples: int, confidence: Fraction) -> bool:
    """Whether each tail outside the interval holds a resample (``fewest_resamples``)."""
    return resamples >= fewest_resamples(confidence)


def _check_share(name: str, share: float | Fraction) -> None:
    if not 0 < share < 1:
        msg = f"{name} must be between 0 and 1: {share}"
        raise ValueError(msg)


def _two_sided_z(confidence: Fraction) -> float:
    _check_share("confidence", confidence)
    return normal_quantile((1 + confidence) / 2)


def _wilson(successes: float, n: float, z: float) -> Interval:
    square = z * z
    middle = successes + square / 2
    margin = z * sqrt(max(0.0, successes * (n - successes) / n) + square / 4)
    # At the ends the formula gives exactly 0 and 1; rounding would not.
    return Interval(
        low=0.0 if successes == 0 else (middle - margin) / (n + square),
        high=1.0 if successes == n else (middle + margin) / (n + square),
    )


def _correlation(counts: PairedCounts) -> float:
    """Correlation of the two releases' outcomes, -1 to 1, drawn towards 0 where positive."""
    margins = (
        (counts.both + counts.improved)
        * (counts.regressed + counts.neither)
        * (counts.both + counts.regressed)
        * (counts.improved + counts.neither)
    )
    if margins == 0:
        return 0.0
    excess = counts.both * counts.neither - counts.improved * counts.regressed
    corrected = excess if excess < 0 else max(0.0, excess - counts.n / 2)
    return corrected / sqrt(margins)


def _combined(first: float, second: float, *, correlation: float) -> float:
    """Length of the difference of two vectors whose angle has this cosine."""
    return sqrt(max(0.0, first * first - 2 * correlation * first * second + second * second))


def _fair_coin(flips: int, heads: int) -> tuple[float, float, float]:
    """Weights of "exactly ``heads``", "at most ``heads``" and "any", one unit for all three.

    ``heads`` is at most half of ``flips``. Integers while they are small; above, floats from
    the middle outward (no logarithm, whose error grows with ``flips``), until they vanish:
    about 38 standard deviations out, where the probability itself is below the smallest float.
    """
    if flips <= _EXACT_PAIRS:
        tail = sum(accumulate(range(heads), lambda c, j: c * (flips - j) // (j + 1), initial=1))
        scale = 2**flips
        return comb(flips, heads) / scale, tail / scale, 1.0
    middle = flips // 2
    weight = 1.0
    weights = []
    for k in range(middle, -1, -1):
        if weight == 0.0:
            break
        weights.append(weight)
        weight = weight * k / (flips - k + 1)
    everything = 2 * fsum(weights) - (1.0 if flips % 2 == 0 else 0.0)
    tail_weights = weights[middle - heads :]
    return (tail_weights[0] if tail_weights else 0.0), fsum(tail_weights), everything


def _fewer_than(needed: int, n: int, rate: float) -> float:
    """P(Bin(n, rate) < needed), 0 < rate < 1."""
    return fsum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(needed))
