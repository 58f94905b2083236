"""OpenAI chat messages: one conversation a line or entry, with or without the API's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.follow import follow
from contractlab.importers.items import is_call, is_result
from contractlab.importers.messages import GUESSED, case_id
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.streamed import Pieces
from contractlab.importers.values import (
    added,
    arr,
    brief,
    count,
    first,
    measured,
    name,
    number,
    obj,
    parsed,
    usage,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "OpenAI chat messages (JSON or JSON Lines)"


def looks(value: Any) -> bool:
    """Whether a value is, or begins with, a conversation."""
    if type(value) is list:
        if any(is_call(each) or is_result(each) for each in value):
            return False  # a conversation of Responses items
        value = value[0] if value else None
    if type(value) is list:
        value = value[0] if value else None
    if Pieces.is_piece(value) or _begins(value):
        return True
    messages = _messages(value)
    if any(is_call(each) or is_result(each) for each in messages):
        return False
    return bool(messages) and _begins(messages[0])


_ROLES = {"system", "developer", "user", "assistant", "tool", "function"}


def _begins(value: Any) -> bool:
    """Whether a value is a message of a role that a conversation has."""
    return _is_message(value) and value["role"] in _ROLES


def _is_message(value: Any) -> bool:
    return (
        type(value) is dict
        and type(value.get("role")) is str
        and bool(value.keys() & {"content", "tool_calls", "function_call", "parts", "refusal"})
    )


def read(source: Source) -> Iterator[Found]:
    """Every conversation of the file; lines that are a message each are of one together."""
    pieces = Pieces()
    talks: dict[str, tuple[list[Any], Where]] = {}
    for entry in source.entries():
        value = entry.value
        several = type(value) is list and not (value and _is_message(value[0]))
        for index, each in enumerate(value if several else [value]):
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            if pieces.take(each, where):
                continue
            if _begins(each) or is_call(each) or is_result(each):
                key = name(first(each, *_TALKS)) or ""
                talks.setdefault(key, ([], where))[0].append(each)
            else:
                yield _run(each, where)
    for value, where in [*talks.values(), *pieces.whole()]:
        yield _run(value, where)


_TALKS = ("conversation_id", "thread_id", "session_id", "case_id")
"""What messages that stand alone may call the conversation that they are of."""


def case(record: NeutralRecord) -> CaseFacts:
    """The first thing that the user said."""
    return CaseFacts(input=follow(_messages(record.raw)).input)


def _messages(value: Any) -> list[Any]:
    """The messages of a conversation, the API's answer last."""
    if type(value) is list:
        return value
    given = obj(value)
    found = first(given, "messages", "traj", "conversation")
    if found is None:
        found = first(obj(first(given, "request", "body")), "messages")
    messages = arr(parsed(found))
    message = choice(given).get("message")
    return [*messages, message] if type(message) is dict else messages


def choice(given: dict[str, Any]) -> dict[str, Any]:
    """The first choice of the API's answer; empty where there is none."""
    choices = arr(_answer(given).get("choices"))
    return obj(choices[0]) if choices else {}


def _answer(given: dict[str, Any]) -> dict[str, Any]:
    """The API's answer: the line itself, its `response`, or a batch's `response.body`."""
    response = obj(parsed(given.get("response")))
    return obj(response.get("body")) or response or given


def _run(value: Any, where: Where) -> Found:
    messages = _messages(value)
    given = obj(value)
    called = name(first(given, "case_id", "custom_id", "task_id"))
    failed = first(given, "error") or first(_answer(given), "error")
    if not any(map(_is_message, messages)):
        if called is None or not failed:
            return Skipped("has no messages", where)
    elif "method" in given and "url" in given and not choice(given):
        return Skipped("a request without its answer", where)
    seen = follow(messages)
    notes: tuple[str, ...] = (GUESSED,) if seen.guessed else ()
    called, unsure = case_id(called, seen.input, where)
    notes += unsure
    tokens = usage(_answer(given).get("usage")) or added(seen.usages)
    record = NeutralRecord(
        called,
        where,
        value,
        trial=count(given.get("trial")),
        calls=seen.calls,
        answer=seen.answer,
        latency_ms=number(given.get("latency_ms")),
        cost_usd=number(given.get("cost_usd")),
        tokens=measured(tokens),
        release=name(first(given, "release", "release_id")),
        notes=notes,
    )
    _ended(record, failed, word(choice(given).get("finish_reason")))
    return record


def _ended(record: NeutralRecord, failed: Any, reason: str) -> None:
    """How the run ended: an error, a limit of the answer's length, or well."""
    if failed:
        told = brief(failed)
        record.status, record.error = "timeout" if "timeout" in told.lower() else "error", told
    elif reason == "length":
        record.status, record.error = "limit", "limit: length"
