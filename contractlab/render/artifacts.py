"""Files and places in them, as SARIF names them."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from contractlab.evidence import InputFile
    from contractlab.problems import Position

ROOT = "%SRCROOT%"
"""The repository, wherever it is checked out."""


@cache  # a report names few files, and each many times
def uri(name: str) -> str:
    """A file name as a URI: relative as it was given, or a `file:` one where it is absolute."""
    name = name.replace("\\", "/")
    encoded = name.encode("utf-8", "backslashreplace")
    if re.match(r"[A-Za-z]:/", name):
        return f"file:///{quote(encoded, safe='/:')}"
    if name.startswith("/"):
        return f"file://{quote(encoded)}"
    return quote(posixpath.normpath(encoded))


def artifact_location(name: str) -> dict[str, Any]:
    """A file; a relative one is relative to the repository."""
    found = uri(name)
    return {"uri": found} if found.startswith("file:") else {"uri": found, "uriBaseId": ROOT}


def artifact(file: InputFile) -> dict[str, Any]:
    """An input file with its size and digest."""
    return {
        "location": artifact_location(file.name),
        "length": file.byte_count,
        "hashes": {"sha-256": file.sha256},
        "description": {"text": file.role},
    }


def location(name: str, position: Position | None) -> dict[str, Any]:
    """A place in a file; the first line where it is not known, since GitHub asks for one."""
    region = {"startLine": 1}
    if position is not None:
        region = {"startLine": position.line, "startColumn": position.column}
    return {"physicalLocation": {"artifactLocation": artifact_location(name), "region": region}}


def automation(dataset: str) -> str:
    """The id that keeps the alerts of several agents in one repository apart.

    What stands before the last slash is the category; nothing stands behind it, so that
    every run of one dataset replaces the alerts of the run before.
    """
    return f"contractlab/{uri(dataset)}/" if dataset else "contractlab/"
