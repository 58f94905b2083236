"""The rows that every medium shows: metrics beside their gates, and slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.render import numbers

if TYPE_CHECKING:
    from fractions import Fraction

    from contractlab.judge import Judgement
    from contractlab.metrics import Metrics
    from contractlab.model import Verdict


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One figure of both releases; texts of our own, safe in every medium."""

    label: str
    baseline: str
    candidate: str
    limit: str
    """The gate, such as `>= 0.75`; empty where there is none."""
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


def metric_rows(judgement: Judgement) -> list[MetricRow]:
    """The figures with a gate of their own, and the confusion matrix."""
    before, after = judgement.baseline, judgement.candidate
    gates = {gate.name: gate for gate in judgement.rubric.gates}
    failed = {gate.name for gate in judgement.decision.reasons}

    def row(label: str, baseline: str, candidate: str, name: str) -> MetricRow:
        gate = gates[name]
        sign = ">=" if gate.bound == "at_least" else "<="
        verdict = gate.verdict if name in failed else None
        return MetricRow(label, baseline, candidate, f"{sign} {gate.threshold}", verdict)

    rows = [
        row(
            "pass rate",
            numbers.rate(before.pass_rate),
            numbers.rate(after.pass_rate),
            "min_overall_pass_rate",
        )
    ]
    for metric in ("precision", "recall", "F1"):
        baseline, candidate = (
            numbers.rate(getattr(each.confusion_matrix, metric.lower())) for each in (before, after)
        )
        rows.append(row(metric, baseline, candidate, f"min_{metric.lower()}"))
    rows.append(MetricRow("tp fp tn fn", _matrix(before), _matrix(after), "", None))
    rows += [
        row(
            "slice gap",
            numbers.rate(before.slice_pass_rate_gap, "up"),
            numbers.rate(after.slice_pass_rate_gap, "up"),
            "max_slice_pass_rate_gap",
        ),
        row(
            "mean latency",
            numbers.milliseconds(before.mean_latency_ms),
            numbers.milliseconds(after.mean_latency_ms),
            "max_mean_latency_ms",
        ),
        row(
            "p95 latency",
            numbers.milliseconds(before.p95_latency_ms),
            numbers.milliseconds(after.p95_latency_ms),
            "max_p95_latency_ms",
        ),
        row(
            "mean cost",
            numbers.usd(before.mean_estimated_cost_usd),
            numbers.usd(after.mean_estimated_cost_usd),
            "max_mean_cost_usd",
        ),
    ]
    return rows


def slice_rows(judgement: Judgement) -> list[SliceRow]:
    """Every slice, sorted by name."""
    before = judgement.baseline.by_slice
    return [
        SliceRow(name, each.count, each.critical_count, before[name].passed, each.passed)
        for name, each in judgement.candidate.by_slice.items()
    ]


def _matrix(metrics: Metrics) -> str:
    counts = metrics.confusion_matrix
    return f"{counts.tp} {counts.fp} {counts.tn} {counts.fn}"
