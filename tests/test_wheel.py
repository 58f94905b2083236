"""The package as users get it: a wheel, installed elsewhere, run from elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--wheel-dir", str(folder), str(ROOT)], cwd=folder)
    (built,) = folder.glob("contractlab-*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elsewhere") / "an environment"
    venv.create(folder, with_pip=True)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(scripts / "python"), "-m", "pip", "install", "--quiet"]
    _run([*pip, "--disable-pip-version-check", str(wheel)], cwd=folder)
    return scripts


def _run(command: list[str], *, cwd: Path, expected: int = 0) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=cwd, env=clean, check=False, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == expected, done.stdout + done.stderr
    return done


def test_the_wheel_carries_schemas_rule_pages_licences_and_nothing_of_the_tests(
    wheel: Path,
) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    assert {f"contractlab/schemas/{path.name}" for path in (ROOT / "schemas").iterdir()} <= names
    assert {
        f"contractlab/{name}" for name in ("rules.md", "default-rubric.md", "py.typed")
    } <= names
    assert {Path(name).name for name in names if "/licenses/" in name} == {
        "LICENSE",
        "UNICODE-LICENSE.txt",
    }
    assert not [name for name in names if name.startswith(("tests/", "fixtures/", "tools/"))]


def test_the_installed_command_judges_the_fixtures_from_another_folder(
    scripts: Path, tmp_path: Path
) -> None:
    command = [str(scripts / "contractlab"), "compare", "--config", str(ROOT / "contractlab.toml")]

    assert "BLOCK" in _run(command, cwd=tmp_path, expected=1).stdout


def test_the_installed_command_explains_a_rule(scripts: Path, tmp_path: Path) -> None:
    shown = _run([str(scripts / "contractlab"), "explain", "CL301"], cwd=tmp_path).stdout

    assert shown.startswith("## CL301 family-leakage\n")


def test_the_installed_package_runs_isolated_as_a_module(scripts: Path, tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    python = str(scripts / "python")

    shown = _run([python, "-I", "-m", "contractlab", "version"], cwd=tmp_path).stdout

    assert shown.startswith("contractlab ")


def test_the_source_package_has_all_that_a_wheel_is_built_of() -> None:
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"][
        "build"
    ]["targets"]
    for source in (*targets["wheel"]["force-include"], *targets["wheel"]["packages"]):
        assert f"/{source}" in targets["sdist"]["include"]
