"""Files to checked contracts: every problem of a stage, in every file, sorted, once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.crosscheck import check_all
from contractlab.intake import open_contracts, open_document, open_documents
from contractlab.problems import ContractError
from tests import builders
from tests.builders import case, dataset, predictions, release, rubric, write, write_triple

if TYPE_CHECKING:
    from pathlib import Path

    from contractlab.problems import Problem


def compared(folder: Path, **values: Any) -> list[Problem]:
    names = [each.partition("=")[2] for each in write_triple(folder, **values)]
    try:
        open_contracts(names[0], names[1], names[2:])
    except ContractError as error:
        return error.problems
    return []


def told(problems: list[Problem]) -> list[tuple[str, str]]:
    return [(each.file.rpartition("/")[2], each.rule.code) for each in problems]


def validated(*names: str) -> list[Problem]:
    documents, problems = open_documents([(name, None) for name in names])
    return [*problems, *check_all(documents, complete=not problems)]


def test_right_contracts_have_no_problem(tmp_path: Path) -> None:
    assert compared(tmp_path) == []


def test_problems_of_text_and_shape_in_all_files_are_told_in_one_run(tmp_path: Path) -> None:
    found = compared(
        tmp_path,
        dataset_='{"a":1,"a":2}',
        rubric_=rubric(seed=-1, samples=1),
        predictions_=[predictions(), "[", {**predictions(), "colour": 1}],
    )
    assert told(found) == [
        ("dataset.json", "CL104"),
        ("rubric.json", "CL204"),
        ("rubric.json", "CL204"),
        ("replay-1.json", "CL103"),
        ("replay-2.json", "CL203"),
    ]


def test_problems_of_one_file_are_sorted_by_place(tmp_path: Path) -> None:
    value = dataset(*[case(str(index), split="x", critical=1, input=" ") for index in range(4)])
    value["colour"] = 1
    found = compared(tmp_path, dataset_=json.dumps(value, indent=1))
    places = [(each.position.line, each.position.column) for each in found if each.position]
    assert len(places) == 13
    assert places == sorted(places)


def test_a_wrong_shape_is_not_followed_by_problems_that_it_explains(tmp_path: Path) -> None:
    cases = [case("a"), {**case("a"), "split": "Test"}]
    assert told(compared(tmp_path, dataset_=dataset(*cases))) == [("dataset.json", "CL205")]


def test_a_leaking_dataset_is_not_followed_by_missing_records(tmp_path: Path) -> None:
    cases = [case("a", family_id="f"), case("b", family_id="f", split="train")]
    found = compared(
        tmp_path, dataset_=dataset(*cases), predictions_=[predictions({"release_id": "r",
                                                                      "records": []})]
    )  # fmt: skip
    assert told(found) == [("dataset.json", "CL301")]


def test_problems_across_records_of_all_files_are_told_in_one_run(tmp_path: Path) -> None:
    twice = release("baseline", dataset())
    found = compared(
        tmp_path,
        dataset_=dataset(case("a"), case("a", input="other")),
        rubric_=rubric(rubric_version="a\nb"),
        predictions_=[predictions(twice), predictions(twice)],
    )
    assert told(found) == [
        ("dataset.json", "CL302"),
        ("rubric.json", "CL209"),
        ("replay-1.json", "CL309"),
    ]


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        ("eval_dataset_v1", 'is it meant to be "eval-dataset-v1"?'),
        ("eval-dataset-v7", "a contract names one of eval-dataset-v1, "),
    ],
)
def test_a_misspelt_version_is_told_from_one_that_is_not_known(
    tmp_path: Path, version: str, hint: str
) -> None:
    name = write(tmp_path / "d.json", dataset() | {"schema_version": version})
    with pytest.raises(ContractError) as caught:
        open_document(str(name))
    (problem,) = caught.value.problems
    assert problem.hint.startswith(hint)


def test_a_contract_in_the_wrong_place_is_told_by_its_kind(tmp_path: Path) -> None:
    (problem,) = compared(tmp_path, rubric_=dataset())
    assert problem.rule.code == "CL007"
    assert "holds a dataset, not a rubric" in problem.message


@pytest.mark.parametrize(
    "value",
    [b"[]", b"{}", b'{"schema_version": "eval-dataset-v9"}', b'{"schema_version": null}', b"1e999"],
)
def test_what_is_no_contract_is_one_problem(tmp_path: Path, value: bytes) -> None:
    (problem,) = validated(write(tmp_path / "x.json", value))
    assert problem.rule.code in ("CL007", "CL202")
    assert problem.position is not None


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    names = [each.partition("=")[2] for each in write_triple(tmp_path)]
    contracts = open_contracts(names[0], names[1], [names[2], names[2]])
    assert list(contracts.replays) == [names[2]]


def test_replays_find_their_dataset_by_its_version(tmp_path: Path) -> None:
    other = dataset(case("z"), dataset_version="cases-2")
    names = [
        write(tmp_path / "one.json", dataset()),
        write(tmp_path / "two.json", other),
        write(tmp_path / "r1.json", predictions()),
        write(tmp_path / "r2.json", predictions(release("r", other), dataset_version="cases-2")),
        write(tmp_path / "r3.json", predictions(release("s", other), dataset_version="cases-3")),
    ]
    found = [each for each in validated(*names) if not each.rule.warns]
    assert told(found) == [("r3.json", "CL008")]


def test_two_datasets_of_one_version_leave_a_replay_without_a_home(tmp_path: Path) -> None:
    names = [
        write(tmp_path / "one.json", dataset()),
        write(tmp_path / "two.json", dataset()),
        write(tmp_path / "r1.json", predictions()),
    ]
    found = [each for each in validated(*names) if not each.rule.warns]
    assert told(found) == [("r1.json", "CL008")]


def test_a_replay_whose_dataset_cannot_be_read_is_not_held_against_another(tmp_path: Path) -> None:
    names = [
        write(tmp_path / "one.json", {**dataset(), "colour": 1}),
        write(tmp_path / "two.json", dataset(dataset_version="cases-2")),
        write(tmp_path / "r1.json", predictions()),
    ]
    found = [each for each in validated(*names) if not each.rule.warns]
    assert told(found) == [("one.json", "CL203")]


def test_a_replay_alone_is_checked_alone(tmp_path: Path) -> None:
    assert validated(write(tmp_path / "r.json", predictions())) == []


def test_a_gate_on_a_dataset_alone_is_advised_only_with_it(tmp_path: Path) -> None:
    few = builders.dataset(case("a"), case("b"))
    r = write(tmp_path / "r.json", rubric(min_overall_pass_rate=1))
    alone = {each.rule.code for each in validated(r)}
    with_it = {each.rule.code for each in validated(r, write(tmp_path / "d.json", few))}
    assert "CL407" not in alone
    assert "CL407" in with_it
