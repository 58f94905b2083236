"""The only module that writes to the process's streams. What can't be written is an error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


class OutputError(Exception):
    """A stream is closed or full: what was decided did not arrive."""


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
    stream.buffer.write(content)
    stream.buffer.flush()


def _forget(stream: TextIO | None) -> None:
    """Keeps the interpreter's own flush at exit from failing again, with a code of its own."""
    if stream is None:
        return
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
