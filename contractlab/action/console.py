"""What a step may write: the log, its outputs and its summary."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from contractlab.github.workflow import (
    Annotation,
    command,
    fit_summary,
    new_token,
    output_entry,
    stop_commands,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from contractlab.github.environment import RunnerFiles

TITLE = "contractlab"


class Console:
    """The runner's three channels, each in UTF-8 with LF whatever the machine's habits."""

    def __init__(self, files: RunnerFiles) -> None:
        """Leaves out the outputs or the summary where the runner names no file for them."""
        self._files = files

    def untrusted(self, text: str) -> None:
        """Prints text of any origin; no line of it is a command to the runner."""
        if text:
            self._print(stop_commands(text, token=new_token()))

    def commands(self, commands: Iterable[str]) -> None:
        """Prints workflow commands that are already escaped."""
        self._print("".join(f"{each}\n" for each in commands))

    def error(self, message: str) -> None:
        """An error that belongs to no file."""
        self.commands([command(Annotation(level="error", message=message, title=TITLE))])

    def notice(self, message: str) -> None:
        """A notice that belongs to no file. The runner drops no notice of ours: it is one."""
        self.commands([command(Annotation(level="notice", message=message, title=TITLE))])

    def outputs(self, values: Mapping[str, str]) -> None:
        """Sets outputs of the step."""
        entries = [output_entry(name, each, token=new_token()) for name, each in values.items()]
        if self._files.output:
            _append(self._files.output, "".join(entries))

    def summary(self, text: str, *, note: str) -> None:
        """Adds to the job summary, cut where GitHub would drop it whole."""
        if self._files.summary:
            _append(self._files.summary, fit_summary(text, note=note))

    def crashed(self, error: BaseException) -> None:
        """Says that contractlab itself is at fault, with the place in its code."""
        import traceback  # noqa: PLC0415 (only once something is wrong)

        self.untrusted("".join(traceback.format_exception(error)))
        self.error(
            f"Nothing was decided: this is a fault of contractlab itself ({type(error).__name__})."
            " The log of this step says where; please report it."
        )

    def _print(self, text: str) -> None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(text)
