"""What one span says about an agent's run, under the names of several conventions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import NAMELESS, call_of
from contractlab.importers.neutral import Call
from contractlab.importers.values import (
    arguments,
    arr,
    brief,
    content_text,
    count,
    failure,
    first,
    number,
    obj,
    parsed,
    text,
    word,
)

if TYPE_CHECKING:
    from contractlab.importers.spans import RawSpan

_LONGEST = 2_000
"""Characters of an attribute that a mapping can still look at; longer ones are let go of."""

_TOKENS = {
    "input": (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
    ),
    "output": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
    ),
    "cache_read": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ),
}
_MODEL_OPERATIONS = {"chat", "text_completion", "generate_content", "completion"}
_AGENT_KINDS = {"agent", "workflow", "AGENT"}


@dataclass(slots=True)
class Span:
    """A span, and what it says."""

    id: str
    parent: str | None
    start_ns: int | None
    end_ns: int | None
    kind: str | None
    """`agent`, `llm`, `tool`, `other` (retrieval); None: none of an agent's."""
    failed: bool
    error: str | None
    attributes: dict[str, Any] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    aggregated: dict[str, int] = field(default_factory=dict)
    """Of a whole run, where only that is given."""
    cost_usd: float | None = None
    call: Call | None = None
    asked: list[Call] = field(default_factory=list)
    """Calls that a model asked for."""
    results: dict[str, str | None] = field(default_factory=dict)
    """By call id, from a model's input: the error, or None where it went well."""
    answer: Any = None
    input: str | None = None
    documents: list[str] = field(default_factory=list)
    version: str | None = None

    def says_something(self) -> bool:
        """Whether it is a model call whose words or calls were recorded."""
        return self.kind == "llm" and (self.answer is not None or bool(self.asked))


def as_span(raw: RawSpan) -> Span:
    """What a raw span says; its long texts are let go of."""
    told = raw.attributes
    kind = _kind(told)
    span = Span(raw.id, raw.parent, raw.start_ns, raw.end_ns, kind, raw.failed, raw.error)
    if kind is None:
        return span
    span.attributes = {
        key: value
        for key, value in told.items()
        if not (type(value) is str and len(value) > _LONGEST)
    }
    span.version = text(raw.resource.get("service.version"))
    for tokens, names in _TOKENS.items():
        much = count(first(told, *names))
        if much is not None and (much or tokens != "cache_read"):
            span.tokens[tokens] = much
    for tokens in ("input", "output"):
        much = count(told.get(f"gen_ai.aggregated_usage.{tokens}_tokens"))
        if much is not None:
            span.aggregated[tokens] = much
    span.cost_usd = number(
        first(
            told, "operation.cost", "gen_ai.usage.cost", "gen_ai.usage.total_cost", "llm.cost.total"
        )
    )
    if kind == "tool":
        span.call = _tool(raw)
    else:
        _messages(span, told)
    if told.get("openinference.span.kind") == "RETRIEVER":
        span.documents = _documents(told)
    return span


def _kind(told: dict[str, Any]) -> str | None:
    operation = word(told.get("gen_ai.operation.name"))
    inference = word(told.get("openinference.span.kind"))
    loop = word(told.get("traceloop.span.kind"))
    if operation == "execute_tool" or inference == "TOOL" or loop == "tool":
        return "tool"
    if operation == "invoke_agent" or inference in _AGENT_KINDS or loop in _AGENT_KINDS:
        return "agent"
    if operation in _MODEL_OPERATIONS or inference == "LLM":
        return "llm"
    if text(told.get("gcp.vertex.agent.llm_response")) or "gen_ai.completion.0.role" in told:
        return "llm"
    if any(first(told, *names) is not None for names in _TOKENS.values()):
        return "llm"
    return "other" if inference in ("RETRIEVER", "CHAIN") else None


def _tool(raw: RawSpan) -> Call:
    told = raw.attributes
    called = text(
        first(
            told,
            "gen_ai.tool.name",
            "tool.name",
            "tool_call.function.name",
            "traceloop.entity.name",
        )
    )
    called = called or raw.name.removeprefix("execute_tool ").removesuffix(".tool")
    given = first(
        told,
        "gen_ai.tool.call.arguments",
        "gcp.vertex.agent.tool_call_args",
        "tool_call.function.arguments",
        "tool_arguments",
        "traceloop.entity.input",
        "input.value",
    )
    result = first(
        told,
        "gen_ai.tool.call.result",
        "gcp.vertex.agent.tool_response",
        "tool_response",
        "traceloop.entity.output",
        "output.value",
    )
    call = Call(called or NAMELESS, arguments(given), True)
    call.id = text(first(told, "gen_ai.tool.call.id", "tool_call.id"))
    if raw.failed:
        call.ok, call.error = False, brief(raw.error or "error")
    elif (error := failure(result)) is not None:
        call.ok, call.error = False, error
    return call


