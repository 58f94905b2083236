"""A runner's step in this process: its environment, its files, and what it put out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from contractlab.action.console import Console
from contractlab.action.inputs import variable
from contractlab.github.environment import runner_files
from tests.builders import write_triple

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SHA = "a" * 40
TOKEN = "ghs_TOKENTOKENTOKENTOKENTOKENTOKENTOKEN"


@dataclass
class Step:
    """What a step left behind."""

    code: int
    outputs: dict[str, str]
    summary: str
    log: str

    @property
    def commands(self) -> list[str]:
        """The workflow commands that a runner would obey, in order."""
        obeyed, stopped = [], ""
        for line in self.log.split("\n"):
            stop = re.fullmatch(r"::stop-commands::(\w+)", line)
            if stop and not stopped:
                stopped = stop[1]
            elif stopped:
                stopped = "" if line == f"::{stopped}::" else stopped
            elif line.startswith("::"):
                obeyed.append(line)
        return obeyed


@dataclass
class Runner:
    """A job of one pull request, with a checkout, a temporary folder and an event."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[bytes]
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("workspace", "temp"):
            (self.folder / name).mkdir()
        self.variables |= {
            "GITHUB_REPOSITORY": "acme/agent",
            "GITHUB_RUN_ID": "100",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_SHA": "b" * 40,
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.folder / "temp"),
        }
        pull = {"number": 7, "title": "::error::title", "head": _head(), "base": _head()}
        self.event("pull_request", {"pull_request": pull})

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def event(self, name: str, value: Any) -> None:
        path = self.folder / "event.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        self.variables |= {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path)}

    def follows(self, **other: Any) -> None:
        """The event of a workflow that follows a run for the pull request."""
        run = {
            "id": 55,
            "run_attempt": 2,
            "event": "pull_request",
            "conclusion": "failure",
            "head_sha": SHA,
            "head_branch": "change",
            "head_repository": {"full_name": "forker/agent"},
            **other,
        }
        self.event("workflow_run", {"workflow_run": run})

    def contracts(self, **values: Any) -> None:
        """Writes three contracts into the checkout."""
        write_triple(self.workspace, **values)

    def step(self, name: str, inputs: dict[str, str] | None = None, **others: str) -> Step:
        """Runs a step in the checkout, with inputs by their names and other variables."""
        files = {
            "GITHUB_OUTPUT": self.folder / "output",
            "GITHUB_STEP_SUMMARY": self.folder / "summary",
        }
        for path in files.values():
            path.write_bytes(b"")
        variables = {
            **self.variables,
            **{key: str(path) for key, path in files.items()},
            **{variable(key): value for key, value in (inputs or {}).items()},
            **others,
        }
        self.monkeypatch.chdir(self.workspace)
        self.capture.readouterr()
        code = import_module(f"contractlab.action.{name}").run(
            variables, Console(runner_files(variables))
        )
        return Step(
            code,
            parse_outputs(files["GITHUB_OUTPUT"].read_bytes()),
            files["GITHUB_STEP_SUMMARY"].read_bytes().decode(),
            self.capture.readouterr().out.decode(),
        )


def gate_inputs(**other: str) -> dict[str, str]:
    """The contracts that `Runner.contracts` writes."""
    return {
        "dataset": "dataset.json",
        "rubric": "rubric.json",
        "predictions": "replay-*.json",
        **{name.replace("_", "-"): value for name, value in other.items()},
    }


def parse_outputs(data: bytes) -> dict[str, str]:
    """Outputs as the runner reads the file: delimited, the last of a name counts."""
    lines, outputs = data.decode().split("\n"), {}
    at = 0
    while at < len(lines) - 1:
        name, delimiter = lines[at].split("<<")
        end = lines.index(delimiter, at + 1)
        outputs[name] = "\n".join(lines[at + 1 : end])
        at = end + 1
    return outputs


def _head() -> dict[str, Any]:
    return {"sha": SHA, "ref": "change", "repo": {"full_name": "acme/agent"}}
