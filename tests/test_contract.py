"""Values to the model, and several replay files as one set."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.contract import (
    GATES_V1,
    kind_of,
    load_dataset,
    load_predictions,
    load_rubric,
    merged,
)
from contractlab.evidence import digest
from tests import builders
from tests.builders import predictions, release


def test_every_field_of_a_case_reaches_the_model() -> None:
    value = builders.dataset(builders.case("a", forbidden_actions=["x", "y"], expected_tool=None))
    model = load_dataset(value).of_split("test")[0]
    spelled = {name: getattr(model, name) for name in value["cases"][2]}
    assert spelled == {**value["cases"][2], "forbidden_actions": ("x", "y")}


def test_every_field_of_a_record_reaches_the_model() -> None:
    value = predictions()
    model = load_predictions(value).releases[1].records[0]
    expected = value["releases"][1]["records"][0]
    assert {name: getattr(model, name) for name in expected} == {**expected, "actions": ()}


def test_every_gate_of_a_rubric_reaches_the_model_with_its_own_limit() -> None:
    limits = {name: index / 100 for index, name in enumerate(builders.LENIENT)}
    rubric = load_rubric(builders.rubric(**limits, samples=123, seed=5, confidence=0.9))
    assert {gate.name: gate.threshold for gate in rubric.gates} == limits
    assert (rubric.resamples, rubric.seed, rubric.confidence) == (123, 5, 0.9)
    assert {row[0] for row in GATES_V1} == set(builders.LENIENT)


@pytest.mark.parametrize("value", [None, [], {}, {"schema_version": 1}, {"schema_version": "x"}])
def test_what_names_no_known_version_is_no_contract(value: object) -> None:
    assert kind_of(value) is None


SET = builders.dataset()


def files() -> list[object]:
    return [
        predictions(release("b", SET), release("c", SET), prediction_set_version="2"),
        predictions(release("a", SET), prediction_set_version="10"),
        predictions(release("d", SET), prediction_set_version="2"),
    ]


def test_one_file_stands_for_itself() -> None:
    value = predictions(release("b", SET), release("a", SET))
    assert merged([value]) == value


def test_several_files_are_one_set_whatever_their_order() -> None:
    sets = [merged(list(order)) for order in permutations(files())]
    assert len({json.dumps(each, sort_keys=True) for each in sets}) == 1
    assert sets[0]["prediction_set_version"] == "10 + 2"
    assert [each["release_id"] for each in sets[0]["releases"]] == ["a", "b", "c", "d"]


def test_the_digest_of_the_documented_merge_needs_nothing_of_ours() -> None:
    by_hand = {
        "schema_version": "eval-predictions-v1",
        "prediction_set_version": "10 + 2",
        "dataset_version": "cases-1",
        "releases": [release(name, SET) for name in "abcd"],
    }
    assert digest(merged(files())) == digest(by_hand)


@given(st.permutations(list("abcdef")))
def test_the_digest_does_not_hang_on_the_order_of_keys(order: list[str]) -> None:
    value = {key: ord(key) for key in order}
    assert digest(value) == digest(dict(sorted(value.items())))
