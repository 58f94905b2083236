"""What a model was given, asked for and said, from whichever attribute or event has it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from contractlab.importers.said import answer, messages, user_text
from contractlab.importers.values import arr, first, obj, parsed, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contractlab.importers.neutral import Call
    from contractlab.importers.said import Message
    from contractlab.importers.spans import Event


@dataclass(slots=True)
class Told:
    """What is known of one model call, or of a whole run."""

    input: str | None = None
    answer: Any = None
    asked: list[Call] = field(default_factory=list)
    """Calls that a model asked for."""
    results: dict[str, str | None] = field(default_factory=dict)
    """By call id, from what the model was given: the error, or None where it went well."""

    def add(self, other: Told) -> None:
        """What another source tells beside it: the first input, the last answer, every call."""
        self.input = self.input if self.input is not None else other.input
        self.answer = other.answer if other.answer is not None else self.answer
        known = {call.id for call in self.asked if call.id}
        self.asked += [call for call in other.asked if not call.id or call.id not in known]
        self.results |= other.results


SILENT = Told()
"""Of the many spans that say nothing; never added to."""


def told(before: Any, after: Any) -> Told:
    """From what a model was given, and what it answered, in the shape of any API."""
    given = messages(before)
    found = Told(next((each.text for each in given if each.role == "user" and each.text), None))
    for result in chain.from_iterable(each.results for each in given):
        if result.id:
            found.results[result.id] = result.error
    said = messages(after)
    asked: dict[str, Call] = {}
    for each in said:
        if each.role in ("assistant", ""):
            found.answer = each.text if each.text is not None else found.answer
            _keep(asked, each)
    found.asked = list(asked.values())
    return found


def _keep(asked: dict[str, Call], said: Message) -> None:
    for call in said.calls:
        asked.setdefault(call.id or f"{len(asked)}", call)


_BEFORE = (
    *("gen_ai.input.messages", "gcp.vertex.agent.llm_request", "gen_ai.prompt"),
    *("ai.prompt.messages", "ai.prompt"),
)
_AFTER = ("gen_ai.output.messages", "gcp.vertex.agent.llm_response", "gen_ai.completion")


def of_attributes(given: dict[str, Any], kind: str | None) -> Told:
    """What a span's attributes tell."""
    before = _spoken(first(given, *_BEFORE), "user")
    after = _spoken(first(given, *_AFTER), "assistant")
    listed: list[Any] = []
    spoken: list[Any] = _vercel(given)
    if any(key.startswith(_NUMBERED) for key in given):
        listed = [*_numbered(given, _PROMPT), *_numbered(given, _OI_INPUT)]
        spoken = [*_numbered(given, _COMPLETION), *_numbered(given, _OI_OUTPUT), *spoken]
    found = told(
        listed if before is None else [before, *listed],
        spoken if after is None else [after, *spoken],
    )
    if text(given.get("events")):  # Pydantic AI keeps its events in an attribute
        found.add(of_events(_kept(parsed(given["events"]))))
    if kind == "llm":
        _fallback(found, given)
    else:
        _whole(found, given)
    return found


def _spoken(value: Any, role: str) -> Any:
    """Messages; a mere text is one of its role."""
    value = parsed(value)
    return {"role": role, "content": value} if type(value) is str else value


def _fallback(found: Told, given: dict[str, Any]) -> None:
    """OpenInference's values, where the messages themselves were not taken apart."""
    if found.input is None and not found.results:
        found.add(told(_spoken(given.get("input.value"), "user"), None))
    if found.answer is None and not found.asked:
        found.add(told(None, _spoken(given.get("output.value"), "assistant")))
        if found.answer is None:
            found.answer = parsed(given.get("ai.response.object"))


_INPUTS = (
    *("input.value", "traceloop.entity.input"),
    *("pydantic_ai.all_messages", "all_messages_events"),
)
_OUTPUTS = (
    *("output.value", "final_result", "traceloop.entity.output"),
    *("ai.response.object", "pydantic_ai.all_messages"),
)


def _whole(found: Told, given: dict[str, Any]) -> None:
    """What a run as a whole was given and answered; its calls have spans of their own."""
    if found.input is None:
        found.input = user_text(_unquoted(first(given, *_INPUTS)))
    if found.input is None and "gen_ai.prompt" in given:
        found.input = user_text(given["gen_ai.prompt"])
    if found.input is None and "ai.prompt" in given:
        found.input = user_text(given["ai.prompt"])
    if found.answer is None:
        found.answer = answer(_unquoted(first(given, *_OUTPUTS, "gen_ai.completion")))


def _unquoted(value: Any) -> Any:
    """A text that was written as JSON, as that text."""
    if type(value) is not str or value[:1] != '"' or value[-1:] != '"':
        return value
    inner = parsed(f"[{value}]")
    return inner[0] if type(inner) is list and len(inner) == 1 else value


