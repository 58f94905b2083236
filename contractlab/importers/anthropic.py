"""Anthropic messages: Claude Code sessions, conversations, single API responses, batch results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.chat import choice
from contractlab.importers.follow import follow
from contractlab.importers.messages import GUESSED, case_id
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.said import message
from contractlab.importers.sse import Events
from contractlab.importers.values import (
    added,
    arr,
    between_ms,
    brief,
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
    from collections.abc import Iterable, Iterator, Sequence

    from contractlab.importers.messages import Walk
    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "Anthropic messages and Claude Code sessions (JSON or JSON Lines)"

_TALK_TYPES = {"user", "assistant"}
_SESSION_TYPES = {
    *_TALK_TYPES,
    *("summary", "system", "result", "attachment", "progress", "stream_event"),
    *("queue-operation", "file-history-snapshot", "custom-title", "ai-title", "agent-name"),
    *("last-prompt", "permission-mode", "saved_hook_context", "rate_limit_event"),
}
_SESSION_KEYS = {"sessionId", "session_id", "leafUuid", "messageId", "snapshot"}
_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"}
_LIMITS = {"max_tokens", "model_context_window_exceeded"}
_OPENAI_ROLES = {"developer", "tool", "function"}
_ASIDE = ("<command-", "<local-command-", "<bash-", "<user-memory", "Caveat: The messages below")
"""How a session writes what the user did without asking anything."""


def looks(value: Any) -> bool:
    """Whether a value is a session's line, a response, or messages with Anthropic's blocks."""
    if type(value) is list:
        if any(_has_blocks(each) for each in value):
            return True
        value = value[0] if value else None
    given = obj(value)
    if _is_session_line(given):
        return True
    response = _response(given)
    if response.get("type") == "message" and response.get("role") == "assistant":
        return "content" in response
    if obj(given.get("result")).get("type") in ("succeeded", "errored", "canceled", "expired"):
        return "custom_id" in given
    return Events.is_event(given) or any(_has_blocks(each) for each in arr(given.get("messages")))


def _is_session_line(given: dict[str, Any]) -> bool:
    if word(given.get("type")) not in _SESSION_TYPES:
        return False
    said = obj(given.get("message"))
    return bool(given.keys() & _SESSION_KEYS) or ("role" in said and "content" in said)


def _has_blocks(each: Any) -> bool:
    return any(word(obj(block).get("type")) in _BLOCKS for block in arr(obj(each).get("content")))


def read(source: Source) -> Iterator[Found]:
    """A file of session lines is one run a session; else each line or entry is one."""
    sessions: dict[str, list[dict[str, Any]]] = {}
    begun: dict[str, int | None] = {}
    aside = False
    events = Events()
    for entry in source.entries():
        several = type(entry.value) is list and not _is_conversation(entry.value)
        for index, value in enumerate(entry.value if several else [entry.value]):
            given = obj(value)
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            if _is_session_line(given):
                # A summary, or a snapshot of files, may belong to no session.
                session = name(first(given, "sessionId", "session_id"))
                aside = aside or session is None
                if session is None and "message" in given:
                    session = ""
                if session is not None:
                    sessions.setdefault(session, []).append(given)
                    begun.setdefault(session, entry.line)
            elif not events.take(value, where):
                yield _run(value, where)
    for value, where in events.whole():
        yield _run(value, where)
    for session, lines in sessions.items():
        yield _session(lines, Where(source.name, begun[session], session or None))
    if aside and not sessions:
        yield Skipped("a session without a message", Where(source.name))


def _is_openai(given: dict[str, Any], said: Sequence[Any]) -> bool:
    """Whether a run has what only OpenAI's chat API writes, and nothing that only this one does."""
    if any(_has_blocks(each) for each in said):
        return False
    return bool(choice(given)) or any(
        word(each.get("role")) in _OPENAI_ROLES or type(each.get("tool_calls")) is list
        for each in map(obj, said)
    )


def _is_conversation(value: list[Any]) -> bool:
    """Whether a list is one run's messages, and not several runs."""
    given = obj(value[0]) if value else {}
    return type(given.get("role")) is str and given.get("type") != "message"


def case(record: NeutralRecord) -> CaseFacts:
    """The first thing that the user said."""
    raw = record.raw
    if type(raw) is list and any("message" in obj(line) for line in raw):
        return CaseFacts(input=_asked(raw))
    return CaseFacts(input=follow(_said(raw)).input)


def _response(given: dict[str, Any]) -> dict[str, Any]:
    """A Messages API response: the object itself, a recorded HTTP answer's body, a batch's."""
    for key in ("body", "response", "result"):
        body = obj(parsed(given.get(key)))
        body = obj(body.get("message")) or obj(body.get("body")) or body
        if body.get("type") == "message":
            return body
    return given


