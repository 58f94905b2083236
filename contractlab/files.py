"""The only module that opens contract files and finds the packaged schemas."""

from __future__ import annotations

import os
import stat
from functools import cache
from pathlib import Path

import jiter

from contractlab.problems import ContractError, Problem, Rule
from contractlab.schema import Checker

DEFAULT_MAX_BYTES = 64 * 1024 * 1024
"""Size cap of one contract file; `--max-bytes` lifts it."""

_HERE = Path(__file__).parent
# A wheel carries schemas/ inside the package; an editable install finds the repository's.
_SCHEMA_FOLDERS = (_HERE / "schemas", _HERE.parent / "schemas")


def read(name: str, *, max_bytes: int = DEFAULT_MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most `max_bytes`.

    A FIFO, socket or device is refused by its kind, before it is opened: opening could wait.

    Raises:
        ContractError: with one CL0xx problem.
    """
    try:
        kind = os.stat(name)  # noqa: PTH116 (a Path would normalise the name that we report)
        if not stat.S_ISREG(kind.st_mode):
            raise ContractError([_not_regular(name, kind.st_mode)])
        if kind.st_size > max_bytes:
            raise ContractError([_too_large(name, kind.st_size, max_bytes)])
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(os.open(name, flags), "rb") as file:  # noqa: PTH123
            # Again on what was opened: the name may have been given to another file since.
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise ContractError([_not_regular(name, mode)])
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        raise ContractError([_unreadable(name, error)]) from error
    if len(data) > max_bytes:
        raise ContractError([_too_large(name, len(data), max_bytes)])
    return data


def _unreadable(name: str, error: OSError | ValueError) -> Problem:
    if isinstance(error, FileNotFoundError):
        return Problem(Rule.FILE_NOT_FOUND, "there is no such file", "check the path", name)
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return Problem(
        Rule.FILE_UNREADABLE,
        f"cannot be read: {reason}",
        "check the path and its permissions",
        name,
    )


def _not_regular(name: str, mode: int) -> Problem:
    kinds = {
        stat.S_IFDIR: "a directory",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFSOCK: "a socket",
    }
    kind = kinds.get(stat.S_IFMT(mode), "not a file")
    return Problem(Rule.NOT_A_REGULAR_FILE, f"is {kind}", "name a regular file", name)


def _too_large(name: str, size: int, max_bytes: int) -> Problem:
    return Problem(
        Rule.FILE_TOO_LARGE,
        f"has {size:,} bytes or more; the cap is {max_bytes:,}",
        f"if it is meant to be so large: --max-bytes {size}",
        name,
    )


def schema_text(name: str) -> bytes:
    """A packaged schema's bytes, such as `dataset-v1`'s."""
    for folder in _SCHEMA_FOLDERS:
        path = folder / f"{name}.schema.json"
        if path.is_file():
            return path.read_bytes()
    raise FileNotFoundError(f"the installed package lacks the schema {name}")


@cache
def checker(name: str) -> Checker:
    """The compiled check of a packaged schema."""
    return Checker(jiter.from_json(schema_text(name)))


def rules_page(rule: Rule) -> str:
    """One rule's section of the packaged `docs/rules.md`."""
    for path in (_HERE / "rules.md", _HERE.parent / "docs" / "rules.md"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            start = text.index(f"\n## {rule.code} ") + 1
            end = text.find("\n## ", start)
            return text[start:].rstrip() + "\n" if end < 0 else text[start:end].rstrip() + "\n"
    raise FileNotFoundError("the installed package lacks its rule pages")
