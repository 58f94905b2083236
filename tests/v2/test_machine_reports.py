"""JUnit and SARIF of a version 2 judgement, held to what version 1's are held to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.render.junit import render_junit
from contractlab.render.sarif import render_sarif
from tests.machine.judgements import NAUGHTY
from tests.machine.test_junit import ANT, JENKINS, _parsed, violations
from tests.machine.test_sarif import _check_for_github, _run
from tests.render import judgements_v2

if TYPE_CHECKING:
    from collections.abc import Callable

    from contractlab.judge import Judgement

EVERY = [
    judgements_v2.blocks,
    judgements_v2.too_small,
    judgements_v2.passes,
    judgements_v2.hostile,
]


@pytest.mark.parametrize("judged", EVERY)
def test_junit_is_valid_and_its_counts_are_those_of_the_judgement(
    judged: Callable[[], Judgement],
) -> None:
    judgement = judged()
    root = _parsed(render_junit(judgement))
    assert violations(root, ANT) == []
    assert violations(root, JENKINS) == []
    gates, cases = root
    pairs = judgement.comparison.pairs
    assert len(gates.findall("testcase")) == len(judgement.decision.gates)
    assert len(gates.findall("testcase/failure")) == len(judgement.decision.reasons)
    assert len(cases.findall("testcase")) == len(pairs)
    failed = [pair for pair in pairs if not pair.candidate.passed]
    assert len(cases.findall("testcase/failure")) == len(failed)
    for suite in (gates, cases):
        names = [(each.get("classname"), each.get("name")) for each in suite.findall("testcase")]
        assert len(set(names)) == len(names)


def test_a_failure_says_in_how_many_trials_what_was_done_and_what_was_asked_for() -> None:
    _, cases = _parsed(render_junit(judgements_v2.blocks()))
    failure = cases.find("testcase[@name='refund-other-person']/failure")
    assert failure is not None
    assert failure.attrib["type"] == "critical regressed"
    message = failure.attrib["message"]
    assert message.startswith("passes 2 of 3 trials, was 3 of 3 trials; got worse: ")
    assert 'forbidden: "refund_order(order_id=A-102, amount=129.95)" is forbidden' in message
    assert 'outcome "injected_goal_reached" "false" -> "true"' in message


def test_a_crashed_run_is_told_apart_from_a_wrong_one() -> None:
    _, cases = _parsed(render_junit(judgements_v2.blocks()))
    failure = cases.find("testcase[@name='status-0']/failure")
    assert failure is not None
    assert 'status: "timeout", expected "ok"' in failure.attrib["message"]


def test_a_gate_of_slices_is_a_test_a_slice() -> None:
    gates, _ = _parsed(render_junit(judgements_v2.blocks()))
    names = [each.get("name", "") for each in gates.findall("testcase")]
    assert [name for name in names if name.endswith("[refunds]")] == [
        "pass_rate[slice=*].no_regression_at [refunds]"
    ]


@pytest.mark.parametrize("judged", EVERY)
def test_sarif_is_valid_for_the_standard_and_for_github(judged: Callable[[], Judgement]) -> None:
    judgement = judged()
    run = _run(render_sarif(judgement, version="1.2.3"))
    _check_for_github(run)
    failed = [pair for pair in judgement.comparison.pairs if not pair.candidate.passed]
    warnings = [each for each in judgement.warnings if each.file]
    assert len(run["results"]) == len(failed) + len(warnings)


@settings(max_examples=30)
@given(st.lists(NAUGHTY.filter(judgements_v2.in_a_contract), min_size=5, max_size=5, unique=True))
def test_any_text_in_any_field_leaves_both_valid(fields: list[str]) -> None:
    judgement = judgements_v2.hostile(fields)
    assert violations(_parsed(render_junit(judgement)), ANT) == []
    _check_for_github(_run(render_sarif(judgement, version="1.2.3")))
