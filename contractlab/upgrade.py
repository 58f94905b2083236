"""Version 1 contracts as version 2, without loss: the same verdict, counts and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.contract import GATES_V1

if TYPE_CHECKING:
    from collections.abc import Mapping

_METRICS: Mapping[str, str] = {
    "mean_latency_ms": "latency_ms.mean",
    "p95_latency_ms": "latency_ms.p95",
    "mean_estimated_cost_usd": "cost_usd.mean",
}
"""Version 1's metrics that version 2 calls something else."""


def upgrade_dataset(value: Any) -> Any:
    """The same cases: version 1's one tool is the only call, whatever its arguments.

    Args:
        value: a dataset that `dataset-v1` accepts.
    """
    return {
        "schema_version": "eval-dataset-v2",
        "dataset_version": value["dataset_version"],
        "frozen_splits": ["test"],
        "cases": [_case(case) for case in value["cases"]],
    }


def _case(case: Any) -> Any:
    tool = case["expected_tool"]
    expect: dict[str, Any] = {
        "label": case["expected_label"],
        "tools": {"mode": "none", "attempts": "all"}
        if tool is None
        else {
            "mode": "exact",
            "arguments": "ignore",
            "attempts": "all",
            "calls": [{"name": tool}],
        },
    }
    if case["forbidden_actions"]:
        # Version 1 looks at the actions alone, and not at the tool.
        expect["forbidden"] = [{"action": action} for action in case["forbidden_actions"]]
    if case["requires_evidence"]:
        expect["evidence"] = {"present": True}
    same = ("id", "family_id", "split", "slice", "critical", "input")
    return {**{key: case[key] for key in same}, "expect": expect}


def upgrade_rubric(value: Any) -> Any:
    """The same gates under the same names, cases as units, the same bootstrap.

    Args:
        value: a rubric that `rubric-v1` accepts.
    """
    bootstrap = value["bootstrap"]
    return {
        "schema_version": "eval-rubric-v2",
        "rubric_version": value["rubric_version"],
        "baseline_release": value["baseline_release"],
        "split": value["eval_split"],
        "critical": {"rule": "none_may_fail"},
        "comparison": {
            "unit": "case",
            "interval": "bootstrap",
            "confidence": bootstrap["confidence"],
            "resamples": bootstrap["samples"],
            "seed": bootstrap["seed"],
        },
        "gates": [
            {
                "name": name,
                "metric": _METRICS.get(metric, metric),
                **(
                    {"class": value["positive_label"]}
                    if metric in ("precision", "recall", "f1")
                    else {}
                ),
                bound: value["gates"][name],
                "else": str(verdict),
            }
            for name, metric, bound, verdict in GATES_V1
        ],
    }


def upgrade_predictions(value: Any) -> list[tuple[str, Any]]:
    """One replay a release, with its id, in the order of the file.

    Args:
        value: predictions that `predictions-v1` accepts.
    """
    return [
        (
            release["release_id"],
            {
                "schema_version": "eval-predictions-v2",
                "prediction_set_version": value["prediction_set_version"],
                "dataset_version": value["dataset_version"],
                "release": {"release_id": release["release_id"]},
                "records": [_record(record) for record in release["records"]],
            },
        )
        for release in value["releases"]
    ]


def _record(record: Any) -> Any:
    return {
        "case_id": record["case_id"],
        "label": record["predicted_label"],
        "calls": [] if record["tool"] is None else [{"name": record["tool"]}],
        "actions": record["actions"],
        "evidence": record["evidence_present"],
        "latency_ms": record["latency_ms"],
        "cost_usd": record["estimated_cost_usd"],
    }
