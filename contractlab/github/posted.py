"""What became of a comment, and a sentence for each way it can be refused; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from contractlab.github.errors import ApiError, RefusedError, UnavailableError

Status = Literal[
    "created",
    "updated",
    "unchanged",
    "superseded",
    "forbidden",
    "unavailable",
    "failed",
    "skipped",
]

STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """The outcome of one upsert."""

    status: Status
    url: str | None = None
    """Where the comment is, if there is one."""
    detail: str = ""
    """A sentence for the log: why, and what to do. It may quote GitHub: untrusted."""


_PERMISSION = "Give the job `permissions: pull-requests: write`."
_FORK = (
    "This pull request comes from a fork, whose runs get a read-only token whatever the workflow"
    " asks for. Post the comment from a second workflow on `workflow_run` with `mode: comment`."
)
_DEPENDABOT = "A run started by Dependabot gets a read-only token unless the job asks for more."
_LOCKED = "The conversation of this pull request is locked. Unlock it, or set `comment: off`."
_TOKEN = "GitHub does not accept the token: it is wrong or has expired."  # noqa: S105
_LONG = "The report is over GitHub's limit of 65,536 characters for a comment."


def refusal(error: ApiError, *, from_fork: bool | None) -> Posted:
    """The outcome after an error, with what to do about it.

    Args:
        error: what the client raised.
        from_fork: whether the head is in another repository; None where nobody could look.
    """
    if isinstance(error, UnavailableError):
        return Posted(status="unavailable", detail=f"{error}.")
    if not isinstance(error, RefusedError):
        return Posted(status="failed", detail=f"{error}.")
    said = error.message.lower()
    if error.status == 401:
        return Posted(status="forbidden", detail=f"{_TOKEN} ({error})")
    if error.status == 403 and "locked" in said:
        return Posted(status="forbidden", detail=f"{_LOCKED} ({error})")
    if error.status == 403:
        advice = _FORK if from_fork else f"{_PERMISSION} {_DEPENDABOT}"
        return Posted(
            status="forbidden", detail=f"The token may not comment here. {advice} ({error})"
        )
    if error.status == 404:
        advice = f"There is no such pull request, or the token cannot see it. {_PERMISSION}"
        return Posted(status="failed", detail=f"{advice} ({error})")
    if error.status == 422 and "too long" in said:
        return Posted(status="failed", detail=f"{_LONG} ({error})")
    return Posted(status="failed", detail=f"{error}.")
