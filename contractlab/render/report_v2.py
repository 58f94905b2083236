"""A version 2 judgement as JSON: version 1's figures where they mean the same, and more."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from contractlab.canonical import encode_report
from contractlab.evidence import DIGEST_FORMAT_V2, EVALUATOR_VERSION_V2
from contractlab.render.findings import message as found
from contractlab.render.reasons import message, primary_reason

if TYPE_CHECKING:
    from contractlab.compare import Pair
    from contractlab.contrast import Contrast
    from contractlab.decide import GateResult, Value
    from contractlab.details import Details, Side
    from contractlab.grade import Graded
    from contractlab.judge import Judgement
    from contractlab.model import Record

SCHEMA_VERSION = "eval-report-v2"

LIMITATIONS = (
    "The verdict speaks of the recorded cases only; a gate cannot see what no case asks.",
    "Families are taken to be independent of each other, and trials of one case to be alike.",
    "Labels, outcomes, calls, evidence, latency and cost are taken as recorded; what is absent"
    " was not measured.",
    "Slices are corrected for their number; several gates together still raise more alarms than"
    " one: contractlab aa measures how many.",
    "The digest binds the inputs to the verdict; it proves neither origin nor integrity of"
    " the recording, and it is no signature.",
)
"""What a verdict does not say."""


def render_json(judgement: Judgement, details: Details) -> bytes:
    """The report: ASCII, sorted, indented, the same bytes for the same inputs."""
    return encode_report(as_dict(judgement, details))


def as_dict(judgement: Judgement, details: Details) -> dict[str, Any]:
    """The report as JSON values."""
    decision, rubric = judgement.decision, judgement.rubric
    return {
        "schema_version": SCHEMA_VERSION,
        "action": str(decision.verdict),
        "primary_reason": primary_reason(decision),
        "reasons": [message(gate) for gate in decision.reasons],
        "gates": [_gate(gate) for gate in decision.gates],
        "evaluator_version": EVALUATOR_VERSION_V2,
        "evidence_digest_format": DIGEST_FORMAT_V2,
        "evidence_sha256": judgement.evidence.sha256,
        "evidence_fingerprint": judgement.evidence.fingerprint,
        "inputs": [
            {"name": each.name, "role": each.role, "byte_count": each.byte_count,
             "sha256": each.sha256}
            for each in judgement.evidence.inputs
        ],
        "dataset_version": judgement.dataset_version,
        "rubric_version": rubric.version,
        "prediction_set_version": judgement.predictions_version,
        "split": rubric.split,
        "coverage": {
            "cases": details.cases,
            "compared": details.compared,
            "missing_in_baseline": list(details.missing_before),
            "missing_in_candidate": list(details.missing_after),
        },
        "baseline": _side(judgement.baseline_release, judgement.baseline, details.baseline),
        "candidate": _side(judgement.candidate_release, judgement.candidate, details.candidate),
        "manifest_changes": [
            {"component": each.component, "part": each.part, "before": each.before or None,
             "after": each.after or None}
            for each in details.manifest_changes
        ],
        "comparison": _comparison(judgement, details),
        "cases": [pair_as_dict(pair) for pair in judgement.comparison.pairs],
        "warnings": [
            {"code": each.rule.code, "name": each.rule.title, "message": each.message,
             "hint": each.hint, "file": each.file}
            for each in judgement.warnings
        ],
        "limitations": list(LIMITATIONS),
    }  # fmt: skip


def _gate(gate: GateResult) -> dict[str, Any]:
    finding = gate.finding
    return {
        "gate": gate.name,
        "held": gate.held,
        "verdict": str(gate.verdict),
        "bound": gate.bound,
        "observed": _number(gate.observed),
        "threshold": gate.threshold,
        "case_ids": list(gate.case_ids),
        "metric": finding.metric if finding else None,
        "finding": finding.kind if finding else "value",
        "group": dict(finding.group) if finding else {},
        "measured": finding.measured if finding else None,
        "of": finding.of if finding else None,
        "baseline": _number(finding.baseline) if finding else None,
        "p_value": finding.p_value if finding else None,
        "needed_cases": finding.needed if finding else None,
        "contrast": _contrast(finding.contrast) if finding and finding.contrast else None,
        "message": None if gate.held else found(gate, finding) if finding else message(gate),
    }


def _side(release: str, metrics: Any, side: Side) -> dict[str, Any]:
    return {
        "release": release,
        "manifest": side.manifest,
        "cases": side.covered,
        "records": side.records,
        "records_of_other_splits": side.ignored,
        "statuses": side.statuses,
        "pass_rate": float(metrics.pass_rate),
        "mean_score": float(metrics.mean_score),
        "critical_failures": list(metrics.critical_failures),
        "by_slice": {
            name: {"count": each.count, "passed": _number(each.passed),
                   "pass_rate": float(each.pass_rate), "critical_count": each.critical_count}
            for name, each in metrics.by_slice.items()
        },
        "outcomes": {
            name: {"rate": _number(each.value), "measured": each.measured}
            for name, each in side.outcomes.items()
        },
        "classes": {
            name: {"tp": each.tp, "fp": each.fp, "tn": each.tn, "fn": each.fn,
                   "precision": _number(each.precision), "recall": _number(each.recall),
                   "f1": _number(each.f1)}
            for name, each in side.classes.items()
        },
        "confusion": [
            {"expected": expected, "predicted": predicted or None, "records": count}
            for (expected, predicted), count in side.labels.items()
        ],
        "macro_f1": _number(side.macro_f1),
        "pass_hat_k": {str(k): float(value) for k, value in side.hat_k.items()},
        "pass_at_k": {str(k): float(value) for k, value in side.at_k.items()},
        "flaky": list(side.flaky),
        "mean_latency_ms": metrics.mean_latency_ms,
        "p95_latency_ms": metrics.p95_latency_ms,
        "mean_cost_usd": metrics.mean_estimated_cost_usd,
        "unmeasured": side.unmeasured,
    }  # fmt: skip


def _comparison(judgement: Judgement, details: Details) -> dict[str, Any]:
    rubric, comparison = judgement.rubric, judgement.comparison
    terms, counts = rubric.terms, comparison.counts
    return {
        **_contrast(details.overall),
        "unit": terms.unit if terms else "case",
        "confidence": rubric.confidence,
        "resamples": rubric.resamples,
        "seed": rubric.seed,
        "margin": terms.margin if terms else None,
        "power": details.power,
        "needed_cases": details.needed,
        "could_have_missed": comparison.could_have_missed,
        "counts": {
            "both": counts.both,
            "improved": counts.improved,
            "regressed": counts.regressed,
            "neither": counts.neither,
        },
        "improved": list(comparison.ids("improved")),
        "regressed": list(comparison.ids("regressed")),
        "mcnemar": {
            "exact": comparison.mcnemar.exact,
            "mid_p": comparison.mcnemar.mid_p,
            "one_sided": comparison.mcnemar.one_sided,
        },
        "slices": {
            each.name: {**_contrast(each.contrast), "p_adjusted": each.p_adjusted}
            for each in details.slices
        },
    }


def _contrast(seen: Contrast) -> dict[str, Any]:
    return {
        "cases": seen.cases,
        "units": seen.units,
        "effective_cases": seen.effective,
        "difference": float(seen.delta),
        "interval": [seen.interval.low, seen.interval.high],
        "interval_method": seen.method.interval,
        "p_worse": seen.p_worse,
    }


def pair_as_dict(pair: Pair) -> dict[str, Any]:
    """A case in both releases, as the report has it."""
    case = pair.baseline.case
    return {
        "case_id": case.id,
        "family_id": case.family_id,
        "slice": case.slice,
        "tags": list(case.tags),
        "critical": case.critical,
        "risk": case.risk,
        "flip": pair.flip,
        "baseline": _graded(pair.baseline),
        "candidate": _graded(pair.candidate),
    }


def _graded(graded: Graded) -> dict[str, Any]:
    return {
        "value": _number(graded.value),
        "flaky": graded.flaky,
        "trials": [
            {"passed": trial.passed, "checks": trial.checks, **_record(trial.record)}
            for trial in graded.each
        ],
    }


def _record(record: Record) -> dict[str, Any]:
    run = record.run
    return {
        "trial": run.trial,
        "status": run.status,
        "label": record.predicted_label,
        "outcomes": dict(run.outcomes),
        "calls": None if run.calls is None else [
            {"name": call.name, "arguments": call.arguments, "ok": call.ok} for call in run.calls
        ],
        "actions": list(record.actions) if run.actions_recorded else None,
        "evidence": record.evidence_present if run.evidence is None else list(run.evidence),
        "latency_ms": record.latency_ms,
        "cost_usd": record.estimated_cost_usd,
    }  # fmt: skip


def _number(value: Value) -> float | int | None:
    return float(value) if isinstance(value, Fraction) else value
