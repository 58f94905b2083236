"""Every metric of version 2, by name, over any group of cases. Not measured is not zero."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from contractlab.case_values import asks, case_values, lacking
from contractlab.metrics import (
    ConfusionMatrix,
    Metrics,
    SliceMetrics,
    mean,
    nearest_rank,
)
from contractlab.stats import at_k, hat_k

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from contractlab.grade import Graded
    from contractlab.model import Case

    Value = Fraction | float | int | None

NO_LABEL = ""
"""Where a confusion matrix counts records that decided on no label."""

PER_CLASS = ("precision", "recall", "f1")
OF_K = ("pass_hat_k", "pass_at_k")
WHOLE = ("macro_f1", "critical_slice_pass_rate", "slice_pass_rate_gap", "paired_delta_ci_low",
         "error_rate", "flaky_rate")  # fmt: skip
_MEASURES = ("latency_ms", "cost_usd")
_PER_CASE = ("pass_rate", "mean_score", "accuracy")
METRICS = (*_PER_CASE, "check:NAME", "outcome:NAME", *PER_CLASS, *OF_K, *WHOLE, *_MEASURES,
           "tokens.KIND")  # fmt: skip
"""Every metric; a measure without its summary."""


def is_per_case(metric: str) -> bool:
    """Whether each case has a value of its own, 0 to 1, that releases can be paired on."""
    kind, colon, name = metric.partition(":")
    return metric in _PER_CASE or (bool(colon and name) and kind in ("check", "outcome"))


def is_measure(metric: str) -> bool:
    """Whether it summarises a quantity of records, such as `latency_ms.p95`."""
    quantity, _, summary = metric.rpartition(".")
    known = quantity in _MEASURES or (quantity.startswith("tokens.") and quantity != "tokens.")
    return known and summary in SUMMARIES


def is_metric(metric: str) -> bool:
    """Whether there is such a metric."""
    return is_per_case(metric) or is_measure(metric) or metric in (*PER_CLASS, *OF_K, *WHOLE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A metric's value over a group of cases."""

    value: Value
    measured: int
    """Cases or records that have it."""
    of: int
    """Cases or records that should."""

    @property
    def undefined(self) -> bool:
        """Whether all that it needs was recorded and it still has no value: 0/0."""
        return self.value is None and self.measured == self.of


def read(
    metric: str,
    results: Sequence[Graded],
    *,
    missing: Sequence[Case] = (),
    label: str | None = None,
    k: int | None = None,
) -> Reading:
    """The value of a metric that is about one release.

    Args:
        metric: one that `is_metric` knows, but not `paired_delta_ci_low`.
        results: graded cases.
        missing: cases of the same group without a record: they count as failed.
        label: the class of precision, recall and f1.
        k: of pass_hat_k and pass_at_k.
    """
    if is_per_case(metric):
        return _per_case(metric, results, missing)
    if is_measure(metric):
        return _measure(metric, [trial for graded in results for trial in graded.each])
    if metric in PER_CLASS or metric == "macro_f1":
        matrices = confusion(results, missing)
        cases = [*(graded.case for graded in results), *missing]
        count = sum(bool(case.expected_label) for case in cases)
        if metric == "macro_f1":
            return Reading(macro_f1(matrices), count, count)
        matrix = matrices.get(label or "", ConfusionMatrix(0, 0, 0, 0))
        return Reading(getattr(matrix, metric), count, count)
    return _READERS[metric](results, missing, k or 1)


def _per_case(metric: str, results: Sequence[Graded], missing: Sequence[Case]) -> Reading:
    values = case_values(metric, results)
    without = lacking(metric, results, values)
    if without:
        of = sum(asks(metric, graded.case) for graded in results)
        return Reading(None, of - len(without), of)
    known = [value for value in values if value is not None]
    measured = len(known) + sum(asks(metric, case) for case in missing)
    if not measured:
        return Reading(None, 0, 1)
    # Few values are different, and fractions are slow to add.
    total = sum((value * count for value, count in Counter(known).items()), Fraction())
    return Reading(total / measured, measured, measured)


def _measure(metric: str, trials: Sequence[Graded]) -> Reading:
    quantity, _, summary = metric.rpartition(".")
    values, of = measured(quantity, trials)
    if not values or len(values) < of:
        # Where some lack it, those that have it are not a fair picture: no value at all.
        return Reading(None, len(values), max(of, 1))
    return Reading(SUMMARIES[summary](values), len(values), of)


SUMMARIES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": mean,
    "p50": lambda each: nearest_rank(each, Fraction(1, 2)),
    "p95": lambda each: nearest_rank(each, Fraction(95, 100)),
    "max": max,
}
"""What a measure can be summarised to; of one value at least."""


def measured(quantity: str, trials: Sequence[Graded]) -> tuple[list[float], int]:
    """The values of `latency_ms`, `cost_usd` or `tokens.KIND`, and how many there should be.

    Of the runs that ended well: what a run took that was cut short says nothing of a whole one.
    """
    found = [_quantity(quantity, trial) for trial in trials if trial.record.run.status == "ok"]
    return [value for value in found if value is not None], len(found)


def _quantity(quantity: str, trial: Graded) -> float | None:
    if quantity == "latency_ms":
        return trial.record.latency_ms
    if quantity == "cost_usd":
        return trial.record.estimated_cost_usd
    tokens = trial.record.run.tokens or {}
    return tokens.get(quantity.removeprefix("tokens."))


