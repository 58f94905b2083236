"""What the runner says of this run; the only module that reads ``GITHUB_*`` and ``RUNNER_*``.

A value that is missing or has another shape than GitHub gives it is None: whoever needs it says
so. What is there but cannot be used at all (the API address, the event file) is a
MalformedEnvironmentError with what to do. The event is untrusted: titles and branch names are an
outsider's, and nothing of it is taken but what stands in ``Environment``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from contractlab.github.addresses import api_base
from contractlab.github.answers import at, number_at, text_at
from contractlab.github.marker import SHA, Run

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENT_LIMIT_BYTES = 32 * 1024 * 1024
"""GitHub caps a webhook's payload at 25 MB."""

_REPOSITORY = re.compile(r"[A-Za-z0-9_-]{1,100}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_NUMBER = re.compile(r"[0-9]{1,15}")
_BRANCH_LIMIT = 1_000


class MalformedEnvironmentError(Exception):
    """Something that the runner gives cannot be used; the text says what, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerFiles:
    """Where a step may write; None where the runner names no place."""

    output: Path | None = None
    summary: Path | None = None
    temp: Path | None = None
    """A folder, emptied after the job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRun:
    """The run that a ``workflow_run`` workflow follows."""

    run: Run | None
    event: str | None
    """What had started it, ``pull_request`` as a rule."""
    head_sha: str | None
    head_branch: str | None
    """Untrusted: a fork may name its branches anything."""
    head_repository: str | None
    """owner/name; None where the fork is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One workflow run, as far as the gate and its comment need to know it."""

    api_url: str = "https://api.github.com"
    """Without a slash at its end; with /api/v3 on GitHub Enterprise Server."""
    server_url: str = "https://github.com"
    repository: str | None = None
    event_name: str | None = None
    run: Run | None = None
    head_sha: str | None = None
    """The commit that is judged: the pull request's head, not the merge commit GITHUB_SHA."""
    pull: int | None = None
    workflow_run: WorkflowRun | None = None
    workspace: Path | None = None

    @property
    def run_url(self) -> str | None:
        """The run's page, where the summary is."""
        if self.run is None or self.repository is None:
            return None
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run.id}"


def runner_files(variables: Mapping[str, str]) -> RunnerFiles:
    """The files of ``variables``; apart from all else, so that what is malformed can be told."""
    return RunnerFiles(
        output=_path(variables, "GITHUB_OUTPUT"),
        summary=_path(variables, "GITHUB_STEP_SUMMARY"),
        temp=_path(variables, "RUNNER_TEMP"),
    )


def read_environment(variables: Mapping[str, str]) -> Environment:
    """The environment of ``variables`` (``os.environ``) and the event file that they name.

    Raises:
        MalformedEnvironmentError: the API address, or the event file, cannot be used.
    """
    path = _path(variables, "GITHUB_EVENT_PATH")
    return environment(variables, {} if path is None else _read_event(path))


def environment(variables: Mapping[str, str], event: object) -> Environment:
    """The same from an event already read; ``{}`` where there is none."""
    event_name = variables.get("GITHUB_EVENT_NAME") or None
    pull = at(event, "pull_request")
    followed = at(event, "workflow_run") if event_name == "workflow_run" else None
    workflow_run = None if followed is None else _workflow_run(followed)
    if isinstance(pull, dict):
        head_sha = _sha(text_at(pull, "head", "sha"))
    elif workflow_run is not None:
        head_sha = workflow_run.head_sha
    else:
        head_sha = _sha(variables.get("GITHUB_SHA"))
    return Environment(
        api_url=_url(variables, "GITHUB_API_URL", "https://api.github.com"),
        server_url=_url(variables, "GITHUB_SERVER_URL", "https://github.com"),
        repository=_repository(variables.get("GITHUB_REPOSITORY")),
        event_name=event_name,
        run=_run(
            _number(variables.get("GITHUB_RUN_ID")), _number(variables.get("GITHUB_RUN_ATTEMPT"))
        ),
        head_sha=head_sha,
        pull=number_at(pull, "number"),
        workflow_run=workflow_run,
        workspace=_path(variables, "GITHUB_WORKSPACE"),
    )


def _workflow_run(value: object) -> WorkflowRun:
    branch = text_at(value, "head_branch")
    return WorkflowRun(
        run=_run(number_at(value, "id"), number_at(value, "run_attempt")),
        event=text_at(value, "event"),
        head_sha=_sha(text_at(value, "head_sha")),
        head_branch=branch if branch and len(branch) <= _BRANCH_LIMIT else None,
        head_repository=_repository(text_at(value, "head_repository", "full_name")),
    )


def _read_event(path: Path) -> object:
    advice = "It is the file that GITHUB_EVENT_PATH names and the runner writes; unset it outside."
    try:
        with path.open("rb") as file:
            data = file.read(EVENT_LIMIT_BYTES + 1)
    except (OSError, ValueError):
        raise MalformedEnvironmentError(f"The event file cannot be read. {advice}") from None
    if len(data) > EVENT_LIMIT_BYTES:
        raise MalformedEnvironmentError(
            f"The event file is over {EVENT_LIMIT_BYTES:,} bytes. {advice}"
        )
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise MalformedEnvironmentError(f"The event file is not JSON. {advice}") from None
    if not isinstance(event, dict):
        raise MalformedEnvironmentError(f"The event file holds no JSON object. {advice}")
    return event


def _url(variables: Mapping[str, str], name: str, default: str) -> str:
    text = variables.get(name) or default
    base = api_base(text)
    if base is None:
        raise MalformedEnvironmentError(
            f"{name} is no plain http or https address. Leave it as the runner sets it."
        )
    return base


def _path(variables: Mapping[str, str], name: str) -> Path | None:
    text = variables.get(name, "")
    return Path(text) if text and "\0" not in text else None


def _repository(text: str | None) -> str | None:
    return text if text is not None and _REPOSITORY.fullmatch(text) else None


def _sha(text: str | None) -> str | None:
    return text if text is not None and SHA.fullmatch(text) else None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and _NUMBER.fullmatch(text) and int(text) > 0 else None


def _run(number: int | None, attempt: int | None) -> Run | None:
    return None if number is None else Run(number, attempt or 1)
