"""Candidate minus baseline on per-case values from 0 to 1, with families and trials.

A case's value is its mean over trials, so its difference lies in [-1, 1]. What is
independent of what is the *unit*: a family with all its cases and trials, or a case with
all its trials. With one trial a case and each case its own unit, everything here is what
version 1 computes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, erfc, lcm, sqrt
from typing import TYPE_CHECKING, NamedTuple

from contractlab.bootstrap import paired_bootstrap
from contractlab.families import family_bootstrap
from contractlab.interval import Interval, normal_quantile
from contractlab.stats import PairedCounts, mcnemar, newcombe, newcombe_of_shares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    _Kinds = Mapping[tuple[Fraction | int, Fraction | int, int], int]
    """How many cases there are of each baseline, candidate and trials."""

POWER = Fraction(4, 5)
"""The power that sizing advice is about."""

_EXACT_UNITS = 400
"""Up to this many units that differ, the sign-flip test is exact."""

_MOST_NEEDED = 10_000_000


class Values(NamedTuple):
    """One case in both releases."""

    unit: str
    baseline: Fraction | int
    """0 to 1."""
    candidate: Fraction | int
    trials: int = 1
    """The fewer of the two releases' trials."""


@dataclass(frozen=True, slots=True)
class Method:
    """How an interval is reached."""

    interval: str
    """`newcombe` or `bootstrap`."""
    confidence: Fraction
    resamples: int
    seed: int


@dataclass(frozen=True, slots=True)
class Contrast:
    """One comparison. Differences are candidate minus baseline, -1 to 1."""

    cases: int
    units: int
    delta: Fraction
    interval: Interval
    p_worse: float
    """One-sided: how often a change without effect would look at least this bad."""
    shares: tuple[float, float, float, float]
    """Of the cases: both pass, improved, regressed, neither; over trials, expected ones."""
    effective: float
    """How many independent single-trial cases these are worth."""
    method: Method

    def needed(self, margin: float) -> int | None:
        """Cases like these that show an unchanged agent within a margin with 80 % power.

        Of the same discordance, families and trials. None where no number does (margin 0).
        """
        per_case = self.effective / self.cases
        low, high = 1, _MOST_NEEDED
        if margin <= 0 or self._power(high * per_case, margin) < POWER:
            return None
        while low < high:
            middle = (low + high) // 2
            if self._power(middle * per_case, margin) >= POWER:
                high = middle
            else:
                low = middle + 1
        return high

    def power(self, margin: float) -> float:
        """Probability that these cases show an unchanged agent within a margin, 0 to 1."""
        return self._power(self.effective, margin)

    def _power(self, effective: float, margin: float) -> float:
        return unchanged_power(self.shares, effective, margin, self.method)


def contrast(values: Sequence[Values], method: Method) -> Contrast:
    """Compares the two releases on at least one case."""
    cases = len(values)
    kinds = Counter([(value.baseline, value.candidate, value.trials) for value in values])
    # Whole numbers from here on: each case's difference times the trials' denominators.
    scale = lcm(*{value.denominator for kind in kinds for value in kind[:2]})
    sizes = Counter([case.unit for case in values])
    totals: Counter[str] = Counter()
    for case in values:
        if case.baseline != case.candidate:
            totals[case.unit] += int((case.candidate - case.baseline) * scale)
    sums = [(totals[unit], size) for unit, size in sizes.items()]
    delta = Fraction(sum(total for total, _ in sums), cases * scale)
    shares = _shares(kinds)
    fewest_trials = min(trials for _, _, trials in kinds)
    effective = _effective(fewest_trials, sums, scale, shares)
    counts = _counts(kinds) if len(sums) == cases else None
    return Contrast(
        cases=cases,
        units=len(sums),
        delta=delta,
        interval=_interval(
            sums, scale, counts=counts, shares=shares, effective=effective, method=method
        ),
        p_worse=sign_flip([total for total, _ in sums]),
        shares=shares,
        effective=effective,
        method=method,
    )


def _counts(kinds: _Kinds) -> PairedCounts | None:
    """Whole counts where every case has one trial a release."""
    counts = {(1, 1): 0, (0, 1): 0, (1, 0): 0, (0, 0): 0}
    for (baseline, candidate, trials), count in kinds.items():
        if trials > 1 or (baseline, candidate) not in counts:
            return None
        counts[baseline, candidate] += count  # type: ignore[index]
    return PairedCounts(*counts.values())


def _shares(kinds: _Kinds) -> tuple[float, float, float, float]:
    # Two trials drawn at random, one of each release: how often both pass, and so on.
    both = sum(baseline * candidate * count for (baseline, candidate, _), count in kinds.items())
    baseline = sum(baseline * count for (baseline, _, _), count in kinds.items())
    candidate = sum(candidate * count for (_, candidate, _), count in kinds.items())
    n = sum(kinds.values())
    return (
        float(Fraction(both) / n),
        float(Fraction(candidate - both) / n),
        float(Fraction(baseline - both) / n),
        float(1 - Fraction(baseline + candidate - both) / n),
    )


