"""What is seen at first sight: whether a file is a contract, and where the configuration is."""

# pathlib takes as long to load as a thousand cases to check:
# ruff: noqa: PTH118
from __future__ import annotations

import os

from contractlab import files

CONFIG = "contractlab.toml"

_ENDS = 64 * 1024
"""Bytes at each end of a file in which a contract names its `schema_version`."""

_KEY = b'"schema_version"'
_SPACE = b" \t\r\n"
_KINDS = (b'"eval-dataset-', b'"eval-rubric-', b'"eval-predictions-')


def is_contract(name: str) -> bool:
    """Whether a file says that it is a contract; one that cannot be read says nothing.

    Decided by the text, so that a contract that is no JSON is one, and other JSON costs next
    to nothing. UTF-16 counts too: it is refused with a reason.
    """
    try:
        both = files.ends(name, _ENDS)
    except Exception:  # ContractError, which takes long to load
        return False
    return any(_says_so(end.replace(b"\0", b"")) for end in both)


def _says_so(text: bytes) -> bool:
    for rest in text.split(_KEY)[1:]:
        before, colon, value = rest[:200].partition(b":")
        if colon and not before.strip(_SPACE) and value.lstrip(_SPACE).startswith(_KINDS):
            return True
    return False


def find_config() -> str | None:
    """The configuration file of the current folder or, inside a repository, of one above it."""
    if os.path.lexists(CONFIG):
        return CONFIG
    found = None
    folder = ""
    for _ in range(64):
        name = os.path.join(folder, CONFIG)  # a relative name is what reports show
        if found is None and os.path.lexists(name):
            found = name
        if os.path.lexists(os.path.join(folder, ".git")):
            return found
        folder = os.path.join("..", folder)
    return None  # outside of a repository, a folder above may be anyone's