def _messages(span: Span, told: dict[str, Any]) -> None:
    """What the model was given, asked for and said, from whichever attribute has it."""
    given = parsed(first(told, "gen_ai.input.messages", "gcp.vertex.agent.llm_request"))
    if type(given) is dict:
        given = given.get("contents")
    said = parsed(first(told, "gen_ai.output.messages", "gcp.vertex.agent.llm_response"))
    if type(said) is dict:
        said = [said.get("content")]
    before = [*arr(given), *_numbered(told, _PROMPT), *_numbered(told, _OI_INPUT)]
    after = [*arr(said), *_numbered(told, _COMPLETION), *_numbered(told, _OI_OUTPUT)]
    for message in map(obj, before):
        if message.get("role") == "user" and span.input is None:
            span.input = _said(message)
        _answered(span, message)
    asked: dict[str, Call] = {}
    for message in map(obj, after):
        answer = _said(message)
        span.answer = answer if answer is not None else span.answer
        for call in _asked(message):
            asked.setdefault(call.id or f"{len(asked)}", call)
    span.asked = list(asked.values())
    if span.input is None and span.kind in ("agent", "other"):
        span.input = text(told.get("input.value"))
    if span.answer is None and span.kind in ("agent", "other"):
        span.answer = text(first(told, "output.value", "final_result", "traceloop.entity.output"))


def _said(message: dict[str, Any]) -> str | None:
    parts = first(message, "content", "parts")
    told = content_text(parts)
    if told is None and type(parts) is list:
        # ADK's parts have no type.
        found = [text(obj(each).get("text")) for each in parts]
        told = "\n".join(each for each in found if each) or None
    return told


def _asked(message: dict[str, Any]) -> list[Call]:
    found = [call_of(obj(each), None) for each in arr(message.get("tool_calls"))]
    for part in map(obj, arr(first(message, "parts", "content"))):
        if part.get("type") == "tool_call":
            found.append(call_of(part, None))
        elif type(part.get("function_call")) is dict:
            found.append(call_of(part["function_call"], None))
    return found


def _answered(span: Span, message: dict[str, Any]) -> None:
    """Results of earlier calls, which stand in the input of the next model call."""
    if message.get("role") != "tool":
        return
    key = text(first(message, "tool_call_id", "id"))
    if key:
        span.results[key] = failure(message.get("content"))
    for part in map(obj, arr(message.get("parts"))):
        if part.get("type") == "tool_call_response" and text(part.get("id")):
            span.results[part["id"]] = failure(first(part, "response", "result"))


_PROMPT = re.compile(r"gen_ai\.prompt\.(\d{1,6})\.(.+)")
_COMPLETION = re.compile(r"gen_ai\.completion\.(\d{1,6})\.(.+)")
_OI_INPUT = re.compile(r"llm\.input_messages\.(\d{1,6})\.message\.(.+)")
_OI_OUTPUT = re.compile(r"llm\.output_messages\.(\d{1,6})\.message\.(.+)")
_CALL = re.compile(r"tool_calls\.(\d{1,6})\.(?:tool_call\.)?(?:function\.)?(name|arguments|id)")
_PART = re.compile(r"contents\.(\d{1,6})\.message_content\.text")


def _numbered(told: dict[str, Any], pattern: re.Pattern[str]) -> list[dict[str, Any]]:
    """Messages that attributes spell out by number: `gen_ai.prompt.0.role` and the like."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in told.items():
        match = pattern.fullmatch(key)
        if match is None:
            continue
        message = found.setdefault(int(match[1]), {})
        call, part = _CALL.fullmatch(match[2]), _PART.fullmatch(match[2])
        if call is not None:
            message.setdefault("calls", {}).setdefault(int(call[1]), {})[call[2]] = value
        elif part is not None:
            message.setdefault("texts", {})[int(part[1])] = value
        else:
            message[match[2]] = value
    for message in found.values():
        calls, texts = message.pop("calls", {}), message.pop("texts", {})
        if calls:
            message["tool_calls"] = [calls[index] for index in sorted(calls)]
        if texts:
            message["content"] = [{"text": texts[index]} for index in sorted(texts)]
    return [found[index] for index in sorted(found)]


_DOCUMENT = re.compile(r"retrieval\.documents\.(\d{1,6})\.document\.id")


def _documents(told: dict[str, Any]) -> list[str]:
    found = {int(m[1]): str(v) for k, v in told.items() if (m := _DOCUMENT.fullmatch(k)) and v}
    return [found[index] for index in sorted(found)]
