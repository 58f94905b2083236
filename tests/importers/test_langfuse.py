"""Langfuse: what frameworks leave in its traces, and exports as rows."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.importers.registry import detect
from contractlab.importers.source import Source
from tests.importers.build import calls, file, lines, record, records
from tests.importers.test_benchmarks import _seen, _trace

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = {"object": "response", "output": [
    {"type": "function_call", "call_id": "c", "name": "find", "arguments": '{"q": 1}'},
    {"type": "message", "role": "assistant",
     "content": [{"type": "output_text", "text": "There."}]},
]}  # fmt: skip
BLOCKS = {"role": "assistant", "content": [
    {"type": "text", "text": "There."},
    {"type": "tool_use", "id": "c", "name": "find", "input": {"q": 1}},
]}  # fmt: skip
PARTS = [{"role": "assistant", "parts": [
    {"type": "text", "content": "There."},
    {"type": "tool_call", "id": "c", "name": "find", "arguments": {"q": 1}},
]}]  # fmt: skip
GOOGLE = {"content": {"role": "model", "parts": [
    {"text": "There."}, {"function_call": {"name": "find", "args": {"q": 1}}},
]}}  # fmt: skip
LANGCHAIN = {"generations": [[{"message": {"type": "ai", "content": "There.",
    "tool_calls": [{"id": "c", "name": "find", "args": {"q": 1}}]}}]]}  # fmt: skip


@pytest.mark.parametrize(
    "output",
    [ITEMS, BLOCKS, PARTS, GOOGLE, LANGCHAIN],
    ids=["Responses", "Anthropic", "OpenTelemetry", "Google", "LangChain"],
)
def test_a_generations_output_is_read_in_every_apis_shape(tmp_path: Path, output: Any) -> None:
    for kept in (output, json.dumps(output)):
        one = _seen("g", "GENERATION", 1, 2, output=kept)
        run = record("langfuse", file(tmp_path, _trace(one)))
        assert (calls(run), run.answer) == ([("find", {"q": 1}, None)], "There.")


def test_calls_of_the_ai_sdk_are_calls_and_no_answer(tmp_path: Path) -> None:
    asked = [{"toolCallId": "c", "toolName": "find", "input": '{"q": 1}'}]
    one = _seen("g", "GENERATION", 1, 2, output=json.dumps(asked))
    run = record("langfuse", file(tmp_path, _trace(one, output=json.dumps(asked))))
    assert (calls(run), run.answer) == ([("find", {"q": 1}, None)], None)


@pytest.mark.parametrize(
    "given",
    [
        "hello",
        '"hello"',
        {"messages": [{"type": "human", "content": "hello", "id": "random"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]},
        [{"role": "system", "content": "x"}, {"role": "user", "content": "hello"}],
        {"prompt": "hello", "system": "x"},
        {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]},
    ],
)
def test_a_case_is_known_by_what_the_user_said_and_not_by_its_wrapping(
    tmp_path: Path, given: Any
) -> None:
    plain = record("langfuse", file(tmp_path, _trace(input="hello"), "plain.json"))
    assert record("langfuse", file(tmp_path, _trace(input=given))).case_id == plain.case_id


def test_without_an_input_of_its_own_a_traces_question_is_its_observations(tmp_path: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "hello"}]}
    one = _seen("g", "GENERATION", 1, 2, input=asked)
    run = record("langfuse", file(tmp_path, _trace(one, input=None)))
    assert run.case_id == record("langfuse", file(tmp_path, _trace(), "o")).case_id


def test_an_answer_that_is_a_message_is_its_text_and_another_value_stays(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "There."}]}
    assert record("langfuse", file(tmp_path, _trace(output=json.dumps(said)))).answer == "There."
    graph = {"messages": [{"type": "ai", "content": "There."}, {"type": "tool", "content": "x"}]}
    assert record("langfuse", file(tmp_path, _trace(output=graph))).answer == "There."
    assert record("langfuse", file(tmp_path, _trace(output={"n": 1}))).answer == {"n": 1}


def test_arguments_that_a_tracer_wrapped_are_those_that_the_model_asked_with(
    tmp_path: Path,
) -> None:
    asked = _seen("g", "GENERATION", 1, 2, output=BLOCKS)
    run = _seen("find", "TOOL", 3, 4, input='{"input": {"q": 1}}')
    assert calls(record("langfuse", file(tmp_path, _trace(asked, run)))) == [
        ("find", {"q": 1}, True)
    ]


def test_a_mere_span_is_a_tool_where_its_attributes_say_so(tmp_path: Path) -> None:
    told = json.dumps({"attributes": {"gen_ai.operation.name": "execute_tool"}})
    marked = _seen("tool.find", "SPAN", 3, 4, metadata=told)
    assert calls(record("langfuse", file(tmp_path, _trace(marked)))) == [("find", None, True)]


def test_calls_beside_an_output_that_was_left_out_are_read(tmp_path: Path) -> None:
    call = json.dumps({"id": "c", "arguments": '{"q": 1}', "type": "tool_use"})
    one = _seen("g", "GENERATION", 1, 2, toolCalls=[call], toolCallNames=["find"])
    assert calls(record("langfuse", file(tmp_path, _trace(one)))) == [("find", {"q": 1}, None)]


def test_a_generation_that_failed_and_was_made_again_is_no_failed_run(tmp_path: Path) -> None:
    failed = _seen("a", "GENERATION", 1, 2, None, level="ERROR", statusMessage="429")
    again = _seen("b", "GENERATION", 3, 4, None)
    both = {"id": "t", "input": "q", "observations": [failed, again]}
    assert record("langfuse", file(tmp_path, both)).status == "ok"
    both["observations"] = [again, failed | {"startTime": "2026-01-01T00:00:05.000Z"}]
    assert record("langfuse", file(tmp_path, both)).status == "error"


def test_the_older_names_of_tokens_and_dollars_are_read(tmp_path: Path) -> None:
    old = _seen("g", "GENERATION", 1, 2, usage={"input": 5, "output": 1}, calculatedTotalCost=0.5)
    older = _seen("h", "GENERATION", 3, 4, promptTokens=2, completionTokens=1)
    run = record("langfuse", file(tmp_path, _trace(old, older)))
    assert (run.tokens, run.cost_usd) == ({"input": 7, "output": 2}, 0.5)


def _rows() -> list[dict[str, Any]]:
    root = _seen("r", "SPAN", 0, 8, None, input="hello", output="hi")
    model = _seen("g", "GENERATION", 1, 2, usageDetails={"input": 5, "output": 1}, totalCost=0.25)
    tool = _seen("find", "TOOL", 3, 4, input={"q": 1}, output="there")
    return [{**each, "traceId": "t"} for each in (root, model, tool)]


def _same(run: Any) -> None:
    assert calls(run) == [("find", {"q": 1}, True)]
    assert (run.answer, run.latency_ms, run.tokens) == ("hi", 8000.0, {"input": 5, "output": 1})
    assert (run.cost_usd, run.where.id) == (0.25, "t")


def test_rows_of_observations_are_runs_by_their_trace(tmp_path: Path) -> None:
    for name in (
        file(tmp_path, _rows(), "list.json"),
        file(tmp_path, {"data": _rows(), "meta": {"cursor": None}}, "api.json"),
        lines(tmp_path, reversed(_rows()), "rows.jsonl"),
    ):
        assert detect(Source(name)) == "langfuse"
        _same(record("langfuse", name))


def test_rows_of_a_warehouse_have_names_of_their_own(tmp_path: Path) -> None:
    def snake(key: str) -> str:
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in key)

    rows = [{snake(key): value for key, value in each.items()} for each in _rows()]
    for each in rows:  # as it writes its times
        for key in ("start_time", "end_time"):
            each[key] = each[key].replace("T", " ").removesuffix("Z")
    name = lines(tmp_path, rows)
    assert detect(Source(name)) == "langfuse"
    _same(record("langfuse", name))


def test_rows_of_a_csv_hold_json_in_their_fields(tmp_path: Path) -> None:
    path = tmp_path / "observations.csv"
    rows = [
        {k: v if type(v) is str else json.dumps(v) for k, v in each.items()} for each in _rows()
    ]
    names = list(dict.fromkeys(key for each in rows for key in each))
    with path.open("w", newline="", encoding="utf-8") as made:
        writer = csv.DictWriter(made, names)
        writer.writeheader()
        writer.writerows(rows)
    assert detect(Source(str(path))) == "langfuse"
    (run,) = records("langfuse", str(path))
    assert (run.tokens, run.cost_usd) == ({"input": 5, "output": 1}, 0.25)
    assert calls(run) == [("find", {"q": 1}, True)]


def test_a_trace_without_its_observations_has_no_calls_rather_than_none_made(
    tmp_path: Path,
) -> None:
    row = {"id": "t", "timestamp": "2026-01-01T00:00:00Z", "input": "hello", "output": "hi",
           "sessionId": None, "bookmarked": False, "totalCost": 0.5, "latency": 8}  # fmt: skip
    name = lines(tmp_path, [row])
    assert detect(Source(name)) == "langfuse"
    run = record("langfuse", name)
    assert (run.answer, run.calls, run.latency_ms, run.cost_usd) == ("hi", None, None, 0.5)
    assert any("its calls are unknown" in note for note in run.notes)


def test_tools_that_began_at_the_same_moment_stand_in_the_order_of_the_asking(
    tmp_path: Path,
) -> None:
    blocks = [{"type": "tool_use", "id": n, "name": n, "input": {}} for n in "ab"]
    asked = _seen("g", "GENERATION", 1, 2, output={"role": "assistant", "content": blocks})
    trace = _trace(asked, _seen("b", "TOOL", 3, 4), _seen("a", "TOOL", 3, 5))
    run = record("langfuse", file(tmp_path, trace))
    assert [each.name for each in run.calls or []] == ["a", "b"]
