from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.importers.spans import nanoseconds
from tests.importers.build import calls, file, lines, record, records, skipped

if TYPE_CHECKING:
    from pathlib import Path

START = 1_777_555_053_769_345_801
"""Nanoseconds; a float of this size is off by up to 128."""


def span(id_: str, parent: str | None, start: int, end: int, **attributes: Any) -> dict[str, Any]:
    return {
        "trace_id": "t1",
        "span_id": id_,
        "parent_span_id": parent,
        "name": id_,
        "start_time": START + start * 1_000_000,
        "end_time": START + end * 1_000_000,
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
        "status": {"code": "UNSET"},
    }


def agent(**more: Any) -> dict[str, Any]:
    return span("agent", None, 0, 100, gen_ai__operation__name="invoke_agent", **more)


def model(id_: str, parent: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    return span(id_, parent, start, end, gen_ai__operation__name="chat", **more)


def tool(name: str, start: int, **more: Any) -> dict[str, Any]:
    return span(
        f"tool-{start}",
        "agent",
        start,
        start + 1,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name=name,
        **more,
    )


USED = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 2}
MESSAGES = {
    "gen_ai.input.messages": json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": "hello"}]}]
    ),
    "gen_ai.output.messages": json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": "hi"}]}]
    ),
}


def test_tokens_of_nested_spans_are_counted_once(tmp_path: Path) -> None:
    nested = [
        agent(),
        model("framework", "agent", 1, 50, **USED),
        model("adapter", "framework", 2, 49, **USED),
        model("provider", "adapter", 3, 48, **USED),
        model("second", "agent", 60, 70, **USED),
    ]
    assert record("otel", file(tmp_path, nested)).tokens == {"input": 20, "output": 4}


def test_a_span_between_two_that_was_not_exported_counts_no_tokens_twice(tmp_path: Path) -> None:
    broken = [
        agent(),
        model("outer", "agent", 1, 50, **USED),
        model("inner", "lost", 2, 49, **USED),
    ]
    assert record("otel", file(tmp_path, broken)).tokens == {"input": 10, "output": 2}


@pytest.mark.parametrize("form", [str, int], ids=["text", "integer"])
def test_nanoseconds_beyond_2_to_the_53_are_exact(tmp_path: Path, form: Any) -> None:
    times = {"startTimeUnixNano": form(START), "endTimeUnixNano": form(START + 1_000_001)}
    attributes = [{"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}}]
    one = {"traceId": "t", "spanId": "s", "name": "x", "attributes": attributes, **times}
    otlp = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [one]}]}]}
    assert nanoseconds(form(START)) == START
    assert record("otel", file(tmp_path, otlp)).latency_ms == pytest.approx(1.0, abs=0.001)


def test_what_was_not_measured_is_absent_and_not_zero(tmp_path: Path) -> None:
    bare = agent()
    bare["start_time"] = None
    run = record("otel", file(tmp_path, [bare]))
    assert (run.latency_ms, run.cost_usd, run.tokens) == (None, None, None)


def test_tools_stand_in_the_order_of_their_starts_with_their_failures(tmp_path: Path) -> None:
    failed = tool("pay", 30, gen_ai__tool__call__arguments='{"to": "x"}')
    failed["status"] = {"code": "ERROR", "message": "declined"}
    trace = [failed, tool("find", 20), agent(), model("m", "agent", 1, 5, **MESSAGES)]
    run = record("otel", file(tmp_path, trace))
    assert calls(run) == [("find", None, True), ("pay", {"to": "x"}, False)]
    assert (run.answer, run.status) == ("hi", "ok")


def test_an_error_of_a_span_that_is_not_the_agents_is_no_error_of_the_run(tmp_path: Path) -> None:
    request = span("GET", "agent", 1, 2, http__status_code=404)
    request["status"] = {"code": "ERROR"}
    assert record("otel", file(tmp_path, [agent(), request])).status == "ok"


def test_a_failed_agent_span_is_a_run_that_is_not_ok(tmp_path: Path) -> None:
    crashed = agent()
    crashed["status"] = {"code": 2, "message": "ReadTimeout"}
    run = record("otel", file(tmp_path, [crashed]))
    assert (run.status, run.error) == ("timeout", "ReadTimeout")