def _said(value: Any) -> list[Any]:
    """The messages of a run, in order, the API's answer last."""
    if type(value) is list:
        return [obj(line).get("message", line) for line in value]
    given = obj(value)
    response = _response(given)
    asked = obj(parsed(first(given, "request", "params")))
    before = arr(parsed(first(given, "messages") or first(asked, "messages")))
    if not before:
        before = arr(obj(parsed(asked.get("body"))).get("messages"))
    return [*before, response] if response.get("type") == "message" else before


def _counted(messages: Iterable[Any]) -> dict[str, int] | None:
    """Tokens, each message's once: a stream writes one on several lines, each with its usage."""
    used = {}
    for index, each in enumerate(map(obj, messages)):
        if counted := usage(each.get("usage")):
            used[str(each.get("id") or index)] = counted
    return added(used.values())


def _record(seen: Walk, said: Sequence[Any], where: Where, value: Any) -> NeutralRecord:
    called = name(first(obj(value), "case_id", "custom_id", "task_id"))
    notes: tuple[str, ...] = (GUESSED,) if seen.guessed else ()
    called, unsure = case_id(called, seen.input, where)
    record = NeutralRecord(
        called,
        where,
        value,
        calls=seen.calls,
        answer=seen.answer,
        tokens=measured(_counted(said)),
        notes=notes + unsure,
    )
    stops = [each for one in said if (each := word(obj(one).get("stop_reason")))]
    if stops and stops[-1] in _LIMITS:
        record.status, record.error = "limit", stops[-1]
    return record


def _run(value: Any, where: Where) -> Found:
    said = _said(value)
    given = obj(value)
    if _is_openai(given, said):
        return Skipped("is OpenAI chat: import it as openai-chat", where)
    failed = first(obj(_response(given)), "error") or obj(given.get("result")).get("error")
    if not any(obj(each).get("role") for each in said):
        called = name(first(given, "case_id", "custom_id", "task_id"))
        ended = word(obj(given.get("result")).get("type"))
        if called is None or not (failed or ended in ("canceled", "expired")):
            return Skipped("an API error" if failed else "has no messages", where)
        failed = failed or ended
    record = _record(follow(said), said, where, value)
    record.trial = count(given.get("trial"))
    record.latency_ms = number(given.get("latency_ms"))
    if failed:
        record.status, record.error = "error", brief(obj(failed).get("error") or failed)
    return record


def _is_aside(line: dict[str, Any]) -> bool:
    """Whether a line is not the agent's own talk: a subagent's, or what the user never saw."""
    return bool(line.get("isSidechain") or line.get("parent_tool_use_id"))


def _asked(lines: Iterable[Any]) -> str | None:
    """What the user asked first: no note of the program itself, no summary of an earlier talk."""
    for line in map(obj, lines):
        noted = line.get("isMeta") or line.get("isCompactSummary")
        if line.get("type") != "user" or noted or _is_aside(line):
            continue
        told = message({"role": "user", "content": obj(line.get("message")).get("content")}).text
        if told and told.strip() and not told.lstrip().startswith(_ASIDE):
            return told
    return None


def _session(lines: list[dict[str, Any]], where: Where) -> Found:
    """One Claude Code session; `result` (of `--output-format stream-json`) has its totals."""
    # A sidechain is a subagent's own conversation: its calls are not the agent's.
    talk = [line for line in lines if line.get("type") in _TALK_TYPES and not _is_aside(line)]
    if not any("message" in line for line in talk):
        if any(map(_is_aside, lines)):
            return Skipped("a subagent's own transcript, which is part of another run", where)
        return Skipped("a session without a message", where)
    broken = [line for line in talk if line.get("isApiErrorMessage")]
    said = [obj(line.get("message")) for line in talk if not line.get("isApiErrorMessage")]
    seen = follow(said)
    seen.input = _asked(talk)
    record = _record(seen, said, where, talk)
    moments = [each for each in (instant_ms(line.get("timestamp")) for line in talk) if each]
    if len(moments) > 1:
        record.latency_ms = between_ms(min(moments), max(moments))
    if broken and broken[-1] is talk[-1]:
        record.status = "error"
        record.error = brief(message(obj(broken[-1].get("message"))).text or "an API error")
    for line in lines:
        if line.get("type") == "result":
            _totals(record, line)
    return record


def _totals(record: NeutralRecord, line: dict[str, Any]) -> None:
    record.cost_usd = number(line.get("total_cost_usd")) or record.cost_usd
    record.latency_ms = number(line.get("duration_ms")) or record.latency_ms
    record.tokens = measured(usage(line.get("usage"))) or record.tokens
    record.answer = text(line.get("result")) or record.answer
    kind = word(line.get("subtype"))
    if line.get("is_error") or kind.startswith("error"):
        record.status = "limit" if "max_" in kind else "error"
        record.error = brief(first(line, "result", "subtype") or "error")
