"""Traces that are broken, copied, torn over several files, or very large."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.importers.convert import Tally, Wanted, convert
from contractlab.importers.neutral import Note
from tests.importers.build import calls, file, found, lines, record, records, skipped
from tests.importers.otlp import START, agent, model, otlp, span, tool

if TYPE_CHECKING:
    from pathlib import Path

USED = {"gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 1}


def test_a_span_that_was_exported_twice_counts_once(tmp_path: Path) -> None:
    one = model("m", 1, 9, **USED)
    run = record(
        "otel", file(tmp_path, otlp(agent(), one, one, tool("find", 20), tool("find", 20)))
    )
    assert (run.tokens, calls(run)) == ({"input": 5, "output": 1}, [("find", None, True)])


@pytest.mark.parametrize(
    "spans",
    [
        [model("a", 1, 3, "b", **USED), model("b", 2, 3, "a", **USED)],
        [model("a", 1, 3, "a", **USED)],
        [model("a", 1, 3, "b", **USED), model("b", 2, 3, "a", **USED), span("c", "b", 0, 4)],
    ],
    ids=["two", "itself", "and one that leads into it"],
)
def test_parents_in_a_loop_are_cut_and_their_tokens_count_once(
    tmp_path: Path, spans: list[dict[str, Any]]
) -> None:
    assert record("otel", file(tmp_path, otlp(*spans))).tokens == {"input": 5, "output": 1}


def test_calls_side_by_side_count_each_though_their_agents_parent_is_remote(tmp_path: Path) -> None:
    top = span("agent", "remote", 0, 100, gen_ai__operation__name="invoke_agent")
    side = [model("a", 1, 90, **USED), model("b", 10, 20, **USED)]
    assert record("otel", file(tmp_path, otlp(top, *side))).tokens == {"input": 10, "output": 2}


def _chain(depth: int) -> list[dict[str, Any]]:
    kinds = ("invoke_agent", "chat", "execute_tool")
    return [
        {
            "traceId": "t",
            "spanId": str(index),
            "parentSpanId": str(index - 1) if index else None,
            "name": "x",
            "startTimeUnixNano": START + index,
            "endTimeUnixNano": START + 2 * depth - index,
            "attributes": {"gen_ai.operation.name": kinds[index % 3], **USED},
        }
        for index in range(depth)
    ]


def test_spans_may_nest_as_deep_as_they_like(tmp_path: Path) -> None:
    run = record("otel", file(tmp_path, _chain(20_000)))
    assert run.tokens == {"input": 5, "output": 1}


def test_spans_whose_parents_are_all_lost_cost_no_more_than_others(tmp_path: Path) -> None:
    torn = [{**each, "parentSpanId": f"lost-{each['spanId']}"} for each in _chain(20_000)]
    assert len(records("otel", file(tmp_path, torn))) == 1


def test_spans_without_a_trace_id_are_skipped_with_their_reason(tmp_path: Path) -> None:
    nameless = {**agent(), "traceId": ""}
    assert skipped("otel", file(tmp_path, otlp(nameless))) == ["spans without a trace id"]
    assert len(records("otel", file(tmp_path, otlp(nameless, span("m", None, 0, 1, **USED))))) == 1


def _imported(*names: str) -> tuple[list[dict[str, Any]], Tally]:
    tally = Tally()
    return list(convert(Wanted("auto", names), tally)), tally


def test_a_trace_in_two_files_is_one_run(tmp_path: Path) -> None:
    one = file(tmp_path, otlp(tool("find", 20), model("m", 1, 9, **USED)), "1.json")
    other = file(tmp_path, otlp(agent(), model("m", 1, 9, **USED)), "2.json")
    for order in ((one, other), (other, one)):
        (run,), _ = _imported(*order)
        assert (run["latency_ms"], run["tokens"]) == (100.0, {"input": 5, "output": 1})
        assert [each["name"] for each in run["calls"]] == ["find"]


def test_traces_interleaved_over_lines_stay_apart(tmp_path: Path) -> None:
    mixed = [
        otlp(tool("a", 20, trace="1"), tool("b", 20, trace="2")),
        otlp(agent(trace="2"), agent(trace="1")),
    ]
    one, other = records("otel", lines(tmp_path, mixed))
    assert (calls(one), calls(other)) == ([("a", None, True)], [("b", None, True)])
    assert one.case_id != other.case_id


def test_several_resources_and_scopes_are_one_trace(tmp_path: Path) -> None:
    one, other = otlp(agent()), otlp(tool("find", 20))
    both = {"resourceSpans": one["resourceSpans"] + other["resourceSpans"]}
    assert calls(record("otel", file(tmp_path, both))) == [("find", None, True)]


def test_traces_of_one_conversation_are_runs_of_their_own_and_said_so(tmp_path: Path) -> None:
    talk = {"gen_ai.conversation.id": "c"}
    told = found("otel", file(tmp_path, otlp(agent(trace="1", **talk), agent(trace="2", **talk))))
    assert any(isinstance(each, Note) and each.text.startswith("2 traces are of") for each in told)
    alone = found("otel", file(tmp_path, otlp(agent(trace="1", **talk))))
    assert not any(isinstance(each, Note) for each in alone)


def test_documents_one_after_the_other_are_read_as_a_console_exporter_writes_them(
    tmp_path: Path,
) -> None:
    spans = otlp(agent(), tool("find", 20))["resourceSpans"][0]["scopeSpans"][0]["spans"]
    path = tmp_path / "traces.json"
    path.write_bytes("\n".join(json.dumps(each, indent=4) for each in spans).encode())
    (run,), _ = _imported(str(path))
    assert [each["name"] for each in run["calls"]] == ["find"]
