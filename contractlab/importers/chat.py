"""OpenAI chat messages: one conversation a line or entry, with or without the API's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import GUESSED, case_id, walk
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.values import (
    added,
    arr,
    count,
    first,
    measured,
    name,
    number,
    obj,
    usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "OpenAI chat messages (JSON or JSON Lines)"


def looks(value: Any) -> bool:
    """Whether a value is, or begins with, a conversation."""
    if type(value) is list:
        value = value[0] if value else None
    if type(value) is list or (type(value) is dict and "role" in value):
        return bool(_is_message(value if type(value) is dict else (value or [None])[0]))
    messages = _messages(value)
    return bool(messages) and _is_message(messages[0])


def _is_message(value: Any) -> bool:
    return type(value) is dict and type(value.get("role")) is str and "content" in value


def read(source: Source) -> Iterator[Found]:
    """Every conversation of the file."""
    for entry in source.entries():
        value = entry.value
        if type(value) is list and not (value and _is_message(value[0])):
            for index, each in enumerate(value):
                yield _run(each, Where(source.name, entry.line, f"[{index}]"))
        else:
            yield _run(value, Where(source.name, entry.line))


def case(record: NeutralRecord) -> CaseFacts:
    """The first thing that the user said."""
    return CaseFacts(input=walk(_messages(record.raw)).input)


def _messages(value: Any) -> list[Any]:
    """The messages of a conversation, the API's answer last."""
    if type(value) is list:
        return value
    given = obj(value)
    found = first(given, "messages", "traj", "conversation")
    if found is None:
        found = first(obj(first(given, "request", "body")), "messages")
    messages = arr(found)
    choices = arr(_answer(given).get("choices"))
    message = obj(choices[0]).get("message") if choices else None
    return [*messages, message] if message else messages


def _answer(given: dict[str, Any]) -> dict[str, Any]:
    """The API's answer: the line itself, its `response`, or a batch's `response.body`."""
    response = obj(given.get("response"))
    return obj(response.get("body")) or response or given


def _run(value: Any, where: Where) -> Found:
    messages = _messages(value)
    if not any(map(_is_message, messages)):
        return Skipped("has no messages", where)
    given = obj(value)
    seen = walk(messages)
    called = name(first(given, "case_id", "custom_id", "task_id"))
    notes: tuple[str, ...] = (GUESSED,) if seen.guessed else ()
    called, unsure = case_id(called, seen.input, where)
    notes += unsure
    tokens = usage(_answer(given).get("usage")) or added(seen.usages)
    failed = first(given, "error")
    return NeutralRecord(
        called,
        where,
        value,
        trial=count(given.get("trial")),
        status="error" if failed else "ok",
        error=str(failed) if failed else None,
        calls=seen.calls,
        answer=seen.answer,
        latency_ms=number(given.get("latency_ms")),
        cost_usd=number(given.get("cost_usd")),
        tokens=measured(tokens),
        release=name(first(given, "release", "release_id")),
        notes=notes,
    )
