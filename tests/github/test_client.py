from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from contractlab.github.client import Client
from contractlab.github.errors import ElsewhereError, RefusedError, UnavailableError
from contractlab.github.transport import Answer, BrokenConnectionError
from tests.github.helpers import API, TOKEN, Script, answer, client_of, rows
from tests.github.standin import NO_ACCESS, SECONDARY

if TYPE_CHECKING:
    from tests.github.simulated import HandClock

LOST = BrokenConnectionError("RemoteDisconnected", sent=True)
UNSENT = BrokenConnectionError("ConnectionRefusedError", sent=False)


def says(status: int, message: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(status, json.dumps({"message": message}), named)


@pytest.mark.parametrize("failure", [answer(502), answer(500), answer(503), LOST, UNSENT])
def test_a_read_is_tried_four_times_half_a_second_then_twice_as_long(
    failure: Answer | BrokenConnectionError, hand: HandClock
) -> None:
    send = Script(failure, failure, failure, answer(200, '{"ok": 1}'))
    assert client_of(send, hand).get("/x") == {"ok": 1}
    assert hand.slept_s == [0.5, 1.0, 2.0]


def test_the_fourth_failure_is_the_last(hand: HandClock) -> None:
    send = Script(*[answer(502)] * 4)
    with pytest.raises(UnavailableError, match=r"GET /x was answered 502 \(tried 4 times\)"):
        client_of(send, hand).get("/x")


@pytest.mark.parametrize("method", ["post", "patch"])
@pytest.mark.parametrize("failure", [answer(502), LOST, answer(200, "<html>")])
def test_a_write_of_unknown_outcome_is_not_repeated_but_marked(
    method: str, failure: Answer | BrokenConnectionError, hand: HandClock
) -> None:
    send = Script(failure)
    with pytest.raises(UnavailableError) as caught:
        getattr(client_of(send, hand), method)("/x", {"body": "b"})
    assert caught.value.outcome_unknown
    assert hand.slept_s == []


@pytest.mark.parametrize(
    "failure", [UNSENT, says(429, "slow", retry_after="3"), says(403, SECONDARY, retry_after="3")]
)
def test_a_write_that_was_not_carried_out_is_repeated(
    failure: Answer | BrokenConnectionError, hand: HandClock
) -> None:
    send = Script(failure, answer(201, '{"id": 1}'))
    assert client_of(send, hand).post("/x", {"body": "b"}) == {"id": 1}
    assert [request.body for request in send.requests] == [b'{"body": "b"}'] * 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422])
def test_a_plain_refusal_is_not_repeated(status: int, hand: HandClock) -> None:
    send = Script(says(status, NO_ACCESS))
    with pytest.raises(RefusedError) as caught:
        client_of(send, hand).get("/x")
    assert (caught.value.status, caught.value.message) == (status, NO_ACCESS)
    assert hand.slept_s == []


def test_the_words_of_a_refusal_include_its_errors_on_one_short_line(hand: HandClock) -> None:
    body = {"message": "Validation\nFailed", "errors": [{"message": "too \x1b[31m" + "o" * 999}]}
    with pytest.raises(RefusedError) as caught:
        client_of(Script(answer(422, json.dumps(body))), hand).get("/x")
    assert caught.value.message.startswith("Validation Failed; too ?[31mooo")
    assert len(caught.value.message) == 300


def test_a_wait_beyond_the_budget_is_not_begun(hand: HandClock) -> None:
    reset = str(int(hand.now_s) + 121)
    send = Script(says(403, "limit", x_ratelimit_remaining="0", x_ratelimit_reset=reset))
    with pytest.raises(UnavailableError, match="waiting 121 s more would pass the limit of 120 s"):
        client_of(send, hand).get("/x")
    assert hand.slept_s == []


def test_all_waits_of_one_client_share_one_budget(hand: HandClock) -> None:
    send = Script(says(429, "", retry_after="70"), answer(), says(429, "", retry_after="70"))
    client = client_of(send, hand)
    client.get("/x")
    with pytest.raises(UnavailableError, match="rate limit"):
        client.get("/x")
    assert hand.slept_s == [70.0]
    assert client.pause(50.0)
    assert not client.pause(0.1)


@pytest.mark.parametrize(
    "body", ["<html>Sign in</html>", "", '{"id": 1', "\ufeff{}x", "[" * 100_000], ids=range(5)
)
def test_an_answer_that_is_not_json_is_unavailable(body: str, hand: HandClock) -> None:
    with pytest.raises(UnavailableError, match="without JSON"):
        client_of(Script(answer(200, body)), hand).get("/x")


