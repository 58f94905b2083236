"""Values as foreign formats write them: text or parts, numbers or text, seconds or nanoseconds.

Nothing here raises: what is not what it should be is None, which is "not measured".
"""

from __future__ import annotations

import hashlib
import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import jiter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MOST_ERROR = 500
"""Characters of an error text that a record keeps."""


def obj(value: Any) -> dict[str, Any]:
    """The object, or an empty one."""
    return value if type(value) is dict else {}


def arr(value: Any) -> list[Any]:
    """The array, or an empty one."""
    return value if type(value) is list else []


def text(value: Any) -> str | None:
    """The text, where it is one and not empty."""
    return value if type(value) is str and value else None


def word(value: Any) -> str:
    """The text, or an empty one: a key to look things up with, whatever stands there."""
    return value if type(value) is str else ""


def name(value: Any) -> str | None:
    """An id: a text, or a whole number as text."""
    if type(value) is int:
        return str(value)
    return value if type(value) is str and value.strip() else None


def first(values: Mapping[str, Any], *keys: str) -> Any:
    """The first of these members that is there and not null."""
    for key in keys:
        found = values.get(key)
        if found is not None:
            return found
    return None


def number(value: Any) -> float | None:
    """A finite number of 0 or more."""
    if type(value) not in (int, float):
        return None
    try:
        return value if 0 <= value <= 1e300 else None
    except OverflowError:
        return None


def count(value: Any) -> int | None:
    """A whole number of 0 or more, also where it is written 12.0 or "12"."""
    if type(value) is str and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    found = number(value)
    if found is None or found != int(found) or found > 2**62:
        return None
    return int(found)


def seconds_as_ms(value: Any) -> float | None:
    """Seconds in milliseconds."""
    found = number(value)
    return None if found is None else round(found * 1000, 3)


def instant_ms(value: Any) -> float | None:
    """An ISO 8601 instant in milliseconds since 1970; without an offset it is UTC."""
    if type(value) is not str or not 10 <= len(value) <= 40:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp() * 1000


def between_ms(start: float | None, end: float | None) -> float | None:
    """Milliseconds from one instant to another; None where it would be less than nothing."""
    if start is None or end is None or end < start:
        return None
    return round(end - start, 3)


def parsed(value: Any) -> Any:
    """A text that is a JSON object or array as that; everything else as it is."""
    if type(value) is not str:
        return value
    # Most texts are none, so look before trying.
    start = value.lstrip()[:1]
    if start not in ("{", "["):
        return value
    try:
        return jiter.from_json(value.encode(), allow_inf_nan=True)
    except (ValueError, UnicodeEncodeError):
        return value


def arguments(value: Any) -> Any:
    """A call's arguments: an object, also where it is written as JSON in a text."""
    if value is None or value == "":
        return None
    return parsed(value)


_TEXT_PARTS = ("text", "output_text", "input_text", None)


def content_text(content: Any) -> str | None:
    """A message's text: a text, or the text parts of a list, one after the other."""
    if type(content) is str:
        return content or None
    if type(content) is dict:
        content = [content]
    if type(content) is not list:
        return None
    found = []
    for part in content:
        if type(part) is str:
            found.append(part)
        elif type(part) is dict and part.get("type") in _TEXT_PARTS:
            inner = first(part, "text", "content")
            inner = inner.get("value") if type(inner) is dict else inner
            if type(inner) is str:
                found.append(inner)
    return "\n".join(found) or None


_FAILED = re.compile(
    r"\s*(?:(?:Error|ERROR|Exception|Traceback)\b(?!-)|[\w.]*(?:Error|Exception):)"
)
_WHY = ("error", "error_message", "errorMessage", "message", "detail", "content")


