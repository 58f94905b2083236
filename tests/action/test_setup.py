from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.action import setup
from contractlab.action.tools import find_tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.action.runner import Runner

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements-action.lock").read_text(encoding="utf-8")


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name + (".exe" if os.name == "nt" else ""))
    path.write_bytes(b"")
    path.chmod(0o755)
    return path


def test_a_program_is_looked_for_in_absolute_folders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "checkout", "uv")
    monkeypatch.chdir(tmp_path / "checkout")
    here = os.pathsep.join(["", ".", "checkout"])
    assert find_tool("uv", {"PATH": here}) is None
    real = program(tmp_path / "bin", "uv")
    assert find_tool("uv", {"PATH": f"{here}{os.pathsep}{tmp_path / 'bin'}"}) == real


@pytest.mark.parametrize("with_uv", [True, False])
def test_every_way_to_install_takes_only_wheels_of_known_hashes(
    tmp_path: Path, with_uv: bool
) -> None:
    if with_uv:
        program(tmp_path, "uv")
    commands = setup._commands(tmp_path / "env", tmp_path / "python", {"PATH": str(tmp_path)})
    installs = [list(map(str, each)) for each in commands if "install" in each]
    assert len(installs) == 1
    for option in ("--require-hashes", "--only-binary", "--no-deps"):
        assert option in installs[0]
    assert all(Path(each[0]).is_absolute() for each in commands)
    for each in commands:
        if Path(str(each[0])).name.startswith("python"):
            assert each[1] == "-I"


def test_children_stand_outside_the_checkout_and_get_no_python_variable(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []

    def run(command: Sequence[Any], **options: Any) -> subprocess.CompletedProcess[bytes]:
        seen.append(options)
        Path(runner.folder / "temp", setup._folder_name()).mkdir(exist_ok=True)
        return subprocess.CompletedProcess(list(command), 0, b"")

    monkeypatch.setattr("contractlab.action.setup.subprocess.run", run)
    step = runner.step("setup", PATH="", PYTHONPATH="x", PYTHONSTARTUP="y", PIP_INDEX_URL="z")
    assert step.outputs["ready"] == "true"
    assert seen
    for options in seen:
        assert options["cwd"] == (runner.folder / "temp").resolve()
        assert not [name for name in options["env"] if name.startswith("PYTHON")]
        assert options["env"]["PIP_INDEX_URL"] == "z"


def test_a_failed_installation_leaves_a_python_to_say_so_and_is_not_ready(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: Sequence[Any], **_: Any) -> subprocess.CompletedProcess[bytes]:
        said = b"THESE PACKAGES DO NOT MATCH THE HASHES\n::error::x\n"
        return subprocess.CompletedProcess(list(command), 1, said)

    monkeypatch.setattr("contractlab.action.setup.subprocess.run", run)
    step = runner.step("setup", PATH="")
    assert step.code == 1
    assert step.outputs == {"python": sys.executable}
    assert "DO NOT MATCH" in step.log
    assert len(step.commands) == 1


def test_setup_comment_and_verdict_need_the_standard_library_only() -> None:
    # -S: no site-packages. A machine where nothing could be installed still has to be told.
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import contractlab.action.setup, contractlab.action.comment, contractlab.action.verdict\n"
        "import contractlab.action.main\n"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code, str(ROOT)], check=True)


def test_the_lock_has_every_dependency_that_the_action_uses_and_only_hashes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = dict(re.findall(r"([\w.-]+)>=([\d.]+)", " ".join(project["dependencies"])))
    locked = dict(re.findall(r"^([\w.-]+)==([\d.]+)", LOCK, re.MULTILINE))
    assert bounds.keys() - locked.keys() == {"backports.zstd", "typer"}
    for name in bounds.keys() & locked.keys():
        assert _parts(locked[name]) >= _parts(bounds[name])
    entries = re.split(r"\n(?=\w)", LOCK.partition("\n")[2].rstrip())
    assert len(entries) == len(locked)
    for entry in entries:
        assert re.fullmatch(
            r"[\w.-]+==[\w.]+( ; [^\\]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+", entry
        )


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
