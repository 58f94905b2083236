"""A small REST client for GitHub's API: one origin, bounded waits, and honest about its writes."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from contractlab.github.addresses import api_base, next_link, origin
from contractlab.github.errors import ElsewhereError, RefusedError, UnavailableError
from contractlab.github.retry import TRIES, backoff_s, limit_wait_s, server_wait_s
from contractlab.github.transport import Answer, BrokenConnectionError, Request, Send, urllib_send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

WAIT_BUDGET_S = 120.0
TIMEOUT_S = 15.0
PAGE_SIZE = 100
_MOST_PAGES = 100
_MOST_REDIRECTS = 3
_REPEATABLE = frozenset({"GET", "DELETE"})


class Client:
    """Requests to one API address, one after another, within one time budget.

    GET and DELETE are tried 4 times on a 5xx answer or a broken connection. POST and PATCH are
    then given back as ``UnavailableError(outcome_unknown=True)``, because only the caller can look
    whether they happened. Rate limits are waited for with any method. The budget of 120 s counts
    from the first request; a wait that would end after it is not begun.
    """

    def __init__(
        self,
        api_url: str,
        token: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        send: Send | None = None,
    ) -> None:
        """Nothing is sent yet.

        Args:
            api_url: ``GITHUB_API_URL``; with its /api/v3 on GitHub Enterprise Server.
            token: "" for none.
            sleep: seconds to pause; every wait goes through it.
            clock: seconds since the epoch.
            send: the transport; urllib unless a test gives another.

        Raises:
            ValueError: the address is no http(s) address, or the token is no single word.
        """
        base = api_base(api_url)
        if base is None:
            raise ValueError("the API address is no plain http or https address")
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise ValueError("the token is not one word of printable ASCII")
        self._base = base
        self._token = token
        self._sleep = sleep
        self._clock = clock
        self._send = send or urllib_send(clock=clock)
        self._ends_at_s: float | None = None

    def __repr__(self) -> str:
        return f"Client({self._base!r})"

    @property
    def has_token(self) -> bool:
        """Whether requests carry a token."""
        return self._token != ""

    def get(self, path: str) -> object:
        """The JSON of one address below the API's, such as ``/repos/acme/agent/pulls/7``."""
        return self._json(self._exchange("GET", self._base + path, None), "GET", path)

    def post(self, path: str, body: Mapping[str, object]) -> object:
        """Create; repeated only where GitHub said that it did nothing (a rate limit)."""
        return self._json(self._exchange("POST", self._base + path, body), "POST", path)

    def patch(self, path: str, body: Mapping[str, object]) -> object:
        """Change; repeated only where GitHub said that it did nothing (a rate limit)."""
        return self._json(self._exchange("PATCH", self._base + path, body), "PATCH", path)

    def delete(self, path: str) -> None:
        """Delete; a 404 is ``RefusedError`` like any other."""
        self._exchange("DELETE", self._base + path, None)

    def pages(self, path: str) -> Iterator[object]:
        """Every entry of a list, over all its pages, 100 a page.

        Raises:
            ElsewhereError: a page's ``Link`` names another origin.
            UnavailableError: an answer is no list, or there are over 100 pages.
        """
        joint = "&" if "?" in path else "?"
        url: str | None = f"{self._base}{path}{joint}per_page={PAGE_SIZE}"
        for _ in range(_MOST_PAGES):
            if url is None:
                return
            answer = self._exchange("GET", url, None)
            entries = self._json(answer, "GET", path)
            if not isinstance(entries, list):
                raise UnavailableError(f"GET {path} was answered with something that is no list")
            yield from entries
            link = next_link(answer.headers.get("link", ""))
            url = None if link is None else self._same_origin(urljoin(url, link), "the next page")
        if url is not None:
            raise UnavailableError(f"GET {path} goes on after {_MOST_PAGES} pages")

    def pause(self, seconds: float) -> bool:
        """Sleep, or return False at once where the budget would end before the sleep does."""
        now_s = self._clock()
        if self._ends_at_s is not None and now_s + seconds > self._ends_at_s:
            return False
        self._sleep(seconds)
        return True

    def _exchange(self, method: str, url: str, body: Mapping[str, object] | None) -> Answer:
        if self._ends_at_s is None:
            self._ends_at_s = self._clock() + WAIT_BUDGET_S
        asked = f"{method} {urlsplit(url).path.removeprefix(urlsplit(self._base).path)}"
        failures = 0
        while True:
            failures += 1
            try:
                answer = self._follow(method, url, body)
            except BrokenConnectionError as broken:
                unknown = broken.sent and method not in _REPEATABLE
                why, wait_s = f"{asked}: {broken}", backoff_s(failures)
                if unknown or not broken.again:
                    raise UnavailableError(why, outcome_unknown=unknown) from None
            else:
                if answer.status < 300:
                    return answer
                why, wait_s = self._why_and_wait(answer, asked, method, failures)
            if failures == TRIES:
                raise UnavailableError(f"{why} (tried {TRIES} times)")
            if not self.pause(wait_s):
                raise UnavailableError(
                    f"{why}; waiting {wait_s:,.0f} s more would pass the limit of"
                    f" {WAIT_BUDGET_S:.0f} s"
                )

    def _why_and_wait(
        self, answer: Answer, asked: str, method: str, failures: int
    ) -> tuple[str, float]:
        """What to say and how long to wait after a 4xx or 5xx; raises where waiting is no use."""
        message = self._words(answer)
        now_s = self._clock()
        told_s = limit_wait_s(answer, message or "", failures=failures, now_s=now_s)
        if told_s is not None:
            return f"{asked} met a rate limit ({answer.status})", told_s
        wait_s = server_wait_s(answer, failures=failures, now_s=now_s)
        if wait_s is not None:
            why = f"{asked} was answered {answer.status}"
            if method in _REPEATABLE:
                return why, wait_s
            raise UnavailableError(why, outcome_unknown=True, wait_s=wait_s)
        if message is None:
            raise UnavailableError(
                f"{asked} was answered {answer.status} without JSON: not by GitHub?"
            )
        raise RefusedError(asked, answer.status, message)

    def _follow(self, method: str, url: str, body: Mapping[str, object] | None) -> Answer:
        """The answer after redirects inside the origin; a renamed repository answers with one."""
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self._send(self._request(method, url, body), timeout_s=self._timeout_s())
            if answer.status not in (301, 302, 303, 307, 308):
                return answer
            if method != "GET" and answer.status not in (307, 308):
                raise ElsewhereError(f"a redirect ({answer.status}) of a {method} was not followed")
            target = urljoin(url, answer.headers.get("location", ""))
            url = self._same_origin(target, "a redirect")
        raise ElsewhereError(f"more than {_MOST_REDIRECTS} redirects were not followed")

    def _timeout_s(self) -> float:
        if self._ends_at_s is None:
            return TIMEOUT_S
        return min(TIMEOUT_S, max(1.0, self._ends_at_s - self._clock()))

    def _request(self, method: str, url: str, body: Mapping[str, object] | None) -> Request:
        headers = {
            "Accept": "application/vnd.github+json",
            "User-Agent": "contractlab",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode("ascii")
        return Request(method=method, url=url, headers=headers, body=data)

    def _same_origin(self, url: str, what: str) -> str:
        if origin(url) != origin(self._base):
            raise ElsewhereError(f"{what} leads away from {self._base} and was not followed")
        return url

    def _words(self, answer: Answer) -> str | None:
        message = _message(answer)
        # A proxy's error page may quote the request.
        if message is not None and self._token:
            message = message.replace(self._token, "***")
        return message if message is None else message[:300]

    def _json(self, answer: Answer, method: str, path: str) -> object:
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            raise UnavailableError(
                f"{method} {path} was answered {answer.status} without JSON: not by GitHub?",
                outcome_unknown=method not in _REPEATABLE,
            ) from None


def _message(answer: Answer) -> str | None:
    """GitHub's words in a JSON object, on one line; None where the body is none."""
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    texts = [value.get("message")]
    errors = value.get("errors")
    if isinstance(errors, list):
        texts += [entry.get("message") for entry in errors if isinstance(entry, dict)]
    words = " ".join("; ".join(text for text in texts if isinstance(text, str)).split())
    return "".join(char if char.isprintable() else "?" for char in words)