def failure(result: Any) -> str | None:
    """The error text of a tool's result that calls itself an error, where formats have no flag.

    A result is an error where it begins with the word or an exception's name, or is an object
    that says so: `isError` of MCP, `is_error`, a status `error` with its reason, or an `error`
    with nothing else beside it.
    """
    value = parsed(result)
    if type(value) is dict:
        return _failed_object(value)
    told = content_text(value)
    return brief(told) if told is not None and _FAILED.match(told) else None


def _failed_object(value: dict[str, Any]) -> str | None:
    why = first(value, *_WHY)
    if value.get("isError") is True or value.get("is_error") is True:
        return brief(content_text(why) or "error")
    if value.get("status") == "error" and why is not None:
        return brief(content_text(why) or why)
    error = value.get("error")
    if not error or error is True:
        return None
    denied = value.get("success") is False or value.get("ok") is False
    alone = all(each in (None, "", [], {}) for key, each in value.items() if key != "error")
    return brief(error) if denied or alone else None


def brief(value: Any) -> str:
    """An error in a few words."""
    if type(value) is dict:
        value = first(value, "message", "type", "error") or value
    told = value if type(value) is str else str(value)
    told = told.partition("\n    at ")[0]  # JavaScript's stack, with the paths of a machine
    return told if len(told) <= _MOST_ERROR else told[:_MOST_ERROR] + "…"


_PASSED = {"c": True, "i": False, "pass": True, "fail": False, "passed": True, "failed": False}
_PASSED |= {"true": True, "false": False, "yes": True, "no": False, "correct": True}
_PASSED |= {"incorrect": False}


def verdict(value: Any) -> bool | None:
    """A format's yes or no: a boolean, 1 or 0, or a word for it; anything between is none."""
    if type(value) is bool:
        return value
    if type(value) in (int, float):
        return {1.0: True, 0.0: False}.get(float(value)) if math.isfinite(value) else None
    return _PASSED.get(value.lower()) if type(value) is str else None


def added(parts: Iterable[Mapping[str, int]]) -> dict[str, int] | None:
    """Token counts added up by kind; None where there is none."""
    total: dict[str, int] = {}
    for part in parts:
        for kind, much in part.items():
            total[kind] = total.get(kind, 0) + much
    return total or None


_TOKENS = {
    "input": (
        *("input_tokens", "prompt_tokens", "input", "prompt", "promptTokens", "inputTokens"),
        "prompt_token_count",
    ),
    "output": (
        *("output_tokens", "completion_tokens", "output", "completion", "completionTokens"),
        *("outputTokens", "candidates_token_count"),
    ),
    "cache_read": (
        *("cache_read_input_tokens", "input_tokens_cache_read", "input_cache_read"),
        *("cached_input_tokens", "cached_tokens"),
    ),
    "cache_write": ("cache_creation_input_tokens", "input_tokens_cache_write"),
}
_DETAILS = ("prompt_tokens_details", "input_tokens_details")


def usage(value: Any) -> dict[str, int]:
    """Token counts of one model call, under the names that APIs and tools give them."""
    given = obj(value)
    found: dict[str, int] = {}
    if not given:
        return found
    for kind, names in _TOKENS.items():
        much = count(first(given, *names))
        if much is None and kind == "cache_read":
            much = count(obj(first(given, *_DETAILS)).get("cached_tokens"))
        if much is not None and (much or kind in ("input", "output")):
            found[kind] = much
    return found


def total(amounts: Iterable[float | None]) -> float | None:
    """Dollars added up, without the noise of the last digits; None where there are none."""
    found = [each for each in amounts if each]
    return round(math.fsum(found), 12) if found else None


def measured(tokens: dict[str, int] | None) -> dict[str, int] | None:
    """Token counts where any is above zero: a model call without a token was not counted."""
    return tokens if tokens and any(tokens.values()) else None


def digest_id(prefix: str, *parts: str) -> str:
    """An id of a case by what it was given, where nothing names it: the same for the same."""
    hashed = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass"))
    return f"{prefix}-{hashed.hexdigest()[:12]}"