def test_openinference_names_are_read(tmp_path: Path) -> None:
    trace = [
        span("a", None, 0, 10, openinference__span__kind="AGENT"),
        span(
            "l",
            "a",
            1,
            3,
            **{
                "openinference.span.kind": "LLM",
                "llm.token_count.prompt": 7,
                "llm.token_count.completion": 3,
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.content": "hello",
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "find",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
            },
        ),
        span("t", "a", 4, 5, **{"openinference.span.kind": "TOOL", "tool.name": "find",
                                "input.value": '{"q": 1}', "output.value": "found"}),
        span("r", "a", 6, 7, **{"openinference.span.kind": "RETRIEVER",
                                "retrieval.documents.0.document.id": "policy-12"}),
    ]  # fmt: skip
    run = record("otel", file(tmp_path, trace))
    assert calls(run) == [("find", {"q": 1}, True)]
    assert (run.tokens, run.evidence) == ({"input": 7, "output": 3}, ["policy-12"])


def test_older_names_of_calls_on_the_model_span_are_read(tmp_path: Path) -> None:
    old = span(
        "l",
        None,
        1,
        3,
        **{
            "gen_ai.usage.prompt_tokens": 5,
            "gen_ai.usage.completion_tokens": 1,
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": "hello",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.tool_calls.0.id": "c",
            "gen_ai.completion.0.tool_calls.0.name": "find",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"q": 1}',
        },
    )
    run = record("otel", file(tmp_path, [old]))
    assert calls(run) == [("find", {"q": 1}, None)]
    assert run.tokens == {"input": 5, "output": 1}


def test_a_call_that_no_tool_span_shows_is_an_attempt(tmp_path: Path) -> None:
    parts = [{"type": "tool_call", "id": "c", "name": "wire_money", "arguments": {"to": "x"}}]
    asked = {"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": parts}])}
    trace = [agent(), model("m", "agent", 1, 5, **asked), tool("find", 20)]
    assert calls(record("otel", file(tmp_path, trace))) == [
        ("find", None, True),
        ("wire_money", {"to": "x"}, False),
    ]


def test_jaeger_and_span_list_of_one_trace_say_the_same(tmp_path: Path) -> None:
    spans = [
        agent(**{"contractlab.case_id": "c1"}),
        tool("find", 20),
        model("m", "agent", 1, 5, **USED),
    ]
    jaeger = {
        "data": [
            {
                "traceID": "t1",
                "processes": {},
                "spans": [
                    {
                        "spanID": each["span_id"],
                        "operationName": each["name"],
                        "startTime": each["start_time"] // 1000,
                        "duration": (each["end_time"] - each["start_time"]) // 1000,
                        "references": [{"refType": "CHILD_OF", "spanID": each["parent_span_id"]}]
                        if each["parent_span_id"]
                        else [],
                        "tags": [{"key": k, "value": v} for k, v in each["attributes"].items()],
                    }
                    for each in spans
                ],
            }
        ]
    }
    one, other = record("otel", file(tmp_path, spans)), record("otel", file(tmp_path, jaeger, "j"))
    assert (one.case_id, calls(one), one.tokens) == (other.case_id, calls(other), other.tokens)
    assert one.case_id == "c1"
    assert one.latency_ms == pytest.approx(other.latency_ms, abs=0.01)


def test_a_trace_whose_spans_stand_on_several_lines_is_one_run(tmp_path: Path) -> None:
    assert len(records("otel", lines(tmp_path, [[agent()], [tool("find", 20)]]))) == 1


def test_parents_that_form_a_loop_end(tmp_path: Path) -> None:
    loop = [model("a", "b", 1, 2, **USED), model("b", "a", 1, 2, **USED)]
    assert len(records("otel", file(tmp_path, loop))) == 1


def test_a_trace_without_an_agent_is_skipped_with_its_reason(tmp_path: Path) -> None:
    assert skipped("otel", file(tmp_path, [span("GET", None, 0, 1)])) == [
        "a trace without an agent's, a model's or a tool's span"
    ]
