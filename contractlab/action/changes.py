"""Whether a pull request changes the files that judge it, asked of git."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from contractlab.action.tools import find_tool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_TIMEOUT_S = 30


def changed_files(names: Sequence[str], variables: Mapping[str, str]) -> tuple[str, ...]:
    """Those of the files that differ from the base branch; none where that cannot be told.

    A pull request's checkout is a merge whose first parent is the base branch. The parents
    are there only if the checkout fetched them (`fetch-depth: 2`).
    """
    git = find_tool("git", variables)
    if git is None:
        return ()
    # Outside of a repository `git diff` would compare two files instead.
    if _asked(git, variables, "rev-parse", "--verify", "--quiet", "HEAD^2") != 0:
        return ()
    options = ("--no-ext-diff", "--no-textconv", "--quiet", "HEAD^1", "--")
    return tuple(
        name
        for name in names
        if _asked(git, variables, "diff", *options, os.path.realpath(name)) == 1
    )


def _asked(git: Path, variables: Mapping[str, str], *arguments: str) -> int | None:
    """The exit code of git, or None where it gave none."""
    try:
        ended = subprocess.run(  # noqa: S603 (an absolute program; names follow --)
            [git, *arguments],
            env={name: each for name, each in variables.items() if not name.startswith("GIT_")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return ended.returncode
