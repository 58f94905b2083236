"""Traces as frameworks write them: names of their own, wrappers, subagents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.importers.build import calls, file, record
from tests.importers.otlp import agent, model, otlp, span, tool

if TYPE_CHECKING:
    from pathlib import Path

USED = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 2}


def read(folder: Path, *spans: dict[str, Any]) -> Any:
    return record("otel", file(folder, otlp(*spans)))


def test_the_ai_sdk_of_vercel(tmp_path: Path) -> None:
    asked = [{"toolCallId": "c", "toolName": "find", "args": '{"q": 1}'}]
    run = read(
        tmp_path,
        span("g", None, 0, 90, ai__operationId="ai.generateText", ai__prompt='{"prompt": "Where?"}',
             ai__response__text="There.", ai__usage__promptTokens=150,
             ai__usage__completionTokens=30),
        span("d", "g", 1, 30, ai__operationId="ai.generateText.doGenerate",
             ai__response__toolCalls=json.dumps(asked), **USED),
        span("t", "g", 31, 40, **{"ai.operationId": "ai.toolCall", "ai.toolCall.name": "find",
             "ai.toolCall.id": "c", "ai.toolCall.args": '{"q": 1}',
             "ai.toolCall.result": '{"n": 1}'}),
        span("e", "g", 41, 89, ai__operationId="ai.generateText.doGenerate",
             ai__response__text="There.", **USED),
    )  # fmt: skip
    assert (calls(run), run.answer) == ([("find", {"q": 1}, True)], "There.")
    # The outer span has the sum of the steps again.
    assert (run.tokens, run.latency_ms) == ({"input": 20, "output": 4}, 90.0)
    assert run.raw["input"] == "Where?"


def test_langsmiths_traces(tmp_path: Path) -> None:
    def said(*blocks: dict[str, Any]) -> str:
        return json.dumps({"role": "assistant", "content": list(blocks)})

    use = {"type": "tool_use", "id": "u", "name": "find", "input": {"city": "Oslo"}}
    run = read(
        tmp_path,
        span("r", None, 0, 90, langsmith__span__kind="chain", gen_ai__prompt='{"prompt": "Where?"}',
             gen_ai__completion=said({"type": "text", "text": "There."})),
        span("m", "r", 1, 30, langsmith__span__kind="llm", gen_ai__completion=said(use), **USED),
        span("find", "r", 31, 40, langsmith__span__kind="tool",
             gen_ai__prompt='{"input": {"city": "Oslo"}}',
             gen_ai__completion='{"content": [{"type": "text", "text": "Cloudy"}]}'),
    )  # fmt: skip
    # The tracer puts arguments under `input`: the model's asking tells which they are.
    assert (calls(run), run.answer) == ([("find", {"city": "Oslo"}, True)], "There.")
    assert run.raw["input"] == "Where?"


def test_openllmetrys_workflows_and_decorated_tools(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        span("w", None, 0, 90, traceloop__span__kind="workflow",
             traceloop__entity__output='"Sun."'),
        span("m", "w", 1, 30, **{
            "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Where?",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.tool_calls.0.id": "c",
            "gen_ai.completion.0.tool_calls.0.name": "find",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"city": "Oslo"}',
            "gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.completion_tokens": 2}),
        span("find.tool", "w", 31, 40, traceloop__span__kind="tool",
             traceloop__entity__input='{"args": [], "kwargs": {"city": "Oslo"}}'),
    )  # fmt: skip
    assert (calls(run), run.answer) == ([("find", {"city": "Oslo"}, True)], "Sun.")
    assert (run.raw["input"], run.tokens) == ("Where?", {"input": 10, "output": 2})


def _langgraph(id_: str) -> list[dict[str, Any]]:
    asked = {"messages": [{"lc": 1, "kwargs": {"content": "Where?", "type": "human", "id": id_}}]}
    said = {"messages": [*asked["messages"], {"kwargs": {"content": "There.", "type": "ai"}}]}
    return [
        span("root", None, 0, 50, openinference__span__kind="CHAIN",
             input__value=json.dumps(asked), output__value=json.dumps(said)),
        span("route", "root", 10, 20, openinference__span__kind="AGENT",
             output__value='{"result": "done"}'),
    ]  # fmt: skip


def test_a_chain_around_an_agent_is_the_run(tmp_path: Path) -> None:
    run = read(tmp_path, *_langgraph("1"))
    assert (run.answer, run.latency_ms, run.raw["input"]) == ("There.", 50.0, "Where?")


def test_ids_in_the_input_of_a_graph_do_not_make_another_case(tmp_path: Path) -> None:
    assert read(tmp_path, *_langgraph("1")).case_id == read(tmp_path, *_langgraph("2")).case_id


def test_an_answer_in_numbered_parts_leaves_out_what_was_thought(tmp_path: Path) -> None:
    said = "llm.output_messages.0.message"
    for text in (f"{said}.contents.1.message_content.text", f"{said}.content.1"):
        given = {
            "openinference.span.kind": "LLM",
            f"{said}.role": "assistant",
            f"{said}.contents.0.message_content.type": "reasoning",
            f"{said}.contents.0.message_content.text": "I think.",
            text: "There.",
        }
        assert read(tmp_path, span("m", None, 0, 9, **given)).answer == "There."


def test_a_subagents_answer_is_not_the_runs(tmp_path: Path) -> None:
    kind = "openinference.span.kind"
    run = read(
        tmp_path,
        span("query", "remote", 0, 90, **{kind: "AGENT", "input.value": "Sum?",
                                         "output.value": "42."}),
        span("t", "query", 10, 80, **{kind: "TOOL", "tool.name": "Agent", "tool.id": "u",
                                      "input.value": '{"prompt": "p"}'}),
        span("sub", "t", 11, 95, **{kind: "AGENT", "output.value": "forty-two"}),
        span("b", "sub", 20, 30, **{kind: "TOOL", "tool.name": "Bash", "input.value": '{"c": 1}'}),
    )  # fmt: skip
    assert calls(run) == [("Agent", {"prompt": "p"}, True), ("Bash", {"c": 1}, True)]
    assert (run.answer, run.latency_ms) == ("42.", 90.0)


def test_phoenixs_nested_attributes_are_read_by_their_dotted_names(tmp_path: Path) -> None:
    one = {
        "name": "chat",
        "context": {"trace_id": "t", "span_id": "s"},
        "span_kind": "LLM",
        "parent_id": None,
        "start_time": "2024-01-01T00:00:00.000000+00:00",
        "end_time": "2024-01-01T00:00:01.500000123+00:00",
        "status_code": "OK",
        "attributes": {
            "llm": {
                "token_count": {"prompt": 7, "completion": 3},
                "input_messages": [{"message": {"role": "user", "content": "hello"}}],
                "output_messages": [{"message": {"role": "assistant", "content": "hi"}}],
            }
        },
    }
    run = record("otel", file(tmp_path, [one]))
    assert (run.raw["input"], run.answer, run.latency_ms) == ("hello", "hi", 1500.0)
    assert run.tokens == {"input": 7, "output": 3}


def test_a_span_of_javascripts_console_exporter(tmp_path: Path) -> None:
    one = {
        "traceId": "t",
        "id": "s",
        "parentId": None,
        "name": "chat",
        "timestamp": 1_700_000_000_000_000,
        "duration": 1_500_000.5,
        "attributes": {"gen_ai.operation.name": "chat", **USED},
        "status": {"code": 2, "message": "boom"},
    }
    run = record("otel", file(tmp_path, [one]))
    assert (run.latency_ms, run.status, run.error) == (1500.0, "error", "boom")


def test_spans_within_a_session_object_are_found(tmp_path: Path) -> None:
    listed = otlp(agent(), tool("find", 20))["resourceSpans"][0]["scopeSpans"][0]["spans"]
    run = record("otel", file(tmp_path, {"session_id": "s", "spans": listed}))
    assert calls(run) == [("find", None, True)]


def test_of_a_tools_span_in_another_of_the_same_call_the_outer_one_counts(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        agent(),
        tool("find", 10, "client"),
        tool("find", 10, "server", "client", gen_ai__tool__call__arguments='{"q": 1}',
             error="refused"),
        tool("find", 30, "again"),
    )  # fmt: skip
    assert calls(run) == [("find", {"q": 1}, False), ("find", None, True)]


def test_adks_span_around_tools_that_ran_at_once_is_no_call(tmp_path: Path) -> None:
    run = read(tmp_path, agent(), tool("(merged tools)", 10), tool("find", 10, "t"))
    assert calls(run) == [("find", None, True)]


def test_what_a_tools_span_leaves_out_is_told_by_the_models_asking(tmp_path: Path) -> None:
    parts = [
        {"type": "tool_call", "id": "a", "name": "find", "arguments": {"q": 1}},
        {"type": "tool_call", "id": "b", "name": "find", "arguments": {"q": 2}},
    ]
    said = json.dumps([{"role": "assistant", "parts": parts}])
    by_id = [
        tool("find", 20, gen_ai__tool__call__id="b"),
        tool("find", 30, gen_ai__tool__call__id="a"),
    ]
    by_name = [tool("find", 20), tool("find", 30)]
    asks = model("m", 1, 9, gen_ai__output__messages=said)
    one = read(tmp_path, agent(), asks, *by_id)
    assert calls(one) == [("find", {"q": 2}, True), ("find", {"q": 1}, True)]
    other = read(tmp_path, agent(), asks, *by_name)
    assert calls(other) == [("find", {"q": 1}, True), ("find", {"q": 2}, True)]


def test_a_result_that_a_later_model_call_was_given_says_that_a_tool_failed(tmp_path: Path) -> None:
    given = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c",
                                         "response": "TimeoutError: too slow"}]}]  # fmt: skip
    run = read(
        tmp_path,
        agent(),
        tool("find", 10, gen_ai__tool__call__id="c"),
        model("m", 20, 30, gen_ai__input__messages=json.dumps(given)),
    )
    assert calls(run) == [("find", None, False)]


def test_a_provider_runs_some_tools_itself(tmp_path: Path) -> None:
    parts = [
        {"type": "server_tool_call", "name": "web_search", "server_tool_call": {"query": "q"}},
        {"type": "text", "content": "Found."},
    ]
    said = json.dumps([{"role": "assistant", "parts": parts}])
    run = read(tmp_path, model("m", 1, 9, None, gen_ai__output__messages=said))
    assert (calls(run), run.answer) == ([("web_search", {"query": "q"}, None)], "Found.")


@pytest.mark.parametrize(
    ("spans", "status"),
    [
        ([model("m", 1, 9, "root", error="429"), model("n", 11, 19, "root")], "ok"),
        ([model("m", 1, 9, "root"), tool("find", 11, parent="root", error="no")], "ok"),
        ([model("m", 1, 9, "root"), model("n", 11, 19, "root", error="429")], "error"),
        ([agent(error="deadline exceeded")], "timeout"),
    ],
    ids=["tried again", "a tool failed", "the last call failed", "the agent failed"],
)
def test_a_run_failed_by_its_own_span_or_by_its_last_model_call(
    tmp_path: Path, spans: list[dict[str, Any]], status: str
) -> None:
    assert read(tmp_path, span("root", None, 0, 100), *spans).status == status


def test_without_an_agent_the_span_around_everything_is_the_run(tmp_path: Path) -> None:
    run = read(tmp_path, span("POST /ask", None, 0, 100), model("m", 10, 20, "POST /ask", **USED))
    assert run.latency_ms == 100.0


@pytest.mark.parametrize(
    "given",
    [
        {"contractlab__case_id": "c7"},
        {"metadata": '{"case_id": "c7"}'},
        {"ai__telemetry__metadata__case_id": "c7"},
    ],
)
def test_a_trace_names_its_case_also_on_a_span_that_is_no_agents(
    tmp_path: Path, given: dict[str, str]
) -> None:
    inner = span("agent", "test", 1, 9, gen_ai__operation__name="invoke_agent")
    assert read(tmp_path, span("test", None, 0, 10, **given), inner).case_id == "c7"


@pytest.mark.parametrize("written", ["Oslo", "{'city': 'Oslo'}", '{"input": {"city": "Oslo"}}'])
def test_arguments_as_a_tracer_writes_them_are_those_that_the_model_asked_with(
    tmp_path: Path, written: str
) -> None:
    parts = [
        {"type": "tool_call", "id": id_, "name": "find", "arguments": {"city": city}}
        for id_, city in (("a", "Paris"), ("b", "Oslo"))
    ]
    said = json.dumps([{"role": "assistant", "parts": parts}])
    run = read(
        tmp_path,
        model("m", 1, 9, None, gen_ai__output__messages=said),
        span("find", None, 20, 30, openinference__span__kind="TOOL", input__value=written),
        span("gone", None, 40, 50, **{"openinference.span.kind": "TOOL", "tool.name": "find"}),
    )
    # Known by their arguments, though the second was begun first.
    assert calls(run) == [("find", {"city": "Oslo"}, True), ("find", {"city": "Paris"}, True)]


@pytest.mark.parametrize("wrap", [dict, lambda each: {"type": "tool", "data": each}])
@pytest.mark.parametrize(
    ("told", "ok"),
    [({"status": "error"}, False), ({"status": "success"}, True), ({}, False)],
    ids=["says so", "says that it is none", "says nothing"],
)
def test_a_message_of_langchains_about_a_tool_says_whether_it_failed(
    tmp_path: Path, wrap: Any, told: dict[str, str], ok: bool
) -> None:
    message = {"content": "Error: no such city", "tool_call_id": "c", **told}
    given = {"openinference.span.kind": "TOOL", "output.value": json.dumps(wrap(message))}
    (call,) = read(tmp_path, agent(), span("find", "agent", 20, 30, **given)).calls
    assert (call.ok, call.id) == (ok, "c")


def test_tools_that_began_at_the_same_moment_stand_in_the_order_of_the_asking(
    tmp_path: Path,
) -> None:
    parts = [{"type": "tool_call", "id": id_, "name": id_} for id_ in "ab"]
    said = json.dumps([{"role": "assistant", "parts": parts}])
    late = {**tool("a", 20, "1", gen_ai__tool__call__id="a")}
    late["endTimeUnixNano"] = str(int(late["endTimeUnixNano"]) + 5)
    run = read(
        tmp_path,
        model("m", 1, 9, None, gen_ai__output__messages=said),
        tool("b", 20, "2", gen_ai__tool__call__id="b"),
        late,
    )
    assert [each.name for each in run.calls] == ["a", "b"]
