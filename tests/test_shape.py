"""Each field of each contract, broken in each way: one mistake, one problem, at its place."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.files import checker
from tests import builders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.problems import Path

Broken = tuple[str, "Path", list[tuple[str, Any, str]]]
VALID: dict[str, Any] = {
    "dataset-v1": builders.dataset(builders.case()),
    "rubric-v1": builders.rubric(),
    "predictions-v1": builders.predictions(builders.release("r", builders.dataset())),
}
BLANK = ["", " ", "\t\n", "\u00a0", "\u2003\u3000", "\u2028"]
NAME = [
    *[(f"blank {text!a}", text, "CL207") for text in BLANK],
    ("null", None, "CL202"),
    ("number", 1, "CL202"),
    ("array", ["a"], "CL202"),
    ("513 characters", "x" * 513, "CL208"),
]
BOOLEAN = [("null", None, "CL202"), ("1", 1, "CL202"), ("text", "true", "CL202")]
LABEL = [("upper", "Positive", "CL205"), ("null", None, "CL205"), ("true", True, "CL205")]
TOOL = [each for each in NAME if each[0] != "null"]
NAMES = [
    ("null", None, "CL202"),
    ("text", "a", "CL202"),
    ("repeated", ["a", "b", "a"], "CL206"),
    ("null inside", ["a", None], "CL202"),
    ("blank inside", [" "], "CL207"),
    ("long inside", ["x" * 513], "CL208"),
]
NUMBER = [
    ("null", None, "CL202"),
    ("true", True, "CL202"),
    ("text", "1", "CL202"),
    ("infinite", float("inf"), "CL105"),
    ("minus infinite", -float("inf"), "CL105"),
    ("huge integer", 10**309, "CL105"),
]
NOT_NEGATIVE = [*NUMBER, ("negative", -0.001, "CL204"), ("least negative", -5e-324, "CL204")]
RATE = [*NOT_NEGATIVE, ("above 1", 1.0000000000000002, "CL204")]
INTEGER = [("null", None, "CL202"), ("true", True, "CL202"), ("as a float", 2000.0, "CL202")]
RELEASES = ("predictions-v1", ("releases", 0))
RECORD = ("predictions-v1", ("releases", 0, "records", 0))
CASE = ("dataset-v1", ("cases", 2))
GATES = ("rubric-v1", ("gates",))
FIELDS: list[Broken] = [
    *[
        (name, ("schema_version",), [("v2", "eval-x-v2", "CL205"), ("null", None, "CL205")])
        for name in VALID
    ],
    ("dataset-v1", ("dataset_version",), NAME),
    ("dataset-v1", ("frozen_test",), [("false", False, "CL205"), ("1", 1, "CL205")]),
    ("dataset-v1", ("cases",), [("null", None, "CL202"), ("empty", [], "CL211")]),
    *[(CASE[0], (*CASE[1], field), NAME) for field in ("id", "family_id", "slice")],
    (CASE[0], (*CASE[1], "split"), [("other", "dev", "CL205"), ("null", None, "CL205")]),
    *[(CASE[0], (*CASE[1], field), BOOLEAN) for field in ("critical", "requires_evidence")],
    (CASE[0], (*CASE[1], "input"), NAME[:-1]),
    (CASE[0], (*CASE[1], "expected_label"), LABEL),
    (CASE[0], (*CASE[1], "expected_tool"), TOOL),
    (CASE[0], (*CASE[1], "forbidden_actions"), NAMES),
    ("rubric-v1", ("rubric_version",), NAME),
    ("rubric-v1", ("positive_label",), LABEL),
    ("rubric-v1", ("baseline_release",), NAME),
    ("rubric-v1", ("eval_split",), [("train", "train", "CL205"), ("null", None, "CL205")]),
    ("rubric-v1", ("gates",), [("null", None, "CL202"), ("array", [], "CL202")]),
    *[
        (GATES[0], ("gates", field), RATE)
        for field in (
            "min_overall_pass_rate", "min_precision", "min_recall", "min_f1",
            "critical_slice_min_pass_rate", "max_slice_pass_rate_gap",
        )
    ],
    *[
        (GATES[0], ("gates", field), NOT_NEGATIVE)
        for field in ("max_mean_latency_ms", "max_p95_latency_ms", "max_mean_cost_usd")
    ],
    (
        "rubric-v1",
        ("gates", "min_paired_delta_ci_low"),
        [*NUMBER, ("below -1", -1.1, "CL204"), ("above 1", 1.1, "CL204")],
    ),
    ("rubric-v1", ("bootstrap",), [("null", None, "CL202")]),
    (
        "rubric-v1",
        ("bootstrap", "samples"),
        [*INTEGER, ("99", 99, "CL204"), ("100001", 100_001, "CL204")],
    ),
    ("rubric-v1", ("bootstrap", "seed"), [*INTEGER, ("negative", -1, "CL204")]),
    (
        "rubric-v1",
        ("bootstrap", "confidence"),
        [*NUMBER, ("low", 0.49999, "CL204"), ("high", 0.9990001, "CL204")],
    ),
    ("predictions-v1", ("prediction_set_version",), NAME),
    ("predictions-v1", ("dataset_version",), NAME),
    ("predictions-v1", ("releases",), [("null", None, "CL202"), ("empty", [], "CL211")]),
    (RELEASES[0], (*RELEASES[1], "release_id"), NAME),
    (RELEASES[0], (*RELEASES[1], "records"), [("null", None, "CL202")]),
    (RECORD[0], (*RECORD[1], "case_id"), NAME),
    (RECORD[0], (*RECORD[1], "predicted_label"), LABEL),
    (RECORD[0], (*RECORD[1], "tool"), TOOL),
    (RECORD[0], (*RECORD[1], "actions"), NAMES),
    (RECORD[0], (*RECORD[1], "evidence_present"), BOOLEAN),
    (RECORD[0], (*RECORD[1], "latency_ms"), NOT_NEGATIVE),
    (RECORD[0], (*RECORD[1], "estimated_cost_usd"), NOT_NEGATIVE),
]  # fmt: skip


def changed(name: str, path: Path, value: Any) -> Any:
    contract = copy.deepcopy(VALID[name])
    holder = contract
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return contract


def objects(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        yield path, value
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from objects(inner, (*path, step))


@pytest.mark.parametrize(
    ("name", "path", "value", "code"),
    [
        pytest.param(name, path, value, code, id=f"{path[-1]}-{what}")
        for name, path, ways in FIELDS
        for what, value, code in ways
    ],
)
def test_a_wrong_value_is_one_problem_at_the_value(
    name: str, path: Path, value: Any, code: str
) -> None:
    problems = checker(name).check(changed(name, path, value), "x.json")
    assert [each.rule.code for each in problems] == [code]
    assert problems[0].path[: len(path)] == path
    assert not problems[0].on_key


@pytest.mark.parametrize("name", VALID)
def test_every_field_of_every_object_is_required_and_told_by_its_name(name: str) -> None:
    for path, holder in objects(VALID[name]):
        for field in holder:
            contract = copy.deepcopy(VALID[name])
            lacking = contract
            for step in path:
                lacking = lacking[step]
            del lacking[field]
            (problem,) = checker(name).check(contract)
            assert (problem.rule.code, problem.path) == ("CL201", path)
            assert f'"{field}"' in problem.message


@pytest.mark.parametrize("name", VALID)
def test_an_unknown_field_of_any_object_is_told_at_its_key(name: str) -> None:
    for path, _ in objects(VALID[name]):
        (problem,) = checker(name).check(changed(name, (*path, "colour"), 1))
        assert (problem.rule.code, problem.path) == ("CL203", (*path, "colour"))
        assert problem.on_key


@pytest.mark.parametrize("name", VALID)
def test_a_misspelt_field_is_one_problem_that_names_the_right_spelling(name: str) -> None:
    for path, holder in objects(VALID[name]):
        for field in holder:
            contract = copy.deepcopy(VALID[name])
            wrong = contract
            for step in path:
                wrong = wrong[step]
            wrong[f"{field}s"] = wrong.pop(field)
            (problem,) = checker(name).check(contract)
            assert problem.rule.code == "CL203"
            assert f'"{field}"' in problem.hint


def test_every_published_field_of_the_contracts_is_in_the_table_above() -> None:
    covered = {(name, path[-1]) for name, path, _ in FIELDS}
    published = {
        (name, field) for name in VALID for _, each in objects(VALID[name]) for field in each
    }
    assert covered == published


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("dataset-v1", ("cases", 2, "id"), "x" * 512),
        ("dataset-v1", ("cases", 2, "id"), "\U0001f600" * 512),
        ("dataset-v1", ("cases", 2, "input"), "x" * 100_000),
        ("dataset-v1", ("cases", 2, "expected_tool"), None),
        ("dataset-v1", ("cases", 2, "forbidden_actions"), []),
        ("rubric-v1", ("gates", "min_f1"), 1),
        ("rubric-v1", ("gates", "min_f1"), 0),
        ("rubric-v1", ("gates", "min_f1"), -0.0),
        ("rubric-v1", ("gates", "max_mean_cost_usd"), 1.7976931348623157e308),
        ("rubric-v1", ("gates", "min_paired_delta_ci_low"), -1),
        ("rubric-v1", ("bootstrap", "samples"), 100),
        ("rubric-v1", ("bootstrap", "samples"), 100_000),
        ("rubric-v1", ("bootstrap", "confidence"), 0.5),
        ("rubric-v1", ("bootstrap", "confidence"), 0.999),
        ("rubric-v1", ("bootstrap", "seed"), 2**64),
        ("predictions-v1", ("releases", 0, "records", 0, "latency_ms"), 10**308),
        ("predictions-v1", ("releases", 0, "records", 0, "latency_ms"), 5e-324),
    ],
)  # fmt: skip
def test_a_value_on_the_very_edge_is_right(name: str, path: Path, value: Any) -> None:
    assert checker(name).check(changed(name, path, value)) == []


def test_several_mistakes_are_several_problems() -> None:
    contract = builders.dataset(
        builders.case(critical=1, split="tests", colour=2),
        {"id": "lonely"},
    )
    codes = sorted(each.rule.code for each in checker("dataset-v1").check(contract))
    assert codes == ["CL201"] * 9 + ["CL202", "CL203", "CL205"]


@pytest.mark.parametrize(
    ("contract", "path", "value", "message", "hint"),
    [
        ("dataset-v1", ("cases", 0, "split"), "dev", '"split" is "dev"', '"development"?'),
        (
            "dataset-v1",
            ("cases", 0, "expected_tool"),
            "",
            "is blank",
            "or null, where no tool may be used",
        ),
        ("rubric-v1", ("gates", "min_precision"), 80, "is 80", "is it meant to be 0.8?"),
        ("rubric-v1", ("gates", "min_precision"), 1.5, "is 1.5", "at most 1"),
        ("rubric-v1", ("bootstrap", "samples"), 2000.0, "is 2000.0", "write 2000"),
    ],
    ids=["abbreviated", "no tool", "per cent", "no per cent", "a count as a float"],
)
def test_the_hint_is_what_was_probably_meant(
    contract: str, path: Path, value: object, message: str, hint: str
) -> None:
    broken = copy.deepcopy(VALID[contract])
    part = broken
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    (problem,) = checker(contract).check(broken)
    assert message in problem.message
    assert problem.hint.endswith(hint)


def test_a_case_record_or_release_is_named_by_its_id_where_it_has_one() -> None:
    broken = copy.deepcopy(VALID)
    case = broken["dataset-v1"]["cases"][0]
    del case["slice"]
    del broken["dataset-v1"]["cases"][1]["id"]
    release = broken["predictions-v1"]["releases"][0]
    release["records"][0]["note"] = 1
    release["note"] = 1
    messages = [
        problem.message
        for name in ("dataset-v1", "predictions-v1")
        for problem in checker(name).check(broken[name])
    ]
    assert messages == [
        f'case "{case["id"]}" has no "slice"',
        'entry 1 of cases has no "id"',
        f'"note" is not a field of the record of "{release["records"][0]["case_id"]}"',
        '"note" is not a field of release "r"',
    ]
