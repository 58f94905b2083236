"""A stateful stand-in for the part of GitHub's API that the comment needs.

In tests: ``GitHub`` is the state and its answers, with ``served`` putting it on a loopback port.
As a process, for end-to-end tests::

    python tests/github/standin.py --port 0 --port-file F [--state-file F]
        [--token-mode writable|readonly|none] [--repository acme/agent] [--prefix /api/v3]
        [--pull NUMBER:SHA[:owner/fork:branch]]... [--user LOGIN]

The state file is read at the start where it exists (``pulls``, ``comments``, ``faults``) and
written after every request (those, and ``requests``).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

if not __package__:  # started as a script: the checkout's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.github import objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

NO_ACCESS = "Resource not accessible by integration"
SECONDARY = (
    "You have exceeded a secondary rate limit and have been temporarily blocked from content"
    " creation. Please retry your request again later."
)
MOST_CHARACTERS = 65_536
DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    broken: bool = False
    """The connection closes; in the middle of the body where there is one."""


@dataclass(kw_only=True)
class Fault:
    """Answers instead of the stand-in, ``times`` times, to requests that contain ``on``."""

    on: str
    """Part of "METHOD /path", such as "POST /repos" or "/comments"."""
    status: int = 502
    body: str = '{"message": "Server Error"}'
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    skip: int = 0
    """How many such requests go through first."""
    after: bool = False
    """Whether the request is carried out all the same: the outcome nobody hears of."""
    broken: bool = False


@dataclass(kw_only=True)
class Pull:
    number: int
    head_sha: str
    head_repository: str | None
    branch: str
    state: str
    locked: bool


@dataclass(kw_only=True)
class Comment:
    id: int
    pull: int
    body: str
    login: str
    kind: str
    deleted: bool = False
    listed: list[tuple[float, str | None]] = field(default_factory=list)
    """From when on lists show which body; None for no longer."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One request and its answer, as they went over the wire."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    answer: Answer