def test_a_refusal_without_json_is_not_taken_for_githubs(hand: HandClock) -> None:
    with pytest.raises(UnavailableError, match="not by GitHub"):
        client_of(Script(answer(403, "<html>Blocked</html>")), hand).get("/x")


def test_pages_are_followed_to_the_last(hand: HandClock) -> None:
    link = {"link": f'<{API}/x?page=2>; rel="next"'}
    send = Script(answer(200, '[{"n": 1}]', link), answer(200, '[{"n": 2}]'))
    entries = [*client_of(send, hand).pages("/x")]
    assert [row["n"] for row in rows(entries)] == [1, 2]
    assert [request.url for request in send.requests] == [
        f"{API}/x?per_page=100",
        f"{API}/x?page=2",
    ]


def test_pages_without_an_end_are_given_up(hand: HandClock) -> None:
    endless = answer(200, "[]", {"link": f'<{API}/x?page=2>; rel="next"'})
    with pytest.raises(UnavailableError, match="after 100 pages"):
        list(client_of(Script(*[endless] * 100), hand).pages("/x"))


def test_a_list_that_is_none_is_unavailable(hand: HandClock) -> None:
    with pytest.raises(UnavailableError, match="no list"):
        list(client_of(Script(answer(200, "{}")), hand).pages("/x"))


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.test/x",
        "http://api.example.test/x",
        "//evil.test/x",
        f"{API}:8443/x",
        "file:/x",
    ],
)
def test_a_page_or_redirect_to_another_origin_is_refused_unasked(
    target: str, hand: HandClock
) -> None:
    paged = Script(answer(200, "[]", {"link": f'<{target}>; rel="next"'}))
    with pytest.raises(ElsewhereError, match="the next page leads away"):
        list(client_of(paged, hand).pages("/x"))
    moved = Script(answer(302, headers={"location": target}))
    with pytest.raises(ElsewhereError, match="a redirect leads away"):
        client_of(moved, hand).get("/x")
    assert len(paged.requests) == len(moved.requests) == 1


def test_a_redirect_inside_the_origin_is_followed_as_a_renamed_repository_needs(
    hand: HandClock,
) -> None:
    moved = answer(301, headers={"location": "/repositories/42/pulls/7"})
    send = Script(moved, answer(200, '{"number": 7}'))
    assert client_of(send, hand).get("/x") == {"number": 7}
    assert send.requests[1].url == f"{API}/repositories/42/pulls/7"


def test_a_write_follows_only_a_redirect_that_keeps_its_method(hand: HandClock) -> None:
    send = Script(answer(307, headers={"location": "/y"}), answer(201, '{"id": 1}'))
    client_of(send, hand).post("/x", {"body": "b"})
    assert [(request.method, request.body) for request in send.requests] == [
        ("POST", b'{"body": "b"}')
    ] * 2
    with pytest.raises(ElsewhereError):
        client_of(Script(answer(302, headers={"location": "/y"})), hand).post("/x", {})


def test_redirects_in_a_circle_end(hand: HandClock) -> None:
    send = Script(*[answer(302, headers={"location": "/x"})] * 4)
    with pytest.raises(ElsewhereError, match="more than 3 redirects"):
        client_of(send, hand).get("/x")


def test_the_token_is_in_the_header_and_in_no_text(hand: HandClock) -> None:
    echo = json.dumps({"message": f"bad header Bearer {TOKEN}"})
    send = Script(answer(400, echo))
    client = client_of(send, hand)
    with pytest.raises(RefusedError) as caught:
        client.get("/x")
    request = send.requests[0]
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert (
        TOKEN not in f"{client!r} {request!r} {caught.value} {caught.value!r} {vars(caught.value)}"
    )


def test_without_a_token_no_authorization_is_sent(hand: HandClock) -> None:
    send = Script(answer())
    client = client_of(send, hand, token="")
    client.get("/x")
    assert not client.has_token
    assert "Authorization" not in send.requests[0].headers


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "tökén"])
def test_a_token_that_no_header_can_carry_is_refused_without_being_quoted(token: str) -> None:
    with pytest.raises(ValueError, match="not one word") as caught:
        Client(API, token)
    assert token not in str(caught.value)


def test_an_api_address_with_a_user_name_or_query_is_refused() -> None:
    with pytest.raises(ValueError, match="no plain http"):
        Client("https://user:secret@api.example.test", TOKEN)
