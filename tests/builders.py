"""Small contracts that are right, as JSON values, with whatever a test wants different."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Value = dict[str, Any]


def case(id_: str = "case-1", **other: Any) -> Value:
    """A test case in a family and with an input of its own; positive, critical, one tool."""
    return {
        "id": id_,
        "family_id": f"family of {id_}",
        "split": "test",
        "slice": "refunds",
        "critical": True,
        "input": f"What about {id_}?",
        "expected_label": "positive",
        "expected_tool": "search",
        "forbidden_actions": ["refund_order"],
        "requires_evidence": True,
        **other,
    }


def dataset(*test_cases: Value, **other: Any) -> Value:
    """A dataset of these cases (else a positive and a negative one), train and development."""
    cases = test_cases or (case("case-1"), case("case-2", expected_label="negative"))
    return {
        "schema_version": "eval-dataset-v1",
        "dataset_version": "cases-1",
        "frozen_test": True,
        "cases": [case("learnt", split="train"), case("tuned", split="development"), *cases],
        **other,
    }


LENIENT = {
    "min_overall_pass_rate": 0.0,
    "min_precision": 0.0,
    "min_recall": 0.0,
    "min_f1": 0.0,
    "critical_slice_min_pass_rate": 0.0,
    "max_slice_pass_rate_gap": 1.0,
    "max_mean_latency_ms": 1e9,
    "max_p95_latency_ms": 1e9,
    "max_mean_cost_usd": 1e9,
    "min_paired_delta_ci_low": -1.0,
}
"""Gates that hold whatever a release does, as far as its metrics are defined."""


def rubric(*, samples: Any = 200, seed: Any = 7, confidence: Any = 0.95, **other: Any) -> Value:
    """A rubric of `LENIENT` gates; a gate, bootstrap setting or field by its name overrides."""
    gates = {name: other.pop(name, limit) for name, limit in LENIENT.items()}
    return {
        "schema_version": "eval-rubric-v1",
        "rubric_version": "gates-1",
        "positive_label": "positive",
        "baseline_release": "baseline",
        "eval_split": "test",
        "gates": gates,
        "bootstrap": {"samples": samples, "seed": seed, "confidence": confidence},
        **other,
    }


def record(case_id: str = "case-1", **other: Any) -> Value:
    """What passes `case()`."""
    return {
        "case_id": case_id,
        "predicted_label": "positive",
        "tool": "search",
        "actions": ["search"],
        "evidence_present": True,
        "latency_ms": 100.0,
        "estimated_cost_usd": 0.01,
        **other,
    }


def passing(of: Value, *, but: Value | None = None, **other: Any) -> Value:
    """The record that passes a case, with differences given by case id (`but`) or for all."""
    return record(
        of["id"],
        **{
            "predicted_label": of["expected_label"],
            "tool": of["expected_tool"],
            "actions": [],
            "evidence_present": of["requires_evidence"],
            **other,
            **(but or {}).get(of["id"], {}),
        },
    )


def release(id_: str, of: Value, *, but: Value | None = None, **other: Any) -> Value:
    """A release that passes every test case of a dataset value, differences aside."""
    tested = [each for each in of["cases"] if each["split"] == "test"]
    return {
        "release_id": id_,
        "records": [passing(each, but=but, **other) for each in tested],
    }


def predictions(*releases: Value, **other: Any) -> Value:
    """Replays of these releases, else of a perfect `baseline` and `candidate` on `dataset()`."""
    return {
        "schema_version": "eval-predictions-v1",
        "prediction_set_version": "replays-1",
        "dataset_version": "cases-1",
        "releases": list(releases)
        or [release("baseline", dataset()), release("candidate", dataset())],
        **other,
    }


def write(path: Path, value: Any) -> str:
    """Writes bytes as they are, a text as UTF-8, any other value as JSON; returns the name."""
    if isinstance(value, str):
        value = value.encode()
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return str(path)


def write_triple(
    folder: Path,
    *,
    dataset_: Any = None,
    rubric_: Any = None,
    predictions_: Iterable[Any] | None = None,
) -> list[str]:
    """Writes three contracts; returns the options of `compare` that name them.

    Args:
        folder: where.
        dataset_: a value, text or bytes; None for `dataset()`. Likewise the others.
        rubric_: likewise.
        predictions_: one a replay file.
    """
    of = dataset() if dataset_ is None else dataset_
    if predictions_ is None and isinstance(of, dict):
        predictions_ = [predictions(release("baseline", of), release("candidate", of))]
    arguments = [
        f"--dataset={write(folder / 'dataset.json', of)}",
        f"--rubric={write(folder / 'rubric.json', rubric() if rubric_ is None else rubric_)}",
    ]
    for index, each in enumerate(predictions_ or [predictions()]):
        arguments.append(f"--predictions={write(folder / f'replay-{index}.json', each)}")
    return arguments
