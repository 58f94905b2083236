"""What is seen at first sight: what is a contract or a pattern, where the configuration is."""

# pathlib takes as long to load as a thousand cases to check:
# ruff: noqa: PTH118
from __future__ import annotations

import os

from contractlab import files

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Iterable

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from typing import Any

CONFIG = "contractlab.toml"

_ENDS = 64 * 1024
"""Bytes at each end of a file in which a contract names its `schema_version`."""

_KEYS = (b'"schema_version"', b'"schema-version"', b'"schemaversion"')
_SPACE = b" \t\r\n"
_MAGIC = frozenset("*?[")  # what glob.has_magic looks for
_KINDS = (b'"eval-dataset', b'"eval-rubric', b'"eval-prediction')
"""In small letters, with dashes for underscores: a misspelling must not turn the check off."""


def has_pattern(names: Iterable[str]) -> bool:
    """Whether one of the names may stand for several files."""
    return not _MAGIC.isdisjoint("".join(names))


def is_contract(name: str) -> bool:
    """Whether a file says that it is a contract; one that cannot be read says nothing.

    Decided by the text, so that a contract that is no JSON is one, and other JSON costs next
    to nothing. UTF-16 counts too: it is refused with a reason. Of JSON Lines only the first
    line counts, which is the header; the others may hold anyone's texts.
    """
    try:
        both = files.ends(name, _ENDS)
    except Exception:  # ContractError, which takes long to load
        return False
    header, more, _ = both[0].lstrip(_SPACE).partition(b"\n")
    if more and header.rstrip().endswith(b"}"):
        return _says_so(header) and not _only_quotes(header)
    return any(_says_so(end.replace(b"\0", b"")) for end in both)


def _only_quotes(header: bytes) -> bool:
    """Whether an object names the `schema_version` of something inside it, and none of its own."""
    from contractlab import jsontext  # noqa: PLC0415 (only for JSON Lines that look like one)

    try:
        value: Any = jsontext.parse(header)
    except Exception:  # no JSON: the contract that it says it is
        return False
    return not any(b'"%s"' % key.lower().encode() in _KEYS for key in value)


def _says_so(text: bytes) -> bool:
    lower = text.lower()
    return any(_names_a_kind(rest[:200]) for key in _KEYS for rest in lower.split(key)[1:])


def _names_a_kind(rest: bytes) -> bool:
    before, colon, value = rest.partition(b":")
    value = value.lstrip(_SPACE).replace(b"_", b"-")
    return bool(colon) and not before.strip(_SPACE) and value.startswith(_KINDS)


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
