from __future__ import annotations

import pytest

from contractlab.action.inputs import Inputs, read_inputs, variable


def read(**values: str) -> tuple[Inputs, list[str]]:
    inputs, problems = read_inputs(
        {variable(name.replace("_", "-")): value for name, value in values.items()}
    )
    return inputs, [each.message for each in problems]


def test_nothing_given_is_the_defaults() -> None:
    assert read_inputs({}) == (Inputs(), [])


def test_what_the_workflow_leaves_empty_counts_as_left_out() -> None:
    blank = dict.fromkeys(("dataset", "predictions", "candidate", "fail_on", "comment_id"), " ")
    assert read(**blank) == (Inputs(), [])


def test_predictions_are_lines_and_an_empty_line_is_none() -> None:
    inputs, problems = read(predictions="runs/a b.json\r\n\n  runs/*.json  \n")
    assert inputs.predictions == ("runs/a b.json", "runs/*.json")
    assert problems == []


@pytest.mark.parametrize("name", ["mode", "fail_on", "comment", "summary", "annotations"])
def test_a_word_that_is_none_of_those_allowed_is_a_problem_and_never_a_choice(name: str) -> None:
    inputs, problems = read(**{name: "Never\u202e"})
    assert inputs == Inputs()
    assert problems == [f'the input {name.replace("_", "-")} is "Never\u202e"']


@pytest.mark.parametrize("id_", ["a b", "a\nb", "-->", "x" * 65, "é"])
def test_a_comment_id_that_could_leave_the_marker_is_a_problem(id_: str) -> None:
    _, problems = read(comment_id=id_)
    assert len(problems) == 1


def test_every_choice_is_taken_as_it_is_written() -> None:
    inputs, problems = read(
        mode="comment", fail_on="never", comment="required", summary="false", annotations="false"
    )
    assert problems == []
    assert (inputs.mode, inputs.fail_on, inputs.comment) == ("comment", "never", "required")
    assert not inputs.summary
    assert not inputs.annotations
