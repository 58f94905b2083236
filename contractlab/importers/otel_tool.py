"""The tool call that a span is, under the names of several conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import NAMELESS
from contractlab.importers.neutral import Call
from contractlab.importers.otel_messages import of_events
from contractlab.importers.values import (
    arguments,
    brief,
    content_text,
    failure,
    first,
    obj,
    parsed,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.importers.spans import Event, RawSpan

_NAMES = (
    *("gen_ai.tool.name", "tool.name", "tool_call.function.name", "ai.toolCall.name"),
    *("traceloop.entity.name", "mcp.tool.name"),
)
_IDS = ("gen_ai.tool.call.id", "tool_call.id", "tool.id", "ai.toolCall.id")
_ARGUMENTS = (
    *("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args"),
    *("tool_call.function.arguments", "tool_arguments", "ai.toolCall.args", "ai.toolCall.input"),
    *("gen_ai.tool.input", "traceloop.entity.input", "input.value", "gen_ai.prompt"),
)
_RESULTS = (
    *("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "tool_response"),
    *("ai.toolCall.result", "ai.toolCall.output", "gen_ai.tool.output"),
    *("traceloop.entity.output", "output.value", "gen_ai.completion"),
)
_STATUS = ("gen_ai.tool.status", "tool.status")


def tool_call(raw: RawSpan) -> Call:
    """The call, its arguments, and whether it went well."""
    told = raw.attributes
    called = text(first(told, *_NAMES)) or _from_name(raw.name)
    given = first(told, *_ARGUMENTS)
    result = first(told, *_RESULTS)
    if raw.events and (given is None or result is None):
        asked, answered = _by_events(raw.events)
        given = asked if given is None else given
        result = answered if result is None else result
    call = Call(called or NAMELESS, _unwrapped(arguments(given)), True)
    call.id = text(first(told, *_IDS)) or text(_langchains(parsed(result)).get("tool_call_id"))
    if raw.failed or first(told, *_STATUS) == "error" or text(told.get("error.type")):
        why = raw.error or content_text(parsed(result)) or "error"
        call.ok, call.error = False, brief(_exception(raw.events) or why)
    elif (error := failure(_outcome(result))) is not None:
        call.ok, call.error = False, error
    return call


def _from_name(name: str) -> str:
    for prefix in ("execute_tool ", "running tool: ", "tools/call "):
        name = name.removeprefix(prefix)
    return name.removesuffix(".tool")


def _outcome(result: Any) -> Any:
    """A tool's result, out of what frameworks wrap around it."""
    value = parsed(result)
    if type(value) is not dict:
        return value
    if value.keys() <= {"output", "result"} and len(value) == 1:
        return next(iter(value.values()))
    message = _langchains(value)
    if message and message.get("status") != "error":
        return message.get("content") if message.get("status") is None else None
    return message or value


def _langchains(value: Any) -> dict[str, Any]:
    """LangChain's message about a tool, by itself or as one of its dumps wraps it."""
    given = obj(value)
    for each in (given, obj(given.get("data")), obj(given.get("kwargs"))):
        if "tool_call_id" in each:
            return each
    return {}


def _unwrapped(given: Any) -> Any:
    """A tool's arguments, out of what decorators keep beside them."""
    if type(given) is not dict:
        return given
    inner = given.get("kwargs")
    if given.keys() == {"args", "kwargs"} and type(inner) is dict and not given["args"]:
        return inner
    if "input_str" in given and type(given.get("inputs")) is dict:  # LangChain's callbacks
        return given["inputs"]
    return given


def _by_events(events: Sequence[Event]) -> tuple[Any, Any]:
    """Arguments and result as events have them: what went in, and what came out."""
    given = result = None
    for event in events:
        if event.name == "gen_ai.tool.message":
            given = first(event.given, "content", "body")
        elif event.name == "gen_ai.choice":
            result = first(event.given, "message", "content")
        given = first(event.given, "gen_ai.tool.call.arguments") or given
        result = first(event.given, "gen_ai.tool.call.result") or result
    if given is None:
        told = of_events(events)
        given = told.asked[0].arguments if told.asked else None
        failed = next((error for error in told.results.values() if error), None)
        result = result if failed is None else {"error": failed}
    return given, result


def _exception(events: Sequence[Event]) -> str | None:
    told = (text(event.given.get("exception.message")) for event in events)
    return next((each for each in told if each), None)
