"""Texts that were looked at once and must not change unseen."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "golden"


def reviewed(name: str, text: str) -> str:
    """What a file of `tests/golden` says.

    Args:
        name: of the file.
        text: written there first where UPDATE_GOLDENS is 1, to be looked at.
    """
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDENS") == "1":
        FOLDER.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    return path.read_bytes().decode().replace("\r\n", "\n")
