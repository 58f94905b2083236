"""An interval, and the normal quantile that several of them are made with."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction


class Interval(NamedTuple):
    """Both bounds, which belong to the interval; ``low <= high``."""

    low: float
    high: float


def normal_quantile(share: Fraction) -> float:
    """The standard normal value with this share (between 0 and 1) at or below it.

    To 12 decimals: its logarithm may differ in the last bits between C libraries.
    """
    return round(NormalDist().inv_cdf(float(share)), 12)
