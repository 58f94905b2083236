from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.e2e.act import BIN, ROOT, SHA, Act, copy_of_the_action
from tests.github.standin import GitHub

if TYPE_CHECKING:
    from pathlib import Path


def program(name: str) -> str:
    """A program of the test extra; missing, it is a fault where everything has to be there."""
    found = shutil.which(name, path=f"{BIN}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{name} is not installed; it is part of the test extra")
        pytest.skip(f"{name} is not installed")
    return found


@pytest.fixture(scope="session")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_the_action(tmp_path_factory.mktemp("action") / "contractlab")


@pytest.fixture(scope="session")
def uv_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheels of the lock, fetched once with whatever this machine needs for it."""
    folder = tmp_path_factory.mktemp("wheels")
    install = [program("uv"), "pip", "install", "--quiet", "--python", sys.executable]
    where = ["--target", str(folder / "once"), "--no-deps", "--require-hashes"]
    lock = ["--only-binary", ":all:", "-r", str(ROOT / "requirements-action.lock")]
    subprocess.run(
        [*install, *where, *lock], env={**os.environ, "UV_CACHE_DIR": str(folder)}, check=True
    )
    return folder


@pytest.fixture
def act(action: Path, uv_cache: Path, tmp_path: Path) -> Act:
    return Act(program("act"), action, tmp_path, uv_cache)


@pytest.fixture
def github() -> GitHub:
    github = GitHub()
    github.open_pull(7, SHA)
    return github
