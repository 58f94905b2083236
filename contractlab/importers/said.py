"""What messages say, in the shape of any API: text, calls asked for, results of calls.

OpenAI chat and Responses, Anthropic, Google, Bedrock, LangChain, the Vercel AI SDK and
OpenTelemetry's parts. Traces and logs keep messages as whichever of them was called, often as
JSON in a text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.items import is_call, is_result, item_call, item_error, item_ids
from contractlab.importers.messages import NAMELESS, call_of
from contractlab.importers.neutral import Call
from contractlab.importers.values import (
    arguments,
    arr,
    brief,
    content_text,
    failure,
    first,
    obj,
    parsed,
    text,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "model": "assistant",
    "function": "tool",
    "developer": "system",
}
_TYPED = {"human", "ai", "AIMessageChunk", "tool", "system", "function", "user", "assistant"}
"""Types of LangChain's messages, which stand for a role."""
_DEEPEST = 8
"""Containers within containers that are looked into."""


@dataclass(slots=True)
class Result:
    """What became of a call."""

    id: str | None
    name: str | None
    error: str | None
    """None: it went well."""
    guessed: bool = False
    """Whether only the words of the result tell that it is an error."""


@dataclass(slots=True)
class Message:
    """What one message says."""

    role: str
    """user, assistant, tool, system; empty where nothing says whose it is."""
    text: str | None = None
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    raw: dict[str, Any] = field(default_factory=dict)


def messages(value: Any, depth: int = 0) -> list[Message]:
    """Every message of a conversation, a request or an answer; none where it holds none."""
    value = parsed(value)
    if depth > _DEEPEST:
        return []
    if type(value) is list:
        if value and all(_is_part(each) for each in value):
            return [message({"content": value})]
        return [each for inner in value for each in messages(inner, depth + 1)]
    given = obj(value)
    if _is_message(given):
        return [message(given)]
    return _contained(given, depth + 1)


def user_text(value: Any) -> str | None:
    """What the user said first: in a conversation, in a request, or as plain text."""
    value = parsed(value)
    if type(value) is str:
        return value if value.strip() else None
    found = messages(value)
    told = next((each.text for each in found if each.role == "user" and each.text), None)
    if told is None:
        told = next((each.text for each in found if not each.role and each.text), None)
    return told if told is not None else _named(obj(value), _ASKED)


def answer(value: Any) -> Any:
    """What an agent said last: a text, or the JSON value that it answered with.

    None where it is calls alone, or nothing.
    """
    value = parsed(value)
    found = messages(value)
    if found:
        spoken = (each for each in reversed(found) if each.role in ("assistant", ""))
        return next((each.text for each in spoken if each.text), None)
    if type(value) is dict:
        told = _named(value, _ANSWERED)
        return told if told is not None else value or None
    return None if value in ("", []) else value


def asked(found: Iterable[Message]) -> Iterator[Call]:
    """The calls that a model's messages ask for."""
    for each in found:
        yield from each.calls


_ASKED = ("prompt", "input", "question", "query", "task", "user_input")
_ANSWERED = ("output", "answer", "result", "response", "final_output", "text", "content")
_ASIDE = {"input", "chat_history", "intermediate_steps", "system", "question", "query", "status"}


