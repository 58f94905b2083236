"""Text for the runner: workflow commands, output files and summaries; pure.

The runner reads commands from what a step prints: ``::name::`` at the start of a line (after any
white space), and the older ``##[name]`` anywhere in a line. It ends a line at LF, CR or CRLF.
(actions/runner, ActionCommand.cs.)
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from contractlab.unseen import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Level = Literal["error", "warning", "notice"]

ANNOTATIONS_EACH = 9
"""The runner shows 10 of each kind for a whole composite action and drops the rest silently."""
ANNOTATION_UNITS = 4_095
"""The runner cuts a message at 4,096 UTF-16 units."""
SUMMARY_BYTES = 999_999
"""GitHub drops a summary of over 1,048,576 bytes whole."""

_OUTPUT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,99}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,100}")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TITLE_UNITS = 200
_FILE_UNITS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A remark on a file of the pull request, shown beside the line it is about."""

    level: Level
    message: str
    title: str = ""
    file: str | PurePath | None = None
    """As the program knows it, absolute or relative to the workspace."""
    line: int | None = None
    column: int | None = None


def new_token() -> str:
    """A word that no untrusted text can hold: 32 hex digits."""
    return secrets.token_hex(16)


def written_out(text: str) -> str:
    r"""The text with hidden characters written out, ``\x1b`` or ``\u202e``; LF and TAB stay."""
    return visible(text.replace("\r\n", "\n"))


def neutralise(text: str) -> str:
    """Untrusted text in which no line is a workflow command: ``: :`` and ``## [`` stay readable."""
    apart = re.sub(r":(?=:)", ": ", written_out(text))
    return apart.replace("##[", "## [")


def stop_commands(text: str, *, token: str) -> str:
    """The text between two lines that stop and resume commands; ends with a line end.

    Args:
        text: untrusted; also neutralised, for readers that know no stop-commands.
        token: from ``new_token``.

    Raises:
        ValueError: the token is short, or stands in the text.
    """
    _check_token(token, text)
    body = neutralise(text)
    end = "" if body.endswith("\n") else "\n"
    return f"::stop-commands::{token}\n{body}{end}::{token}::\n"


def output_entry(name: str, value: str, *, token: str) -> str:
    """The lines of GITHUB_OUTPUT that set one output, of one line or several.

    Raises:
        ValueError: the name is no output name, or the token is short or stands in the value.
    """
    if not _OUTPUT_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no output name")
    _check_token(token, value)
    return f"{name}<<{token}\n{value}\n{token}\n"


def command(annotation: Annotation, *, workspace: str | PurePath | None = None) -> str:
    """The annotation as one workflow command of under 4,096 UTF-16 units, without a line end."""
    properties = []
    if annotation.file is not None:
        # The name as it is, or GitHub does not find the file; but what is printed is UTF-8.
        name = relative_file(annotation.file, workspace).encode(errors="replace").decode()
        file = escape_property(name)
        if _units(file) <= _FILE_UNITS:
            properties.append(f"file={file}")
            if annotation.line is not None:
                properties.append(f"line={annotation.line}")
                if annotation.column is not None:
                    properties.append(f"col={annotation.column}")
    if annotation.title:
        properties.append(f"title={_cut(annotation.title, _TITLE_UNITS, escape_property)}")
    head = f"::{annotation.level}{' ' if properties else ''}{','.join(properties)}::"
    return head + _cut(annotation.message, ANNOTATION_UNITS - _units(head), escape_data)


def annotation_commands(
    annotations: Sequence[Annotation],
    *,
    workspace: str | PurePath | None = None,
    each: int = ANNOTATIONS_EACH,
    rest: str = "in the job summary",
) -> list[str]:
    """The commands of the first ``each`` errors, warnings and notices, in the order given.

    Where there are more of a kind, one more command says how many and that they are ``rest``.
    """
    commands = []
    levels: tuple[Level, ...] = ("error", "warning", "notice")
    for level in levels:
        of_level = [annotation for annotation in annotations if annotation.level == level]
        commands += [command(annotation, workspace=workspace) for annotation in of_level[:each]]
        more = len(of_level) - each
        if more > 0:
            noun = f"{level}{'' if more == 1 else 's'}"
            commands.append(command(Annotation(level=level, message=f"{more} more {noun} {rest}")))
    return commands


def relative_file(file: str | PurePath, workspace: str | PurePath | None) -> str:
    """The file as GitHub names it: from the workspace down, with forward slashes."""
    path = file if isinstance(file, PurePath) else PurePath(file)  # keeps a foreign flavour
    if workspace is not None and path.is_relative_to(workspace):
        path = path.relative_to(workspace)
    return path.as_posix()


def escape_data(text: str) -> str:
    """A command's message, on one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """A command's property value."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def fit_summary(text: str, *, note: str, limit_bytes: int = SUMMARY_BYTES) -> str:
    """The text if its UTF-8 fits, else as many whole lines as do, and ``note`` as a last paragraph.

    A code fence or ``<details>`` that the cut leaves open is closed, so that the note is seen.
    """
    if len(text.encode(errors="replace")) <= limit_bytes:
        return text
    lines = [f"{line}\n" for line in text.split("\n")]
    room = limit_bytes - len(f"\n{note}\n".encode(errors="replace"))
    size, kept, closing = 0, 0, ""
    fence, depth = "", 0
    for number, line in enumerate(lines, start=1):
        size += len(line.encode(errors="replace"))
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence:
            depth = max(depth + line.count("<details") - line.count("</details"), 0)
        closes = (f"{fence}\n" if fence else "") + ("\n" + "</details>\n" * depth if depth else "")
        if size + len(closes) > room:
            break
        kept, closing = number, closes
    return f"{''.join(lines[:kept])}{closing}\n{note}\n"


def _check_token(token: str, text: str) -> None:
    if not _TOKEN.fullmatch(token) or token in text:
        raise ValueError("the token must be 16 or more characters that the text does not hold")


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str, limit: int, escape: Callable[[str], str]) -> str:
    """The text, written out and escaped, in at most ``limit`` UTF-16 units; cut between escapes."""
    whole = escape(written_out(text))
    if _units(whole) <= limit:
        return whole
    parts, size = [], 1
    for char in written_out(text):
        part = escape(char)
        size += _units(part)
        if size > limit:
            break
        parts.append(part)
    return "".join(parts) + "…"
