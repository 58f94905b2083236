"""Graded records to the figures of one release. Counts stay exact; undefined is None."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from contractlab.batches import in_batches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contractlab.grade import Graded


class ConfusionMatrix(NamedTuple):
    """Predicted against expected label, for one positive class."""

    tp: int
    fp: int
    tn: int
    fn: int

    @property
    def precision(self) -> Fraction | None:
        """Tp / (tp + fp); None where nothing was predicted positive."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Fraction | None:
        """Tp / (tp + fn); None where nothing is positive."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> Fraction | None:
        """Harmonic mean of both; None where one is undefined or their sum is 0."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None or precision + recall == 0:
            return None
        return 2 * precision * recall / (precision + recall)


@dataclass(frozen=True, slots=True)
class SliceMetrics:
    """One slice of the evaluated split."""

    count: int
    passed: int | Fraction
    """Cases that passed; of a case with several trials, the share that did."""
    critical_count: int

    @property
    def pass_rate(self) -> Fraction:
        """Passed cases of all, 0 to 1."""
        return Fraction(self.passed) / self.count


class Metrics(NamedTuple):
    """The figures of one release on the evaluated split (one case at least)."""

    case_count: int
    passed: int | Fraction
    """Cases that passed; of a case with several trials, the share that did."""
    mean_score: Fraction
    """Mean over cases of the share of checks that hold."""
    confusion_matrix: ConfusionMatrix
    mean_latency_ms: float | None
    """None where it was not measured on every case, as in the two that follow."""
    p95_latency_ms: float | None
    """Nearest rank: the smallest latency with at least 95 % of all at or below it."""
    mean_estimated_cost_usd: float | None
    by_slice: Mapping[str, SliceMetrics]
    """Sorted by name."""
    critical_failures: tuple[str, ...]
    """Ids of critical cases that failed, in dataset order."""
    results: tuple[Graded, ...]
    """In dataset order."""

    @property
    def pass_rate(self) -> Fraction:
        """Passed cases of all, 0 to 1."""
        return Fraction(self.passed) / self.case_count

    @property
    def slice_pass_rate_gap(self) -> Fraction:
        """Best minus worst pass rate over slices."""
        # Many slices share few counts, and fractions are slow to compare.
        counts = {(each.passed, each.count) for each in self.by_slice.values()}
        rates = [Fraction(passed, count) for passed, count in counts]
        return max(rates) - min(rates)


def measure(results: Sequence[Graded], *, positive_label: str) -> Metrics:
    """The figures of one release.

    Args:
        results: one graded record a case, at least one.
        positive_label: the class that the confusion matrix calls positive.
    """
    kinds = _counted(results)
    latencies = complete([graded.record.latency_ms for graded in results])
    costs = complete([graded.record.estimated_cost_usd for graded in results])
    return Metrics(
        case_count=len(results),
        passed=sum(count for kind, count in kinds.items() if kind.passed),
        mean_score=Fraction(
            sum(kind.held * count for kind, count in kinds.items()),
            sum(kind.checks * count for kind, count in kinds.items()),
        ),
        confusion_matrix=_confusion(kinds, positive_label),
        mean_latency_ms=mean(latencies) if latencies else None,
        p95_latency_ms=nearest_rank(latencies, Fraction(95, 100)) if latencies else None,
        mean_estimated_cost_usd=mean(costs) if costs else None,
        by_slice=_by_slice(kinds),
        critical_failures=tuple(
            graded.case.id for graded in results if not graded.passed and graded.case.critical
        ),
        results=tuple(results),
    )


class _Kind(NamedTuple):
    """Results that count alike."""

    slice: str
    critical: bool
    expected: str
    predicted: str | None
    passed: bool
    held: int
    checks: int


def _counted(results: Sequence[Graded]) -> Mapping[_Kind, int]:
    """How many results there are of each kind: one pass over the cases, a few kinds after it."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for some in in_batches(results):
        cases = [graded.case for graded in some]
        columns = (
            [case.slice for case in cases],
            [case.critical for case in cases],
            [case.expected_label for case in cases],
            [graded.record.predicted_label for graded in some],
            [graded.passed for graded in some],
            [graded.held for graded in some],
            [len(graded.checks) for graded in some],
        )
        counts.update(zip(*columns, strict=True))
    return {_Kind(*kind): count for kind, count in counts.items()}


def complete(values: Sequence[float | None]) -> list[float]:
    """The values, or none at all where one was not measured."""
    found = [value for value in values if value is not None]
    return found if len(found) == len(values) else []


def mean(values: Sequence[float]) -> float:
    """Correctly rounded sum, divided by the count: the same for every order of the values."""
    try:
        return fsum(values) / len(values)
    except OverflowError:  # the sum leaves the range of a double, the mean does not
        return float(sum(map(Fraction, values)) / len(values))


def nearest_rank(values: Sequence[float], share: Fraction) -> float:
    """Smallest value with at least this share of all values at or below it.

    Args:
        values: at least one, in any order.
        share: above 0, at most 1; a fraction, because 0.95 * 20 is not 19 in floats.
    """
    rank = -(-share.numerator * len(values) // share.denominator)
    return float(sorted(values)[rank - 1])


def _confusion(kinds: Mapping[_Kind, int], positive: str) -> ConfusionMatrix:
    counts: Counter[tuple[bool, bool]] = Counter()
    for kind, count in kinds.items():
        counts[kind.expected == positive, kind.predicted == positive] += count
    return ConfusionMatrix(
        tp=counts[True, True],
        fp=counts[False, True],
        tn=counts[False, False],
        fn=counts[True, False],
    )


def _by_slice(kinds: Mapping[_Kind, int]) -> Mapping[str, SliceMetrics]:
    count: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    critical: Counter[str] = Counter()
    for kind, number in kinds.items():
        count[kind.slice] += number
        passed[kind.slice] += number * kind.passed
        critical[kind.slice] += number * kind.critical
    return {name: SliceMetrics(count[name], passed[name], critical[name]) for name in sorted(count)}


def _ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None
