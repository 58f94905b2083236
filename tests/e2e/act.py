"""Real workflow runs on this machine: act executes the steps, the stand-in is GitHub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PIN = "0123456789abcdef0123456789abcdef01234567"
REMOTE = f"acme/contractlab@{PIN}"
CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1"
SHA = "a" * 40
# Long and like nothing else: act masks a secret wherever it stands in the log.
TOKEN = "ghs_end0to0end0token0end0to0end0token"
# What the Action is made of, and nothing else of this repository.
PARTS = ("action.yml", "requirements-action.lock", "contractlab", "schemas")
STEP = "gate"


@dataclass(frozen=True)
class Ran:
    """A workflow run: what act recorded, and its exit code."""

    code: int
    records: list[dict[str, Any]]
    text: str

    @property
    def outputs(self) -> dict[str, str]:
        """Outputs of the step that uses the Action."""
        return {
            each["name"]: each["arg"]
            for each in self.records
            if each.get("command") == "set-output" and each.get("stepID") == [STEP]
        }

    @property
    def summary(self) -> str:
        found = [each["content"] for each in self.records if each.get("command") == "summary"]
        return "".join(found)

    def commands(self, name: str) -> list[dict[str, Any]]:
        """The commands of a kind that the runner obeyed, such as `error`."""
        return [each for each in self.records if each.get("command") == name]

    @property
    def seconds(self) -> dict[str, float]:
        """How long each step of the Action took."""
        return {
            each["stepID"][1]: each["executionTime"] / 1e9
            for each in self.records
            if len(each.get("stepID", ())) == 2 and "executionTime" in each
        }


class Act:
    """One repository in a folder, and the machine that its workflows run on."""

    def __init__(self, program: str, action: Path, folder: Path, uv_cache: Path) -> None:
        self.program = program
        self.action = action
        self.folder = folder
        self.uv_cache = uv_cache
        self.checkout = folder / "checkout"
        self.checkout.mkdir(parents=True)
        self._git("init", "-q", "-b", "main")
        self._git("remote", "add", "origin", "https://github.com/acme/agent")

    def workflow(
        self,
        inputs: Mapping[str, str],
        *,
        uses: str = REMOTE,
        before: str = "",
        after: str = "",
        job_env: Mapping[str, str] | None = None,
    ) -> None:
        """Writes the workflow: checkout, the Action with these inputs, and more steps."""
        steps: list[dict[str, Any]] = [{"uses": CHECKOUT}]
        steps += [{"run": before}] if before else []
        steps += [{"id": STEP, "uses": uses, "with": dict(inputs)}]
        steps += [{"run": after, "if": "always()"}] if after else []
        job = {"runs-on": "ubuntu-latest", "env": dict(job_env or {}), "steps": steps}
        events = ["pull_request", "workflow_run"]
        path = self.checkout / ".github" / "workflows" / "gate.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"on": events, "jobs": {"job": job}}), encoding="utf-8")

    def run(
        self,
        api_url: str,
        *,
        event_name: str = "pull_request",
        event: Mapping[str, Any] | None = None,
        token: str = TOKEN,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        """Runs the workflow on what is in the checkout now."""
        self._git("add", "-A", "-f")
        self._git("commit", "-qm", "change", "--allow-empty")
        path = self.folder / "event.json"
        path.write_text(json.dumps(event or pull_request()), encoding="utf-8")
        command = [self.program, event_name, "-W", ".github/workflows/gate.yml", "-e", path]
        command += ["-P", "ubuntu-latest=-self-hosted", "--pull=false", "--no-cache-server"]
        command += ["--action-offline-mode", "--defaultbranch", "main", "--json"]
        command += ["--action-cache-path", self.folder / "cache"]
        command += ["--local-repository", f"{REMOTE}={self.action}"]
        command += ["--env", f"GITHUB_API_URL={api_url}", "-s", f"GITHUB_TOKEN={token}"]
        for name, value in (env or {}).items():
            command += ["--env", f"{name}={value}"]
        done = subprocess.run(
            [str(each) for each in command],
            cwd=self.checkout,
            env=self._machine(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        text = done.stdout.decode()
        lines = [line for line in text.splitlines() if line.startswith("{")]
        return Ran(done.returncode, [json.loads(line) for line in lines], text)

    def _machine(self) -> dict[str, str]:
        # act hands its own environment on to the steps: only what a runner has.
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        kept = {name: each for name, each in os.environ.items() if name.startswith("UV_")}
        return {
            **kept,
            "PATH": os.pathsep.join([str(BIN), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "UV_CACHE_DIR": str(self.uv_cache),
            "UV_OFFLINE": "1",
        }

    def _git(self, *arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.test", "-c", "core.hooksPath="]
        subprocess.run(
            ["git", *who, *arguments], cwd=self.checkout, check=True, capture_output=True
        )


def copy_of_the_action(folder: Path) -> Path:
    """What a user of the Action downloads, without caches."""
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / name, ignore=ignore)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder)
    return folder


def pull_request(**other: Any) -> dict[str, Any]:
    """The event of a pull request from the repository itself."""
    repo = {"full_name": "acme/agent"}
    head = {"sha": SHA, "ref": "change", "repo": repo, **other.pop("head", {})}
    base = {"ref": "main", "repo": repo}
    pull = {"number": 7, "title": "A change", "head": head, "base": base, **other}
    return {"number": 7, "pull_request": pull}


def workflow_run(**other: Any) -> dict[str, Any]:
    """The event of a run that a fork's pull request had started."""
    return {
        "workflow_run": {
            "id": 55,
            "run_attempt": 1,
            "event": "pull_request",
            "conclusion": "failure",
            "head_sha": SHA,
            "head_branch": "change",
            "head_repository": {"full_name": "forker/agent"},
            "pull_requests": [],
            **other,
        }
    }
