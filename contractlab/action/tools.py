"""Programs by their absolute path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def find_tool(name: str, variables: Mapping[str, str]) -> Path | None:
    """The program of this name in an absolute folder of PATH, or None.

    Not `shutil.which`: on Windows it looks in the current folder first, which is a checkout.
    """
    ending = ".exe" if os.name == "nt" else ""
    for folder in variables.get("PATH", "").split(os.pathsep):
        found = Path(folder, name + ending)
        if found.is_absolute() and found.is_file() and os.access(found, os.X_OK):
            return found
    return None
