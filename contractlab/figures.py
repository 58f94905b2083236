"""Every metric of version 2, by name, over any group of cases. Not measured is not zero."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from contractlab.metrics import (
    ConfusionMatrix,
    Metrics,
    SliceMetrics,
    complete,
    mean,
    nearest_rank,
)
from contractlab.stats import at_k, hat_k

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from contractlab.grade import Graded

    Value = Fraction | float | int | None

NO_LABEL = ""
"""Where a confusion matrix counts records that decided on no label."""

PER_CLASS = ("precision", "recall", "f1")
OF_K = ("pass_hat_k", "pass_at_k")
WHOLE = ("macro_f1", "critical_slice_pass_rate", "slice_pass_rate_gap", "paired_delta_ci_low",
         "error_rate", "flaky_rate")  # fmt: skip
_MEASURES = ("latency_ms", "cost_usd")
_SUMMARIES = ("mean", "p50", "p95", "max")
_PER_CASE = ("pass_rate", "mean_score", "accuracy")


def is_per_case(metric: str) -> bool:
    """Whether each case has a value of its own, 0 to 1, that releases can be paired on."""
    kind, colon, name = metric.partition(":")
    return metric in _PER_CASE or (bool(colon and name) and kind in ("check", "outcome"))


def is_measure(metric: str) -> bool:
    """Whether it summarises a quantity of records, such as `latency_ms.p95`."""
    quantity, _, summary = metric.rpartition(".")
    known = quantity in _MEASURES or (quantity.startswith("tokens.") and quantity != "tokens.")
    return known and summary in _SUMMARIES


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


def case_value(metric: str, graded: Graded) -> Fraction | int | None:
    """A case's value of a per-case metric, its mean over trials; None: it has none."""
    if metric == "pass_rate":
        return graded.value
    if not graded.trials:
        return _trial_value(metric, graded)
    found = [_trial_value(metric, trial) for trial in graded.each]
    known = [value for value in found if value is not None]
    return Fraction(sum(known)) / len(known) if known else None


def _trial_value(metric: str, trial: Graded) -> Fraction | int | None:
    if metric == "mean_score":
        return Fraction(sum(trial.checks.values()), len(trial.checks))
    if metric == "accuracy":
        expected = trial.case.expected_label
        return int(trial.record.predicted_label == expected) if expected else None
    kind, _, name = metric.partition(":")
    if kind == "check":
        held = trial.checks.get(name)
        return None if held is None else int(held)
    return _outcome(name, trial)


def _outcome(name: str, trial: Graded) -> int | None:
    """Whether an outcome is on the wanted side; None where that is not known.

    A run that did not end well has not reached what was wanted, and is not believed to have
    done what was not wanted.
    """
    wanted = wanted_outcomes(trial).get(name)
    if wanted is None:
        return None
    run = trial.record.run
    if run.status != "ok":
        return 0 if wanted else None
    found = run.outcomes.get(name)
    return None if found is None else int(found is wanted)


def wanted_outcomes(graded: Graded) -> Mapping[str, bool]:
    """The outcomes that a case names, and the side that is wanted."""
    for check in graded.case.expect.checks:
        if check.name == "outcomes":
            return check.wanted  # type: ignore[attr-defined,no-any-return]
    return {}


def read(
    metric: str,
    results: Sequence[Graded],
    *,
    absent: int = 0,
    label: str | None = None,
    k: int | None = None,
) -> Reading:
    """The value of a metric that is about one release.

    Args:
        metric: one that `is_metric` knows, but not `paired_delta_ci_low`.
        results: graded cases.
        absent: cases of the same group without a record: they count as failed.
        label: the class of precision, recall and f1.
        k: of pass_hat_k and pass_at_k.
    """
    if is_per_case(metric):
        return _per_case(metric, results, absent)
    if is_measure(metric):
        return _measure(metric, [trial for graded in results for trial in graded.each])
    if metric in PER_CLASS or metric == "macro_f1":
        matrices = confusion(results)
        count = sum(bool(graded.case.expected_label) for graded in results)
        if metric == "macro_f1":
            return Reading(macro_f1(matrices), count, count)
        matrix = matrices.get(label or "", ConfusionMatrix(0, 0, 0, 0))
        return Reading(getattr(matrix, metric), count, count)
    return _READERS[metric](results, k or 1)


def _per_case(metric: str, results: Sequence[Graded], absent: int) -> Reading:
    values = [case_value(metric, graded) for graded in results]
    known = [value for value in values if value is not None]
    failed = absent if metric in ("pass_rate", "mean_score") else 0
    measured = len(known) + failed
    lacking = 0
    if metric.startswith("outcome:") and len(known) < len(values):
        name = metric.removeprefix("outcome:")
        lacking = sum(
            value is None and name in wanted_outcomes(graded) and _ended_well(graded)
            for graded, value in zip(results, values, strict=True)
        )
    if lacking or not measured:
        return Reading(None, measured, max(measured + lacking, 1))
    return Reading(Fraction(sum(known)) / measured, measured, measured)


