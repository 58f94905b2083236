from __future__ import annotations

import pytest

from contractlab.github.retry import backoff_s, limit_wait_s, server_wait_s
from tests.github.helpers import answer
from tests.github.standin import NO_ACCESS, SECONDARY

NOW_S = 1_767_322_800.0


def test_the_wait_doubles_from_half_a_second() -> None:
    assert [backoff_s(failures) for failures in (1, 2, 3)] == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("status", "headers", "message", "failures", "wait_s"),
    [
        (429, {"retry-after": "7"}, "", 1, 7.0),
        (403, {"retry-after": "7"}, SECONDARY, 1, 7.0),
        (403, {"retry-after": "Fri, 02 Jan 2026 03:00:30 GMT"}, SECONDARY, 1, 30.0),
        (429, {"retry-after": "0"}, "", 1, 1.0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767322842"}, "", 1, 42.0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "5"}, "", 1, 1.0),
        (403, {}, SECONDARY, 1, 60.0),
        (403, {}, SECONDARY, 2, 120.0),
        (429, {"retry-after": "soon"}, "", 1, 60.0),
        (429, {"retry-after": "9" * 400}, "", 1, 60.0),
        (403, {}, "You have triggered an abuse detection mechanism.", 1, 60.0),
    ],
)
def test_a_rate_limit_is_waited_for_as_told(
    status: int, headers: dict[str, str], message: str, failures: int, wait_s: float
) -> None:
    told = answer(status, headers=headers)
    assert limit_wait_s(told, message, failures=failures, now_s=NOW_S) == wait_s


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (403, {}, NO_ACCESS),
        (403, {"x-ratelimit-remaining": "4999"}, "Forbidden"),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767322842"}, NO_ACCESS),
        (404, {"retry-after": "7"}, "Not Found"),
        (422, {}, "rate limit"),
        (200, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767322842"}, ""),
    ],
)
def test_any_other_answer_is_no_rate_limit(
    status: int, headers: dict[str, str], message: str
) -> None:
    assert limit_wait_s(answer(status, headers=headers), message, failures=1, now_s=NOW_S) is None


def test_a_server_error_waits_its_retry_after_else_the_backoff() -> None:
    told = answer(503, headers={"retry-after": "9"})
    assert server_wait_s(told, failures=3, now_s=NOW_S) == 9.0
    assert server_wait_s(answer(502), failures=3, now_s=NOW_S) == 2.0
    assert server_wait_s(answer(404), failures=3, now_s=NOW_S) is None
