"""The interval of candidate minus baseline where cases of a family are not independent.

As in `bootstrap`, a seed gives the same interval on every machine.
"""

from __future__ import annotations

from math import isqrt
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from contractlab.bootstrap import (
    METHOD,
    VERSION,
    DifferenceCounts,
    check_arguments,
    paired_bootstrap,
    ranks,
)
from contractlab.interval import Interval, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

FAMILY_METHOD = "percentile-families"
FAMILY_T_METHOD = "t-families"

_MAX_FAMILY_DRAWS = 200_000
"""Single family draws (about 0.15 µs each) before the t interval takes over."""

_FEW_FAMILIES = 50
"""Below, families are resampled whatever it costs: t is not to be trusted with so few."""


class FamilyResult(NamedTuple):
    """The interval over families, and how it was reached."""

    interval: Interval
    families: int
    """Below about 10 families every method gives intervals that are too narrow."""
    method: str
    """``METHOD`` where each family is one case, ``FAMILY_METHOD``, or ``FAMILY_T_METHOD``."""
    version: int = VERSION


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
    check_arguments(resamples=resamples, confidence=confidence, seed=seed)
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
