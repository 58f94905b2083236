"""The rows that every medium shows: metrics beside their gates, and slices."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from contractlab.compare import exact
from contractlab.decide import CRITICAL, observations
from contractlab.render import numbers, reasons
from contractlab.stats import wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from contractlab.decide import GateResult, Value
    from contractlab.interval import Interval
    from contractlab.judge import Judgement
    from contractlab.metrics import Metrics
    from contractlab.model import Verdict


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One figure of both releases; texts of our own, safe in every medium."""

    label: str
    """In version 2 it may hold a name from a contract: escape it."""
    baseline: str
    candidate: str
    limit: str
    """The gate, such as `≥ 0.75`; empty where there is none."""
    failed: Verdict | None
    """What the gate led to where it does not hold."""


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One slice of both releases."""

    name: str
    """Raw: escape it."""
    count: int
    critical_count: int
    baseline_passed: int | Fraction
    candidate_passed: int | Fraction
    regressed: int = 0
    """Cases that got worse."""
    improved: int = 0

    @property
    def change(self) -> int | Fraction:
        """How many more cases pass; negative where it got worse."""
        return self.candidate_passed - self.baseline_passed

    def interval(self, confidence: float) -> Interval:
        """Wilson's interval of the candidate's pass rate."""
        found = wilson(int(self.candidate_passed), self.count, exact(confidence))
        if found is None:
            raise ValueError("a slice has a case")
        return found


@dataclass(frozen=True, slots=True)
class GateRow:
    """One gate that was looked at; texts of our own but for the result's names."""

    result: GateResult
    limit: str
    """`≥ 0.75`, `≤ 1,500 ms`, or `none may` for critical cases that fail."""
    candidate: str
    baseline: str
    """What the baseline has there; `-` where a gate is about the difference of both."""
    note: str = ""
    """What else was seen, in version 2: `95 % interval [-0.475, +0.101] on 15 cases`."""


def gate_rows(judgement: Judgement, results: Sequence[GateResult]) -> list[GateRow]:
    """What was asked for and observed, in the order given."""
    metrics = {gate.name: gate.metric for gate in judgement.rubric.gates}
    before: dict[str, Mapping[str | None, Value]] = {
        name: dict(observations(metrics[name], judgement.baseline, judgement.comparison))
        for name in {result.name for result in results} & set(metrics)
        if metrics[name] != "paired_delta_ci_low"
    }
    before[CRITICAL] = {None: len(judgement.baseline.critical_failures)}
    return [
        GateRow(
            result,
            _limit(result),
            reasons.distinct(result),
            _baseline(result, before.get(result.name)),
        )
        for result in results
    ]


def _limit(result: GateResult) -> str:
    if result.name == CRITICAL:
        return "none may"
    return f"{_SIGNS[result.bound]} {reasons.threshold(result)}"


_SIGNS = {"at_least": "≥", "at_most": "≤"}


def _baseline(result: GateResult, before: Mapping[str | None, Value] | None) -> str:
    if before is None:
        return "-"
    return reasons.observed(replace(result, observed=before[result.slice]))


_QUALITY: Sequence[tuple[str, str, Callable[[Any], str]]] = (
    ("pass rate", "pass_rate", numbers.rate),
    ("precision", "precision", numbers.rate),
    ("recall", "recall", numbers.rate),
    ("F1", "f1", numbers.rate),
)
_SPREAD_AND_COST: Sequence[tuple[str, str, Callable[[Any], str]]] = (
    ("slice gap", "slice_pass_rate_gap", partial(numbers.rate, towards="up")),
    ("mean latency", "mean_latency_ms", numbers.milliseconds),
    ("p95 latency", "p95_latency_ms", numbers.milliseconds),
    ("mean cost", "mean_estimated_cost_usd", numbers.usd),
)


def metric_rows(judgement: Judgement) -> list[MetricRow]:
    """The figures with a gate of their own, and the confusion matrix."""
    before, after = judgement.baseline, judgement.candidate
    return [
        *(_metric_row(judgement, *each) for each in _QUALITY),
        MetricRow("tp fp tn fn", _matrix(before), _matrix(after), "", None),
        *(_metric_row(judgement, *each) for each in _SPREAD_AND_COST),
    ]


def _metric_row(
    judgement: Judgement, label: str, metric: str, write: Callable[[Any], str]
) -> MetricRow:
    gate = next(each for each in judgement.rubric.gates if each.metric == metric)
    limit = (
        numbers.limit(gate.threshold) if metric.endswith(("_ms", "_usd")) else repr(gate.threshold)
    )
    failed = any(each.name == gate.name for each in judgement.decision.reasons)
    ((_, baseline),) = observations(metric, judgement.baseline, judgement.comparison)
    ((_, candidate),) = observations(metric, judgement.candidate, judgement.comparison)
    return MetricRow(
        label,
        write(baseline),
        write(candidate),
        f"{_SIGNS[gate.bound]} {limit}",
        gate.verdict if failed else None,
    )


def slice_rows(judgement: Judgement, *, worst_first: bool = False) -> list[SliceRow]:
    """Every slice, sorted by name, or else the largest loss of cases first."""
    before = judgement.baseline.by_slice
    flips = Counter(
        (pair.candidate.case.slice, flip)
        for pair in judgement.comparison.pairs
        if (flip := pair.flip) in ("regressed", "improved")
    )
    rows = [
        SliceRow(
            name,
            each.count,
            each.critical_count,
            before[name].passed,
            each.passed,
            flips[name, "regressed"],
            flips[name, "improved"],
        )
        for name, each in judgement.candidate.by_slice.items()
    ]
    return sorted(rows, key=lambda row: (row.change, -row.regressed)) if worst_first else rows


def _matrix(metrics: Metrics) -> str:
    counts = metrics.confusion_matrix
    return f"{counts.tp} {counts.fp} {counts.tn} {counts.fn}"
