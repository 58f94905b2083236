"""The only module that writes to the process's streams. What can't be written is an error."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from typing import TextIO


NOTHING_DECIDED = 2


class OutputError(Exception):
    """A stream is closed or full: what was decided did not arrive."""


def deliver(content: str | bytes, code: int) -> int:
    """Writes the result to standard output: the code, or 2 where it could not be written."""
    try:
        write_out(content)
    except OutputError as error:
        write_error(f"contractlab: cannot write the result to {error}\n")
        return NOTHING_DECIDED
    return code


def write_out(content: str | bytes) -> None:
    """Writes to standard output, or raises OutputError; bytes as they are.

    Text is encoded for the stream; what it can't carry comes out as an escape.
    """
    try:
        _write(sys.stdout, content)
    except (OSError, ValueError) as error:
        _forget(sys.stdout)
        raise OutputError(f"standard output: {error}") from error


def write_error(content: str) -> None:
    """Writes to standard error, where there is one: the exit code says the rest."""
    try:
        _write(sys.stderr, content)
    except (OSError, ValueError):
        _forget(sys.stderr)


def _write(stream: TextIO | None, content: str | bytes) -> None:
    if stream is None:
        raise ValueError("it is closed")
    if isinstance(content, str):
        content = content.encode(stream.encoding or "ascii", "backslashreplace")
    stream.flush()
    left = memoryview(content)
    while left:
        # Under PYTHONUNBUFFERED a write is one system call, which may take a part only.
        written = stream.buffer.write(left)
        if not written:
            raise BlockingIOError("it takes no more")
        left = left[written:]
    stream.buffer.flush()


def _forget(stream: TextIO | None) -> None:
    """Keeps the interpreter's own flush at exit from failing again, with a code of its own."""
    if stream is None:
        return
    try:  # noqa: SIM105 (contextlib takes longer to load)
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        pass
