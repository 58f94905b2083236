"""An environment for the gate, from the lock; runs before anything is installed: stdlib only.

Every child process gets an absolute path, a folder of ours to stand in and no PYTHON* variable:
uv reads settings from the folder it stands in and those above, Python imports from it, and
Windows looks for programs there first. In the caller's checkout all three are an outsider's.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from contractlab.action.tools import find_tool
from contractlab.github.environment import runner_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contractlab.action.console import Console

LOCK = Path(__file__).resolve().parents[2] / "requirements-action.lock"
_TIMEOUT_S = 600
_SAFE = ("--require-hashes", "--only-binary", ":all:", "--no-deps", "-r")


def run(variables: Mapping[str, str], console: Console) -> int:
    """Installs into RUNNER_TEMP and gives the interpreter to use from then on.

    Outputs `python` at once, so that a failed installation can still be told on the pull
    request (which needs the stdlib only), and `ready` once the lock is installed.
    """
    console.outputs({"python": sys.executable})
    temp = (runner_files(variables).temp or Path()).resolve()
    folder = temp / _folder_name()
    try:
        python = _installed(folder, temp, variables, console)
    except (OSError, subprocess.SubprocessError) as error:
        console.untrusted(str(error))
        console.error(
            "Nothing was judged: the packages of requirements-action.lock could not be installed."
            " The log of this step has the reason; a mirror is named with UV_DEFAULT_INDEX or"
            " PIP_INDEX_URL."
        )
        return 1
    console.outputs({"python": str(python), "ready": "true"})
    return 0


def _folder_name() -> str:
    """Names an environment by what is in it, so that a second use in one job finds it again."""
    state = hashlib.sha256(LOCK.read_bytes())
    state.update(f"{sys.version} {sys.executable}".encode("utf-8", "surrogateescape"))
    return f"contractlab-{state.hexdigest()[:16]}"


def _installed(folder: Path, temp: Path, variables: Mapping[str, str], console: Console) -> Path:
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "complete"
    if done.is_file():
        return python
    for command in _commands(folder, python, variables):
        ended = subprocess.run(  # noqa: S603 (absolute programs, fixed arguments)
            command,
            cwd=temp,
            env={name: each for name, each in variables.items() if not name.startswith("PYTHON")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_TIMEOUT_S,
            check=False,
        )
        console.untrusted(ended.stdout.decode("utf-8", "backslashreplace"))
        ended.check_returncode()
    done.touch()
    return python


def _commands(
    folder: Path, python: Path, variables: Mapping[str, str]
) -> Sequence[Sequence[str | Path]]:
    """What makes the environment: uv where it is on PATH (some 3 s), else Python's own (30 s)."""
    host = sys.executable
    uv = find_tool("uv", variables)
    if uv is not None:
        return (
            (uv, "venv", "--quiet", "--clear", "--no-project", "--python", host, folder),
            (uv, "pip", "install", "--quiet", "--python", python, *_SAFE, LOCK),
        )
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    make = (host, "-I", "-m", "venv", "--clear", "--without-pip", folder)
    if find_spec("pip") is not None:  # one that is there is quicker than one to unpack
        return make, (host, "-I", "-m", "pip", "--python", python, "install", *quiet, *_SAFE, LOCK)
    return (
        make,
        (python, "-I", "-m", "ensurepip"),
        (python, "-I", "-m", "pip", "install", *quiet, *_SAFE, LOCK),
    )
