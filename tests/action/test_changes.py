from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from contractlab.action.changes import changed_files
from tests.action.runner import Runner, gate_inputs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

ENV = {
    **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.test"),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=ENV, check=True, capture_output=True)


def merge(folder: Path, files: dict[str, str], changes: dict[str, str]) -> None:
    """A checkout as a pull request has it: a merge of the base branch and its head."""
    git(folder, "init", "-q", "-b", "main")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    git(folder, "checkout", "-qb", "change")
    for name, text in changes.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "head", "--allow-empty")
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change")


def test_what_a_pull_request_changes_of_its_gate_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge(tmp_path, {"a b.json": "1", "rubric.json": "1"}, {"a b.json": "2", "new.json": "3"})
    monkeypatch.chdir(tmp_path)
    names = ["a b.json", "rubric.json", "new.json"]
    assert changed_files(names, ENV) == ("a b.json", "new.json")


def test_without_history_or_git_nothing_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rubric.json").write_text("1", encoding="utf-8")
    assert changed_files(["rubric.json"], ENV) == ()
    assert changed_files(["rubric.json"], {"PATH": ""}) == ()
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "only")
    assert changed_files(["rubric.json"], ENV) == ()


def test_the_report_says_so_in_its_first_lines(runner: Runner) -> None:
    runner.contracts()
    files = {each.name: each.read_text(encoding="utf-8") for each in runner.workspace.iterdir()}
    merge(runner.workspace, {**files, "rubric.json": "{}"}, {"rubric.json": files["rubric.json"]})
    step = runner.step("gate", gate_inputs(), PATH=ENV["PATH"])
    assert "changes its own gate:** `rubric.json` differs" in step.summary
