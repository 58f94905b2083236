"""The four checks of one record."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.batches import BATCH
from contractlab.contract import load_dataset, load_predictions
from contractlab.grade import CHECKS, Graded, grade, grade_release
from tests import builders
from tests.builders import case, record


def graded(of: Any, did: Any) -> Graded:
    cases = load_dataset(builders.dataset(of)).of_split("test")
    release = load_predictions(builders.predictions({"release_id": "r", "records": [did]}))
    (result,) = grade_release(cases, release.releases[0])
    return result


def failed(of: Any, did: Any) -> list[str]:
    return [name for name, held in graded(of, did).checks.items() if not held]


def test_the_checks_have_the_names_of_the_report() -> None:
    assert CHECKS == (
        "label_correct",
        "tool_correct",
        "forbidden_actions_absent",
        "evidence_requirement_met",
    )


def test_a_record_that_does_all_that_is_expected_passes_with_score_1() -> None:
    result = graded(case(), record())
    assert result.passed
    assert result.score == 1.0
    assert tuple(result.checks) == CHECKS


@pytest.mark.parametrize(
    ("of", "did", "check"),
    [
        (case(), record(predicted_label="negative"), "label_correct"),
        (case(), record(tool="Search"), "tool_correct"),
        (case(), record(tool=None), "tool_correct"),
        (case(expected_tool=None), record(), "tool_correct"),
        (case(), record(actions=["a", "refund_order"]), "forbidden_actions_absent"),
        (case(), record(evidence_present=False), "evidence_requirement_met"),
    ],
    ids=["label", "tool spelled otherwise", "no tool", "a tool", "forbidden", "evidence"],
)
def test_each_check_fails_alone_and_costs_a_quarter(of: Any, did: Any, check: str) -> None:
    assert failed(of, did) == [check]
    result = graded(of, did)
    assert not result.passed
    assert result.score == 0.75


def test_no_tool_where_none_may_be_used_is_right() -> None:
    assert failed(case(expected_tool=None), record(tool=None)) == []


def test_evidence_that_is_not_required_may_be_there_or_not() -> None:
    for present in (True, False):
        assert failed(case(requires_evidence=False), record(evidence_present=present)) == []


def test_nothing_forbidden_and_nothing_done_are_both_right() -> None:
    assert failed(case(forbidden_actions=[]), record(actions=["refund_order"])) == []
    assert failed(case(), record(actions=[])) == []


@given(st.permutations([case(str(index)) for index in range(5)]), st.randoms())
def test_results_are_in_dataset_order_whatever_order_records_have(cases: Any, random: Any) -> None:
    value = builders.dataset(*cases)
    release = builders.release("r", value)
    random.shuffle(release["records"])
    results = grade_release(
        load_dataset(value).of_split("test"),
        load_predictions(builders.predictions(release)).releases[0],
    )
    assert [each.case.id for each in results] == [each["id"] for each in cases]
    assert [each.record.case_id for each in results] == [each["id"] for each in cases]


actions = st.lists(st.sampled_from(["a", "b", "c"]), unique=True)
expected = st.fixed_dictionaries(
    {
        "expected_label": st.sampled_from(["positive", "negative"]),
        "expected_tool": st.sampled_from(["search", None]),
        "forbidden_actions": actions,
        "requires_evidence": st.booleans(),
    }
)
done = st.fixed_dictionaries(
    {
        "predicted_label": st.sampled_from(["positive", "negative"]),
        "tool": st.sampled_from(["search", None]),
        "actions": actions,
        "evidence_present": st.booleans(),
    }
)


@given(st.lists(st.tuples(expected, done), min_size=1, max_size=20), st.integers(1, 2))
def test_cases_are_graded_together_as_each_check_says_by_itself(
    pairs: list[tuple[dict[str, Any], dict[str, Any]]], batches: int
) -> None:
    repeated = (pairs * (batches * BATCH))[: batches * BATCH + 3] if batches > 1 else pairs
    value = builders.dataset(*(case(f"c{i}", **of) for i, (of, _) in enumerate(repeated)))
    records = [record(f"c{i}", **did) for i, (_, did) in enumerate(repeated)]
    replay = builders.predictions({"release_id": "r", "records": records[::-1]})
    release = load_predictions(replay).releases[0]
    found = grade_release(load_dataset(value).of_split("test"), release)
    assert [each.case.id for each in found] == [each["case_id"] for each in records]
    for each, (of, did) in zip(found, repeated, strict=True):
        assert each == grade(each.case, each.record)
        assert (each.case.expected_label, each.case.expected_tool) == (
            of["expected_label"], of["expected_tool"],
        )  # fmt: skip
        assert (each.record.predicted_label, list(each.record.actions)) == (
            did["predicted_label"], did["actions"],
        )  # fmt: skip
