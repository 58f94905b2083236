"""A version 1 report's cases, behaviours and limits, judged again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab import files
from contractlab.checks import expectation_v1
from contractlab.contract import GATES_V1, load_rubric
from contractlab.evidence import DIGEST_FORMAT, EVALUATOR_VERSION
from contractlab.judge import Judgement, judge
from contractlab.model import Case, Dataset, Record, Release, Rubric
from contractlab.reload_parts import (
    Version,
    cases_named_twice,
    evidence_of,
    of_another_judge,
    of_inputs_and_warnings,
    refuse,
    told,
    warnings_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.problems import Path
    from contractlab.reload_parts import Difference


def _preconditions(value: Any) -> Iterator[Difference]:
    yield from of_another_judge(value, evaluator=EVALUATOR_VERSION, digest_format=DIGEST_FORMAT)
    yield from of_inputs_and_warnings(value)
    if value["baseline_release"] == value["candidate_release"]:
        yield ("candidate_release",), "the candidate is the baseline"
    yield from cases_named_twice(
        (("cases", index), case) for index, case in enumerate(value["cases"])
    )
    ids = [case["case_id"] for case in value["cases"]]
    for metrics in ("baseline_metrics", "candidate_metrics"):
        if [each["case_id"] for each in value[metrics]["case_results"]] != ids:
            yield (metrics, "case_results"), "results are not of the same cases, in order, as cases"
    yield from _limits(value)


def _limits(value: Any) -> Iterator[Difference]:
    rows = [
        (each["gate"], each["metric"], each["bound"], each["verdict"])
        for each in value["rubric"]["gates"]
    ]
    if rows != list(GATES_V1):
        yield ("rubric", "gates"), "gates are not those of a version 1 rubric, in their order"
        return
    for problem in files.checker("rubric-v1").check(_rubric_contract(value)):
        path: Path = ("rubric",)
        if problem.path[:1] == ("gates",):
            index = next(at for at, row in enumerate(rows) if row[0] == problem.path[-1])
            path = ("rubric", "gates", index, "threshold")
        yield path, told(problem)


def _rubric_contract(value: Any) -> Any:
    """The rubric contract that the report's limits and settings were taken from."""
    comparison = value["comparison"]
    return {
        "schema_version": "eval-rubric-v1",
        "rubric_version": value["rubric_version"],
        "positive_label": value["positive_label"],
        "baseline_release": value["rubric"]["baseline_release"],
        "eval_split": value["rubric"]["eval_split"],
        "gates": {each["gate"]: each["threshold"] for each in value["rubric"]["gates"]},
        "bootstrap": {key: comparison[key] for key in ("samples", "seed", "confidence")},
    }


def _judged(value: Any, file: str) -> Judgement:
    refuse(_preconditions(value), file)
    rubric: Rubric = load_rubric(_rubric_contract(value))
    results = value["candidate_metrics"]["case_results"]
    cases = tuple(
        Case(
            case["case_id"],
            case["family_id"],
            rubric.split,
            result["slice"],
            result["critical"],
            case["input"],
            case["expected"]["label"],
            case["expected"]["tool"],
            tuple(case["expected"]["forbidden_actions"]),
            case["expected"]["requires_evidence"],
            expectation_v1(
                case["expected"]["label"],
                case["expected"]["tool"],
                tuple(case["expected"]["forbidden_actions"]),
                case["expected"]["requires_evidence"],
            ),
        )
        for case, result in zip(value["cases"], results, strict=True)
    )
    return judge(
        Dataset(value["dataset_version"], cases),
        rubric,
        baseline=_release(value, "baseline"),
        candidate=_release(value, "candidate"),
        predictions_version=value["prediction_set_version"],
        evidence=evidence_of(value),
        warnings=warnings_of(value),
    )


def _release(value: Any, side: str) -> Release:
    records = []
    for case in value["cases"]:
        record = case[side]
        records.append(
            Record(
                case["case_id"],
                record["label"],
                record["tool"],
                tuple(record["actions"]),
                record["evidence_present"],
                record["latency_ms"],
                record["estimated_cost_usd"],
            )
        )
    return Release(value[f"{side}_release"], tuple(records))


VERSION_1 = Version("report-v1", _judged)