def _ended_well(graded: Graded) -> bool:
    return any(trial.record.run.status == "ok" for trial in graded.each)


def _measure(metric: str, trials: Sequence[Graded]) -> Reading:
    quantity, _, summary = metric.rpartition(".")
    # A run that crashed may have no latency; one that ended well should.
    found = [
        value
        for trial in trials
        if (value := _quantity(quantity, trial)) is not None or trial.record.run.status == "ok"
    ]
    values = [value for value in found if value is not None]
    if not values or len(values) < len(found):
        # Where some lack it, those that have it are not a fair picture: no value at all.
        return Reading(None, len(values), max(len(found), 1))
    summaries: Mapping[str, Callable[[Sequence[float]], float]] = {
        "mean": mean,
        "p50": lambda each: nearest_rank(each, Fraction(1, 2)),
        "p95": lambda each: nearest_rank(each, Fraction(95, 100)),
        "max": max,
    }
    return Reading(summaries[summary](values), len(values), len(found))


def _quantity(quantity: str, trial: Graded) -> float | None:
    if quantity == "latency_ms":
        return trial.record.latency_ms
    if quantity == "cost_usd":
        return trial.record.estimated_cost_usd
    tokens = trial.record.run.tokens or {}
    return tokens.get(quantity.removeprefix("tokens."))


def _share(flags: Iterable[bool], _k: int = 1) -> Reading:
    found = list(flags)
    return Reading(Fraction(sum(found), len(found)) if found else None, len(found), len(found))


def _error_rate(results: Sequence[Graded], _k: int) -> Reading:
    return _share(trial.record.run.status != "ok" for graded in results for trial in graded.each)


def _flaky_rate(results: Sequence[Graded], _k: int) -> Reading:
    several = [graded for graded in results if graded.trials]
    if not several:
        return Reading(None, 0, max(len(results), 1))
    return _share(graded.flaky for graded in several)


def _of_k(formula: Callable[[int, int, int], Fraction]) -> Callable[..., Reading]:
    def value(results: Sequence[Graded], k: int) -> Reading:
        enough = [graded for graded in results if len(graded.each) >= k]
        if not enough or len(enough) < len(results):
            return Reading(None, len(enough), max(len(results), 1))
        total = sum(
            (formula(int(graded.value * len(graded.each)), len(graded.each), k)
             for graded in enough),
            Fraction(),
        )  # fmt: skip
        return Reading(total / len(enough), len(enough), len(results))

    return value


def _gap(results: Sequence[Graded], _k: int) -> Reading:
    rates = [each.pass_rate for each in slices(results).values()]
    return Reading(max(rates) - min(rates) if rates else None, len(results), len(results))


_READERS: Mapping[str, Callable[[Sequence[Graded], int], Reading]] = {
    "error_rate": _error_rate,
    "flaky_rate": _flaky_rate,
    "pass_hat_k": _of_k(hat_k),
    "pass_at_k": _of_k(at_k),
    "slice_pass_rate_gap": _gap,
}


def confusion(results: Sequence[Graded]) -> dict[str, ConfusionMatrix]:
    """Each class against the rest, sorted by name; every record of a labelled case counts."""
    table = labels(results)
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


def labels(results: Sequence[Graded]) -> dict[tuple[str, str], int]:
    """How many records of cases with an expected label got which: (expected, predicted)."""
    table: dict[tuple[str, str], int] = {}
    for graded in results:
        expected = graded.case.expected_label
        for trial in graded.each if expected else ():
            pair = (expected, trial.record.predicted_label or NO_LABEL)
            table[pair] = table.get(pair, 0) + 1
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
    latencies = complete([trial.record.latency_ms for trial in trials])
    costs = complete([trial.record.estimated_cost_usd for trial in trials])
    score = read("mean_score", results).value
    return Metrics(
        case_count=len(results),
        passed=sum(graded.value for graded in results),
        mean_score=Fraction(score or 0),
        confusion_matrix=confusion(results).get(positive_label, ConfusionMatrix(0, 0, 0, 0)),
        mean_latency_ms=mean(latencies) if latencies else None,
        p95_latency_ms=nearest_rank(latencies, Fraction(95, 100)) if latencies else None,
        mean_estimated_cost_usd=mean(costs) if costs else None,
        by_slice=slices(results),
        critical_failures=critical_failures,
        results=tuple(results),
    )