def _named(given: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """The text under one of these names, where nothing else is said beside it."""
    for key in names:
        inner = given.get(key)
        if type(inner) is str and inner:
            others = {name for name, each in given.items() if each is not None} - {key}
            return inner if others <= _ASIDE or names is _ASKED else None
    inner = next(iter(given.values())) if len(given) == 1 else None
    return _named(inner, names) if type(inner) is dict else None


_LISTS = ("messages", "contents", "generations", "candidates", "choices", "items")


def _contained(given: dict[str, Any], depth: int) -> list[Message]:
    """The messages of an object that holds some, such as a request or an API's answer."""
    for key in _LISTS:
        inner = parsed(given.get(key))
        if type(inner) is list and (found := _taken(key, inner, depth)):
            prompt = given.get("prompt")
            if type(prompt) is str and key == "messages":
                return [*found, Message("user", prompt)]
            return found
    output = given.get("output")
    if type(output) is list and (found := messages(output, depth)):
        return found
    for key in ("message", "content", "kwargs", "data", "output", "response", "update"):
        inner = given.get(key)
        if type(inner) is dict and (found := messages(inner, depth)):
            return found
    return []


def _taken(key: str, listed: list[Any], depth: int) -> list[Message]:
    """The messages of a list; of alternatives (choices, candidates) those of the first."""
    if key in ("choices", "candidates"):
        listed = listed[:1]
    if key == "generations":
        listed = [each[:1] if type(each) is list else each for each in listed[:1]]
    return messages(listed, depth)


def _is_message(given: dict[str, Any]) -> bool:
    kind = given.get("type")
    if type(given.get("role")) is str:
        return bool(given.keys() & {"content", "parts", "tool_calls", "function_call", "message"})
    if is_call(given) or is_result(given):
        return True
    if type(kind) is str and kind in _TYPED and "content" in given:
        return True
    # What `tool_calls` hold, on its own: OpenAI's, or the Vercel AI SDK's.
    return "toolName" in given or "name" in obj(given.get("function"))


_CALL_KEYS = {"toolUse", "functionCall", "function_call"}
_PART_KEYS = {*_CALL_KEYS, "toolResult", "functionResponse", "function_response"}
_TEXT_TYPES = {"text", "output_text", "input_text"}
_CALL_TYPES = {"tool_use", "tool_call", "tool-call", "server_tool_use", "mcp_tool_use"}
_CALL_TYPES |= {"server_tool_call"}


def _is_part(value: Any) -> bool:
    """Whether a value is a part of a message rather than a message."""
    given = obj(value)
    kind = word(given.get("type"))
    if "role" in given:
        return False
    known = kind in _TEXT_TYPES or kind in _CALL_TYPES or kind.endswith(_RESULT_ENDS)
    return known or bool(given.keys() & _PART_KEYS) or given.keys() == {"text"}


def message(given: dict[str, Any]) -> Message:
    """What one message, or one item, says."""
    role = given.get("role")
    if type(role) is not str:
        if is_call(given):
            return Message("assistant", None, [item_call(given, None)], raw=given)
        if is_result(given):
            return Message("tool", results=[_item_result(given)], raw=given)
        if "toolName" in given or type(given.get("function")) is dict:
            return Message("assistant", None, [_vercel(given) or call_of(given, None)], raw=given)
        role = word(given.get("type"))
    role = _ROLES.get(role, role if role in _TYPED else "")
    said = Message(role, raw=given)
    content = first(given, "content", "parts", "message")
    if role == "tool" and not _holds_results(content):
        said.results.append(_tool_result(given, content))
        return said
    if type(content) is str:
        said.text = content or None
    else:
        _read_content(said, content)
    if said.text is None and type(given.get("refusal")) is str:
        said.text = text(given["refusal"])
    if role != "user":
        _read_calls(said, given)
    return said


def _read_calls(said: Message, given: dict[str, Any]) -> None:
    """The calls that stand beside a message's content, each once."""
    listed = given.get("tool_calls") or obj(given.get("additional_kwargs")).get("tool_calls")
    if not listed and type(given.get("function_call")) is dict:
        listed = [given["function_call"]]
    if type(listed) is list:
        known = {call.id for call in said.calls if call.id}
        for each in map(obj, listed):
            call = _vercel(each) or call_of(each, None)
            if call.id is None or call.id not in known:
                said.calls.append(call)
    for each in map(obj, arr(given.get("invalid_tool_calls"))):
        call = call_of(each, None)
        call.ok, call.error = False, brief(each.get("error") or "its arguments are no JSON")
        said.calls.append(call)


def _vercel(given: dict[str, Any]) -> Call | None:
    """A call as the Vercel AI SDK writes it."""
    called = text(given.get("toolName"))
    if called is None:
        return None
    call = Call(called, arguments(first(given, "args", "input")))
    call.id = text(given.get("toolCallId"))
    return call


def _read_content(said: Message, content: Any) -> None:
    if type(content) is not list:
        said.text = content_text(content)
        if type(content) is dict:
            _read_part(said, content, [])
        return
    texts: list[str] = []
    for part in content:
        if type(part) is str:
            texts.append(part)
        elif type(part) is dict:
            _read_part(said, part, texts)
    said.text = "\n".join(filter(None, texts)) or None


_RESULT_ENDS = ("tool_result", "tool_call_response", "tool-result")


def _read_part(said: Message, part: dict[str, Any], texts: list[str]) -> None:
    """Takes one part; what a model thought before it spoke is no part of what it said."""
    kind = word(part.get("type"))
    if kind in _TEXT_TYPES or (not kind and "text" in part):
        told = content_text([part])
        if told is not None and not part.get("thought"):
            texts.append(told)
    elif kind == "refusal":
        texts.append(text(part.get("refusal")) or "")
    elif kind in _CALL_TYPES or part.keys() & _CALL_KEYS:
        said.calls.append(_part_call(part))
    elif kind.endswith(_RESULT_ENDS) or part.keys() & _PART_KEYS:
        said.results.append(_part_result(part))


def _part_call(part: dict[str, Any]) -> Call:
    inner = first(part, "toolUse", "functionCall", "function_call")
    given = inner if type(inner) is dict else part
    call = _vercel(given) or Call(
        text(given.get("name")) or NAMELESS,
        arguments(first(given, "arguments", "args", "input", "server_tool_call")),
    )
    call.id = call.id or text(first(given, "id", "toolUseId", "call_id"))
    return call


def _part_result(part: dict[str, Any]) -> Result:
    inner = first(part, "toolResult", "functionResponse", "function_response")
    given = inner if type(inner) is dict else part
    id_ = text(first(given, "tool_use_id", "toolUseId", "toolCallId", "tool_call_id", "id"))
    name = text(first(given, "name", "toolName"))
    content = first(given, "content", "response", "result", "output")
    told = content_text(content)
    flagged = given.get("is_error") or given.get("isError") or given.get("status") == "error"
    kind = word(obj(content).get("type"))
    if flagged or kind.endswith(("_error", "error-text", "error-json")):
        why = told or first(obj(content), "error_code", "value") or "error"
        return Result(id_, name, brief(why))
    # A format with a flag says by its absence that all is well.
    if word(part.get("type")).endswith("tool_result") or "toolResult" in part:
        return Result(id_, name, None)
    error = failure(content)
    return Result(id_, name, error, guessed=error is not None)


def _item_result(given: dict[str, Any]) -> Result:
    error, guessed = item_error(given)
    ids = item_ids(given)
    return Result(ids[0] if ids else None, text(given.get("name")), error, guessed)


def _holds_results(content: Any) -> bool:
    return type(content) is list and any(
        word(obj(part).get("type")).endswith(_RESULT_ENDS) or obj(part).keys() & _PART_KEYS
        for part in content
    )


def _tool_result(given: dict[str, Any], content: Any) -> Result:
    id_ = text(first(given, "tool_call_id", "id"))
    name = text(first(given, "name", "tool_name"))
    told = given.get("error")
    if told and type(told) is not bool:
        return Result(id_, name, brief(told))
    if told is True or given.get("is_error") or given.get("status") == "error":
        return Result(id_, name, brief(content_text(content) or "error"))
    if told is False or given.get("status") == "success":
        return Result(id_, name, None)
    error = failure(content)
    return Result(id_, name, error, guessed=error is not None)
