"""A judgement as the JSON report: every field is documented in `report-v1.schema.json`.

The report carries all that a judgement holds, so that `reload` makes the same judgement of it
and every other format can be rendered from it later.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from contractlab.batches import in_batches
from contractlab.canonical import Rows, encode_report
from contractlab.evidence import DIGEST_FORMAT, EVALUATOR_VERSION
from contractlab.render.problem_json import name_as_text, warning_as_dict
from contractlab.render.reasons import message, primary_reason
from contractlab.table import Kinds, each, numbers, objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.canonical import Joined
    from contractlab.compare import Comparison, Pair
    from contractlab.decide import GateResult, Value
    from contractlab.grade import Graded
    from contractlab.interval import Interval
    from contractlab.judge import Judgement
    from contractlab.metrics import Metrics
    from contractlab.model import Case, Record, Rubric
    from contractlab.places import Places
    from contractlab.table import Columns

SCHEMA_VERSION = "eval-report-v1"

LIMITATIONS = (
    "The verdict speaks of the recorded cases only; a gate cannot see what no case asks.",
    "The interval treats cases as independent; where families have several test cases, read"
    " the interval resampled by family beside it.",
    "Several intervals and slices are shown; one of many is outside its bound by chance.",
    "Labels, tools, actions, evidence, latency and cost are taken as recorded.",
    "The digest binds the inputs to the verdict; it proves neither origin nor integrity of"
    " the recording, and it is no signature.",
)
"""What a verdict does not say."""


def render_json(judgement: Judgement) -> bytes:
    """The report: ASCII, sorted, indented, the same bytes for the same inputs."""
    return encode_report(as_dict(judgement))


def as_dict(judgement: Judgement) -> dict[str, Any]:
    """The report as JSON values."""
    decision, evidence, rubric = judgement.decision, judgement.evidence, judgement.rubric
    pairs, flips = judgement.comparison.pairs, judgement.comparison.flips
    columns = CaseColumns()
    return {
        "schema_version": SCHEMA_VERSION,
        "action": str(decision.verdict),
        "primary_reason": primary_reason(decision),
        "reasons": [message(gate) for gate in decision.reasons],
        "gates": [_gate(gate) for gate in decision.gates],
        "evaluator_version": EVALUATOR_VERSION,
        "evidence_digest_format": DIGEST_FORMAT,
        "evidence_sha256": evidence.sha256,
        "evidence_fingerprint": evidence.fingerprint,
        "inputs": [
            {
                "name": each.name,
                "role": each.role,
                "byte_count": each.byte_count,
                "sha256": each.sha256,
            }
            for each in evidence.inputs
        ],
        "dataset_version": judgement.dataset_version,
        "rubric_version": rubric.version,
        "prediction_set_version": judgement.predictions_version,
        "baseline_release": judgement.baseline_release,
        "candidate_release": judgement.candidate_release,
        "positive_label": rubric.positive_label,
        "rubric": _rubric(rubric),
        "baseline_metrics": _metrics(judgement.baseline, columns),
        "candidate_metrics": _metrics(judgement.candidate, columns),
        "comparison": _comparison(judgement),
        "cases": Rows(map(objects, map(columns.pairs, *map(in_batches, (pairs, flips))))),
        "places": None if judgement.places is None else places_as_dict(judgement.places),
        "warnings": [warning_as_dict(problem) for problem in judgement.warnings],
        "limitations": list(LIMITATIONS),
    }


def _rubric(rubric: Rubric) -> dict[str, Any]:
    return {
        "baseline_release": rubric.baseline_release,
        "eval_split": rubric.split,
        "gates": [
            {
                "gate": gate.name,
                "metric": gate.metric,
                "bound": gate.bound,
                "threshold": gate.threshold,
                "verdict": str(gate.verdict),
            }
            for gate in rubric.gates
        ],
    }


def _gate(gate: GateResult) -> dict[str, Any]:
    return {
        "gate": gate.name,
        "held": gate.held,
        "verdict": str(gate.verdict),
        "bound": gate.bound,
        "observed": _number(gate.observed),
        "threshold": gate.threshold,
        "slice": gate.slice,
        "case_ids": list(gate.case_ids),
    }


def _metrics(metrics: Metrics, columns: CaseColumns) -> dict[str, Any]:
    matrix = metrics.confusion_matrix
    return {
        "case_count": metrics.case_count,
        "pass_rate": float(metrics.pass_rate),
        "mean_score": float(metrics.mean_score),
        "confusion_matrix": {
            "tp": matrix.tp,
            "fp": matrix.fp,
            "tn": matrix.tn,
            "fn": matrix.fn,
        },
        "precision": _number(matrix.precision),
        "recall": _number(matrix.recall),
        "f1": _number(matrix.f1),
        "mean_latency_ms": metrics.mean_latency_ms,
        "p95_latency_ms": metrics.p95_latency_ms,
        "mean_estimated_cost_usd": metrics.mean_estimated_cost_usd,
        "slice_pass_rate_gap": float(metrics.slice_pass_rate_gap),
        "by_slice": {
            name: {
                "count": each.count,
                "passed": each.passed,
                "pass_rate": float(each.pass_rate),
                "critical_count": each.critical_count,
            }
            for name, each in metrics.by_slice.items()
        },
        "critical_failures": list(metrics.critical_failures),
        "case_results": Rows(map(columns.results, in_batches(metrics.results))),
    }


class CaseColumns:
    """Cases and what releases did on them, as columns; what repeats in them is spelled once."""

    def __init__(self) -> None:
        self._texts, self._flags = Kinds(), Kinds()
        self._expected, self._results = Kinds(_expected), Kinds(_result, members=True)

    def results(self, results: Sequence[Graded]) -> Joined:
        """Graded cases of one release."""
        # Mappings of checks are shared between records, so there are few of them.
        keys = [
            (graded.case.slice, graded.case.critical, graded.passed, id(graded.checks))
            for graded in results
        ]
        ids = each([graded.case.id for graded in results])
        return objects({"case_id": ids}, rest=self._results.column(results, keys))

    def pairs(self, pairs: Sequence[Pair], flips: Sequence[str]) -> Columns:
        """Cases, each with its flip, its expectation and both behaviours."""
        cases = [pair.baseline.case for pair in pairs]
        return {
            "case_id": each([case.id for case in cases]),
            "family_id": each([case.family_id for case in cases]),
            "flip": self._texts.column(flips),
            "input": each([case.input for case in cases]),
            # Cases that expect the same share one expectation.
            "expected": self._expected.column(cases, [id(case.expect) for case in cases]),
            "baseline": self._behaviours([pair.baseline.record for pair in pairs]),
            "candidate": self._behaviours([pair.candidate.record for pair in pairs]),
        }

    def _behaviours(self, records: Sequence[Record]) -> Columns:
        _, label, tool, actions, evidence, latency_ms, cost_usd, _ = zip(*records, strict=True)
        return {
            "label": self._texts.column(label),
            "tool": self._texts.column(tool),
            "actions": self._texts.column(actions),
            "evidence_present": self._flags.column(evidence),
            "latency_ms": numbers(latency_ms),
            "estimated_cost_usd": numbers(cost_usd),
        }


def _expected(case: Case) -> dict[str, Any]:
    return {
        "label": case.expected_label,
        "tool": case.expected_tool,
        "forbidden_actions": case.forbidden_actions,
        "requires_evidence": case.requires_evidence,
    }


def _result(graded: Graded) -> dict[str, Any]:
    return {
        "slice": graded.case.slice,
        "critical": graded.case.critical,
        "passed": graded.passed,
        "score": graded.score,
        "checks": graded.checks,
    }


def _comparison(judgement: Judgement) -> dict[str, Any]:
    comparison: Comparison = judgement.comparison
    counts, bootstrap = comparison.counts, comparison.bootstrap
    families = comparison.families
    rubric = judgement.rubric
    return {
        "paired_pass_rate_delta": float(comparison.delta),
        "paired_bootstrap_interval": _interval(bootstrap.interval),
        "confidence": rubric.confidence,
        "samples": rubric.resamples,
        "seed": rubric.seed,
        "bootstrap_exact_interval": _interval(bootstrap.exact),
        "bootstrap_method": bootstrap.method,
        "bootstrap_method_version": bootstrap.version,
        "counts": {
            "both": counts.both,
            "improved": counts.improved,
            "regressed": counts.regressed,
            "neither": counts.neither,
        },
        "improved": list(comparison.ids("improved")),
        "regressed": list(comparison.ids("regressed")),
        "newcombe_interval": _interval(comparison.newcombe),
        "mcnemar": {
            "exact": comparison.mcnemar.exact,
            "mid_p": comparison.mcnemar.mid_p,
            "one_sided": comparison.mcnemar.one_sided,
        },
        "could_have_missed": comparison.could_have_missed,
        "smallest_detectable_regression": comparison.smallest_detectable,
        "by_family": None
        if families is None
        else {
            "interval": _interval(families.interval),
            "families": families.families,
            "method": families.method,
            "method_version": families.version,
        },
    }


def places_as_dict(places: Places) -> dict[str, Any]:
    """Where failed cases stand, as both versions' reports have it."""
    return {
        "dataset_file": name_as_text(places.dataset_file),
        "candidate_file": name_as_text(places.candidate_file),
        "cases": [
            {
                "case_id": id_,
                "dataset": [each.dataset.line, each.dataset.column],
                "candidate": [each.candidate.line, each.candidate.column],
            }
            for id_, each in places.cases.items()
        ],
    }


def _interval(interval: Interval) -> list[float]:
    return [interval.low, interval.high]


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, Fraction) else value
