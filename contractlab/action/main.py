"""One step by its name, and what becomes of a crash in it."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from contractlab.action.console import Console
from contractlab.github.environment import runner_files

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS = ("setup", "gate", "comment", "verdict")


def main(argv: Sequence[str]) -> int:
    """Runs one step of the Action: 0, or 1 where the step failed."""
    console = Console(runner_files(os.environ))
    try:
        (name,) = argv
        if name not in STEPS:
            raise ValueError(f"no step is named {name!r}")
        # One at a time: the first runs before there is anything to import but the stdlib.
        return int(import_module(f"contractlab.action.{name}").run(os.environ, console))
    except Exception as error:  # a crash decides nothing, and the verdict fails closed
        console.crashed(error)
        return 1
