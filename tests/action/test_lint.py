"""Other people's linters on action.yml, the workflows, and every example of the docs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from contractlab.defaults import HOOK
from tests.action.documents import (
    ACTION_FILE,
    HOOK_DOCS,
    ROOT,
    WORKFLOWS,
    action,
    blocks,
    examples,
    load,
    scripts,
)

pytestmark = pytest.mark.once

BIN = Path(sys.executable).parent


def program(name: str) -> str:
    """A linter of the test extra; missing, it is a fault where everything has to be there."""
    found = shutil.which(name, path=f"{BIN}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{name} is not installed; it is part of the test extra")
        pytest.skip(f"{name} is not installed")
    return found


def passes(*command: str | Path, cwd: Path, **options: str) -> None:
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        check=False,
        capture_output=True,
        encoding="utf-8",
        **options,  # type: ignore[call-overload]
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the examples as workflows, using action.yml from beside them."""
    folder = tmp_path_factory.mktemp("examples")
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    shutil.copy(ACTION_FILE, folder)
    for path in WORKFLOWS:
        shutil.copy(path, workflows)
    for index, text in enumerate(examples()):
        (workflows / f"example-{index}.yml").write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def test_zizmors_auditor_has_nothing_to_say(repository: Path) -> None:
    command = [program("zizmor"), "--offline", "--no-progress", "--persona=auditor"]
    passes(*command, "--collect=all", ".", cwd=repository)


def test_actionlint_knows_every_input_and_event(repository: Path, tmp_path: Path) -> None:
    workflows = tmp_path / ".github" / "workflows"
    shutil.copytree(repository, tmp_path, dirs_exist_ok=True)
    for path in workflows.iterdir():
        text = path.read_text(encoding="utf-8")
        local = text.replace("OWNER/contractlab@0123456789abcdef0123456789abcdef01234567", "./")
        path.write_text(local, encoding="utf-8")
    passes(program("actionlint"), "-shellcheck", program("shellcheck"), cwd=tmp_path)


def test_actionlint_would_find_an_input_that_there_is_not(repository: Path, tmp_path: Path) -> None:
    shutil.copytree(repository, tmp_path, dirs_exist_ok=True)
    workflow = tmp_path / ".github" / "workflows" / "wrong.yml"
    workflow.write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - uses: ./\n        with:\n          datset: x\n",
        encoding="utf-8",
    )
    with pytest.raises(AssertionError, match="datset"):
        passes(program("actionlint"), workflow, cwd=tmp_path)


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("vendor.github-actions", "action.yml"),
        ("vendor.github-workflows", ".github/workflows/*.yml"),
    ],
)
def test_github_own_schemas_hold(repository: Path, schema: str, pattern: str) -> None:
    files = sorted(repository.glob(pattern))
    assert files
    command = [program("check-jsonschema"), "--builtin-schema", schema]
    passes(*command, *files, cwd=repository)


@pytest.mark.parametrize("name", [".pre-commit-config.yaml", ".pre-commit-hooks.yaml"])
def test_the_hooks_files_hold_pre_commits_own_rules(name: str) -> None:
    kind = "validate-config" if "config" in name else "validate-manifest"
    passes(program("pre-commit"), kind, name, cwd=ROOT)


@pytest.mark.parametrize("text", [blocks(HOOK_DOCS)[0], HOOK], ids=["docs", "init"])
def test_the_hook_examples_are_configurations(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    passes(program("pre-commit"), "validate-config", path, cwd=tmp_path)


def test_shellcheck_accepts_every_script(tmp_path: Path) -> None:
    documents = [action(), *(load(path.read_text(encoding="utf-8")) for path in WORKFLOWS)]
    found = [
        each for document in [*documents, *map(load, examples())] for each in scripts(document)
    ]
    for index, (shell, script) in enumerate(found):
        assert shell == "bash", json.dumps(script)
        (tmp_path / f"{index}.sh").write_text(f"set -eo pipefail\n{script}\n", encoding="utf-8")
    files = sorted(tmp_path.glob("*.sh"))
    assert len(files) == len(found) > 5
    passes(program("shellcheck"), "--shell=bash", *files, cwd=tmp_path)
