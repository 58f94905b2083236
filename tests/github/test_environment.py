from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import contractlab
from contractlab.github import environment as module
from contractlab.github.environment import (
    Environment,
    MalformedEnvironmentError,
    RunnerFiles,
    WorkflowRun,
    environment,
    read_environment,
    runner_files,
)
from contractlab.github.marker import Run
from tests.github.helpers import OTHER_SHA, SHA

VARIABLES = {
    "GITHUB_API_URL": "https://ghe.example.test/api/v3/",
    "GITHUB_SERVER_URL": "https://ghe.example.test",
    "GITHUB_REPOSITORY": "acme/agent",
    "GITHUB_RUN_ID": "1000000000123",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_SHA": OTHER_SHA,
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_WORKSPACE": "work space",
    "GITHUB_OUTPUT": "out",
    "GITHUB_STEP_SUMMARY": "summary",
    "RUNNER_TEMP": "temp",
}
PULL = {"number": 7, "head": {"sha": SHA, "repo": {"full_name": "octocat/agent"}}}
FOLLOWED = {
    "id": 55,
    "run_attempt": 3,
    "event": "pull_request",
    "conclusion": "failure",
    "head_sha": SHA,
    "head_branch": "fix",
    "head_repository": {"full_name": "octocat/agent"},
    "pull_requests": [],
}


def test_a_pull_request_is_judged_by_its_head_and_not_by_the_merge_commit() -> None:
    assert environment(VARIABLES, {"pull_request": PULL}) == Environment(
        api_url="https://ghe.example.test/api/v3",
        server_url="https://ghe.example.test",
        repository="acme/agent",
        event_name="pull_request",
        run=Run(1000000000123, 2),
        head_sha=SHA,
        pull=7,
        workspace=Path("work space"),
    )


def test_the_runner_names_where_a_step_may_write() -> None:
    assert runner_files(VARIABLES) == RunnerFiles(
        output=Path("out"), summary=Path("summary"), temp=Path("temp")
    )
    assert runner_files({"GITHUB_OUTPUT": ""}) == RunnerFiles()


def test_no_other_module_reads_a_variable_of_the_runner() -> None:
    package = Path(contractlab.__file__).parent
    readers = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch("(GITHUB|RUNNER)_[A-Z_]*", node.value)
    }
    assert readers == {"github/environment.py"}


def test_a_push_is_judged_by_its_commit_and_has_no_pull_request() -> None:
    given = environment(VARIABLES | {"GITHUB_EVENT_NAME": "push"}, {"ref": "refs/heads/main"})
    assert (given.head_sha, given.pull) == (OTHER_SHA, None)


def test_a_workflow_run_names_the_run_the_commit_and_the_repository_that_it_follows() -> None:
    named = VARIABLES | {"GITHUB_EVENT_NAME": "workflow_run"}
    given = environment(named, {"workflow_run": FOLLOWED})
    assert given.workflow_run == WorkflowRun(
        run=Run(55, 3),
        event="pull_request",
        head_sha=SHA,
        head_branch="fix",
        head_repository="octocat/agent",
    )
    assert (given.head_sha, given.pull, given.run) == (SHA, None, Run(1000000000123, 2))


def test_a_workflow_run_in_another_events_payload_is_not_believed() -> None:
    assert environment(VARIABLES, {"workflow_run": FOLLOWED}).workflow_run is None


def test_outside_of_a_workflow_nothing_is_known() -> None:
    given = read_environment({})
    assert given == Environment()
    assert given.run_url is None


def test_a_runs_page_is_on_its_server() -> None:
    given = environment(VARIABLES, {})
    assert given.run_url == "https://ghe.example.test/acme/agent/actions/runs/1000000000123"


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("GITHUB_REPOSITORY", "acme", "repository"),
        ("GITHUB_REPOSITORY", "acme/..", "repository"),
        ("GITHUB_REPOSITORY", "acme/agent/pulls", "repository"),
        ("GITHUB_REPOSITORY", "acme/agent\n", "repository"),
        ("GITHUB_RUN_ID", "12x", "run"),
        ("GITHUB_RUN_ID", "٣", "run"),
        ("GITHUB_RUN_ID", "0", "run"),
        ("GITHUB_SHA", "main", "head_sha"),
        ("GITHUB_WORKSPACE", "a\0b", "workspace"),
    ],
)
def test_a_value_of_another_shape_is_none(name: str, text: str, field: str) -> None:
    assert getattr(environment(VARIABLES | {name: text}, {}), field) is None


@pytest.mark.parametrize(
    "pull",
    [
        {"number": True, "head": {"sha": SHA}},
        {"number": "7", "head": {"sha": SHA}},
        {"number": -7, "head": {"sha": SHA}},
        {"number": 7.0, "head": []},
        {"number": 2**60},
        [],
        None,
    ],
)
def test_a_pull_request_without_a_proper_number_is_none(pull: object) -> None:
    assert environment(VARIABLES, {"pull_request": pull}).pull is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["pull_request", "workflow_run"]), json_values),
    st.dictionaries(st.sampled_from(["number", "head", "id", "head_repository"]), json_values),
    st.sampled_from(["pull_request", "workflow_run"]),
)
def test_no_event_makes_a_traceback(event: Any, inside: Any, name: str) -> None:
    named = VARIABLES | {"GITHUB_EVENT_NAME": name}
    environment(named, event)
    environment(named, {name: inside})


@pytest.mark.parametrize("name", ["GITHUB_API_URL", "GITHUB_SERVER_URL"])
def test_an_address_that_is_none_is_named_with_what_to_do(name: str) -> None:
    with pytest.raises(MalformedEnvironmentError, match=f"{name} is no plain .* Leave it"):
        environment({name: "ftp://user:secret@x"}, {})


def test_the_event_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "event é.json"
    path.write_text(json.dumps({"pull_request": PULL}), encoding="utf-8")
    assert read_environment(VARIABLES | {"GITHUB_EVENT_PATH": str(path)}).pull == 7


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "is not JSON"),
        (b"[]", "holds no JSON object"),
        (b" " * 101, "is over 100 bytes"),
    ],
    ids=["cut", "not UTF-8", "deep", "a huge number", "a list", "too large"],
)
def test_an_event_file_that_cannot_be_used_is_said_with_what_to_do(
    data: bytes, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(data)
    if what == "is over 100 bytes":
        monkeypatch.setattr(module, "EVENT_LIMIT_BYTES", 100)
    with pytest.raises(MalformedEnvironmentError, match=f"{what}.*GITHUB_EVENT_PATH"):
        read_environment({"GITHUB_EVENT_PATH": str(path)})


def test_an_event_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(MalformedEnvironmentError, match="cannot be read"):
            read_environment({"GITHUB_EVENT_PATH": str(path)})
