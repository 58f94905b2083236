"""Makes the raw files of docs/walkthrough.md: one support agent, before and after a rewrite.

    python tools/make_walkthrough.py

Forty questions, synthetic. The old agent logged OpenAI chat messages, a conversation a line.
The new one exports OpenTelemetry spans, as a collector writes them to a file: a request a
line. The new one refunds late returns too, and no longer reads the policy for them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parent.parent / "fixtures" / "walkthrough"
_START_NS = 1_790_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class Talk:
    """One question, what was called, and what was answered."""

    id: str
    topic: str
    question: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    answer: str


def talks(*, rewritten: bool) -> list[Talk]:
    """What the old agent did, or the rewritten one, on the same forty questions."""
    return [*_status(), *_returns(late=False), *_returns(late=True, lenient=rewritten)]


def _status() -> Iterable[Talk]:
    for order in range(1000, 1016):
        find = ("find_order", {"order_id": f"A-{order}"})
        question = f"Where is order A-{order}?"
        yield Talk(f"status-{order}", "status", question, (find,), "On its way.\nDecision: inform")


def _returns(*, late: bool, lenient: bool = False) -> Iterable[Talk]:
    days = 40 if late else 5
    for order in range(2000 + 100 * late, 2012 + 100 * late):
        given = {"order_id": f"A-{order}"}
        calls = [("find_order", given)]
        if not lenient:
            calls.append(("read_policy", {"topic": "returns"}))
        refund = lenient or not late
        if refund:
            calls.append(("refund_order", given))
        yield Talk(
            f"return-{order}",
            "late-return" if late else "return",
            f"I got A-{order} {days} days ago and want my money back.",
            tuple(calls),
            "Done.\nDecision: refund" if refund else "That is too late.\nDecision: refuse",
        )


def chat(talk: Talk) -> dict[str, Any]:
    """A conversation in OpenAI's messages."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": talk.question}]
    for index, (name, arguments) in enumerate(talk.calls):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call-{index}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call-{index}", "content": "{}"})
    messages.append({"role": "assistant", "content": talk.answer})
    return {
        "case_id": talk.id,
        "metadata": {"topic": talk.topic},
        "messages": messages,
        "latency_ms": 400 + 300 * len(talk.calls),
    }


def otlp(talk: Talk, index: int) -> dict[str, Any]:
    """A trace of the GenAI convention: the agent's span, its tools', and the last model call's."""
    trace, at = f"{index + 1:032x}", _START_NS + index * 60_000_000_000
    took = (400 + 250 * len(talk.calls)) * 1_000_000

    def span(number: int, start: int, end: int, **attributes: str) -> dict[str, Any]:
        operation = attributes["gen_ai__operation__name"]
        found = {
            "traceId": trace,
            "spanId": f"{(index << 8) + number + 1:016x}",
            "name": operation,
            "startTimeUnixNano": str(at + start),
            "endTimeUnixNano": str(at + end),
            "attributes": [
                {"key": key.replace("__", "."), "value": {"stringValue": value}}
                for key, value in attributes.items()
            ],
        }
        return found if number == 0 else {**found, "parentSpanId": f"{(index << 8) + 1:016x}"}

    spans = [
        span(0, 0, took, gen_ai__operation__name="invoke_agent", test__case__id=talk.id),
        *(
            span(
                number,
                number * 1_000_000,
                (number + 1) * 1_000_000,
                gen_ai__operation__name="execute_tool",
                gen_ai__tool__name=name,
                gen_ai__tool__call__arguments=json.dumps(arguments),
            )
            for number, (name, arguments) in enumerate(talk.calls, 1)
        ),
        span(
            len(talk.calls) + 1,
            took // 2,
            took,
            gen_ai__operation__name="chat",
            gen_ai__input__messages=_message("user", talk.question),
            gen_ai__output__messages=_message("assistant", talk.answer),
        ),
    ]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "support"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}


def _message(role: str, content: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": content}]}])


def texts() -> dict[str, str]:
    """The raw files by name."""
    old, new = talks(rewritten=False), talks(rewritten=True)
    return {
        "chat-logs.jsonl": _lines(map(chat, old)),
        "otel-traces.jsonl": _lines(otlp(talk, index) for index, talk in enumerate(new)),
    }


def _lines(values: Iterable[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(value, separators=(',', ':'))}\n" for value in values)


def main() -> int:
    """Writes the files."""
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
