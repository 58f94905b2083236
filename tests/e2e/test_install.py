"""The Action's own scripts, run by bash: from a path with spaces, without uv, with a wrong hash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.action.documents import action as action_file
from tests.action.runner import parse_outputs
from tests.e2e.act import BIN, ROOT, copy_of_the_action

pytestmark = pytest.mark.once

BASH = shutil.which("bash")
SCRIPTS = {step["id"]: step["run"] for step in action_file()["runs"]["steps"]}


class Machine:
    """A runner with the Action in a folder whose name has a space and an umlaut."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.action = copy_of_the_action(folder / "the áction")
        self.temp = folder / "runner temp"
        self.temp.mkdir()
        self.checkout = folder / "check out"
        shutil.copytree(ROOT / "fixtures" / "valid", self.checkout)
        shutil.copytree(ROOT / "runs", self.checkout / "runs")

    def step(self, name: str, **variables: str) -> tuple[int, dict[str, str], str]:
        """Runs a step's script: exit code, outputs, log."""
        if BASH is None:
            pytest.skip("bash is not installed")
        output = self.folder / "output"
        output.write_bytes(b"")
        done = subprocess.run(
            [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", SCRIPTS[name]],
            cwd=self.checkout,
            env={
                **os.environ,
                "GITHUB_ACTION_PATH": str(self.action),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_WORKSPACE": str(self.checkout),
                "GITHUB_EVENT_NAME": "push",
                "GITHUB_EVENT_PATH": "",
                "RUNNER_TEMP": str(self.temp),
                "CL_PYTHON_PATH": sys.executable,
                **variables,
            },
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.returncode, parse_outputs(output.read_bytes()), done.stdout.decode()

    def judged(self, python: str) -> str:
        """The decision of the gate on the teaching contracts, by this interpreter."""
        files = {"CL_DATASET": "dataset.json", "CL_RUBRIC": "rubric.json"}
        runs = "runs/baseline.json\nruns/candidate-pass.json"
        code, outputs, log = self.step("gate", CL_PYTHON=python, CL_PREDICTIONS=runs, **files)
        assert code == 0, log
        return outputs["decision"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def path_without_uv() -> str:
    folders = os.environ["PATH"].split(os.pathsep)
    name = "uv.exe" if os.name == "nt" else "uv"
    return os.pathsep.join(each for each in folders if not Path(each, name).exists())


def test_with_uv_and_a_second_time_from_what_is_there(machine: Machine) -> None:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    code, first, log = machine.step("setup", PATH=path)
    assert (code, first["ready"]) == (0, "true"), log
    assert Path(first["python"]).is_relative_to(machine.temp)
    assert machine.judged(first["python"]) == "PASS"
    # Nothing to install any more, so nothing to install it with.
    _, second, _ = machine.step("setup", UV_OFFLINE="1", UV_CACHE_DIR=str(machine.folder / "no"))
    assert second == first


def test_without_uv_python_alone_is_enough(machine: Machine) -> None:
    code, outputs, log = machine.step("setup", PATH=path_without_uv())
    assert (code, outputs.get("ready")) == (0, "true"), log
    assert machine.judged(outputs["python"]) == "PASS"


def test_a_wheel_of_another_hash_is_not_installed(machine: Machine) -> None:
    lock = machine.action / "requirements-action.lock"
    text = lock.read_text(encoding="utf-8")
    at = text.index("attrs==")
    end = text.index("\njiter==")
    forged = "attrs==26.1.0 --hash=sha256:" + "0" * 64
    lock.write_text(text[:at] + forged + text[end:], encoding="utf-8")
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    code, outputs, log = machine.step("setup", PATH=path)
    assert code == 1
    assert "ready" not in outputs
    assert "hash" in log.lower()


def test_the_verdict_after_it_fails_the_job(machine: Machine) -> None:
    code, outputs, _ = machine.step(
        "verdict", CL_PYTHON=sys.executable, CL_FAIL_ON="never", CL_DECISION=""
    )
    assert code == 1
    assert outputs["decision"] == "ERROR"
