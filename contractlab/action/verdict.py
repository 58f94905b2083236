"""The only step that fails the job: from what the others put out to one exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contractlab.action.inputs import DECISIONS, read_inputs
from contractlab.github.posted import STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contractlab.action.console import Console

NOTHING_DECIDED = 2
POSTED = ("created", "updated", "unchanged", "superseded")
"""Statuses after which the pull request shows this run's report, or a newer one's."""


class Verdict(NamedTuple):
    """What the job is told."""

    decision: str
    """PASS, REVIEW, BLOCK or ERROR; never empty."""
    exit_code: int
    """Of the same comparison on a command line: 0, 1, or 2 where nothing was decided."""
    comment_status: str
    failure: str
    """Why the job fails; "" where it does not."""


def run(variables: Mapping[str, str], console: Console) -> int:
    """Fails where the decision does: 1, else 0."""
    inputs, _ = read_inputs(variables)
    verdict = weigh(
        variables.get("CL_DECISION", ""),
        variables.get("CL_COMMENT_STATUS", ""),
        fail_on=inputs.fail_on,
        comment=inputs.comment,
    )
    console.outputs(
        {
            "decision": verdict.decision,
            "exit-code": str(verdict.exit_code),
            "comment-status": verdict.comment_status,
        }
    )
    if verdict.failure:
        console.error(verdict.failure)
        return 1
    console.untrusted(f"{verdict.decision}: the job goes on (fail-on: {inputs.fail_on}).\n")
    return 0


def weigh(decision: str, comment_status: str, *, fail_on: str, comment: str) -> Verdict:
    """The verdict.

    Args:
        decision: the gate's; anything that is none, such as "", counts as ERROR.
        comment_status: the comment step's; anything that is none means that it did not run.
        fail_on: `block`, `review` or `never`: the mildest decision that fails. ERROR always does.
        comment: `required` makes a comment that is not there fail the job.
    """
    if decision not in DECISIONS:
        decision = "ERROR"
    if comment_status not in STATUSES:
        comment_status = "skipped" if comment == "off" else "failed"
    failing = {"block": ("BLOCK",), "review": ("REVIEW", "BLOCK"), "never": ()}[fail_on]
    failure, exit_code = "", 0
    if decision == "ERROR":
        exit_code = NOTHING_DECIDED
        failure = "ERROR: nothing was judged, so the job fails whatever fail-on says."
    elif decision in failing:
        exit_code = 1
        failure = f"{decision}: the candidate does not hold the gates (fail-on: {fail_on})."
    elif comment == "required" and comment_status not in POSTED:
        failure = f"The comment is required, and was not posted: {comment_status}."
    return Verdict(decision, exit_code, comment_status, failure)
