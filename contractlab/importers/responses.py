"""Items of OpenAI's Responses API: responses, Agents SDK run states, Codex rollouts and events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.follow import OpenCalls
from contractlab.importers.items import is_call, is_result, item_call, item_error, item_ids
from contractlab.importers.messages import GUESSED, case_id
from contractlab.importers.neutral import Call, CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.said import Result, message
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

TITLE = "OpenAI Responses items, Agents SDK run state, Codex rollout (JSON or JSON Lines)"

_LINE_TYPES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_EVENT_TYPES = ("thread.", "turn.", "item.")
_STREAM = "response."
_LIMITS = ("max_output_tokens", "max_tokens", "length")


def looks(value: Any) -> bool:
    """Whether a value is a response, a run state, a list of items, or a rollout's first line."""
    if type(value) is list:
        if any(is_call(each) or is_result(each) for each in value):
            return True
        value = value[0] if value else None
    given = obj(value)
    kind = word(given.get("type"))
    if _is_session_line(given):
        return True
    if "generated_items" in given or given.get("object") == "response":
        return True
    if is_call(given) or kind.endswith(("_call_output", "_output_item")):
        return True
    if kind.startswith(_STREAM) and "response" in given:
        return True
    return any(_is_item(_raw(each)) for each in _items(given))


def _is_item(value: Any) -> bool:
    if is_call(value) or is_result(value):
        return True
    given = obj(value)
    if given.get("type") in ("mcp_approval_request", "mcp_approval_response", "reasoning"):
        return True
    return given.get("type") == "message" and ("role" in given or "content" in given)


def _is_session_line(value: Any) -> bool:
    kind = word(obj(value).get("type"))
    return kind in _LINE_TYPES or kind.startswith(_EVENT_TYPES)


def read(source: Source) -> Iterator[Found]:
    """A session's lines are one run; else each line, or each entry of a list, is one."""
    session: list[Any] = []
    begun: int | None = None
    for entry in source.entries():
        value = entry.value
        several = type(value) is list and not any(_is_item(_raw(each)) for each in value)
        for index, each in enumerate(value if several else [value]):
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            if _is_session_line(each) or (session and word(obj(each).get("type")) == "error"):
                if session and _begins(each) and _holds_items(session):
                    yield _session(session, source, begun)
                    session = []
                begun = begun if session else entry.line
                session.append(each)
            elif not _is_streamed(each):
                yield _run(each, where)
            elif word(obj(each).get("type")) in _FINAL:
                yield _run(obj(each)["response"], where)
    if session:
        yield _session(session, source, begun)


_FINAL = {f"{_STREAM}{end}" for end in ("completed", "incomplete", "failed")}
"""Events of a stream with the whole response; those before them hold pieces of it."""


def _is_streamed(value: Any) -> bool:
    given = obj(value)
    return word(given.get("type")).startswith(_STREAM)


def _begins(value: Any) -> bool:
    return obj(value).get("type") in ("session_meta", "thread.started")


def _holds_items(session: list[Any]) -> bool:
    return any(obj(each).get("type") in ("response_item", "item.completed") for each in session)


def case(record: NeutralRecord) -> CaseFacts:
    """What the agent was given."""
    if type(record.raw) is list and any(map(_is_session_line, record.raw)):
        return CaseFacts(input=_prompted(record.raw))
    return CaseFacts(input=_input(record.raw) or _followed(_items(record.raw)).input)


@dataclass(slots=True)
class _Seen:
    calls: list[Call] = field(default_factory=list)
    answer: str | None = None
    input: str | None = None
    guessed: bool = False


def _items(value: Any) -> list[Any]:
    """The items of a run, the input's first where it is a list."""
    if type(value) is list:
        return value
    given = obj(value)
    body = _body(given)
    before = first(given, "original_input", "input", "messages")
    if before is None:
        before = first(obj(first(given, "request")), "input")
    generated = first(body, "generated_items", "items", "output")
    return [*arr(parsed(before)), *arr(generated)]


def _body(given: dict[str, Any]) -> dict[str, Any]:
    """The API's answer: the value itself, or what it was recorded in."""
    if given.keys() & {"items", "output", "generated_items"}:
        return given
    response = obj(parsed(given.get("response")))
    return obj(given.get("body")) or obj(response.get("body")) or response or given


def _input(value: Any) -> str | None:
    given = obj(value)
    return text(first(given, "original_input", "input")) or text(
        obj(first(given, "request")).get("input")
    )


def _run(value: Any, where: Where) -> Found:
    items = _items(value)
    given = obj(value)
    body = _body(given)
    status = body.get("status")
    failed = first(given, "error") or first(body, "error")
    called = name(first(given, "case_id", "custom_id", "task_id"))
    if status in ("queued", "in_progress"):
        return Skipped("a response that is not finished yet", where)
    if not any(map(_is_item, map(_raw, items))) and not (
        (called or body.get("object") == "response") and (failed or status == "failed")
    ):
        return Skipped("has no items of a run", where)
    seen = _followed(items)
    used: dict[str, int] | None = usage(
        first(body, "usage") or obj(given.get("context")).get("usage")
    )
    used = used or added(
        usage(obj(each).get("usage")) for each in arr(given.get("model_responses"))
    )
    record = _record(seen, where, value, _input(value) or seen.input)
    record.tokens = measured(used)
    record.trial = count(given.get("trial"))
    if failed or status in ("failed", "cancelled"):
        record.status, record.error = "error", brief(failed or status)
    elif status == "incomplete":
        why = obj(body.get("incomplete_details")).get("reason") or "incomplete"
        record.status = "limit" if why in (*_LIMITS, "incomplete") else "error"
        record.error = brief(why)
    return record


