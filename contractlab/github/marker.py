"""The first line that makes a comment ours, and the order of what runs wrote; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

COMMENT_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MARKER = re.compile(
    r"<!-- contractlab:report v1 id=[A-Za-z0-9._-]{1,64}"
    r" run=([0-9]{1,18})\.([0-9]{1,9}) head=[0-9a-f]{40,64} -->"
)


class Run(NamedTuple):
    """A workflow run; GitHub numbers runs upwards, so a greater one started later."""

    id: int
    attempt: int = 1


class Report(NamedTuple):
    """What one run wrote or wants to write; ordered by run, then by text."""

    run: Run
    text: str
    """Marker line and body, as ``canonical`` gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment as the API gives it."""

    id: int
    body: str
    login: str
    is_bot: bool
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who we are to the API."""

    login: str
    assumed: bool
    """True where the token could not ask: then only an account of type Bot is believed."""


def report(body: str, *, comment_id: str, run: Run, head_sha: str) -> Report:
    """The whole text of a comment: the marker line, then the body."""
    marker = f"{_prefix(comment_id)}run={run.id}.{run.attempt} head={head_sha} -->"
    return Report(run, canonical(f"{marker}\n{body}"))


def is_mine(comment: Comment, *, comment_id: str, author: Author) -> bool:
    """Whether the comment starts with our marker and was written by us.

    The start, so that a quoted report is not taken for one; the author, so that nobody else's
    comment with a copied marker is edited.
    """
    return (
        comment.body.startswith(_prefix(comment_id))
        and comment.login.lower() == author.login.lower()
        and (comment.is_bot or not author.assumed)
    )


def report_of(comment: Comment) -> Report:
    """What one of our comments says; with a damaged marker it is older than any run."""
    match = _MARKER.match(comment.body)
    run = Run(int(match[1]), int(match[2])) if match else Run(0, 0)
    return Report(run, canonical(comment.body))


def canonical(text: str) -> str:
    """The text with LF line ends and no white space at its end: all that GitHub may change."""
    return text.replace("\r\n", "\n").rstrip()


def _prefix(comment_id: str) -> str:
    # The space after the id keeps "a" from being a prefix of "a.b".
    return f"<!-- contractlab:report v1 id={comment_id} "