def of_events(events: Iterable[Event | dict[str, Any]]) -> Told:
    """What a span's events, or the log records that belong to it, tell."""
    before: list[Any] = []
    after: list[Any] = []
    for event in events:
        name, given = ("", event) if type(event) is dict else (event.name, event.given)  # type: ignore[union-attr]
        name = name or text(given.get("event.name")) or ""
        role = _ROLES.get(name)
        if name == "gen_ai.choice":
            after.append(_choice(given))
        elif role is not None:
            before.append({**_unpacked(given), "role": role})
        else:
            before.append(first(given, "gen_ai.input.messages", "gen_ai.prompt"))
            after.append(first(given, "gen_ai.output.messages", "gen_ai.completion"))
            before.append(_inner(given.get("input")))
            after.append(_inner(given.get("output")))
    return told(before, after)


_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def _kept(events: Any) -> list[dict[str, Any]]:
    return [obj(each) for each in arr(events)]


def _inner(value: Any) -> Any:
    """A log record's messages, each of which may hold what it says as JSON in a text."""
    listed = arr(obj(value).get("messages"))
    return [_opened(obj(each)) for each in listed]


def _opened(given: dict[str, Any]) -> Any:
    content = parsed(given.get("content"))
    content = parsed(first(content, "message", "content")) if _is_wrapper(content) else content
    if type(content) in (list, dict) and (found := messages(content)):
        whose = [each for each in found if each.role]
        return content if whose else {**given, "content": content}
    return {**given, "content": content if type(content) in (str, list) else given.get("content")}


def _is_wrapper(content: Any) -> bool:
    return type(content) is dict and bool(content) and content.keys() <= _WRAPPED


_WRAPPED = {"message", "content", "finish_reason", "tool.result"}


def _choice(given: dict[str, Any]) -> dict[str, Any]:
    """What a model chose to say: a message, or its content, perhaps as JSON in a text."""
    inner = parsed(given.get("message"))
    if type(inner) is dict and inner.keys() & {"content", "parts", "tool_calls", "role"}:
        return {**_unpacked(inner), "role": "assistant"}
    content = inner if inner is not None else given.get("content")
    return {**_unpacked({**given, "content": content}), "role": "assistant"}


def _unpacked(given: dict[str, Any]) -> dict[str, Any]:
    """A message with its content and its calls as values, where they are JSON in a text."""
    content = parsed(given.get("content"))
    if type(content) is dict and type(content.get("parts")) is list:
        content = content["parts"]
    elif type(content) is dict:
        content = [content] if messages([content]) else given.get("content")
    out = {key: value for key, value in given.items() if key not in ("message", "parts")}
    out["content"] = content
    if "parts" in given and content is None:
        out["content"] = given["parts"]
    if "tool_calls" in given:
        out["tool_calls"] = parsed(given["tool_calls"])
    return out


def _vercel(given: dict[str, Any]) -> list[dict[str, Any]]:
    """What the AI SDK of Vercel keeps of an answer."""
    said = first(given, "ai.response.text", "ai.result.text")
    calls = parsed(first(given, "ai.response.toolCalls", "ai.result.toolCalls"))
    if said is None and calls is None:
        return []
    return [{"role": "assistant", "content": said, "tool_calls": arr(calls)}]


_NUMBERED = ("gen_ai.prompt.", "gen_ai.completion.", "llm.input_messages.", "llm.output_messages.")
_PROMPT = re.compile(r"gen_ai\.prompt\.(\d{1,6})\.(.+)")
_COMPLETION = re.compile(r"gen_ai\.completion\.(\d{1,6})\.(.+)")
_OI_INPUT = re.compile(r"llm\.input_messages\.(\d{1,6})\.(?:message\.)?(.+)")
_OI_OUTPUT = re.compile(r"llm\.output_messages\.(\d{1,6})\.(?:message\.)?(.+)")
_CALL = re.compile(r"tool_calls\.(\d{1,6})\.(?:tool_call\.)?(?:function\.)?(name|arguments|id)")
_PART = re.compile(r"contents?\.(\d{1,6})(?:\.message_content\.(text|type))?")


def _numbered(given: dict[str, Any], pattern: re.Pattern[str]) -> list[dict[str, Any]]:
    """Messages that attributes spell out by number: `gen_ai.prompt.0.role` and the like."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in given.items():
        match = pattern.fullmatch(key)
        if match is None:
            continue
        message = found.setdefault(int(match[1]), {})
        call, part = _CALL.fullmatch(match[2]), _PART.fullmatch(match[2])
        if call is not None:
            message.setdefault("calls", {}).setdefault(int(call[1]), {})[call[2]] = value
        elif part is not None and type(value) is str:
            message.setdefault("texts", {}).setdefault(int(part[1]), {})[part[2] or "text"] = value
        else:
            message[match[2]] = value
    for message in found.values():
        calls, texts = message.pop("calls", {}), message.pop("texts", {})
        if calls:
            message["tool_calls"] = [calls[index] for index in sorted(calls)]
        if texts and message.get("content") is None:
            message["content"] = [texts[index] for index in sorted(texts)]
        elif type(message.get("content")) is str:
            message["content"] = _blocks(message["content"])
        message.setdefault("role", "")
    return [found[index] for index in sorted(found)]


def _blocks(content: str) -> Any:
    """Content as OpenLLMetry keeps it: a text, or a list of parts as JSON in one."""
    value = parsed(content) if content[:1] == "[" else content
    return value if type(value) is list and messages(value) else content