def _effective(
    fewest_trials: int,
    sums: Sequence[tuple[int, int]],
    scale: int,
    shares: tuple[float, float, float, float],
) -> float:
    """Independent single-trial cases that these are worth, by the variance of the difference.

    The variance over units (as `family_bootstrap`'s t interval has it), against that of as
    many single trials without families. At most what the trials alone could give; where
    nothing differs nothing can be estimated, and each unit counts once.
    """
    cases, units = sum(size for _, size in sums), len(sums)
    if units == cases and fewest_trials == 1:
        return float(cases)
    whole = sum(total for total, _ in sums)
    single = (shares[1] + shares[2] - (whole / (cases * scale)) ** 2) / cases
    squares = sum((total * cases - whole * size) ** 2 for total, size in sums)
    spread = float(Fraction(squares, cases**4 * scale**2))
    clustered = spread * units / (units - 1) if units > 1 else 0.0
    if single <= 0 or clustered <= 0:
        return float(units)
    return max(1.0, cases * min(float(fewest_trials), single / clustered))


def _interval(
    sums: Sequence[tuple[int, int]],
    scale: int,
    *,
    counts: PairedCounts | None,
    shares: tuple[float, float, float, float],
    effective: float,
    method: Method,
) -> Interval:
    if method.interval == "newcombe":
        if counts is not None:
            return newcombe(counts, method.confidence)
        return newcombe_of_shares(shares, effective, method.confidence)
    if counts is not None:
        return paired_bootstrap(
            counts.differences,
            resamples=method.resamples,
            confidence=method.confidence,
            seed=method.seed,
        ).interval
    return family_bootstrap(
        sorted((total, size * scale) for total, size in sums),
        resamples=method.resamples,
        confidence=method.confidence,
        seed=method.seed,
    ).interval


def sign_flip(totals: Sequence[Fraction | int]) -> float:
    """One-sided p that the candidate is worse: the sign-flip test on the units' summed changes.

    Without an effect, each unit's change is as likely to have either sign, so the p-value is
    the share of sign patterns whose sum is at most the observed one. Where all changes have
    one size it is McNemar's exact one-sided test. Exact up to 400 units that differ, by
    counting sums; above, the normal approximation with the sum's variance.
    """
    changed = [total for total in totals if total]
    if not changed:
        return 1.0
    scale = lcm(*(Fraction(total).denominator for total in changed))
    whole = [int(total * scale) for total in changed]
    observed = sum(whole)
    sizes = {abs(total) for total in whole}
    if len(sizes) == 1:
        worse = sum(total < 0 for total in whole)
        return mcnemar(len(whole) - worse, worse).one_sided
    if len(whole) > _EXACT_UNITS or sum(map(abs, whole)) > 100_000:
        deviation = sqrt(sum(total * total for total in whole))
        return erfc(-observed / deviation / sqrt(2)) / 2
    ways = {0: 1}
    for total in whole:
        after: dict[int, int] = {}
        for at, count in ways.items():
            after[at + total] = after.get(at + total, 0) + count
            after[at - total] = after.get(at - total, 0) + count
        ways = after
    as_bad = sum(count for at, count in ways.items() if at <= observed)
    return float(Fraction(as_bad, 2 ** len(whole)))


def unchanged_power(
    shares: tuple[float, float, float, float], effective: float, margin: float, method: Method
) -> float:
    """Probability that an unchanged agent of this discordance is shown within a margin.

    Discordance half improved and half regressed; the lower bound varies around its value at
    no difference like the difference itself, normally.
    """
    both, improved, regressed, neither = shares
    half = (improved + regressed) / 2
    deviation = sqrt(2 * half / effective)
    z = normal_quantile((1 + method.confidence) / 2)
    if method.interval == "newcombe":
        balanced = (both, half, half, neither)
        reach = -newcombe_of_shares(balanced, effective, method.confidence).low
    else:
        reach = z * deviation
    if deviation == 0:
        return 1.0 if reach <= margin else 0.0
    return erfc(-(margin - reach) / deviation / sqrt(2)) / 2


def needed_cases(
    *, discordance: float, pass_rate: float, margin: float, method: Method, power: float
) -> int | None:
    """Independent cases that show an unchanged agent within a margin; None where none do.

    Args:
        discordance: share of cases that come out differently when the same agent runs again.
        pass_rate: of the agent; discordance is at most twice the smaller of it and its rest.
        margin: the loss that is accepted, above 0.
        method: how the interval is reached.
        power: probability of showing it, between 0 and 1.
    """
    half = min(discordance / 2, pass_rate, 1 - pass_rate)
    shares = (pass_rate - half, half, half, 1 - pass_rate - half)
    low, high = 1, _MOST_NEEDED
    if margin <= 0 or unchanged_power(shares, high, margin, method) < power:
        return None
    while low < high:
        middle = (low + high) // 2
        if unchanged_power(shares, middle, margin, method) >= power:
            high = middle
        else:
            low = middle + 1
    return ceil(high)
