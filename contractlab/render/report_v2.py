"""A version 2 judgement as JSON: version 1's figures where they mean the same, and more.

The report carries all that a judgement is made from, so that `reload_v2` makes the same one of
it and every other format can be rendered from it later.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import orjson

from contractlab.batches import in_batches
from contractlab.canonical import ROWS, Rows, encode_report, in_order
from contractlab.evidence import DIGEST_FORMAT_V2, EVALUATOR_VERSION_V2
from contractlab.render.findings import message as found
from contractlab.render.problem_json import warning_as_dict
from contractlab.render.reasons import message, primary_reason
from contractlab.render.report import places_as_dict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from contractlab.canonical import Joined
    from contractlab.compare import Pair
    from contractlab.contrast import Contrast
    from contractlab.decide import GateResult, Value
    from contractlab.details import Details, Side, Unpaired
    from contractlab.grade import Graded
    from contractlab.judge import Judgement
    from contractlab.model import Case

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
    rows = CaseRows()
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
        # Without the one that names a contract: who looks for contracts must not find one here.
        "rubric": {key: of for key, of in rubric.written.items() if key != "schema_version"},
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
        "cases": Rows(rows.pairs(judgement.comparison.pairs)),
        "unpaired": Rows(rows.unpaired(details.unpaired)),
        "places": None if judgement.places is None else places_as_dict(judgement.places),
        "warnings": [warning_as_dict(problem) for problem in judgement.warnings],
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


class CaseRows:
    """Cases in both releases, as objects whose members are sorted but for what was recorded.

    Arguments, answers and expectations keep the order that they were written in.
    """

    def __init__(self) -> None:
        self._checks: dict[int, dict[str, bool]] = {}  # shared between records

    def pairs(self, pairs: Sequence[Pair]) -> Iterator[Joined]:
        """Cases that both releases have records for."""
        return (in_order([self._pair(pair) for pair in some]) for some in in_batches(pairs, ROWS))

    def unpaired(self, cases: Sequence[Unpaired]) -> Iterator[Joined]:
        """Cases that one of them lacks."""
        return (in_order([self._unpaired(of) for of in some]) for some in in_batches(cases, ROWS))

    def _pair(self, pair: Pair) -> dict[str, Any]:
        case = pair.baseline.case
        return {
            "baseline": self._graded(pair.baseline),
            "candidate": self._graded(pair.candidate),
            **_case(case),
            "flip": pair.flip,
            **_case_after_flip(case),
        }

    def _unpaired(self, of: Unpaired) -> dict[str, Any]:
        return {
            "baseline": of.baseline and self._graded(of.baseline),
            "candidate": of.candidate and self._graded(of.candidate),
            **_case(of.case),
            **_case_after_flip(of.case, place=of.place),
        }

    def _graded(self, graded: Graded) -> dict[str, Any]:
        return {
            "flaky": graded.flaky,
            "trials": [self._trial(trial) for trial in graded.each],
            "value": _number(graded.value),
        }

    def _trial(self, trial: Graded) -> dict[str, Any]:
        record, run = trial.record, trial.record.run
        return {
            "actions": record.actions if run.actions_recorded else None,
            "answer": run.answer,
            "calls": None if run.calls is None else [
                {"arguments": arguments, "name": name, "ok": ok, "turn": turn}
                for name, arguments, ok, turn in run.calls
            ],
            "checks": self._sorted(trial.checks),
            "cost_usd": record.estimated_cost_usd,
            "evidence": record.evidence_present if run.evidence is None else run.evidence,
            "label": record.predicted_label,
            "latency_ms": record.latency_ms,
            "outcomes": dict(sorted(run.outcomes.items())),
            "passed": trial.passed,
            "status": run.status,
            "tokens": None if run.tokens is None else dict(sorted(run.tokens.items())),
            "trial": run.trial,
        }  # fmt: skip

    def _sorted(self, checks: Mapping[str, bool]) -> dict[str, bool]:
        known = self._checks.get(id(checks))
        if known is None:
            known = self._checks[id(checks)] = dict(sorted(checks.items()))
        return known


def _case(case: Case) -> dict[str, Any]:
    return {
        "case_id": case.id,
        "critical": case.critical,
        "expect": orjson.Fragment(case.expect.written),
        "family_id": case.family_id,
    }


def _case_after_flip(case: Case, **place: int) -> dict[str, Any]:
    return {
        "input": case.input,
        **place,
        "risk": case.risk,
        "slice": case.slice,
        "tags": case.tags,
    }


def _number(value: Value) -> float | int | None:
    return float(value) if isinstance(value, Fraction) else value
