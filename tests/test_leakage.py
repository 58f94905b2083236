"""A dataset that is fit to judge on: ids, splits, families, inputs, and names that deceive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from contractlab.contract import load_dataset
from contractlab.leakage import check_dataset
from tests.builders import case, dataset

if TYPE_CHECKING:
    from contractlab.problems import Problem


def check(*cases: Any, **other: Any) -> list[Problem]:
    return check_dataset(load_dataset(dataset(*cases, **other)), "dataset.json")


def codes(*cases: Any, **other: Any) -> list[str]:
    return [each.rule.code for each in check(*cases, **other)]


def test_the_builders_dataset_is_fit() -> None:
    assert codes() == []


def test_an_id_that_stands_twice_is_told_at_the_second_with_the_first_beside_it() -> None:
    (problem,) = check(case("a"), case("a", input="Another?"))
    assert (problem.rule.code, problem.path) == ("CL302", ("cases", 3, "id"))
    assert problem.related[0].path == ("cases", 2, "id")


def test_an_id_is_unique_over_all_splits() -> None:
    assert codes(case("learnt", family_id="own", input="own")) == ["CL302"]


@pytest.mark.parametrize("split", ["train", "development", "test"])
def test_each_split_must_be_there(split: str) -> None:
    cases = [case(name, split=name) for name in ("train", "development", "test") if name != split]
    (problem,) = check(cases=cases)
    assert problem.rule.code == "CL306"
    assert split in problem.message


def test_a_family_in_two_splits_is_split_leakage_once_a_split() -> None:
    problems = check(
        case("a", family_id="f"),
        case("b", family_id="f", split="train"),
        case("c", family_id="f", split="train"),
        case("d", family_id="f", split="development"),
    )
    assert [(each.rule.code, each.path) for each in problems] == [
        ("CL301", ("cases", 3, "family_id")),
        ("CL301", ("cases", 5, "family_id")),
    ]
    assert "split leakage" in problems[0].message


def test_families_within_one_split_and_cases_of_one_family_are_right() -> None:
    assert codes(case("a", family_id="f"), case("b", family_id="f"), case("c")) == []


@pytest.mark.parametrize(
    "other",
    [
        "Where is my order?",
        "where  is\tmy ORDER?",
        "Where is my order\uff1f",
        "Wh\u200bere is my order?",
        "\u00a0Where is my order? ",
        "Where is m\u0443 order?",
        "Where is my \u043erder?",
    ],
    ids=ascii,
)
def test_the_same_input_in_two_splits_under_two_families_is_leakage(other: str) -> None:
    problems = check(case("a", input="Where is my order?"), case("b", input=other, split="train"))
    assert [each.rule.code for each in problems] == ["CL312"]
    assert problems[0].path == ("cases", 3, "input")


def test_the_same_input_in_one_split_or_in_one_leaking_family_is_no_input_leakage() -> None:
    assert codes(case("a", input="x"), case("b", input="x")) == []
    leaking = codes(
        case("a", input="x", family_id="f"), case("b", input="x", family_id="f", split="train")
    )
    assert leaking == ["CL301"]


LOOK_ALIKES = [
    ("Refund", "refund"),
    ("refund", "r\u0435fund"),
    ("refund", "\uff52efund"),
    ("refund", "re\u200bfund"),
    ("refund", "re\u00adfund"),
    ("refund", "refund\U000e0041"),
    ("refund", "refund\ufe0f"),
    ("late fee", "late  fee"),
    ("late fee", "late\u00a0fee"),
    ("late-fee", "late\u2013fee"),
    ("late-fee", "late\u2011fee"),
    ("case-1", "case-l"),
    ("case-0", "case-O"),
    ("caf\u00e9", "cafe\u0301"),
    ("modern", "modem"),
]


@pytest.mark.parametrize(("one", "other"), LOOK_ALIKES, ids=ascii)
@pytest.mark.parametrize("field", ["id", "family_id", "slice", "expected_tool", "forbidden"])
def test_a_look_alike_of_any_kind_is_one_problem_at_the_later_name(
    field: str, one: str, other: str
) -> None:
    def named(name: str) -> dict[str, Any]:
        return {"forbidden_actions": [name]} if field == "forbidden" else {field: name}

    plain = {"slice": "refunds", "forbidden_actions": []}
    cases = [
        {**case("first"), **plain, **named(one)},
        {**case("second"), **plain, **named(other)},
    ]
    problems = check(*cases)
    assert [each.rule.code for each in problems] == ["CL311"]
    path = ("forbidden_actions", 0) if field == "forbidden" else (field,)
    assert problems[0].path == ("cases", 3, *path)
    assert problems[0].related[0].path == ("cases", 2, *path)


def test_a_tool_that_looks_like_a_forbidden_action_is_told() -> None:
    tool = case("a", expected_tool="r\u0435fund_order")
    assert codes(tool) == ["CL311"]


def test_names_of_two_kinds_may_look_alike() -> None:
    assert codes(case("Refunds", family_id="refunds", slice="refunds.")) == []


@pytest.mark.parametrize(
    "char",
    ["\x00", "\n", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u202e", "\u2066"],
    ids=ascii,
)
@pytest.mark.parametrize("field", ["id", "family_id", "slice", "expected_tool", "dataset_version"])
def test_a_name_with_a_control_or_direction_character_is_a_problem(field: str, char: str) -> None:
    name = f"a{char}b"
    if field == "dataset_version":
        assert codes(dataset_version=name) == ["CL209"]
    else:
        assert codes({**case(family_id="family"), field: name}) == ["CL209"]


@pytest.mark.parametrize(
    "name", ["\u200b", "\u3164", "\u2800", "\ufeff\u00ad", "\u0301"], ids=ascii
)
@pytest.mark.parametrize("field", ["id", "family_id", "slice", "expected_tool"])
def test_a_name_of_nothing_visible_is_a_problem(field: str, name: str) -> None:
    assert codes({**case(family_id="family"), field: name}) == ["CL210"]


def test_a_name_that_comes_again_is_told_once() -> None:
    cases = [case(str(index), slice="a\nb") for index in range(5)]
    assert codes(*cases) == ["CL209"]


def test_all_problems_are_found_in_one_go() -> None:
    found = codes(
        case("a", family_id="f"),
        case("a", input="another", slice="b\n"),
        case("x", family_id="f", split="train", slice="Refunds"),
    )
    assert sorted(found) == ["CL209", "CL301", "CL302", "CL311"]
