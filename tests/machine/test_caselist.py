from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.caselist import Filter, select
from contractlab.grade import CHECKS
from contractlab.problems import ContractError, Rule
from contractlab.render.caselist import render_cases, render_cases_json
from contractlab.render.columns import width
from contractlab.render.sentences import FLIPS
from tests import builders
from tests.machine.judgements import blocked, judged, judgements

if TYPE_CHECKING:
    from contractlab.judge import Judgement


def _ids(judgement: Judgement, **wanted: Any) -> list[str]:
    return [pair.candidate.case.id for pair in select(judgement, Filter(**wanted))]


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ({}, ["leak", "late", "lost", "fine"]),
        ({"flips": ("regressed",)}, ["leak"]),
        ({"flips": ("improved", "neither")}, ["late", "lost"]),
        ({"slices": ("privacy",)}, ["leak", "fine"]),
        ({"critical": True}, ["leak", "fine"]),
        ({"checks": ("label_correct",)}, ["lost"]),
        ({"checks": ("tool_correct", "label_correct")}, ["leak", "late", "lost"]),
        ({"checks": ("tool_correct",), "flips": ("improved",)}, ["late"]),
        ({"slices": ("privacy",), "flips": ("both",)}, ["fine"]),
    ],
)
def test_each_filter_that_is_given_must_hold(wanted: dict[str, Any], ids: list[str]) -> None:
    assert _ids(blocked(), **wanted) == ids


@given(judgements())
def test_the_flips_share_out_all_cases(judgement: Judgement) -> None:
    listed = [_ids(judgement, flips=(flip,)) for flip in FLIPS]
    assert sorted(chain.from_iterable(listed)) == sorted(_ids(judgement))


@given(judgements(), st.sampled_from(CHECKS))
def test_a_check_of_a_regressed_case_failed_for_the_candidate(
    judgement: Judgement, check: str
) -> None:
    for pair in select(judgement, Filter(flips=("regressed",), checks=(check,))):
        assert not pair.candidate.checks[check]


@pytest.mark.parametrize(
    ("wanted", "message", "hint"),
    [
        ({"slices": ("Privacy",)}, 'there is no slice "Privacy"', '"privacy", "refunds"'),
        ({"flips": ("worse",)}, 'there is no flip "worse"', "regressed"),
        ({"checks": ("label",)}, 'there is no check "label"', "label_correct"),
    ],
)
def test_a_name_that_does_not_exist_is_no_empty_list(
    wanted: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(ContractError) as caught:
        _ids(blocked(), **wanted)
    (problem,) = caught.value.problems
    assert (problem.rule, problem.message) == (Rule.BAD_USAGE, message)
    assert hint in problem.hint


def test_the_list_says_what_failed_and_what_changed() -> None:
    judgement = blocked()
    assert (
        render_cases(judgement, select(judgement, Filter()))
        == """\
regressed  leak  privacy  critical
    tool_correct: "refund", expected "search"
    forbidden_actions_absent: "refund_order" is forbidden
    evidence_requirement_met: none, expected "evidence"
    changed: tool "search" -> "refund"
    changed: actions added "refund_order"
    changed: evidence lost
improved   late  refunds
    changed: tool none -> "search"
neither    lost  refunds
    label_correct: "positive", expected "negative"
both       fine  privacy  critical
4 of 4 cases
"""
    )


def test_slices_stand_below_each_other_whatever_the_width_of_the_ids() -> None:
    dataset = builders.dataset(builders.case("語語"), builders.case("e\u0301e\u0301"))
    releases = [builders.release(each, dataset) for each in ("baseline", "candidate")]
    judgement = judged(dataset, builders.rubric(), builders.predictions(*releases))
    lines = render_cases(judgement, judgement.comparison.pairs).splitlines()[:2]
    assert len({width(line.partition("refunds")[0]) for line in lines}) == 1
    assert len({len(line.partition("refunds")[0]) for line in lines}) == 2


@given(judgements())
def test_no_text_breaks_a_line_or_moves_a_cursor(judgement: Judgement) -> None:
    pairs = select(judgement, Filter())
    text = render_cases(judgement, pairs)
    assert text.replace("\n", "").isprintable()
    assert sum(line[:1] != " " for line in text.splitlines()) == len(pairs) + 1


@given(judgements())
def test_the_json_list_has_every_selected_case(judgement: Judgement) -> None:
    pairs = select(judgement, Filter(flips=("neither", "regressed")))
    value = json.loads(render_cases_json(judgement, pairs))
    assert value["case_count"] == judgement.candidate.case_count
    assert [each["case_id"] for each in value["cases"]] == [
        pair.candidate.case.id for pair in pairs
    ]
    for each, pair in zip(value["cases"], pairs, strict=True):
        assert each["candidate_checks"] == dict(pair.candidate.checks)
        assert (each["slice"], each["input"]) == (
            pair.candidate.case.slice,
            pair.candidate.case.input,
        )
