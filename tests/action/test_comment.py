from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from contractlab.github.client import Client
from tests.action.runner import SHA, TOKEN, Runner, Step, gate_inputs
from tests.github.standin import NO_ACCESS, Fault, GitHub, served

if TYPE_CHECKING:
    from collections.abc import Iterator

FORK = "forker/agent"


@pytest.fixture
def github() -> GitHub:
    github = GitHub()
    github.open_pull(7, SHA)
    return github


@pytest.fixture(autouse=True)
def address(github: GitHub, runner: Runner) -> Iterator[None]:
    with served(github) as api_url:
        runner.variables["GITHUB_API_URL"] = api_url
        yield


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    def client(*arguments: Any) -> Any:
        return Client(*arguments, sleep=lambda _: None)

    monkeypatch.setattr("contractlab.action.comment.Client", client)


def comment(runner: Runner, gate: Step | None = None, **others: str) -> Step:
    outputs = gate.outputs if gate else {}
    return runner.step(
        "comment",
        None,
        CL_GITHUB_TOKEN=others.pop("token", TOKEN),
        CL_DECISION=outputs.get("decision", ""),
        CL_FOLDER=outputs.get("folder", ""),
        **others,
    )


def body(github: GitHub) -> str:
    (row,) = github.there()
    return row.body


def test_the_gates_report_is_posted_under_its_marker(runner: Runner, github: GitHub) -> None:
    runner.contracts()
    step = comment(runner, runner.step("gate", gate_inputs()))
    assert step.outputs["comment-status"] == "created"
    assert step.outputs["comment-url"].endswith("/acme/agent/pull/7#issuecomment-1001")
    marker, report = body(github).split("\n", 1)
    assert marker == f"<!-- contractlab:report v1 id=default run=100.1 head={SHA} -->"
    assert report.startswith("### ✅ PASS")
    assert step.commands == []


def test_an_error_replaces_the_green_report(runner: Runner, github: GitHub) -> None:
    runner.contracts()
    comment(runner, runner.step("gate", gate_inputs()))
    runner.variables["GITHUB_RUN_ID"] = "101"
    runner.contracts(dataset_="{")
    step = comment(runner, runner.step("gate", gate_inputs()))
    assert step.outputs["comment-status"] == "updated"
    assert "ERROR: nothing was judged" in body(github)
    assert "PASS" not in body(github)


def test_a_gate_that_never_spoke_replaces_it_too(runner: Runner, github: GitHub) -> None:
    runner.contracts()
    comment(runner, runner.step("gate", gate_inputs()))
    runner.variables["GITHUB_RUN_ID"] = "101"
    assert comment(runner).outputs["comment-status"] == "updated"
    assert "The gate ended before it could decide." in body(github)
    assert "/acme/agent/actions/runs/101" in body(github)


def test_a_report_without_a_decision_is_not_believed(runner: Runner, github: GitHub) -> None:
    runner.contracts()
    gate = runner.step("gate", gate_inputs())
    gate.outputs["decision"] = ""
    comment(runner, gate)
    assert "ERROR: nothing was judged" in body(github)


def test_a_read_only_token_is_one_notice_that_says_what_to_do(
    runner: Runner, github: GitHub
) -> None:
    github.token_mode = "readonly"
    step = comment(runner)
    assert (step.code, step.outputs["comment-status"]) == (0, "forbidden")
    (notice,) = step.commands
    assert notice.startswith("::notice")
    assert "permissions: pull-requests: write" in notice


def test_a_fork_is_told_of_the_second_workflow(runner: Runner, github: GitHub) -> None:
    github.open_pull(7, SHA, head_repository=FORK)
    github.token_mode = "readonly"
    (notice,) = comment(runner).commands
    assert "workflow_run" in notice
    assert "mode: comment" in notice


def test_no_token_and_no_pull_request_are_skipped_quietly(runner: Runner) -> None:
    assert comment(runner, token="").outputs["comment-status"] == "skipped"
    runner.event("push", {"ref": "refs/heads/main"})
    step = comment(runner)
    assert (step.outputs["comment-status"], step.commands) == ("skipped", [])


def test_a_server_that_is_down_is_unavailable_and_fails_nothing(
    runner: Runner, github: GitHub
) -> None:
    github.faults.append(Fault(on="/pulls/7", times=99))
    step = comment(runner)
    assert (step.code, step.outputs["comment-status"]) == (0, "unavailable")


def test_githubs_words_command_no_runner(runner: Runner, github: GitHub) -> None:
    words = r'{"message": "no\n::error::x\n##[group]"}'
    github.faults.append(Fault(on="/pulls/7", status=422, body=words, times=99))
    step = comment(runner)
    assert step.outputs["comment-status"] == "failed"
    assert [each[:8] for each in step.commands] == ["::notice"]


@pytest.mark.parametrize("token", ["a\nb", "a b", "é"])
def test_a_token_that_is_none_is_told_without_it(runner: Runner, token: str) -> None:
    step = comment(runner, token=token)
    assert step.outputs["comment-status"] == "failed"
    assert token not in step.log


def test_the_token_is_in_no_log_output_or_file(runner: Runner, github: GitHub) -> None:
    github.faults.append(
        Fault(on="POST", status=403, body=f'{{"message": "{NO_ACCESS} {TOKEN}"}}', times=99)
    )
    step = comment(runner)
    assert step.outputs["comment-status"] == "forbidden"
    assert TOKEN not in step.log + str(step.outputs)


# ── after a run of a fork ──────────────────────────────────────────────────────────────────


def follow(runner: Runner, gate: Step | None = None, **run: Any) -> Step:
    runner.follows(**run)
    return comment(runner, gate, CL_MODE="comment")


def test_a_followed_run_comments_on_the_one_pull_request_of_its_commit(
    runner: Runner, github: GitHub
) -> None:
    github.pulls.clear()
    github.open_pull(8, SHA, head_repository=FORK)
    github.open_pull(9, "c" * 40, head_repository=FORK)
    assert follow(runner).outputs["comment-status"] == "created"
    (row,) = github.there(8)
    assert row.body.startswith(f"<!-- contractlab:report v1 id=default run=55.2 head={SHA} -->")


@pytest.mark.parametrize(
    ("pulls", "reason"),
    [
        ([], "No open pull request"),
        ([(8, SHA, "open"), (9, SHA, "open")], "Several open pull requests"),
        ([(8, SHA, "closed")], "is closed"),
        ([(8, "c" * 40, "open")], "has moved on"),
    ],
    ids=["none", "two", "closed", "moved"],
)
def test_without_exactly_one_open_pull_request_nothing_is_posted(
    runner: Runner, github: GitHub, pulls: list[tuple[int, str, str]], reason: str
) -> None:
    github.pulls.clear()
    for number, sha, state in pulls:
        github.open_pull(number, sha, head_repository=FORK, state=state)
    step = follow(runner)
    assert step.outputs["comment-status"] == "skipped"
    assert reason in step.log
    assert github.comments == {}


@pytest.mark.parametrize("event", ["push", "pull_request_target", None])
def test_a_run_that_no_pull_request_started_is_skipped(
    runner: Runner, github: GitHub, event: str | None
) -> None:
    assert follow(runner, event=event).outputs["comment-status"] == "skipped"
    assert github.asked() == []


def test_a_fork_that_is_gone_is_skipped(runner: Runner, github: GitHub) -> None:
    assert follow(runner, head_repository=None).outputs["comment-status"] == "skipped"
    assert github.comments == {}
