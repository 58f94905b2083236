from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from contractlab.github.client import Client
from contractlab.github.errors import UnavailableError
from contractlab.github.transport import BrokenConnectionError, Request, urllib_send
from tests.github.helpers import SHA, TOKEN, post
from tests.github.standin import Fault, GitHub, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.github.simulated import HandClock


def get(url: str) -> Request:
    return Request(method="GET", url=url, headers={"Authorization": f"Bearer {TOKEN}"})


@contextlib.contextmanager
def raw_server(*parts: bytes) -> Iterator[str]:
    """Answers one connection with these bytes, one after another, then closes it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(65_536)
                for part in parts:
                    connection.sendall(part)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(timeout=10)


@pytest.mark.parametrize("kind", ["redirect", "link"])
def test_the_token_does_not_reach_another_host(kind: str, hand: HandClock) -> None:
    other, github = GitHub(), GitHub()
    github.open_pull(7, SHA)
    with served(other) as elsewhere, served(github) as api:
        if kind == "redirect":
            github.faults.append(
                Fault(on="GET /repos", status=302, headers={"location": f"{elsewhere}/leak"})
            )
        else:
            link = f'<{elsewhere}/leak>; rel="next"'
            github.faults.append(
                Fault(on="/comments?per_page", status=200, body="[]", headers={"link": link})
            )
        client = Client(api, TOKEN, sleep=hand.sleep, clock=hand.clock)
        posted = post(client)
    assert posted.status == "failed"
    assert "leads away" in posted.detail
    assert other.exchanges == []
    assert github.exchanges[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_the_other_host_would_have_been_heard() -> None:
    other = GitHub()
    with served(other) as elsewhere:
        urllib_send(clock=time.time)(get(f"{elsewhere}/leak"), timeout_s=5)
    assert other.exchanges[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_a_redirect_comes_back_as_it_is() -> None:
    github = GitHub()
    github.faults.append(Fault(on="GET /x", status=302, headers={"location": "/y"}))
    with served(github) as api:
        answer = urllib_send(clock=time.time)(get(f"{api}/x"), timeout_s=5)
    assert (answer.status, answer.headers["location"]) == (302, "/y")


def test_a_closed_port_means_that_nothing_was_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(BrokenConnectionError) as caught:
        urllib_send(clock=time.time)(get(f"http://127.0.0.1:{port}/"), timeout_s=5)
    assert (caught.value.sent, caught.value.again) == (False, True)


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", b"[1, 2"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"ff\r\n[1, 2"],
        [b"this is no HTTP\r\n\r\n"],
    ],
    ids=["nothing", "half a body", "half a chunk", "no HTTP"],
)
def test_a_connection_that_breaks_gives_no_half_answer(parts: list[bytes]) -> None:
    with raw_server(*parts) as url, pytest.raises(BrokenConnectionError) as caught:
        urllib_send(clock=time.time)(get(url), timeout_s=5)
    assert caught.value.sent


def test_an_answer_over_the_size_limit_is_cut_off_and_not_asked_for_again() -> None:
    with (
        raw_server(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 2_000) as url,
        pytest.raises(BrokenConnectionError, match="over 1,000 bytes") as caught,
    ):
        urllib_send(clock=time.time, limit_bytes=1_000)(get(url), timeout_s=5)
    assert not caught.value.again


def test_an_answer_that_drips_ends_with_the_time_it_has() -> None:
    ticks = iter(range(0, 1_000, 10))
    with (
        raw_server(b"HTTP/1.1 200 OK\r\n\r\n", b"x") as url,
        pytest.raises(BrokenConnectionError, match="took too long"),
    ):
        urllib_send(clock=lambda: float(next(ticks)))(get(url), timeout_s=5)


def test_a_silent_server_times_out_without_a_word_of_the_request() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        with pytest.raises(BrokenConnectionError) as caught:
            urllib_send(clock=time.time)(get(url), timeout_s=0.05)
    assert str(caught.value) == "timed out"


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:,x"])
def test_only_http_is_opened(url: str) -> None:
    with pytest.raises(BrokenConnectionError, match="not an http or https address"):
        urllib_send(clock=time.time)(get(url), timeout_s=5)


def test_broken_connections_over_the_wire_are_tried_four_times(hand: HandClock) -> None:
    github = GitHub()
    github.open_pull(7, SHA)
    github.faults.append(Fault(on="GET /repos", broken=True, body="", times=3))
    with served(github) as api:
        client = Client(api, TOKEN, sleep=hand.sleep, clock=hand.clock)
        assert isinstance(client.get("/repos/acme/agent/pulls/7"), dict)
        github.faults.append(Fault(on="GET /repos", broken=True, times=4))
        with pytest.raises(UnavailableError, match="before the answer ended"):
            client.get("/repos/acme/agent/pulls/7")
    assert hand.slept_s == [0.5, 1.0, 2.0] * 2