def _record(seen: _Seen, where: Where, value: Any, given: str | None) -> NeutralRecord:
    called = name(first(obj(value), "case_id", "custom_id", "task_id"))
    notes: tuple[str, ...] = (GUESSED,) if seen.guessed else ()
    called, unsure = case_id(called, given, where)
    notes += unsure
    return NeutralRecord(called, where, value, calls=seen.calls, answer=seen.answer, notes=notes)


def _raw(item: Any) -> Any:
    """An item of the API, also where the Agents SDK wraps it."""
    inner = obj(item).get("raw_item")
    return inner if type(inner) is dict else item


def _followed(items: Iterable[Any]) -> _Seen:
    seen = _Seen()
    waiting = OpenCalls()
    requests: dict[str, dict[str, Any]] = {}
    turn, answered = 0, False
    for wrapped in items:
        item = obj(_raw(wrapped))
        kind = word(item.get("type"))
        if is_call(item):
            # Calls between two results were asked for together.
            turn, answered = turn + answered, False
            call = item_call(item, turn)
            seen.calls.append(call)
            waiting.add(call)
            waiting.by_id.update(dict.fromkeys(item_ids(item), call))
        elif is_result(item):
            answered = True
            error, guessed = item_error(item)
            for id_ in item_ids(item):
                seen.guessed |= waiting.settle(Result(id_, None, error, guessed))
        elif kind == "agent_message":
            seen.answer = text(item.get("text")) or seen.answer
        elif kind == "mcp_approval_request":
            requests[word(item.get("id"))] = item
        elif kind == "mcp_approval_response" and item.get("approve") is False:
            asked = requests.get(word(item.get("approval_request_id")))
            if asked is not None:
                call = item_call(asked, turn)
                call.ok, call.error = False, "not approved"
                seen.calls.append(call)
        elif kind in ("message", "") and "role" in item:
            _spoken(seen, item)
    return seen


def _spoken(seen: _Seen, item: dict[str, Any]) -> None:
    said = message(item)
    if said.role == "assistant":
        seen.answer = said.text or seen.answer
    elif said.role == "user" and seen.input is None:
        seen.input = said.text


_SURROUNDINGS = ("<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "# AGENTS.md")
"""How Codex begins what it puts before the user's own words."""


def _prompted(lines: list[Any]) -> str | None:
    """The user's first words in a session."""
    items = []
    for line in map(obj, lines):
        payload = obj(line.get("payload"))
        if payload.get("type") == "user_message" and text(payload.get("message")):
            return str(payload["message"])
        items.append(payload if line.get("type") == "response_item" else obj(line.get("item")))
    for item in items:
        if item.get("role") == "user":
            told = message(item).text
            if told and not told.lstrip().startswith(_SURROUNDINGS):
                return told
    return None


@dataclass(slots=True)
class _Session:
    """What a session's lines say, one after the other."""

    items: list[Any] = field(default_factory=list)
    used: list[dict[str, int]] = field(default_factory=list)
    total: dict[str, int] = field(default_factory=dict)
    moments: list[float] = field(default_factory=list)
    called: str | None = None
    failed: Any = None

    def take(self, line: dict[str, Any]) -> None:
        kind, payload = line.get("type"), obj(line.get("payload"))
        moment = instant_ms(line.get("timestamp"))
        if moment is not None:
            self.moments.append(moment)
        if kind == "response_item":
            self.items.append(payload)
        elif kind == "item.completed":
            self.items.append(obj(line.get("item")))
        elif kind in ("session_meta", "thread.started"):
            self.called = self.called or name(first(payload, "id") or line.get("thread_id"))
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "turn.completed":
            self.used.append(usage(line.get("usage")))
            self.failed = None
        elif kind in ("turn.failed", "error"):
            self.failed = first(line, "error", "message") or "failed"

    def _event(self, payload: dict[str, Any]) -> None:
        # Running totals: the last one counts.
        self.total = usage(obj(payload.get("info")).get("total_token_usage")) or self.total
        kind = payload.get("type")
        if kind in ("turn_aborted", "error"):
            self.failed = first(payload, "message", "reason") or "aborted"
        elif kind in ("task_started", "task_complete"):
            self.failed = None


def _session(lines: list[Any], source: Source, begun: int | None) -> Found:
    """A Codex rollout (one line an item) or the events of `codex exec --json`: one run."""
    session = _Session()
    for line in map(obj, lines):
        session.take(line)
    where = Where(source.name, begun, session.called)
    if not session.items and not session.failed:
        return Skipped("a session without an item", where)
    seen = _followed([*session.items, *_broken_off(lines)])
    record = _record(seen, where, lines, _prompted(lines))
    record.tokens = measured(session.total or added(session.used))
    if len(session.moments) > 1:
        record.latency_ms = between_ms(min(session.moments), max(session.moments))
    if session.failed:
        record.status, record.error = "error", brief(session.failed)
    return record


def _broken_off(lines: list[Any]) -> list[dict[str, Any]]:
    """Calls that began and have no end, such as of a session that was stopped."""
    begun: dict[str, dict[str, Any]] = {}
    for line in map(obj, lines):
        item = obj(line.get("item"))
        id_ = word(item.get("id"))
        if line.get("type") == "item.started" and is_call(item):
            begun[id_] = {**item, "status": "in_progress"}
        elif line.get("type") == "item.completed":
            begun.pop(id_, None)
    return list(begun.values())