class GitHub:
    """The state, and an answer to every request; safe for threads."""

    def __init__(
        self,
        *,
        repository: str = "acme/agent",
        token_mode: str = "writable",
        prefix: str = "",
        login: str = "github-actions[bot]",
        kind: str = "Bot",
        clock: Callable[[], float] = time.time,
        lag: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.repository = repository
        self.token_mode = token_mode
        self.prefix = prefix
        self.login = login
        self.kind = kind
        self.pulls: dict[int, Pull] = {}
        self.comments: dict[int, Comment] = {}
        self.faults: list[Fault] = []
        self.exchanges: list[Exchange] = []
        self.hides_fork_commits = False
        self._clock = clock
        self._lag = lag
        self._next_id = 1001
        self._lock = threading.RLock()

    def open_pull(
        self,
        number: int,
        head_sha: str,
        *,
        head_repository: str | None = "",
        branch: str = "change",
        state: str = "open",
        locked: bool = False,
    ) -> Pull:
        """A pull request from the repository itself, or from a fork; None for one that is gone."""
        pull = Pull(
            number=number,
            head_sha=head_sha,
            head_repository=self.repository if head_repository == "" else head_repository,
            branch=branch,
            state=state,
            locked=locked,
        )
        self.pulls[number] = pull
        return pull

    def add_comment(self, pull: int, body: str, *, login: str = "", kind: str = "") -> Comment:
        with self._lock:
            comment = Comment(
                id=self._next_id,
                pull=pull,
                body=body,
                login=login or self.login,
                kind=kind or self.kind,
                listed=[(self._clock() + self._lag(), body)],
            )
            self._next_id += 1
            self.comments[comment.id] = comment
            return comment

    def there(self, pull: int = 7) -> list[Comment]:
        """The comments that are really there, whatever lists say."""
        return [row for row in self.comments.values() if row.pull == pull and not row.deleted]

    def asked(self, part: str = "") -> list[str]:
        """As "METHOD /path?query" the requests that contain ``part``, without the prefix."""
        lines = []
        for one in self.exchanges:
            query = f"?{one.query}" if one.query else ""
            lines.append(f"{one.method} {one.path.removeprefix(self.prefix)}{query}")
        return [line for line in lines if part in line]

    def handle(
        self, method: str, target: str, *, headers: Mapping[str, str], body: bytes, base: str
    ) -> Answer:
        """The answer to one request; header names in lower case, ``base`` without the prefix."""
        parts = urlsplit(target)
        with self._lock:
            answer = self._answer(method, target, headers=headers, body=body, base=base)
            exchange = Exchange(
                method=method,
                path=parts.path,
                query=parts.query,
                headers=headers,
                body=body,
                answer=answer,
            )
            self.exchanges.append(exchange)
        return answer

    def _answer(
        self, method: str, target: str, *, headers: Mapping[str, str], body: bytes, base: str
    ) -> Answer:
        path, query = urlsplit(target).path, urlsplit(target).query
        fault = self._fault(f"{method} {path}?{query}")
        if fault is not None and not fault.after:
            return _faulty(fault, base)
        if not path.startswith(f"{self.prefix}/"):
            return _says(404, "Not Found")
        api = base + self.prefix
        answer = self._authorised(method, headers) or self._route(
            method, path.removeprefix(self.prefix), query, body, api
        )
        return answer if fault is None else _faulty(fault, base)

    def _fault(self, line: str) -> Fault | None:
        for fault in self.faults:
            if fault.on in line and fault.times > 0:
                if fault.skip > 0:
                    fault.skip -= 1
                    continue
                fault.times -= 1
                return fault
        return None

    def _authorised(self, method: str, headers: Mapping[str, str]) -> Answer | None:
        if "authorization" not in headers:
            return None if method == "GET" else _says(401, "Requires authentication")
        if self.token_mode == "none":
            return _says(401, "Bad credentials")
        if self.token_mode == "readonly" and method != "GET":
            return _says(403, NO_ACCESS)
        return None

    def _route(self, method: str, path: str, query: str, body: bytes, api: str) -> Answer:
        if (method, path) == ("GET", "/user"):
            if self.kind == "Bot":
                return _says(403, NO_ACCESS)
            return _json(200, objects.public_user(self.login, self.kind, api=api))
        inside = path.removeprefix(f"/repos/{self.repository}/")
        routes: list[tuple[str, str, Callable[..., Answer]]] = [
            ("GET", r"pulls/(\d+)", self._get_pull),
            ("GET", r"pulls", self._list_pulls),
            ("GET", r"commits/([0-9a-f]+)/pulls", self._list_pulls),
            ("GET", r"issues/(\d+)/comments", self._list_comments),
            ("POST", r"issues/(\d+)/comments", self._create_comment),
            ("GET", r"issues/comments/(\d+)", self._get_comment),
            ("PATCH", r"issues/comments/(\d+)", self._edit_comment),
            ("DELETE", r"issues/comments/(\d+)", self._delete_comment),
        ]
        for verb, pattern, action in routes:
            match = re.fullmatch(pattern, inside)
            if match and verb == method and inside != path:
                return action(*match.groups(), query=parse_qs(query), body=body, api=api)
        return _says(404, "Not Found")

    def _get_pull(self, number: str, *, api: str, **_: object) -> Answer:
        pull = self.pulls.get(int(number))
        if pull is None:
            return _says(404, "Not Found")
        return _json(200, objects.pull(self._pull_json(pull, api)))

    def _list_pulls(
        self, sha: str = "", *, query: dict[str, list[str]], api: str, **_: object
    ) -> Answer:
        rows = list(self.pulls.values())
        path = "/pulls"
        if sha:
            path = f"/commits/{sha}/pulls"
            rows = [
                row
                for row in rows
                if row.head_sha == sha
                and not (self.hides_fork_commits and row.head_repository != self.repository)
            ]
        else:
            state, head = query.get("state", ["open"])[0], query.get("head", [""])[0]
            rows = [row for row in rows if state in (row.state, "all")]
            rows = [row for row in rows if head in ("", _head(row))]
        pages = [self._pull_json(row, api) for row in rows]
        return _page(pages, query, f"{api}/repos/{self.repository}{path}")

    def _list_comments(
        self, number: str, *, query: dict[str, list[str]], api: str, **_: object
    ) -> Answer:
        if int(number) not in self.pulls:
            return _says(404, "Not Found")
        shown = [
            self._comment_json(row, body, api)
            for row in self.comments.values()
            if row.pull == int(number) and (body := self._listed_body(row)) is not None
        ]
        url = f"{api}/repos/{self.repository}/issues/{number}/comments"
        return _page(shown, query, url)

    def _create_comment(self, number: str, *, body: bytes, api: str, **_: object) -> Answer:
        pull = self.pulls.get(int(number))
        if pull is None:
            return _says(404, "Not Found")
        if pull.locked:
            return _says(403, "Unable to create comment because issue is locked.")
        text = _body_of(body)
        if isinstance(text, Answer):
            return text
        row = self.add_comment(pull.number, text)
        answer = self._comment_json(row, text, api)
        return _json(201, answer, {"location": answer["url"]})

    def _get_comment(self, number: str, *, api: str, **_: object) -> Answer:
        row = self.comments.get(int(number))
        if row is None or row.deleted:
            return _says(404, "Not Found")
        return _json(200, self._comment_json(row, row.body, api))

    def _edit_comment(self, number: str, *, body: bytes, api: str, **_: object) -> Answer:
        row = self.comments.get(int(number))
        if row is None or row.deleted:
            return _says(404, "Not Found")
        text = _body_of(body)
        if isinstance(text, Answer):
            return text
        row.body = text
        row.listed.append((self._clock() + self._lag(), text))
        return _json(200, self._comment_json(row, text, api))

    def _delete_comment(self, number: str, **_: object) -> Answer:
        row = self.comments.get(int(number))
        if row is None or row.deleted:
            return _says(404, "Not Found")
        row.deleted = True
        row.listed.append((self._clock() + self._lag(), None))
        return Answer(status=204)

    def _listed_body(self, row: Comment) -> str | None:
        shown = [body for when, body in row.listed if when <= self._clock()]
        return shown[-1] if shown else None

    def _comment_json(self, row: Comment, body: str, api: str) -> dict[str, Any]:
        return objects.comment(
            row.id,
            body=body,
            login=row.login,
            kind=row.kind,
            pull=row.pull,
            full_name=self.repository,
            api=api,
        )

    def _pull_json(self, row: Pull, api: str) -> dict[str, Any]:
        return objects.pull_simple(**asdict(row), full_name=self.repository, api=api)

    def state(self) -> dict[str, Any]:
        """What the state file holds."""
        with self._lock:
            requests = [
                {
                    "method": one.method,
                    "path": one.path,
                    "query": one.query,
                    "status": one.answer.status,
                    "authorised": "authorization" in one.headers,
                }
                for one in self.exchanges
            ]
            return {
                "pulls": [asdict(row) for row in self.pulls.values()],
                "comments": [
                    {"id": row.id, "pull": row.pull, "body": row.body, "login": row.login}
                    | {"kind": row.kind}
                    for row in self.comments.values()
                    if not row.deleted
                ],
                "faults": [asdict(fault) for fault in self.faults],
                "requests": requests,
            }

    def load(self, state: dict[str, Any]) -> None:
        """Take over the pulls, comments and faults of a state file."""
        for row in state.get("pulls", []):
            number, sha = row["number"], row["head_sha"]
            more = {key: row[key] for key in row if key not in ("number", "head_sha")}
            self.open_pull(number, sha, **more)
        for row in state.get("comments", []):
            self.add_comment(
                row["pull"], row["body"], login=row.get("login", ""), kind=row.get("kind", "")
            )
        self.faults += [Fault(**row) for row in state.get("faults", [])]


def _head(row: Pull) -> str:
    return f"{(row.head_repository or '').partition('/')[0]}:{row.branch}"


def _body_of(data: bytes) -> str | Answer:
    try:
        text = json.loads(data)["body"]
    except (ValueError, KeyError, TypeError):
        return _says(400, "Problems parsing JSON")
    if not isinstance(text, str) or not text.strip():
        return _invalid("Body can't be blank")
    if len(text) > MOST_CHARACTERS:
        return _invalid(f"Body is too long (maximum is {MOST_CHARACTERS} characters)")
    return text


def _json(status: int, value: object, headers: Mapping[str, str] | None = None) -> Answer:
    kind = {"content-type": "application/json; charset=utf-8"}
    return Answer(
        status=status, headers=kind | dict(headers or {}), body=json.dumps(value).encode()
    )


def _says(status: int, message: str) -> Answer:
    return _json(status, {"message": message, "documentation_url": DOCS, "status": str(status)})


def _invalid(message: str) -> Answer:
    error = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
    error["message"] = message
    return _json(
        422, {"message": "Validation Failed", "errors": [error], "documentation_url": DOCS}
    )


def _page(rows: list[dict[str, Any]], query: dict[str, list[str]], url: str) -> Answer:
    size = min(max(int(query.get("per_page", ["30"])[0]), 1), 100)
    page = max(int(query.get("page", ["1"])[0]), 1)
    last = max(-(-len(rows) // size), 1)

    def link(number: int, rel: str) -> str:
        kept = {key: values[0] for key, values in query.items()}
        return f'<{url}?{urlencode(kept | {"per_page": size, "page": number})}>; rel="{rel}"'

    links = [link(1, "first"), link(page - 1, "prev")] if page > 1 else []
    links += [link(page + 1, "next"), link(last, "last")] if page < last else []
    return _json(
        200, rows[(page - 1) * size : page * size], {"link": ", ".join(links)} if links else None
    )


def _faulty(fault: Fault, base: str) -> Answer:
    headers = {"content-type": "application/json"} | fault.headers
    headers = {name: value.replace("{base}", base) for name, value in headers.items()}
    return Answer(
        status=fault.status, headers=headers, body=fault.body.encode(), broken=fault.broken
    )


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def _serve(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(size)
        headers = {name.lower(): value for name, value in self.headers.items()}
        base = f"http://{self.headers.get('host', 'localhost')}"
        answer = self.server.github.handle(
            self.command, self.path, headers=headers, body=body, base=base
        )
        self.server.save()
        if not (answer.broken and not answer.body):
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: len(answer.body) // 2] if answer.broken else answer.body)
        self.close_connection = True

    do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: what was asked is in ``exchanges``."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, github: GitHub, port: int, state_file: Path | None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.github = github
        self.state_file = state_file
        self._saving = threading.Lock()

    def save(self) -> None:
        if self.state_file is not None:
            with self._saving:
                write_whole(self.state_file, json.dumps(self.github.state(), indent=1))


def write_whole(path: Path, text: str) -> None:
    """Write so that a reader sees the old text or the new one, never half of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)


@contextlib.contextmanager
def served(github: GitHub) -> Iterator[str]:
    """The stand-in on a loopback port of its own; gives the API address, prefix included."""
    server = _Server(github, 0, None)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{github.prefix}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main(arguments: list[str] | None = None) -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(description="A stand-in for GitHub's API on a loopback port.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--state-file", type=Path)
    parser.add_argument(
        "--token-mode", choices=("writable", "readonly", "none"), default="writable"
    )
    parser.add_argument("--repository", default="acme/agent")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--pull", action="append", default=[])
    parser.add_argument("--user", help="the login of a user's token; GET /user then answers")
    given = parser.parse_args(arguments)
    who = {"login": given.user, "kind": "User"} if given.user else {}
    github = GitHub(
        repository=given.repository, token_mode=given.token_mode, prefix=given.prefix, **who
    )
    if given.state_file is not None and given.state_file.exists():
        github.load(json.loads(given.state_file.read_text(encoding="utf-8")))
    for text in given.pull:
        number, sha, *fork = text.split(":", 3)
        more = dict(zip(("head_repository", "branch"), fork, strict=False))
        github.open_pull(int(number), sha, **more)
    server = _Server(github, given.port, given.state_file)
    server.save()
    write_whole(given.port_file, f"{server.server_address[1]}\n")
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
