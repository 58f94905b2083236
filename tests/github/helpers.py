"""Builders that the tests of the API part share."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from contractlab.github.client import Client
from contractlab.github.comments import Posted, upsert_comment
from contractlab.github.marker import Run
from contractlab.github.transport import Answer, BrokenConnectionError, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.github.simulated import HandClock
    from tests.github.standin import GitHub

TOKEN = "ghs_TOKENTOKENTOKENTOKENTOKENTOKENTOKEN"
SHA = "a" * 40
OTHER_SHA = "c" * 40
API = "https://api.example.test"


def head(run: str = "100.1", *, sha: str = SHA, comment_id: str = "default") -> str:
    """A marker line as another run left it."""
    return f"<!-- contractlab:report v1 id={comment_id} run={run} head={sha} -->"


class Direct:
    """A Send that asks the stand-in without a socket, and may travel for a while."""

    def __init__(self, github: GitHub, *, travel: Callable[[], None] = lambda: None) -> None:
        self.github = github
        self.travel = travel
        self.meanwhile: Callable[[Request], None] = lambda request: None

    def __call__(self, request: Request, *, timeout_s: float) -> Answer:
        self.travel()
        self.meanwhile(request)
        parts = urlsplit(request.url)
        answer = self.github.handle(
            request.method,
            parts.path + (f"?{parts.query}" if parts.query else ""),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=request.body or b"",
            base=f"{parts.scheme}://{parts.netloc}",
        )
        self.travel()
        if answer.broken:
            raise BrokenConnectionError("RemoteDisconnected", sent=True)
        return Answer(status=answer.status, headers=answer.headers, body=answer.body)


class Script:
    """A Send that gives the answers it was told, one after another, and keeps the requests."""

    def __init__(self, *answers: Answer | BrokenConnectionError) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    def __call__(self, request: Request, *, timeout_s: float) -> Answer:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, BrokenConnectionError):
            raise answer
        return answer


def answer(status: int = 200, body: str = "{}", headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status=status, headers=headers or {}, body=body.encode())


def client_of(send: Direct | Script, hand: HandClock, *, token: str = TOKEN) -> Client:
    return Client(API, token, sleep=hand.sleep, clock=hand.clock, send=send)


def post(
    client: Client,
    body: str = "report",
    *,
    run: Run = Run(100, 1),  # noqa: B008 (immutable)
    pull: int | None = 7,
    head_sha: str = SHA,
    comment_id: str = "default",
    repository: str = "acme/agent",
) -> Posted:
    return upsert_comment(
        client,
        pull,
        body,
        repository=repository,
        comment_id=comment_id,
        run=run,
        head_sha=head_sha,
    )


def rows(value: object) -> list[dict[str, int]]:
    return cast("list[dict[str, int]]", value)
