"""One HTTP request and its answer, over urllib; the only module that opens a connection."""

from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RESPONSE_LIMIT_BYTES = 32 * 1024 * 1024
"""A page of 100 comments of 65,536 four-byte characters is 26 MB: anyone who may comment can
write them, and must not be able to stop ours by it."""

_CHUNK_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent. Headers and body stay out of the repr: one carries the token."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back, whatever its status; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class BrokenConnectionError(Exception):
    """No whole answer came back.

    Attributes:
        sent: False where the request cannot have reached a server, so it is safe to repeat.
        again: False where repeating cannot help (an answer over the size limit).
    """

    def __init__(self, reason: str, *, sent: bool, again: bool = True) -> None:
        super().__init__(reason)
        self.sent = sent
        self.again = again


class Send(Protocol):
    """Sends one request and follows nothing: a redirect comes back as the answer it is."""

    def __call__(self, request: Request, *, timeout_s: float) -> Answer:
        """Give the answer, or raise BrokenConnectionError."""


def _opener() -> urllib.request.OpenerDirector:
    # Not build_opener: that one follows redirects (taking Authorization along to any host),
    # raises on 4xx, and opens file: and ftp: addresses.
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
    ):
        opener.add_handler(handler)
    return opener


def urllib_send(*, clock: Callable[[], float], limit_bytes: int = RESPONSE_LIMIT_BYTES) -> Send:
    """A Send over urllib, through the proxy of the environment if it names one.

    ``timeout_s`` bounds the wait for each part of an answer, and by ``clock`` also the whole of
    it, so a server that drips bytes cannot hold the run.
    """
    opener = _opener()

    def send(request: Request, *, timeout_s: float) -> Answer:
        asked = urllib.request.Request(  # noqa: S310 (the opener has no handler but http and https)
            request.url, data=request.body, headers=dict(request.headers), method=request.method
        )
        ends_at = clock() + timeout_s
        try:
            response = opener.open(asked, timeout=timeout_s)
        except urllib.error.URLError as error:
            unsent = isinstance(error.reason, ConnectionRefusedError | socket.gaierror)
            raise BrokenConnectionError(_reason(error.reason), sent=not unsent) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise BrokenConnectionError(_reason(error), sent=True) from None
        if response is None:
            raise BrokenConnectionError("not an http or https address", sent=False, again=False)
        with response:
            body = _read(response, ends_at=ends_at, clock=clock, limit_bytes=limit_bytes)
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(status=int(response.status), headers=headers, body=body)

    return send


def _read(
    response: http.client.HTTPResponse,
    *,
    ends_at: float,
    clock: Callable[[], float],
    limit_bytes: int,
) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        # read1, not read: read(n) waits for n bytes, and a slow drip never trips the timeout.
        while part := response.read1(_CHUNK_BYTES):
            size += len(part)
            if size > limit_bytes:
                raise BrokenConnectionError(
                    f"the answer is over {limit_bytes:,} bytes", sent=True, again=False
                )
            if clock() > ends_at:
                raise BrokenConnectionError("the answer took too long", sent=True)
            parts.append(part)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise BrokenConnectionError(_reason(error), sent=True) from None
    if response.length:  # read1 ends quietly where read would raise IncompleteRead
        raise BrokenConnectionError("the connection closed before the answer ended", sent=True)
    return b"".join(parts)


def _reason(error: object) -> str:
    # The kind only: an exception's text may quote a header line or an address.
    if isinstance(error, TimeoutError):
        return "timed out"
    return type(error).__name__ if isinstance(error, BaseException) else "no connection"
