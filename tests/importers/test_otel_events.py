"""Messages that spans tell by events, and that log records tell beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.importers.build import calls, file, lines, record, records, skipped
from tests.importers.otlp import agent, log, model, otlp, span, tool

if TYPE_CHECKING:
    from pathlib import Path

FIND = [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}]
PARTS = [{"role": "user", "parts": [{"type": "text", "content": "Where?"}]}]
SAID = [
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "I think."},
            {"type": "text", "content": "There."},
        ],
    }
]


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ({"content": "Where?"}, {"message": "There."}),
        ({"content": "Where?"}, {"message": {"role": "assistant", "content": "There."}}),
        ({"content": "Where?"}, {"message": '{"role": "assistant", "content": "There."}'}),
        ({"content": '[{"text": "Where?"}]'}, {"message": '[{"text": "There."}]'}),
        ({"content": '{"parts": [{"text": "Where?"}]}'}, {"content": "There."}),
    ],
    ids=["text", "object", "object in a text", "Bedrock's blocks", "Google's parts"],
)
def test_events_of_a_span_tell_what_was_said(
    tmp_path: Path, given: dict[str, Any], chosen: dict[str, Any]
) -> None:
    events = {"gen_ai.user.message": given, "gen_ai.choice": chosen}
    run = record("otel", file(tmp_path, otlp(agent(), model("m", 1, 9, events=events))))
    assert (run.raw["input"], run.answer) == ("Where?", "There.")


@pytest.mark.parametrize("kept", [json.dumps, lambda each: each], ids=["text", "kvlist"])
def test_messages_are_read_as_json_in_a_text_and_as_values(tmp_path: Path, kept: Any) -> None:
    told = {"gen_ai.input.messages": kept(PARTS), "gen_ai.output.messages": kept(SAID)}
    by_attribute = otlp(agent(), model("m", 1, 9, **told))
    details = {"gen_ai.client.inference.operation.details": told}
    by_event = otlp(agent(), model("m", 1, 9, events=details))
    for each in (by_attribute, by_event):
        run = record("otel", file(tmp_path, each))
        # What a model thinks before it speaks is no part of its answer.
        assert (run.raw["input"], run.answer) == ("Where?", "There.")


def _logged() -> dict[str, Any]:
    return otlp(
        span("root", None, 0, 100),
        model("m1", 1, 30, "root"),
        model("m2", 41, 70, "root"),
        logs=(
            log("gen_ai.user.message", "m1", {"content": "Where?"}),
            log("gen_ai.choice", "m1", {"message": {"role": "assistant", "tool_calls": FIND}}),
            log("gen_ai.assistant.message", "m2", {"tool_calls": FIND}),
            log("gen_ai.tool.message", "m2", {"id": "c1", "content": "Error: down"}),
            log("gen_ai.choice", "m2", {"message": {"role": "assistant", "content": "Down."}}),
        ),
    )


def test_log_records_belong_to_their_spans(tmp_path: Path) -> None:
    run = record("otel", file(tmp_path, _logged()))
    assert calls(run) == [("find", {"q": 1}, False)]
    assert (run.answer, run.raw["input"]) == ("Down.", "Where?")


def test_log_records_may_stand_before_their_spans_and_on_another_line(tmp_path: Path) -> None:
    whole = _logged()
    apart = [{key: whole[key]} for key in ("resourceLogs", "resourceSpans")]
    run = record("otel", lines(tmp_path, apart))
    assert (calls(run), run.answer) == ([("find", {"q": 1}, False)], "Down.")


def test_a_log_record_without_a_span_is_the_only_model_calls(tmp_path: Path) -> None:
    loose = log("gen_ai.choice", "", {"message": {"content": "There."}})
    assert record("otel", file(tmp_path, otlp(agent(), model("m", 1, 9), logs=(loose,)))).answer
    two = otlp(agent(), model("m", 1, 9), model("n", 11, 19), logs=(loose,))
    assert record("otel", file(tmp_path, two)).answer is None


def test_log_records_without_spans_are_no_run(tmp_path: Path) -> None:
    only = {"resourceLogs": _logged()["resourceLogs"]}
    assert skipped("otel", file(tmp_path, only)) == ["no spans"]


def test_a_log_record_whose_body_holds_a_whole_exchange_is_read(tmp_path: Path) -> None:
    asked = json.dumps({"content": json.dumps([{"text": "Where?"}])})
    body = {
        "input": {"messages": [{"role": "user", "content": asked}]},
        "output": {"messages": [{"role": "assistant", "content": {"message": "There."}}]},
    }  # fmt: skip
    document = otlp(agent(), model("m", 1, 9), logs=(log("a.tracer", "m", body),))
    run = record("otel", file(tmp_path, document))
    assert (run.raw["input"], run.answer) == ("Where?", "There.")


def test_events_of_a_tool_tell_its_arguments_and_its_result(tmp_path: Path) -> None:
    fine = {
        "gen_ai.tool.message": {"role": "tool", "content": '{"city": "Paris"}', "id": "1"},
        "gen_ai.choice": {"message": '[{"text": "sunny"}]'},
    }
    wrong = {
        "gen_ai.tool.message": {"role": "tool", "content": '{"city": "Oslo"}', "id": "2"},
        "gen_ai.choice": {"message": '[{"text": "Error: no such city"}]'},
    }
    document = otlp(agent(), tool("weather", 20, events=fine), tool("weather", 30, events=wrong))
    run = record("otel", file(tmp_path, document))
    assert calls(run) == [
        ("weather", {"city": "Paris"}, True),
        ("weather", {"city": "Oslo"}, False),
    ]


def test_an_exceptions_event_says_why_a_tool_failed(tmp_path: Path) -> None:
    events = {"exception": {"exception.type": "KeyError", "exception.message": "no such key"}}
    document = otlp(agent(), tool("find", 20, events=events, error="failed"))
    (call,) = record("otel", file(tmp_path, document)).calls or []
    assert (call.ok, call.error) == (False, "no such key")


def test_jaegers_logs_are_events(tmp_path: Path) -> None:
    def logged(event: str, **fields: str) -> dict[str, Any]:
        given = {"event": event, **fields}
        return {"fields": [{"key": k, "type": "string", "value": v} for k, v in given.items()]}

    one = {
        "traceID": "t",
        "spanID": "m",
        "operationName": "chat",
        "startTime": 1_700_000_000_000_000,
        "duration": 1_500_000,
        "tags": [
            {"key": "gen_ai.operation.name", "type": "string", "value": "chat"},
            {"key": "gen_ai.usage.input_tokens", "type": "int64", "value": "12"},
        ],
        "logs": [
            logged("gen_ai.user.message", content="Ping?"),
            logged("gen_ai.choice", message='{"content": "Pong."}'),
        ],
        "process": {"tags": [{"key": "service.version", "value": "7"}]},
    }
    search = {"data": [{"traceID": "t", "spans": [{**one, "processID": "p"}], "processes": {}}]}
    # As its storage keeps them: a span a line.
    for name in (file(tmp_path, search), lines(tmp_path, [one])):
        (run,) = records("otel", name)
        assert (run.raw["input"], run.answer, run.latency_ms) == ("Ping?", "Pong.", 1500.0)
        assert run.tokens == {"input": 12}
    assert run.release == "7"
