"""Items of OpenAI's Responses API: responses, Agents SDK run states, Codex rollouts and events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import GUESSED, NAMELESS, case_id
from contractlab.importers.neutral import Call, CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.values import (
    added,
    arguments,
    arr,
    between_ms,
    brief,
    content_text,
    count,
    failure,
    first,
    instant_ms,
    measured,
    name,
    obj,
    text,
    usage,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "OpenAI Responses items, Agents SDK run state, Codex rollout (JSON or JSON Lines)"

_CALLS = {
    "function_call": None,
    "custom_tool_call": None,
    "mcp_call": None,
    "program": "program",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "computer_call": "computer",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
    "command_execution": "command_execution",
    "mcp_tool_call": None,
}
"""Item types that are calls, and the tool where the type alone names it."""
_LINE_TYPES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_EVENT_TYPES = ("thread.", "turn.", "item.")


def looks(value: Any) -> bool:
    """Whether a value is a response, a run state, a list of items, or a rollout's first line."""
    if type(value) is list:
        value = value[0] if value else None
    given = obj(value)
    kind = word(given.get("type"))
    if _is_session_line(given):
        return True
    if "generated_items" in given or given.get("object") == "response":
        return True
    if kind in _CALLS or kind.endswith(("_call_output", "_output_item")):
        return True
    return any(_is_item(each) for each in _items(given))


def _is_item(value: Any) -> bool:
    kind = word(obj(value).get("type"))
    return kind in _CALLS or kind == "message" or kind.endswith("_call_output")


def _is_session_line(value: Any) -> bool:
    kind = word(obj(value).get("type"))
    return kind in _LINE_TYPES or kind.startswith(_EVENT_TYPES)


def read(source: Source) -> Iterator[Found]:
    """A session's lines are one run; else each line, or each entry of a list, is one."""
    session: list[Any] = []
    for entry in source.entries():
        value = entry.value
        if entry.line is not None and (session or _is_session_line(value)):
            session.append(value)
        elif type(value) is list and value and not _is_item(value[0]):
            for index, each in enumerate(value):
                if _is_session_line(each):
                    session.append(each)
                else:
                    yield _run(each, Where(source.name, entry.line, f"[{index}]"))
        else:
            yield _run(value, Where(source.name, entry.line))
    if session:
        yield _session(session, source)


def case(record: NeutralRecord) -> CaseFacts:
    """What the agent was given."""
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
    body = obj(given.get("body"))
    if not any(key in given for key in ("items", "output", "generated_items")) and body:
        given = body
    before = first(given, "original_input", "input")
    generated = first(given, "generated_items", "items", "output")
    return [*arr(before), *arr(generated)]


def _input(value: Any) -> str | None:
    return text(first(obj(value), "original_input", "input"))


def _run(value: Any, where: Where) -> Found:
    items = _items(value)
    if not any(map(_is_item, map(_raw, items))):
        return Skipped("has no items of a run", where)
    given = obj(value)
    seen = _followed(items)
    used: dict[str, int] | None = usage(
        first(given, "usage") or obj(given.get("context")).get("usage")
    )
    used = used or added(
        usage(obj(each).get("usage")) for each in arr(given.get("model_responses"))
    )
    status = given.get("status")
    failed = first(given, "error")
    record = _record(seen, where, value, _input(value) or seen.input)
    record.tokens = measured(used)
    record.trial = count(given.get("trial"))
    if failed or status == "failed":
        record.status, record.error = "error", brief(failed or "failed")
    elif status == "incomplete":
        record.status = "limit"
        record.error = brief(given.get("incomplete_details") or "incomplete")
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
    open_calls: dict[str, Call] = {}
    turn = 0
    for wrapped in items:
        item = obj(_raw(wrapped))
        kind = word(item.get("type"))
        if kind in _CALLS:
            call = _call(item, kind, turn)
            seen.calls.append(call)
            if call.id:
                open_calls[call.id] = call
        elif kind.endswith("_output") and "call_id" in item:
            turn += 1
            answered = open_calls.get(str(item["call_id"]))
            if answered is not None:
                _settle(seen, answered, first(item, "output", "result"), item.get("status"))
        elif kind == "agent_message":
            seen.answer = text(item.get("text")) or seen.answer
        elif kind in ("message", "") and "role" in item:
            told = content_text(item.get("content"))
            if item["role"] == "assistant":
                seen.answer = told or seen.answer
            elif item["role"] == "user" and seen.input is None:
                seen.input = told
    return seen


def _call(item: dict[str, Any], kind: str, turn: int) -> Call:
    called = text(first(item, "name", "tool")) or _CALLS[kind] or NAMELESS
    given = first(item, "arguments", "input", "action", "code", "command", "queries")
    call = Call(called, arguments(given), None, turn)
    call.id = text(first(item, "call_id", "id"))
    status, code = item.get("status"), item.get("exit_code")
    if item.get("error"):
        call.ok, call.error = False, brief(item["error"])
    elif (type(code) is int and code != 0) or status == "failed":
        call.ok, call.error = False, f"exit code {code}" if type(code) is int else "failed"
    elif code == 0:
        call.ok = True
    return call


def _settle(seen: _Seen, call: Call, output: Any, status: Any) -> None:
    error = failure(output)
    if error is not None or status in ("failed", "incomplete"):
        call.ok, call.error = False, error or str(status)
        seen.guessed = seen.guessed or status not in ("failed", "incomplete")
    else:
        call.ok = True


def _session(lines: list[Any], source: Source) -> Found:
    """A Codex rollout (one line an item) or the events of `codex exec --json`: one run."""
    items, used, called, failed = [], [], None, None
    total: dict[str, int] = {}
    moments = []
    for line in map(obj, lines):
        kind, payload = line.get("type"), obj(line.get("payload"))
        moment = instant_ms(line.get("timestamp"))
        if moment is not None:
            moments.append(moment)
        if kind == "response_item":
            items.append(payload)
        elif kind == "session_meta":
            called = name(payload.get("id"))
        elif kind == "event_msg" and payload.get("type") == "token_count":
            # Running totals: the last one counts.
            total = usage(obj(payload.get("info")).get("total_token_usage")) or total
        elif kind == "item.completed":
            items.append(obj(line.get("item")))
        elif kind == "turn.completed":
            used.append(usage(line.get("usage")))
        elif kind in ("turn.failed", "error"):
            failed = first(line, "error", "message") or "failed"
        elif kind == "thread.started":
            called = name(line.get("thread_id"))
    where = Where(source.name, 1, called)
    if not items:
        return Skipped("a session without an item", where)
    seen = _followed(items)
    record = _record(seen, where, lines, seen.input)
    record.tokens = measured(total or added(used))
    if moments:
        record.latency_ms = between_ms(min(moments), max(moments))
    if failed:
        record.status, record.error = "error", brief(failed)
    return record
