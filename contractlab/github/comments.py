"""One report comment for a pull request: created, or updated in place, never doubled.

What is promised, also when runs overlap and lists lag behind writes:

- One comment for each ``comment_id``. Of several, the lowest comment number stays, with the
  newest run's text; the others are deleted.
- The newest run's text stays. A run is newer by run number, then attempt; a run whose commit is no
  longer the pull request's head writes nothing.
- A comment that already says the same is not touched. "The same" includes the marker's run and
  head: equal content of a newer run is written again, because the marker is what a slower, older
  run is later held against.

How: look, plan one move, make it, look again, until a look after a pause asks for no move. A list
only says *which* comments there are; what they say is asked for one by one. A run stays until its
own new comment shows in the list: of two runs that created one each, the one whose comment
shows last then sees both, however far lists lag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.github.answers import pull_from, text_at
from contractlab.github.errors import ApiError, RefusedError, UnavailableError
from contractlab.github.marker import COMMENT_ID, SHA, Author, report
from contractlab.github.posted import STATUSES, Posted, Status, refusal
from contractlab.github.upsert import Upsert

if TYPE_CHECKING:
    from contractlab.github.client import Client
    from contractlab.github.marker import Run

__all__ = ["STATUSES", "Posted", "Status", "upsert_comment"]

_DEFAULT_LOGIN = "github-actions[bot]"


def upsert_comment(
    client: Client,
    pull: int | None,
    body: str,
    *,
    repository: str | None,
    comment_id: str,
    run: Run,
    head_sha: str,
) -> Posted:
    """Make the pull request's one comment of this id say ``body``, unless a newer run wrote it.

    Args:
        client: within whose budget all waits fall.
        pull: its number; None where the event has none.
        body: finished Markdown of at most about 65,300 characters; the marker line is put before.
        repository: owner/name of the pull request's base.
        comment_id: 1 to 64 of the characters ``A-Za-z0-9._-``.
        run: the run that judged; in a ``workflow_run`` workflow the run that it follows.
        head_sha: the commit that was judged, as ``pull_request.head.sha`` names it.

    Returns:
        The outcome. API trouble is an outcome too, never an exception.
    """
    if pull is None or repository is None:
        return Posted(status="skipped", detail="This run belongs to no pull request.")
    if not client.has_token:
        return Posted(status="skipped", detail="No token was given, so nothing was posted.")
    if not COMMENT_ID.fullmatch(comment_id):
        return Posted(
            status="failed", detail="The comment id must be 1 to 64 of the characters A-Za-z0-9._-"
        )
    if not SHA.fullmatch(head_sha):
        return Posted(status="failed", detail="The head commit must be 40 or 64 hex digits.")
    ours = report(body, comment_id=comment_id, run=run, head_sha=head_sha)
    from_fork = None
    try:
        found = pull_from(client.get(f"/repos/{repository}/pulls/{pull}"))
        from_fork = found.from_fork
        if found.head_sha != head_sha:
            return Posted(
                status="superseded",
                detail=f"This run judged {head_sha[:12]}; the head is now {found.head_sha[:12]}.",
            )
        return Upsert(
            client,
            issues=f"/repos/{repository}/issues",
            pull=pull,
            comment_id=comment_id,
            author=_author(client),
            ours=ours,
        ).run()
    except ApiError as error:
        return refusal(error, from_fork=from_fork)


def _author(client: Client) -> Author:
    """The token's account; an installation token may not ask, and is taken for the default one."""
    try:
        login = text_at(client.get("/user"), "login")
    except RefusedError as error:
        if error.status not in (403, 404):
            raise
        return Author(login=_DEFAULT_LOGIN, assumed=True)
    if not login:
        raise UnavailableError("GET /user was answered without a login")
    return Author(login=login, assumed=False)
