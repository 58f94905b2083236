"""The one open pull request that a ``workflow_run`` belongs to, or a reason why there is none.

The event's own ``pull_requests`` is empty for forks, and a number that travelled with the fork's
evidence is the fork's word. What counts is what GitHub says of the head commit and the head
repository.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from contractlab.github.answers import Pull, number_at, pull_from, same_repository
from contractlab.github.errors import ApiError, RefusedError
from contractlab.github.marker import SHA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contractlab.github.client import Client


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPull:
    """A pull request number, or the sentence that says why there is none."""

    number: int | None
    reason: str = ""
    unavailable: bool = False
    """True where GitHub could not be asked, so that trying later may help."""


def find_pull(
    client: Client,
    *,
    repository: str,
    head_sha: str,
    head_repository: str | None,
    head_branch: str | None = None,
) -> FoundPull:
    """The open pull request into ``repository`` with this head commit in this head repository.

    Two lists are asked, because each misses some: a commit's pull requests (reported to leave
    out commits that only a fork's branch has), and the open ones of owner:branch. Whatever they
    give is held against commit, repositories and state here.
    """
    if not SHA.fullmatch(head_sha):
        return FoundPull(number=None, reason="The head commit is not 40 or 64 hex digits.")
    if head_repository is None:
        return FoundPull(number=None, reason="The head repository is gone, or was not named.")
    paths = [f"/repos/{repository}/commits/{head_sha}/pulls"]
    if head_branch:
        head = quote(f"{head_repository.partition('/')[0]}:{head_branch}", safe="")
        paths.append(f"/repos/{repository}/pulls?state=open&head={head}")
    found: dict[int, Pull] = {}
    try:
        for path in paths:
            found |= {pull.number: pull for pull in _listed(client, path)}
    except ApiError as error:
        unavailable = not isinstance(error, RefusedError)
        return FoundPull(number=None, reason=f"{error}.", unavailable=unavailable)
    return choose(
        found.values(), repository=repository, head_sha=head_sha, head_repository=head_repository
    )


def choose(
    pulls: Iterable[Pull], *, repository: str, head_sha: str, head_repository: str
) -> FoundPull:
    """Exactly one that is open and has this base, head repository and head commit, or a reason."""
    here = [
        pull
        for pull in pulls
        if same_repository(pull.base_repository, repository)
        and same_repository(pull.head_repository, head_repository)
    ]
    still = [pull for pull in here if pull.head_sha == head_sha]
    numbers = sorted(pull.number for pull in still if pull.is_open)
    commit = f"{head_sha[:12]} of {head_repository}"
    if len(numbers) == 1:
        return FoundPull(number=numbers[0])
    if numbers:
        names = ", ".join(f"#{number}" for number in numbers)
        reason = f"Several open pull requests have the head {commit}: {names}."
    elif still:
        reason = f"The pull request with the head {commit} is closed."
    elif here:
        reason = f"The pull request from {head_repository} has moved on from {head_sha[:12]}."
    else:
        reason = f"No open pull request into {repository} has the head {commit}."
    return FoundPull(number=None, reason=reason)


def _listed(client: Client, path: str) -> list[Pull]:
    try:
        # A pull request whose fork is gone still has a head; an entry without a number is none.
        return [pull_from(entry) for entry in client.pages(path) if number_at(entry, "number")]
    except RefusedError as error:
        # GitHub answers 422 "No commit found for SHA" where it knows the commit only by a fork.
        if error.status in (404, 422) and path.endswith("/pulls"):
            return []
        raise
