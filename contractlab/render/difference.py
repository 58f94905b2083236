"""The paired difference in words, the same in every medium; of our own, safe in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers
from contractlab.stats import zero_failures_upper_rate

if TYPE_CHECKING:
    from contractlab.compare import Comparison
    from contractlab.metrics import Metrics
    from contractlab.stats import PairedCounts


def changed(counts: PairedCounts) -> str:
    """How many cases changed: `7 of 160 got worse, 38 better`."""
    return (
        f"{numbers.count(counts.regressed)} of {numbers.count(counts.n)} got worse,"
        f" {numbers.count(counts.improved)} better"
    )


def missed(comparison: Comparison) -> str:
    """What the cases cannot tell, as the end of a sentence."""
    if comparison.could_have_missed > 0:
        size = _size(comparison.could_have_missed)
        return f"this set could have missed a regression of up to {size} points"
    if comparison.smallest_detectable is None:
        return "a set this small can show no regression"
    size = _size(comparison.smallest_detectable)
    return f"a set of this size misses one in five regressions of {size} points"


def critical(metrics: Metrics) -> str:
    """What critical cases that all passed leave open, as a sentence; else empty."""
    cases = sum(each.critical_count for each in metrics.by_slice.values())
    upper = zero_failures_upper_rate(cases)
    if upper is None or metrics.critical_failures:
        return ""
    few = {1: "The one critical case", 2: "Both critical cases"}
    passed = few.get(cases, f"All {numbers.count(cases)} critical cases")
    return (
        f"{passed} passed; with a true failure rate of {numbers.percent(upper, 'up')} that would"
        " still happen one time in twenty."
    )


def _size(regression: float) -> str:
    return numbers.points(regression, "up").lstrip("+")
