"""How long to wait before an answer is asked for again; pure.

The rules are GitHub's own ("Rate limits for the REST API"): obey ``retry-after``; else, with no
request left, wait for ``x-ratelimit-reset``; else, at a secondary limit, at least a minute, and
twice as long each time after.
"""

from __future__ import annotations

import math
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contractlab.github.transport import Answer

TRIES = 4
SECONDARY_WAIT_S = 60.0
_SERVER_ERROR = 500


def backoff_s(failures: int) -> float:
    """0.5, 1, 2, ... seconds after the first, second, third, ... failure in a row."""
    return float(0.5 * 2 ** (failures - 1))


def limit_wait_s(answer: Answer, message: str, *, failures: int, now_s: float) -> float | None:
    """Seconds that a rate limit asks to wait, or None where the answer is no rate limit.

    Such an answer was given instead of doing the work: the request may be repeated as it is.

    Args:
        answer: any answer.
        message: the ``message`` of its JSON body, or "".
        failures: how many tries of this request failed, this one included (1 or more).
        now_s: seconds since the epoch.
    """
    if answer.status not in (403, 429):
        return None
    told = retry_after_s(answer, now_s=now_s)
    if told is not None:
        return told
    words = message.lower()
    if "not accessible by" in words:  # a missing permission, on the last request that was left
        return None
    if answer.headers.get("x-ratelimit-remaining", "").strip() == "0":
        reset_s = _seconds(answer.headers.get("x-ratelimit-reset", ""))
        if reset_s is not None:
            return max(reset_s - now_s, 1.0)
    if answer.status == 429 or "rate limit" in words or "abuse detection" in words:
        return SECONDARY_WAIT_S * float(2 ** (failures - 1))
    return None


def server_wait_s(answer: Answer, *, failures: int, now_s: float) -> float | None:
    """Seconds to wait after a 5xx, or None where the answer is none."""
    if answer.status < _SERVER_ERROR:
        return None
    told = retry_after_s(answer, now_s=now_s)
    return backoff_s(failures) if told is None else told


def retry_after_s(answer: Answer, *, now_s: float) -> float | None:
    """Seconds until the ``retry-after`` header's time, at least 1; None without a usable one."""
    text = answer.headers.get("retry-after", "").strip()
    seconds = _seconds(text)
    if seconds is not None:
        return max(seconds, 1.0)
    try:
        return max(parsedate_to_datetime(text).timestamp() - now_s, 1.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds(text: str) -> float | None:
    text = text.strip()
    if not (text.isascii() and text.isdigit()):
        return None
    seconds = float(text)
    return seconds if math.isfinite(seconds) else None
