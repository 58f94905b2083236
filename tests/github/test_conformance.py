"""Our requests and the stand-in's answers, both held against GitHub's own OpenAPI description."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest

from contractlab.github.marker import Run
from contractlab.github.pulls import find_pull
from tests.github.helpers import OTHER_SHA, SHA, Direct, client_of, head, post
from tests.github.simulated import HandClock
from tests.github.standin import Answer, Exchange, GitHub

if TYPE_CHECKING:
    from collections.abc import Callable

    from openapi_core import OpenAPI

JSON = {"content-type": "application/json"}
DESCRIPTION = Path(__file__).parents[2].parent / "shared/testdata/github-openapi-subset.json"


@pytest.fixture(scope="module")
def described() -> OpenAPI:
    if not DESCRIPTION.exists():
        pytest.skip("GitHub's OpenAPI description is not beside this checkout (../shared/testdata)")
    openapi_core: Any = pytest.importorskip("openapi_core", reason="openapi-core is not installed")
    description: OpenAPI = openapi_core.OpenAPI.from_file_path(str(DESCRIPTION))
    return description


def play(scene: Callable[[GitHub], object], **settings: str) -> list[Exchange]:
    github = GitHub(**settings)  # type: ignore[arg-type]
    github.open_pull(7, SHA, head_repository="octocat/agent")
    scene(github)
    return github.exchanges


def posts(*runs: int, body: str = "report") -> Callable[[GitHub], object]:
    def scene(github: GitHub) -> None:
        for run in runs:
            post(client_of(Direct(github), HandClock()), body, run=Run(run))

    return scene


def scene_duplicates(github: GitHub) -> None:
    for run in ("98.1", "99.1"):
        github.add_comment(7, f"{head(run)}\nold")
    posts(100)(github)


def scene_many(github: GitHub) -> None:
    for number in range(120):
        github.add_comment(7, f"chatter {number}", login="octocat", kind="User")
    posts(100)(github)


def scene_gone(github: GitHub) -> None:
    github.add_comment(7, f"{head('99.1')}\nold").deleted = True
    posts(100)(github)


def scene_unknown_pull(github: GitHub) -> None:
    post(client_of(Direct(github), HandClock()), pull=8)


def scene_locked(github: GitHub) -> None:
    github.pulls[7].locked = True
    posts(100)(github)


def scene_lookup(github: GitHub) -> None:
    github.open_pull(8, OTHER_SHA, state="closed")
    for sha in (SHA, OTHER_SHA):
        find_pull(
            client_of(Direct(github), HandClock()),
            repository="acme/agent",
            head_sha=sha,
            head_repository="octocat/agent",
        )


SCENES: dict[str, Callable[[], list[Exchange]]] = {
    "create, update, unchanged": lambda: play(posts(100, 101, 101)),
    "duplicates": lambda: play(scene_duplicates),
    "two pages": lambda: play(scene_many),
    "a deleted comment": lambda: play(scene_gone),
    "unknown pull request": lambda: play(scene_unknown_pull),
    "locked": lambda: play(scene_locked),
    "too long": lambda: play(posts(100, body="x" * 65_536)),
    "read-only": lambda: play(posts(100), token_mode="readonly"),
    "a user's token": lambda: play(posts(100), login="robot", kind="User"),
    "looking up": lambda: play(scene_lookup),
}


def template(exchange: Exchange) -> tuple[str, str, int]:
    path = re.sub(r"/(\d+|[0-9a-f]{40})(?=/|$)", "/{}", exchange.path)
    return exchange.method, path.replace("acme/agent", "{}/{}"), exchange.answer.status


def check(exchange: Exchange, described: OpenAPI) -> None:
    from openapi_core.testing import MockRequest, MockResponse  # noqa: PLC0415 (may be absent)

    request = MockRequest(
        "https://api.github.com",
        exchange.method.lower(),
        exchange.path,
        args=dict(parse_qsl(exchange.query)),
        headers=dict(exchange.headers),
        data=exchange.body or None,
    )
    described.validate_request(request)
    response = MockResponse(
        exchange.answer.body,
        status_code=exchange.answer.status,
        headers=dict(exchange.answer.headers),
    )
    described.validate_response(request, response)


@pytest.mark.parametrize("name", SCENES)
def test_requests_and_answers_are_as_github_describes_them(name: str, described: OpenAPI) -> None:
    exchanges = {template(one): one for one in SCENES[name]()}
    assert exchanges
    for one in exchanges.values():
        check(one, described)


@pytest.mark.parametrize(
    ("method", "spoil"),
    [
        ("POST", {"body": b'{"text": "no body"}'}),
        ("POST", {"path": "/repos/acme/agent/issues/seven/comments"}),
        ("GET", {"query": "per_page=many"}),
        ("POST", {"answer": Answer(status=201, headers=JSON, body=b'{"id": 1}')}),
        ("POST", {"answer": Answer(status=418, headers=JSON, body=b"{}")}),
    ],
    ids=["a missing field", "a path", "a query", "an incomplete comment", "a status"],
)
def test_what_github_does_not_describe_would_be_noticed(
    method: str, spoil: dict[str, Any], described: OpenAPI
) -> None:
    comments = [one for one in play(posts(100)) if one.path.endswith("/issues/7/comments")]
    good = next(one for one in comments if one.method == method)
    check(good, described)
    from openapi_core.exceptions import OpenAPIError  # noqa: PLC0415 (may be absent)

    with pytest.raises(OpenAPIError):
        check(replace(good, **spoil), described)


def test_the_scenes_cover_every_kind_of_request_that_the_comment_makes() -> None:
    seen = {template(one) for scene in SCENES.values() for one in scene()}
    comments, one = "/repos/{}/{}/issues/{}/comments", "/repos/{}/{}/issues/comments/{}"
    assert seen >= {
        ("GET", "/user", 200),
        ("GET", "/user", 403),
        ("GET", "/repos/{}/{}/pulls/{}", 200),
        ("GET", "/repos/{}/{}/commits/{}/pulls", 200),
        ("GET", comments, 200),
        ("POST", comments, 201),
        ("POST", comments, 403),
        ("POST", comments, 422),
        ("GET", one, 200),
        ("PATCH", one, 200),
        ("DELETE", one, 204),
    }
