"""Anthropic messages: Claude Code sessions, conversations, and single API responses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import NAMELESS, case_id
from contractlab.importers.neutral import Call, CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.values import (
    added,
    arr,
    between_ms,
    brief,
    content_text,
    count,
    first,
    instant_ms,
    measured,
    name,
    number,
    obj,
    parsed,
    text,
    usage,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "Anthropic messages and Claude Code sessions (JSON or JSON Lines)"

_SESSION_TYPES = {"user", "assistant", "summary", "system", "result", "attachment", "progress"}
_BLOCKS = {"tool_use", "tool_result", "thinking", "server_tool_use"}


def looks(value: Any) -> bool:
    """Whether a value is a session's line, a response, or messages with Anthropic's blocks."""
    if type(value) is list:
        value = value[0] if value else None
    given = obj(value)
    if word(given.get("type")) in _SESSION_TYPES and (
        "message" in given or given.keys() & {"sessionId", "session_id", "leafUuid"}
    ):
        return True
    response = _response(given)
    if response.get("type") == "message" and "content" in response:
        return True
    return any(_has_blocks(each) for each in arr(given.get("messages")))


def _has_blocks(message: Any) -> bool:
    return any(
        word(obj(block).get("type")) in _BLOCKS for block in arr(obj(message).get("content"))
    )


def read(source: Source) -> Iterator[Found]:
    """A file of session lines is one run a session; else each line or entry is one."""
    sessions: dict[str, list[dict[str, Any]]] = {}
    begun: dict[str, int | None] = {}
    aside = 0
    for entry in source.entries():
        several = type(entry.value) is list
        for index, value in enumerate(entry.value if several else [entry.value]):
            given = obj(value)
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            if (
                word(given.get("type")) in _SESSION_TYPES
                and _response(given).get("type") != "message"
            ):
                session = name(first(given, "sessionId", "session_id"))
                if session is None:
                    aside += 1  # a summary line belongs to no session
                    continue
                sessions.setdefault(session, []).append(given)
                begun.setdefault(session, entry.line)
            else:
                yield _run(value, where)
    for session, lines in sessions.items():
        yield _session(lines, Where(source.name, begun[session], session))
    if aside and not sessions:
        yield Skipped("a session without a message", Where(source.name))


def case(record: NeutralRecord) -> CaseFacts:
    """The first thing that the user said."""
    return CaseFacts(input=_walked(_said(record.raw)).input)


@dataclass(slots=True)
class _Seen:
    calls: list[Call] = field(default_factory=list)
    answer: str | None = None
    input: str | None = None
    usages: dict[str, dict[str, int]] = field(default_factory=dict)
    stop: Any = None


def _response(given: dict[str, Any]) -> dict[str, Any]:
    """A Messages API response: the object itself, or a recorded HTTP answer's body."""
    for key in ("body", "response"):
        body = obj(parsed(given.get(key)))
        if body.get("type") == "message":
            return body
    return given


def _said(value: Any) -> list[Any]:
    """The messages of a run, in order, the API's answer last."""
    if type(value) is list:
        return [obj(line).get("message") for line in value]
    given = obj(value)
    response = _response(given)
    before = arr(first(given, "messages") or obj(given.get("request")).get("messages"))
    return [*before, response] if response.get("type") == "message" else before


def _walked(messages: Iterable[Any]) -> _Seen:
    seen = _Seen()
    open_calls: dict[str, Call] = {}
    for turn, message in enumerate(map(obj, messages)):
        content = message.get("content")
        told = content_text(content)
        if message.get("role") == "assistant":
            seen.answer = told or seen.answer
            seen.stop = message.get("stop_reason") or seen.stop
            # A streamed message stands on several lines, each with its usage so far.
            if used := usage(message.get("usage")):
                seen.usages[str(message.get("id") or turn)] = used
        elif message.get("role") == "user" and seen.input is None:
            seen.input = told
        for block in map(obj, arr(content)):
            if block.get("type") in ("tool_use", "server_tool_use"):
                call = Call(text(block.get("name")) or NAMELESS, block.get("input"), None, turn)
                call.id = text(block.get("id"))
                seen.calls.append(call)
                open_calls[call.id or call.name] = call
            elif block.get("type") == "tool_result":
                answered = open_calls.get(str(block.get("tool_use_id")))
                if answered is not None:
                    answered.ok = not block.get("is_error")
                    if not answered.ok:
                        answered.error = brief(content_text(block.get("content")) or "error")
    return seen


def _record(seen: _Seen, where: Where, value: Any) -> NeutralRecord:
    called = name(first(obj(value), "case_id", "custom_id", "task_id"))
    called, unsure = case_id(called, seen.input, where)
    record = NeutralRecord(
        called,
        where,
        value,
        calls=seen.calls,
        answer=seen.answer,
        tokens=measured(added(seen.usages.values())),
        notes=unsure,
    )
    if seen.stop == "max_tokens":
        record.status, record.error = "limit", "max_tokens"
    return record


def _run(value: Any, where: Where) -> Found:
    said = _said(value)
    if not any(obj(message).get("role") for message in said):
        failed = obj(_response(obj(value))).get("error")
        return Skipped("an API error" if failed else "has no messages", where)
    record = _record(_walked(said), where, value)
    given = obj(value)
    record.trial = count(given.get("trial"))
    record.latency_ms = number(given.get("latency_ms"))
    return record


def _session(lines: list[dict[str, Any]], where: Where) -> Found:
    """One Claude Code session; `result` (of `--output-format stream-json`) has its totals."""
    # A sidechain is a subagent's own conversation: its calls are not the agent's.
    talk = [line for line in lines if "message" in line and not line.get("isSidechain")]
    if not talk:
        return Skipped("a session without a message", where)
    seen = _walked(line["message"] for line in talk)
    record = _record(seen, where, talk)
    moments = [each for each in (instant_ms(line.get("timestamp")) for line in talk) if each]
    if moments:
        record.latency_ms = between_ms(min(moments), max(moments))
    for line in lines:
        if line.get("type") == "result":
            record.cost_usd = number(line.get("total_cost_usd"))
            record.latency_ms = number(line.get("duration_ms")) or record.latency_ms
            record.tokens = measured(usage(line.get("usage"))) or record.tokens
            record.answer = text(line.get("result")) or record.answer
            if line.get("is_error"):
                limited = "max_turns" in str(line.get("subtype"))
                record.status = "limit" if limited else "error"
                record.error = brief(first(line, "result", "subtype") or "error")
    return record