def _share(flags: Iterable[bool]) -> Reading:
    found = list(flags)
    return Reading(Fraction(sum(found), len(found)) if found else None, len(found), len(found))


def _error_rate(results: Sequence[Graded], _missing: Sequence[Case], _k: int) -> Reading:
    return _share(trial.record.run.status != "ok" for graded in results for trial in graded.each)


def _flaky_rate(results: Sequence[Graded], _missing: Sequence[Case], _k: int) -> Reading:
    several = [graded for graded in results if graded.trials]
    if not several:
        return Reading(None, 0, max(len(results), 1))
    return _share(graded.flaky for graded in several)


def _of_k(formula: Callable[[int, int, int], Fraction]) -> Callable[..., Reading]:
    def value(results: Sequence[Graded], missing: Sequence[Case], k: int) -> Reading:
        enough = [graded for graded in results if len(graded.each) >= k]
        of = len(results) + len(missing)
        if not of or len(enough) < len(results):
            return Reading(None, len(enough), max(of, 1))
        total = sum(
            (formula(int(graded.value * len(graded.each)), len(graded.each), k)
             for graded in enough),
            Fraction(),
        )  # fmt: skip
        return Reading(total / of, of, of)

    return value


def _gap(results: Sequence[Graded], missing: Sequence[Case], _k: int) -> Reading:
    passed: dict[str, Fraction] = {}
    of = Counter(case.slice for case in missing)
    for graded in results:
        name = graded.case.slice
        passed[name] = passed.get(name, Fraction()) + graded.value
        of[name] += 1
    rates = [passed.get(name, Fraction()) / count for name, count in of.items()]
    return Reading(max(rates) - min(rates) if rates else None, of.total(), of.total())


_READERS: Mapping[str, Callable[[Sequence[Graded], Sequence[Case], int], Reading]] = {
    "error_rate": _error_rate,
    "flaky_rate": _flaky_rate,
    "pass_hat_k": _of_k(hat_k),
    "pass_at_k": _of_k(at_k),
    "slice_pass_rate_gap": _gap,
}


def confusion(
    results: Sequence[Graded], missing: Sequence[Case] = ()
) -> dict[str, ConfusionMatrix]:
    """Each class against the rest, sorted by name; every record of a labelled case counts."""
    table = labels(results, missing)
    total = sum(table.values())
    names = sorted({label for pair in table for label in pair} - {NO_LABEL})
    matrices = {}
    for name in names:
        tp = table.get((name, name), 0)
        expected = sum(count for (wanted, _), count in table.items() if wanted == name)
        predicted = sum(count for (_, found), count in table.items() if found == name)
        matrices[name] = ConfusionMatrix(
            tp, predicted - tp, total - expected - predicted + tp, expected - tp
        )
    return matrices


def labels(results: Sequence[Graded], missing: Sequence[Case] = ()) -> dict[tuple[str, str], int]:
    """How many records of cases with an expected label got which: (expected, predicted).

    A case without a record counts as one that got none.
    """
    table = Counter((case.expected_label, NO_LABEL) for case in missing if case.expected_label)
    for graded in results:
        expected = graded.case.expected_label
        for trial in graded.each if expected else ():
            pair = (expected, trial.record.predicted_label or NO_LABEL)
            table[pair] += 1
    return dict(sorted(table.items()))


def macro_f1(matrices: Mapping[str, ConfusionMatrix]) -> Fraction | None:
    """Mean F1 of the classes that are expected or predicted; 0 where a class has 0/0.

    None where there is no class. A class that is never predicted has F1 0 (2 tp over
    2 tp + fp + fn), as scikit-learn has it.
    """
    scores = [Fraction(2 * each.tp, 2 * each.tp + each.fp + each.fn) for each in matrices.values()]
    return sum(scores, Fraction()) / len(scores) if scores else None


def slices(results: Sequence[Graded]) -> dict[str, SliceMetrics]:
    """Each slice, sorted by name."""
    groups: dict[str, list[Graded]] = {}
    for graded in results:
        groups.setdefault(graded.case.slice, []).append(graded)
    return {
        name: SliceMetrics(
            len(group),
            sum(graded.value for graded in group),
            sum(graded.case.critical for graded in group),
        )
        for name, group in sorted(groups.items())
    }


def measure_trials(
    results: Sequence[Graded], *, positive_label: str, critical_failures: tuple[str, ...]
) -> Metrics:
    """One release's figures in the shape that every renderer takes.

    Args:
        results: one or more graded cases.
        positive_label: the class of the two-class matrix; empty where there is none.
        critical_failures: ids of the cases that the critical rule counts as failed.
    """
    trials = [trial for graded in results for trial in graded.each]
    score = read("mean_score", results).value
    return Metrics(
        case_count=len(results),
        passed=sum(graded.value for graded in results),
        mean_score=Fraction(score or 0),
        confusion_matrix=confusion(results).get(positive_label, ConfusionMatrix(0, 0, 0, 0)),
        mean_latency_ms=_number(_measure("latency_ms.mean", trials)),
        p95_latency_ms=_number(_measure("latency_ms.p95", trials)),
        mean_estimated_cost_usd=_number(_measure("cost_usd.mean", trials)),
        by_slice=slices(results),
        critical_failures=critical_failures,
        results=tuple(results),
    )


def _number(reading: Reading) -> float | None:
    return None if reading.value is None else float(reading.value)
