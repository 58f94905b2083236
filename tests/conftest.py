"""The command line as a process, in the mode that the tests themselves run in.

Every test holds in four modes, one run each:

    python -m pytest
    python -O -m pytest
    python -W error -m pytest
    python -O -W error -m pytest

pytest turns the asserts of test modules into `if ...: raise AssertionError`, so they are
executed under -O too (a test below `tests/` proves it of its run); those of contractlab,
which has none, would not be. Child processes get the same flags.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# The machines that run this are shared and slow at times: no example has a deadline.
settings.register_profile(
    "contractlab", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("contractlab")

PYTHON_FLAGS = ["-O"] * sys.flags.optimize + [f"-W{option}" for option in sys.warnoptions]
"""The flags of the interpreter that runs the tests."""

Run = subprocess.CompletedProcess[bytes]


@pytest.fixture(scope="session")
def python_flags() -> list[str]:
    return PYTHON_FLAGS


def run_contractlab(*arguments: str | Path, env: dict[str, str] | None = None, **other: Any) -> Run:
    """Runs `python -I -m contractlab`; a test that hangs is ended after a minute.

    Args:
        arguments: of the command line.
        env: variables set beside those of the tests.
        other: of `subprocess.run`, such as `cwd`, `input` or `stdout`.
    """
    streams = {} if "stdout" in other or "stderr" in other else {"capture_output": True}
    return subprocess.run(
        [sys.executable, *PYTHON_FLAGS, "-I", "-m", "contractlab", *map(str, arguments)],
        env={**os.environ, **(env or {})},
        check=False,
        **{"timeout": 60, "stdin": subprocess.DEVNULL, **streams, **other},
    )


@pytest.fixture(scope="session")
def contractlab() -> Callable[..., Run]:
    return run_contractlab
