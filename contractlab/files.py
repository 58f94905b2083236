"""The only module that opens contract files and finds the packaged schemas."""

# pathlib takes as long to load as a thousand cases to check.
# ruff: noqa: PTH100, PTH113, PTH116, PTH118, PTH119, PTH120, PTH123
from __future__ import annotations

import os
import stat

import jiter

from contractlab.schema import Checker

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from contractlab.problems import ContractError, Rule

DEFAULT_MAX_BYTES = 64 * 1024 * 1024
"""Size cap of one contract file; `--max-bytes` lifts it."""

_HERE = os.path.dirname(os.path.abspath(__file__))
# A wheel carries these inside the package; an editable install finds the repository's.
_SCHEMA_FOLDERS = (os.path.join(_HERE, "schemas"), os.path.join(_HERE, "..", "schemas"))
_PAGE_FOLDERS = (_HERE, os.path.join(_HERE, "..", "docs"))


def read(name: str, *, max_bytes: int = DEFAULT_MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most `max_bytes`.

    A FIFO, socket or device is refused by its kind, before it is opened: opening could wait.

    Raises:
        ContractError: with one CL0xx problem.
    """
    try:
        kind = os.stat(name)
        if not stat.S_ISREG(kind.st_mode):
            raise _not_regular(name, kind.st_mode)
        if kind.st_size > max_bytes:
            raise _too_large(name, f"{kind.st_size:,} bytes", kind.st_size, max_bytes)
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(os.open(name, flags), "rb") as file:
            # Again on what was opened: the name may have been given to another file since.
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise _not_regular(name, mode)
            data = _up_to(max_bytes + 1, file)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    if len(data) > max_bytes:
        # It grew, or its size was not told; how long it is in all, nobody knows.
        raise _too_large(name, f"{len(data):,} bytes or more", len(data), max_bytes)
    return data


def ends(name: str, size: int) -> tuple[bytes, bytes]:
    """The first and the last bytes of a regular file; empty at the end where the first are all.

    Raises:
        ContractError: as `read` does, whatever the file's size.
    """
    try:
        kind = os.stat(name)
        if not stat.S_ISREG(kind.st_mode):
            raise _not_regular(name, kind.st_mode)
        with open(name, "rb") as file:
            first = file.read(size)
            last = max(size, kind.st_size - size)
            return first, file.read(size) if file.seek(last) == last else b""
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error


def _up_to(most: int, file: BinaryIO) -> bytes:
    # In parts: read(n) takes memory for n bytes at once, and a cap may be lifted to anything.
    parts = []
    while most > 0 and (part := file.read(min(most, DEFAULT_MAX_BYTES))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _unreadable(name: str, error: OSError | ValueError) -> ContractError:
    if isinstance(error, FileNotFoundError):
        return _refused("FILE_NOT_FOUND", "there is no such file", "check the path", name)
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    hint = "check the path and its permissions"
    return _refused("FILE_UNREADABLE", f"cannot be read: {reason}", hint, name)


def _not_regular(name: str, mode: int) -> ContractError:
    kinds = {
        stat.S_IFDIR: "a directory",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFSOCK: "a socket",
    }
    kind = kinds.get(stat.S_IFMT(mode), "not a file")
    return _refused("NOT_A_REGULAR_FILE", f"is {kind}", "name a regular file", name)


def _too_large(name: str, said: str, size: int, max_bytes: int) -> ContractError:
    return _refused(
        "FILE_TOO_LARGE",
        f"has {said}; the cap is {max_bytes:,}",
        f"if it is meant to be so large: --max-bytes {size}",
        name,
    )


def _refused(rule: str, message: str, hint: str, name: str) -> ContractError:
    from contractlab.problems import (  # noqa: PLC0415 (a file that is right never loads it)
        ContractError,
        Problem,
        Rule,
    )

    return ContractError([Problem(Rule[rule], message, hint, name)])


def schema_text(name: str) -> bytes:
    """A packaged schema's bytes, such as `dataset-v1`'s."""
    return _packaged([os.path.join(each, f"{name}.schema.json") for each in _SCHEMA_FOLDERS])


_checkers: dict[str, Checker] = {}


def checker(name: str) -> Checker:
    """The compiled check of a packaged schema."""
    if name not in _checkers:
        _checkers[name] = Checker(jiter.from_json(schema_text(name)))
    return _checkers[name]


def page(name: str) -> str:
    """A packaged page of `docs/`: `rules` or `default-rubric`."""
    paths = [os.path.join(each, f"{name}.md") for each in _PAGE_FOLDERS]
    return _packaged(paths).decode("utf-8").replace("\r\n", "\n")


def rules_page(rule: Rule) -> str:
    """One rule's section of the packaged `docs/rules.md`."""
    text = page("rules")
    start = text.index(f"\n## {rule.code} ") + 1
    end = text.find("\n## ", start)
    return text[start:].rstrip() + "\n" if end < 0 else text[start:end].rstrip() + "\n"


def _packaged(paths: Sequence[str]) -> bytes:
    for path in paths:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read()
    raise FileNotFoundError(f"the installed package lacks {os.path.basename(paths[0])}")
