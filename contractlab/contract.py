"""Checked values to the model: how the version 1 files spell it."""

from __future__ import annotations

from itertools import chain, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal

from contractlab.batches import in_batches, rows_of
from contractlab.checks import expectation_v1
from contractlab.model import (
    ONE_RUN,
    Case,
    Dataset,
    Gate,
    Predictions,
    Record,
    Release,
    Rubric,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Bound = Literal["at_least", "at_most"]
    GateRow = tuple[str, str, Bound, Verdict]

SCHEMAS: Mapping[str, str] = {
    "eval-dataset-v1": "dataset-v1",
    "eval-rubric-v1": "rubric-v1",
    "eval-predictions-v1": "predictions-v1",
    "eval-dataset-v2": "dataset-v2",
    "eval-rubric-v2": "rubric-v2",
    "eval-predictions-v2": "predictions-v2",
}
"""The packaged schema of each `schema_version`."""

GATES_V1: tuple[GateRow, ...] = (
    ("critical_slice_min_pass_rate", "critical_slice_pass_rate", "at_least", Verdict.BLOCK),
    ("min_overall_pass_rate", "pass_rate", "at_least", Verdict.BLOCK),
    ("min_precision", "precision", "at_least", Verdict.BLOCK),
    ("min_recall", "recall", "at_least", Verdict.BLOCK),
    ("min_f1", "f1", "at_least", Verdict.BLOCK),
    ("max_slice_pass_rate_gap", "slice_pass_rate_gap", "at_most", Verdict.REVIEW),
    ("max_mean_latency_ms", "mean_latency_ms", "at_most", Verdict.REVIEW),
    ("max_p95_latency_ms", "p95_latency_ms", "at_most", Verdict.REVIEW),
    ("max_mean_cost_usd", "mean_estimated_cost_usd", "at_most", Verdict.REVIEW),
    ("min_paired_delta_ci_low", "paired_delta_ci_low", "at_least", Verdict.REVIEW),
)
"""Version 1's gates in the order they decide: rubric key, metric, bound, what failing means."""


def kind_of(value: object) -> str | None:
    """The `schema_version` of a contract, or None where the value is none that we know."""
    version = value.get("schema_version") if isinstance(value, dict) else None
    return version if isinstance(version, str) and version in SCHEMAS else None


def load_dataset(value: Any) -> Dataset:
    """The model of a value that `dataset-v1` accepts; a model is itself."""
    if isinstance(value, Dataset):
        return value
    batches = map(_cases, in_batches(value["cases"]))
    return Dataset(version=value["dataset_version"], cases=tuple(chain.from_iterable(batches)))


def _cases(values: Sequence[Any]) -> Iterator[Case]:
    columns = list(zip(*map(_CASE, values), strict=True))
    *first, label, tool, forbidden, evidence = columns
    forbidden = tuple(map(tuple, forbidden))
    expect = map(expectation_v1, label, tool, forbidden, evidence)
    return rows_of(Case, *first, label, tool, forbidden, evidence, expect, repeat(()), repeat(None))


_CASE = itemgetter(
    "id", "family_id", "split", "slice", "critical", "input",
    "expected_label", "expected_tool", "forbidden_actions", "requires_evidence",
)  # fmt: skip


def load_rubric(value: Any) -> Rubric:
    """The model of a value that `rubric-v1` accepts; a model is itself."""
    if isinstance(value, Rubric):
        return value
    gates, bootstrap = value["gates"], value["bootstrap"]
    return Rubric(
        version=value["rubric_version"],
        positive_label=value["positive_label"],
        baseline_release=value["baseline_release"],
        split=value["eval_split"],
        gates=tuple(
            Gate(name, metric, bound, gates[name], verdict)
            for name, metric, bound, verdict in GATES_V1
        ),
        resamples=bootstrap["samples"],
        seed=bootstrap["seed"],
        confidence=bootstrap["confidence"],
    )


def load_predictions(value: Any) -> Predictions:
    """The model of a value that `predictions-v1` accepts; a model is itself."""
    if isinstance(value, Predictions):
        return value
    return Predictions(
        version=value["prediction_set_version"],
        dataset_version=value["dataset_version"],
        releases=tuple(
            Release(
                release["release_id"],
                tuple(chain.from_iterable(map(_records, in_batches(release["records"])))),
            )
            for release in value["releases"]
        ),
    )


def _records(values: Sequence[Any]) -> Iterator[Record]:
    case_id, label, tool, actions, *rest = zip(*map(_RECORD, values), strict=True)
    return rows_of(Record, case_id, label, tool, map(tuple, actions), *rest, repeat(ONE_RUN))


_RECORD = itemgetter(
    "case_id", "predicted_label", "tool", "actions", "evidence_present",
    "latency_ms", "estimated_cost_usd",
)  # fmt: skip


def merged(values: list[Any]) -> Any:
    """One predictions value for several replay files, whatever order they are given in.

    One file stands for itself. Several: `prediction_set_version` is their distinct versions,
    sorted and joined with ` + `; `releases` are all of theirs, sorted by `release_id`. Their
    `dataset_version` is one (checked before), and records keep their order in their file.
    """
    if len(values) == 1:
        return values[0]
    versions = sorted({value["prediction_set_version"] for value in values})
    releases = [release for value in values for release in value["releases"]]
    return {
        **values[0],
        "prediction_set_version": " + ".join(versions),
        "releases": sorted(releases, key=lambda release: str(release["release_id"])),
    }
