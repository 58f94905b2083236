"""Warnings: contracts that are well-formed and still cannot do what they are for."""

from __future__ import annotations

from typing import Any

import pytest

from contractlab.advice import FEW_CASES, advise_both, advise_dataset, advise_rubric
from contractlab.contract import load_dataset, load_rubric
from tests import builders
from tests.builders import case


def of_dataset(*cases: Any) -> list[str]:
    found = advise_dataset(load_dataset(builders.dataset(*cases)), "d")
    return [each.rule.code for each in found]


def of_rubric(**gates: Any) -> list[tuple[str, object]]:
    strict: dict[str, Any] = {
        "min_overall_pass_rate": 0.5,
        "critical_slice_min_pass_rate": 0.5,
        "max_slice_pass_rate_gap": 0.5,
        "min_paired_delta_ci_low": 0.0,
        "samples": 2000,
    }
    found = advise_rubric(load_rubric(builders.rubric(**{**strict, **gates})), "r")
    return [(each.rule.code, each.path[-1]) for each in found]


def of_both(cases: Any, **gates: Any) -> list[tuple[str, object]]:
    dataset = load_dataset(builders.dataset(*cases))
    rubric = load_rubric(builders.rubric(**gates))
    return [(each.rule.code, each.path[-1]) for each in advise_both(dataset, rubric, "r")]


MANY = [case(str(index), slice=str(index % 2)) for index in range(FEW_CASES)]


def test_a_dataset_that_is_sound_gets_no_warning() -> None:
    assert of_dataset(case("a"), case("b")) == []


def test_an_expected_tool_that_is_forbidden_is_told() -> None:
    assert of_dataset(case("a", expected_tool="refund_order"), case("b")) == ["CL401"]


def test_a_single_test_case_is_told() -> None:
    assert of_dataset(case("a")) == ["CL405"]


def test_a_test_split_without_a_critical_case_is_told() -> None:
    assert of_dataset(case("a", critical=False), case("b", critical=False)) == ["CL404"]


@pytest.mark.parametrize(
    ("gate", "limit"),
    [
        ("min_overall_pass_rate", 0.0),
        ("min_overall_pass_rate", 0),
        ("critical_slice_min_pass_rate", 0.0),
        ("max_slice_pass_rate_gap", 1),
        ("min_paired_delta_ci_low", -1.0),
    ],
)
def test_a_gate_that_no_value_can_miss_is_told_at_the_gate(gate: str, limit: float) -> None:
    assert of_rubric(**{gate: limit}) == [("CL403", gate)]


@pytest.mark.parametrize("gate", ["min_precision", "min_recall", "min_f1"])
def test_a_gate_that_undefined_misses_can_fire_at_zero(gate: str) -> None:
    assert of_rubric(**{gate: 0.0}) == []


def test_fewer_resamples_than_the_confidence_resolves_are_told() -> None:
    assert of_rubric(samples=100, confidence=0.95) == []
    assert of_rubric(samples=100, confidence=0.999) == [("CL406", "samples")]


def test_a_rubric_that_no_release_can_pass_is_told() -> None:
    negative = [{**each, "expected_label": "negative"} for each in MANY]
    assert ("CL402", "positive_label") in of_both(negative)
    assert of_both(negative, positive_label="negative") == []


def test_a_gate_on_slices_or_critical_cases_that_are_not_there_is_told() -> None:
    one_slice = [{**each, "slice": "only"} for each in MANY]
    assert of_both(one_slice, max_slice_pass_rate_gap=0.5) == [("CL403", "max_slice_pass_rate_gap")]
    harmless = [{**each, "critical": False} for each in MANY]
    assert of_both(harmless, critical_slice_min_pass_rate=0.5) == [
        ("CL403", "critical_slice_min_pass_rate")
    ]


def test_a_set_too_small_for_its_interval_is_told() -> None:
    assert of_both(MANY) == []
    assert of_both(MANY[:-1]) == [("CL407", "confidence")]


def test_a_gate_is_told_idle_once() -> None:
    one_slice = [{**each, "slice": "only"} for each in MANY]
    assert of_both(one_slice, max_slice_pass_rate_gap=1.0) == []
