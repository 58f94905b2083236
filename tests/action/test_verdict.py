from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contractlab.action.inputs import COMMENTS
from contractlab.action.verdict import POSTED, weigh
from contractlab.choices import FAIL_ON
from contractlab.github.posted import STATUSES

if TYPE_CHECKING:
    from tests.action.runner import Runner

PASSES = {
    ("PASS", "block"): True,
    ("PASS", "review"): True,
    ("PASS", "never"): True,
    ("REVIEW", "block"): True,
    ("REVIEW", "review"): False,
    ("REVIEW", "never"): True,
    ("BLOCK", "block"): False,
    ("BLOCK", "review"): False,
    ("BLOCK", "never"): True,
    ("ERROR", "block"): False,
    ("ERROR", "review"): False,
    ("ERROR", "never"): False,
}


@pytest.mark.parametrize(("decision", "fail_on"), PASSES)
def test_the_table_of_the_docs_is_what_happens(decision: str, fail_on: str) -> None:
    verdict = weigh(decision, "created", fail_on=fail_on, comment="auto")
    assert (verdict.failure == "") is PASSES[decision, fail_on]
    assert verdict.decision == decision


@pytest.mark.parametrize("decision", ["", "pass", "PASS\n", "SUCCESS"])
@pytest.mark.parametrize("fail_on", FAIL_ON)
def test_a_decision_that_is_none_fails_closed(decision: str, fail_on: str) -> None:
    verdict = weigh(decision, "created", fail_on=fail_on, comment="auto")
    assert (verdict.decision, verdict.exit_code) == ("ERROR", 2)
    assert verdict.failure


@pytest.mark.parametrize("status", [*STATUSES, ""])
@pytest.mark.parametrize("comment", COMMENTS)
@pytest.mark.parametrize("decision", ["PASS", "BLOCK"])
def test_the_comment_fails_a_job_only_where_it_is_required(
    status: str, comment: str, decision: str
) -> None:
    verdict = weigh(decision, status, fail_on="block", comment=comment)
    missing = comment == "required" and status not in POSTED
    assert bool(verdict.failure) is (decision == "BLOCK" or missing)


def test_a_comment_step_that_did_not_run_is_skipped_where_off_and_failed_otherwise() -> None:
    said = {
        comment: weigh("PASS", "", fail_on="block", comment=comment).comment_status
        for comment in COMMENTS
    }
    assert said == {"auto": "failed", "required": "failed", "off": "skipped"}


def test_exit_code_is_the_command_lines() -> None:
    codes = [
        weigh(decision, "created", fail_on="review", comment="auto").exit_code
        for decision in ("PASS", "REVIEW", "BLOCK", "ERROR")
    ]
    assert codes == [0, 1, 1, 2]


def test_the_step_fails_and_puts_out_what_it_decided(runner: Runner) -> None:
    step = runner.step("verdict", {"fail-on": "never"}, CL_DECISION="", CL_COMMENT_STATUS="")
    assert step.code == 1
    assert step.outputs == {"decision": "ERROR", "exit-code": "2", "comment-status": "failed"}
    assert len(step.commands) == 1


def test_a_fail_on_that_is_no_choice_does_not_loosen_the_verdict(runner: Runner) -> None:
    # The gate makes it an ERROR already; here it must not become `never`.
    assert runner.step("verdict", {"fail-on": "nevr"}, CL_DECISION="BLOCK").code == 1
