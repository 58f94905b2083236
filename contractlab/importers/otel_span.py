"""What one span says about an agent's run, under the names of several conventions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.otel_messages import SILENT, Told, of_attributes, of_events
from contractlab.importers.otel_tool import tool_call
from contractlab.importers.values import count, first, number, text, word

if TYPE_CHECKING:
    from contractlab.importers.neutral import Call
    from contractlab.importers.spans import RawSpan

_LONGEST = 2_000
"""Characters of an attribute that a mapping can still look at; longer ones are let go of."""

_TOKENS = {
    "input": (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
        "ai.usage.promptTokens",
        "ai.usage.inputTokens",
    ),
    "output": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
        "ai.usage.completionTokens",
        "ai.usage.outputTokens",
    ),
    "cache_read": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens",
    ),
}
_MODEL_OPERATIONS = {"chat", "text_completion", "generate_content", "completion"}
_AGENT_OPERATIONS = {"invoke_agent", "invoke_workflow"}
_AGENT_KINDS = {"agent", "workflow", "AGENT"}
_MERGED = "(merged tools)"
"""ADK's span around several tools that ran at once, each of which has one of its own."""


@dataclass(slots=True)
class Span:
    """A span, and what it says."""

    id: str
    parent: str | None
    start_ns: int | None
    end_ns: int | None
    kind: str | None
    """`agent`, `chain`, `llm`, `tool`, `other` (retrieval); None: none of an agent's."""
    failed: bool
    error: str | None
    attributes: dict[str, Any] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    aggregated: dict[str, int] = field(default_factory=dict)
    """Of a whole run, where only that is given."""
    cost_usd: float | None = None
    call: Call | None = None
    told: Told = field(default_factory=lambda: SILENT)
    documents: list[str] = field(default_factory=list)
    version: str | None = None

    def says_something(self) -> bool:
        """Whether it is a model call whose words or calls were recorded."""
        return self.kind == "llm" and (self.told.answer is not None or bool(self.told.asked))


def as_span(raw: RawSpan) -> Span:
    """What a raw span says; its long texts are let go of."""
    told = raw.attributes
    kind = _kind(told)
    span = Span(raw.id, raw.parent, raw.start_ns, raw.end_ns, kind, raw.failed, raw.error)
    if kind is None and raw.parent is not None:
        return span
    span.attributes = {
        key: value
        for key, value in told.items()
        if not (type(value) is str and len(value) > _LONGEST)
    }
    if kind is None:
        return span
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
        span.call = tool_call(raw)
    else:
        span.told = of_attributes(told, kind)
        if raw.events:
            span.told.add(of_events(raw.events))
    if told.get("openinference.span.kind") == "RETRIEVER":
        span.documents = _documents(told)
    return span


def _kind(told: dict[str, Any]) -> str | None:
    operation = word(told.get("gen_ai.operation.name"))
    inference = word(told.get("openinference.span.kind")).upper()
    loop = word(told.get("traceloop.span.kind"))
    smith = word(told.get("langsmith.span.kind"))
    vercel = word(told.get("ai.operationId"))
    if "tool" in (loop, smith) or inference == "TOOL" or vercel == "ai.toolCall":
        return "tool"
    if operation == "execute_tool" or (not operation and _names_a_tool(told)):
        return None if told.get("gen_ai.tool.name") == _MERGED else "tool"
    if operation in _AGENT_OPERATIONS or inference in _AGENT_KINDS or loop in _AGENT_KINDS:
        return "agent"
    if inference == "CHAIN" or smith == "chain":
        return "chain"
    if operation in _MODEL_OPERATIONS or inference == "LLM" or smith == "llm":
        return "llm"
    if vercel:
        return "llm" if vercel.endswith((".doGenerate", ".doStream")) else "agent"
    if text(told.get("gcp.vertex.agent.llm_response")) or "gen_ai.completion.0.role" in told:
        return "llm"
    if any(first(told, *names) is not None for names in _TOKENS.values()):
        return "llm"
    return "other" if inference == "RETRIEVER" or smith == "retriever" else None


def _names_a_tool(told: dict[str, Any]) -> bool:
    return "gen_ai.tool.name" in told or "gen_ai.tool.call.id" in told


_DOCUMENT = re.compile(r"retrieval\.documents\.(\d{1,6})\.document\.id")


def _documents(told: dict[str, Any]) -> list[str]:
    found = {int(m[1]): str(v) for k, v in told.items() if (m := _DOCUMENT.fullmatch(k)) and v}
    return [found[index] for index in sorted(found)]
