"""A line on standard error while a person waits: what is being done, and how far it is.

Nothing is shown in the first second, nor where nobody waits (no terminal, CI, `--quiet`).
The line is ASCII, is drawn anew at each step (no thread, no timer), and leaves no trace.
"""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

_PATIENCE_S = 1.0
_WIDTH = 20

_STARTS = {"reading": 0.0, "checking": 0.3, "hashing": 0.5, "grading": 0.6, "writing": 0.75}
"""Where each step begins, as a share of the whole; measured on a hundred thousand cases."""


class Progress:
    """Draws the line, and takes it away when the `with` block that it is made for ends."""

    def __init__(self, stream: TextIO | None, *, now: Callable[[], float] = monotonic) -> None:
        """Starts waiting.

        Args:
            stream: a terminal, or None to show nothing.
            now: a clock in seconds.
        """
        self._stream = stream
        self._now = now
        self._begun = now()
        self._drawn = 0

    def step(self, name: str, part: float = 0.0) -> None:
        """Says what begins now.

        Args:
            name: `reading`, `checking`, `hashing`, `grading` or `writing`.
            part: how much of this step is done, 0 to 1.
        """
        if self._stream is None or self._now() - self._begun < _PATIENCE_S:
            return
        start = _STARTS[name]
        end = min((each for each in _STARTS.values() if each > start), default=1.0)
        filled = int((start + (end - start) * part) * _WIDTH)
        self._draw(f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {name}")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_raised: object) -> None:
        if self._drawn:
            self._draw("")

    def _draw(self, line: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(f"\r{line.ljust(self._drawn)}")
            if not line:
                self._stream.write("\r")
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is gone; the exit code still speaks
            self._stream = None
        self._drawn = len(line)


def for_person(
    *, quiet: bool, environment: Mapping[str, str] = os.environ, stream: TextIO | None = None
) -> Progress:
    """Progress for whoever looks at standard error; silent where that is nobody.

    Args:
        quiet: whether it was asked to be.
        environment: `CI`, and `TERM=dumb`, say that nobody looks.
        stream: standard error, unless given.
    """
    stream = sys.stderr if stream is None else stream
    nobody = quiet or bool(environment.get("CI")) or environment.get("TERM") == "dumb"
    try:
        shown = not nobody and stream is not None and stream.isatty()
    except ValueError:  # it is closed
        shown = False
    return Progress(stream if shown else None)


SILENT = Progress(None)
"""Shows nothing."""
