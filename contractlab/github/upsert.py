"""The looks and moves that lead to one comment; ``comments`` says what they promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.github.answers import comment_from
from contractlab.github.errors import ApiError, RefusedError, UnavailableError
from contractlab.github.marker import Author, Comment, Report, is_mine, report_of
from contractlab.github.posted import Posted, Status
from contractlab.github.retry import TRIES, backoff_s

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from contractlab.github.client import Client

PAUSES_S = (1.0, 1.0, 2.0, 2.0, 4.0, 4.0)
"""Waits before looking again with nothing to do; the first is enough unless lists lag."""
_MOST_LOOKS = 40


@dataclass(frozen=True, slots=True)
class Create:
    """There is no comment of ours."""


@dataclass(frozen=True, slots=True)
class Update:
    """The comment to keep says something else."""

    comment: Comment


@dataclass(frozen=True, slots=True)
class Delete:
    """A comment that stands beside the one to keep."""

    comment: Comment


@dataclass(frozen=True, slots=True)
class Keep:
    """One comment, and it says what it should."""

    comment: Comment


Move = Create | Update | Delete | Keep


def plan(mine: Collection[Comment], wanted: Report) -> Move:
    """The next move towards one comment, the lowest in number, that says ``wanted``.

    The text is moved before anything is deleted, so it is never in no comment at all.
    """
    if not mine:
        return Create()
    keeper, *others = sorted(mine, key=lambda comment: comment.id)
    if report_of(keeper) != wanted:
        return Update(keeper)
    return Delete(others[-1]) if others else Keep(keeper)


class Upsert:
    """The looks and moves of one run."""

    def __init__(
        self,
        client: Client,
        *,
        issues: str,
        pull: int,
        comment_id: str,
        author: Author,
        ours: Report,
    ) -> None:
        """Nothing is asked yet; ``issues`` is ``/repos/{owner}/{repo}/issues``."""
        self._client = client
        self._list_path = f"{issues}/{pull}/comments"
        self._one_path = f"{issues}/comments"
        self._comment_id = comment_id
        self._author = author
        self._ours = ours
        self._wanted = ours
        """The newest report seen, kept in mind: the comment that held it may be merged away."""
        self._replaced: set[Report] = set()
        """What this same run had written before: ours is to replace it."""
        self._known: set[int] = set()
        self._created: set[int] = set()
        self._unlisted: set[int] = set()
        self._before: set[int] = set()
        """Our comments that were there before the first move."""
        self._moved = False
        self._written: Comment | None = None
        self._failures = 0

    def run(self) -> Posted:
        """Look and move until a look after a pause asks for no move."""
        pauses_s = iter(PAUSES_S)
        rested = True
        try:
            for _ in range(_MOST_LOOKS):
                mine = self._look()
                if not self._moved and self._wanted is not self._ours and len(mine) == 1:
                    return self._outcome(mine[0])  # a newer run's; of several, help to make one
                move = plan(mine, self._wanted)
                if isinstance(move, Keep) and rested and not self._unlisted:
                    return self._outcome(move.comment)
                # Ours is gone: most likely another run is merging it into one that lags.
                merged = isinstance(move, Create) and bool(self._created)
                if isinstance(move, Keep) or merged:
                    rested = self._rest(pauses_s)
                    if rested:
                        continue
                if isinstance(move, Keep):
                    return self._outcome(move.comment, self._unsettled())
                made = self._make(move)
                last = len(mine) < 2 or (isinstance(move, Delete) and len(mine) == 2)
                rested = made and last and self._rest(pauses_s)
        except ApiError as error:
            if self._written is None:
                raise
            return self._outcome(self._written, f"Whether it is the only one is unknown: {error}.")
        raise UnavailableError(f"the comments still changed after {_MOST_LOOKS} looks")

    def _rest(self, pauses_s: Iterator[float]) -> bool:
        wait_s = next(pauses_s, None)
        return wait_s is not None and self._client.pause(wait_s)

    def _unsettled(self) -> str:
        return "It does not show in the list yet." if self._unlisted else ""

    def _look(self) -> list[Comment]:
        """Our comments as they are now, and the newest report among them."""
        listed = {
            comment.id
            for comment in map(comment_from, self._client.pages(self._list_path))
            if self._is_mine(comment)
        }
        self._known |= listed
        self._unlisted -= listed
        mine = [comment for comment in map(self._fresh, sorted(self._known)) if comment]
        for found in map(report_of, mine):
            if found.run > self._wanted.run:
                self._wanted = found
            elif found.run == self._wanted.run and found not in self._replaced:
                if not self._moved and found != self._ours:
                    self._replaced.add(found)
                elif found.text > self._wanted.text:  # one run, two jobs: any order that both see
                    self._wanted = found
        return mine

    def _fresh(self, number: int) -> Comment | None:
        try:
            comment = comment_from(self._client.get(f"{self._one_path}/{number}"))
        except RefusedError as error:
            if error.status not in (404, 410):
                raise
            self._known.discard(number)
            self._unlisted.discard(number)
            return None
        return comment if self._is_mine(comment) else None

    def _is_mine(self, comment: Comment) -> bool:
        return is_mine(comment, comment_id=self._comment_id, author=self._author)

    def _make(self, move: Create | Update | Delete) -> bool:
        """Write; False where it is to be looked whether that was done."""
        if not self._moved:
            self._moved, self._before = True, set(self._known)
        text = {"body": self._wanted.text}
        try:
            match move:
                case Create():
                    self._note_created(comment_from(self._client.post(self._list_path, text)))
                case Update(comment):
                    answer = self._client.patch(f"{self._one_path}/{comment.id}", text)
                    self._written = comment_from(answer)
                case Delete(comment):
                    self._client.delete(f"{self._one_path}/{comment.id}")
        except RefusedError as error:
            # Deleted by somebody since the look.
            if isinstance(move, Create) or error.status not in (404, 410):
                raise
            return False
        except UnavailableError as error:
            self._failures += 1
            wait_s = max(error.wait_s, backoff_s(self._failures))
            again = error.outcome_unknown and self._failures < TRIES
            if not (again and self._client.pause(wait_s)):
                raise
            return False
        return True

    def _note_created(self, comment: Comment) -> None:
        self._written = comment
        self._known.add(comment.id)
        self._created.add(comment.id)
        self._unlisted.add(comment.id)
        if self._author.assumed and comment.login:
            # Another app's installation token; its earlier comments are found from now on.
            self._author = Author(login=comment.login, assumed=True)

    def _outcome(self, comment: Comment, detail: str = "") -> Posted:
        status: Status = "updated"
        if self._wanted is not self._ours:
            status = "superseded"
            same = self._wanted.run == self._ours.run
            winner = (
                "Another job of this run" if same else f"Run {self._wanted.run.id} is newer, and"
            )
            detail = f"{winner} keeps its report there. {detail}".strip()
        elif not self._moved:
            status = "unchanged"
        elif comment.id in self._created or not (self._created or self._before):
            status = "created"
        return Posted(status=status, url=comment.url or None, detail=detail)
