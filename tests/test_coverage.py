"""Replays against dataset and rubric: versions, releases, exactly the test cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from contractlab.contract import load_dataset, load_predictions, load_rubric
from contractlab.coverage import check_fit, check_releases, check_replays, check_rubric
from tests import builders
from tests.builders import case, predictions, record, release

if TYPE_CHECKING:
    from contractlab.problems import Problem


def replays(*values: Any) -> dict[str, Any]:
    return {f"{index}.json": load_predictions(each) for index, each in enumerate(values)}


def fit(of: Any, *values: Any) -> list[Problem]:
    return check_fit(load_dataset(of), "dataset.json", replays(*values))


def codes(problems: list[Problem]) -> list[str]:
    return [each.rule.code for each in problems]


DATASET = builders.dataset(case("a"), case("b"), case("c"))


def test_replays_that_cover_exactly_the_test_cases_fit() -> None:
    assert fit(DATASET, predictions(release("r", DATASET))) == []


def test_records_may_stand_in_any_order() -> None:
    shuffled = release("r", DATASET)
    shuffled["records"].reverse()
    assert fit(DATASET, predictions(shuffled)) == []


def test_missing_cases_are_named_in_one_problem_a_release() -> None:
    lacking = {"release_id": "r", "records": [record("b")]}
    empty = {"release_id": "s", "records": []}
    first, second = fit(DATASET, predictions(lacking, empty))
    assert (first.rule.code, first.path) == ("CL303", ("releases", 0, "records"))
    assert '"a", "c"' in first.message
    assert second.path == ("releases", 1, "records")
    assert "3 of 3" in second.message


@pytest.mark.parametrize(("id_", "why"), [("x", "not in the dataset"), ("learnt", "is in train")])
def test_a_record_of_no_test_case_is_told_at_its_id(id_: str, why: str) -> None:
    extra = release("r", DATASET)
    extra["records"].insert(1, record(id_))
    (problem,) = fit(DATASET, predictions(extra))
    assert (problem.rule.code, problem.path) == ("CL304", ("releases", 0, "records", 1, "case_id"))
    assert why in problem.message


def test_another_dataset_version_is_one_problem_a_file_and_nothing_is_said_of_coverage() -> None:
    other = predictions({"release_id": "r", "records": [record("x")]}, dataset_version="cases-0")
    found = fit(DATASET, other, predictions(release("s", DATASET)))
    assert [(each.rule.code, each.file) for each in found] == [("CL305", "0.json")]


def test_two_records_for_one_case_are_told_at_the_second() -> None:
    twice = {"release_id": "r", "records": [record("a"), record("b"), record("a")]}
    (problem,) = check_replays(replays(predictions(twice)))
    assert (problem.rule.code, problem.path) == ("CL310", ("releases", 0, "records", 2, "case_id"))
    assert problem.related[0].path == ("releases", 0, "records", 0, "case_id")


def test_a_release_that_stands_twice_in_a_file_or_in_two_files_is_a_problem() -> None:
    one = release("r", DATASET)
    (problem,) = check_replays(replays(predictions(one, one)))
    assert (problem.rule.code, problem.path) == ("CL309", ("releases", 1, "release_id"))
    (problem,) = check_replays(replays(predictions(one), predictions(one)))
    assert (problem.rule.code, problem.file) == ("CL309", "1.json")
    assert problem.related[0].file == "0.json"


def test_releases_that_look_alike_are_told_across_files() -> None:
    found = check_replays(
        replays(
            predictions(release("agent-1", DATASET)), predictions(release("agent\u20131", DATASET))
        )
    )
    assert codes(found) == ["CL311"]
    assert (found[0].file, found[0].related[0].file) == ("1.json", "0.json")


def test_actions_that_look_alike_are_told_within_replays_and_against_the_forbidden_list() -> None:
    two = release("r", DATASET, actions=["Search"])
    two["records"][1]["tool"] = "search"
    assert codes(check_replays(replays(predictions(two)))) == ["CL311"]
    evading = predictions(release("r", DATASET, actions=["refund\u2010order", "refund_\u043erder"]))
    assert check_replays(replays(evading)) == []
    (problem,) = fit(DATASET, evading)
    assert problem.rule.code == "CL311"
    assert problem.path == ("releases", 0, "records", 0, "actions", 1)
    assert problem.related[0].file == "dataset.json"


@pytest.mark.parametrize("name", ["a\nb", "a\u202eb", "\u200b"], ids=ascii)
def test_names_of_replays_and_rubrics_that_cannot_be_read_are_told(name: str) -> None:
    code = "CL210" if name == "\u200b" else "CL209"
    for value, path in (
        (predictions(release(name, DATASET)), ("releases", 0, "release_id")),
        (predictions(release("r", DATASET, tool=name)), ("releases", 0, "records", 0, "tool")),
        (
            predictions(release("r", DATASET, actions=["x", name])),
            ("releases", 0, "records", 0, "actions", 1),
        ),
        (predictions(prediction_set_version=name), ("prediction_set_version",)),
        (predictions(dataset_version=name), ("dataset_version",)),
    ):
        (problem,) = check_replays(replays(value))
        assert (problem.rule.code, problem.path) == (code, path)
    for field in ("rubric_version", "baseline_release"):
        (problem,) = check_rubric(load_rubric(builders.rubric(**{field: name})), "rubric.json")
        assert (problem.rule.code, problem.path) == (code, (field,))


@pytest.mark.parametrize(
    ("baseline", "candidate", "expected"),
    [
        ("baseline", "candidate", []),
        ("baseline", "baseline", ["CL308"]),
        ("baseline", "x", ["CL307"]),
        ("x", "candidate", ["CL307"]),
        ("x", "y", ["CL307", "CL307"]),
        ("x", "x", ["CL307", "CL307"]),
        ("baseline", "Candidate", ["CL307"]),
    ],
)
def test_baseline_and_candidate_are_two_recorded_releases(
    baseline: str, candidate: str, expected: list[str]
) -> None:
    found = check_releases(
        load_rubric(builders.rubric()),
        "rubric.json",
        replays(predictions()),
        baseline=baseline,
        candidate=candidate,
    )
    assert codes(found) == expected
