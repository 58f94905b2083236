"""Conversations: OpenAI chat and Responses, Anthropic, ATIF."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from contractlab.importers.values import content_text
from tests.importers.build import (
    TALK,
    answers,
    asks,
    calls,
    file,
    lines,
    record,
    records,
    says,
    skipped,
)

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


@pytest.mark.parametrize(
    "content",
    [
        "hello",
        [{"type": "text", "text": "hello"}],
        [{"type": "output_text", "text": "hello"}],
        [{"type": "text", "content": "hello"}],
        ["hello"],
        {"type": "text", "text": "hello"},
    ],
    ids=["text", "parts", "responses", "otel", "bare", "one-part"],
)
def test_content_is_a_text_or_a_list_of_parts(content: Any) -> None:
    assert content_text(content) == "hello"


@pytest.mark.parametrize("content", [None, [], "", 7, [{"type": "image"}]])
def test_content_without_a_text_is_none(content: Any) -> None:
    assert content_text(content) is None


def test_a_chat_has_its_calls_answer_and_tokens(tmp_path: Path) -> None:
    line = {
        "case_id": "c1",
        "messages": TALK,
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
    }
    run = record("openai-chat", lines(tmp_path, [line]))
    assert calls(run) == [("find", {"id": "A-1"}, True)]
    assert (run.case_id, run.answer) == ("c1", "On its way.")
    assert run.tokens == {"input": 9, "output": 2}
    assert (run.latency_ms, run.cost_usd) == (None, None)


def test_the_apis_answer_follows_the_messages_it_answers(tmp_path: Path) -> None:
    batch = {
        "custom_id": "c1",
        "request": {"messages": TALK[:1]},
        "response": {"body": {"choices": [{"message": says("hi")}], "usage": {"prompt_tokens": 3}}},
    }
    run = record("openai-chat", lines(tmp_path, [batch]))
    assert (run.case_id, run.answer, run.tokens) == ("c1", "hi", {"input": 3})


def test_the_same_question_is_the_same_case_where_nothing_names_it(tmp_path: Path) -> None:
    one, other = (
        record("openai-chat", file(tmp_path, {"messages": talk}, name)).case_id
        for talk, name in ((TALK, "a"), ([*TALK, says("Bye.")], "b"))
    )
    assert one == other


def test_runs_without_a_question_are_not_all_one_case(tmp_path: Path) -> None:
    runs = records("openai-chat", lines(tmp_path, [{"messages": [says("hi")]}] * 2))
    assert len({run.case_id for run in runs}) == 2


def test_a_result_that_calls_itself_an_error_is_a_failed_call_and_said_so(tmp_path: Path) -> None:
    talk = [asks("pay"), answers("Error: declined"), says("No.")]
    run = record("openai-chat", file(tmp_path, {"messages": talk}))
    assert calls(run) == [("pay", {}, False)]
    assert any("taken as failed" in note for note in run.notes)


def test_arguments_that_are_no_json_stay_a_text(tmp_path: Path) -> None:
    talk = [
        {"role": "assistant", "tool_calls": [{"function": {"name": "x", "arguments": "{oops"}}]}
    ]
    assert calls(
        record("openai-chat", file(tmp_path, {"messages": [says("q", "user"), *talk]}))
    ) == [("x", "{oops", None)]


def test_responses_items_are_calls_results_and_messages(tmp_path: Path) -> None:
    response = {
        "object": "response",
        "input": "Where?",
        "output": [
            {"type": "function_call", "name": "find", "arguments": '{"q": 1}', "call_id": "c"},
            {"type": "function_call_output", "call_id": "c", "output": "there"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "T"}],
            },
        ],
        "usage": {"input_tokens": 4, "output_tokens": 1},
    }
    run = record("openai-responses", file(tmp_path, response))
    assert (calls(run), run.answer) == ([("find", {"q": 1}, True)], "T")
    assert run.tokens == {"input": 4, "output": 1}


def test_an_incomplete_response_reached_a_limit(tmp_path: Path) -> None:
    response = {
        "object": "response",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [{"type": "message", "role": "assistant", "content": []}],
    }
    assert record("openai-responses", file(tmp_path, response)).status == "limit"


def test_token_counts_of_zero_were_not_counted(tmp_path: Path) -> None:
    state = {
        "original_input": "q",
        "context": {"usage": {"input_tokens": 0, "output_tokens": 0}},
        "generated_items": [{"raw_item": {"type": "function_call", "name": "f", "call_id": "c"}}],
    }
    assert record("openai-responses", file(tmp_path, state)).tokens is None


def test_a_codex_rollout_is_one_run_with_its_last_running_total(tmp_path: Path) -> None:
    def total(much: int) -> dict[str, Any]:
        usage = {"total_token_usage": {"input_tokens": much, "output_tokens": 1}}
        return {"type": "event_msg", "payload": {"type": "token_count", "info": usage}}

    rollout = [
        {"type": "session_meta", "timestamp": "2026-01-01T00:00:00Z", "payload": {"id": "s"}},
        {"type": "response_item", "payload": says([{"type": "input_text", "text": "go"}], "user")},
        {
            "type": "response_item",
            "payload": {
                "type": "function_call",
                "name": "shell",
                "arguments": "{}",
                "call_id": "c",
            },
        },
        total(5),
        total(9),
        {"type": "event_msg", "timestamp": "2026-01-01T00:00:02Z", "payload": {}},
    ]
    run = record("openai-responses", lines(tmp_path, rollout))
    assert (run.tokens, run.latency_ms) == ({"input": 9, "output": 1}, 2000.0)
    assert calls(run) == [("shell", {}, None)]


def test_codex_events_know_exit_codes(tmp_path: Path) -> None:
    events = [
        {"type": "thread.started", "thread_id": "t"},
        {
            "type": "item.completed",
            "item": {"type": "command_execution", "command": "ls", "exit_code": 2},
        },
        {"type": "item.completed", "item": {"type": "agent_message", "text": "no"}},
        {"type": "turn.completed", "usage": {"input_tokens": 3, "output_tokens": 1}},
    ]
    run = record("openai-responses", lines(tmp_path, events))
    assert (calls(run), run.answer) == ([("command_execution", "ls", False)], "no")


def _session() -> list[dict[str, Any]]:
    def line(type_: str, second: int, content: Any, **more: Any) -> dict[str, Any]:
        message = {"role": type_, "content": content, **more}
        stamp = f"2026-01-01T00:00:{second:02}Z"
        return {"type": type_, "sessionId": "s", "timestamp": stamp, "message": message}

    use = {"type": "tool_use", "id": "u", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "u", "content": "denied", "is_error": True}
    used = {"input_tokens": 5, "output_tokens": 2}
    return [
        {"type": "summary", "summary": "of another session", "leafUuid": "x"},
        line("user", 0, "list it"),
        # A streamed message stands on several lines, each with its usage.
        line("assistant", 3, [{"type": "text", "text": "I look."}], id="m", usage=used),
        line("assistant", 4, [use], id="m", usage=used),
        line("user", 5, [result]),
        line("assistant", 9, [{"type": "text", "text": "Denied."}], id="n", usage=used),
    ]


def test_a_claude_code_session_is_one_run(tmp_path: Path) -> None:
    run = record("anthropic", lines(tmp_path, _session()))
    assert calls(run) == [("Bash", {"command": "ls"}, False)]
    assert (run.answer, run.latency_ms) == ("Denied.", 9000.0)


def test_a_message_on_several_lines_counts_its_tokens_once(tmp_path: Path) -> None:
    assert record("anthropic", lines(tmp_path, _session())).tokens == {"input": 10, "output": 4}


def test_a_recorded_http_answer_is_opened(tmp_path: Path) -> None:
    body = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "u", "name": "find", "input": {"q": 1}}],
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    run = record("anthropic", file(tmp_path, {"status": 200, "body": json.dumps(body)}))
    assert (calls(run), run.tokens) == ([("find", {"q": 1}, None)], {"input": 5, "output": 2})


def _trajectory(**more: Any) -> dict[str, Any]:
    call = {"tool_call_id": "c", "function_name": "find", "arguments": {"q": 1}}
    result = {"source_call_id": "c", "content": "there"}
    return {
        "schema_version": "ATIF-v1.5",
        "session_id": "s",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {"source": "user", "message": "Where?"},
            {
                "source": "agent",
                "message": "",
                "tool_calls": [call],
                "observation": {"results": [result]},
                "metrics": {"prompt_tokens": 5, "completion_tokens": 1, "cost_usd": 0.1},
            },
            {"source": "agent", "message": "There.", "metrics": {"prompt_tokens": 6}},
        ],
        **more,
    }


def test_a_trajectory_without_timestamps_has_no_latency(tmp_path: Path) -> None:
    run = record("atif", file(tmp_path, _trajectory()))
    assert run.latency_ms is None
    assert (calls(run), run.answer) == ([("find", {"q": 1}, True)], "There.")
    assert (run.tokens, run.cost_usd) == ({"input": 11, "output": 1}, 0.1)


def test_final_metrics_stand_for_the_steps_and_are_not_added_to_them(tmp_path: Path) -> None:
    final = {"total_prompt_tokens": 11, "total_completion_tokens": 1, "total_cost_usd": 0.1}
    run = record("atif", file(tmp_path, _trajectory(final_metrics=final)))
    assert (run.tokens, run.cost_usd) == ({"input": 11, "output": 1}, 0.1)


@pytest.mark.parametrize(
    ("format_", "value", "reason"),
    [
        ("openai-chat", [{"id": "x"}], "has no messages"),
        ("openai-responses", {"items": []}, "has no items of a run"),
        ("anthropic", {"type": "message", "content": []}, "has no messages"),
        ("atif", {"schema_version": "ATIF-v1.5", "steps": []}, "a trajectory without a step"),
    ],
)
def test_what_is_no_run_is_skipped_with_its_reason(
    tmp_path: Path, format_: str, value: Any, reason: str
) -> None:
    assert skipped(format_, file(tmp_path, value)) == [reason]


@pytest.mark.parametrize(
    "run",
    [
        {"case_id": "a", "messages": TALK},
        {"case_id": "a", "messages": [says("hi"), {"role": "tool", "content": "x"}]},
        {"messages": [says("hi")], "response": {"choices": [{"message": says("hello")}]}},
        {"object": "chat.completion", "choices": [{"message": says("hello")}]},
        {
            "custom_id": "a",
            "response": {"status_code": 200, "body": {"choices": [{"message": says("hello")}]}},
        },
    ],
    ids=["calls", "a tool's message", "an answer", "an answer alone", "a batch's"],
)
def test_openai_chat_is_not_read_as_anthropic(tmp_path: Path, run: dict[str, Any]) -> None:
    raw = lines(tmp_path, [run])
    assert records("anthropic", raw) == []
    assert skipped("anthropic", raw) == ["is OpenAI chat: import it as openai-chat"]
    assert len(records("openai-chat", raw)) == 1


def test_messages_that_either_api_could_have_are_read_as_anthropic(tmp_path: Path) -> None:
    asked = {"role": "user", "content": "Where?"}
    run = record(
        "anthropic", lines(tmp_path, [{"case_id": "a", "messages": [asked, says("Here")]}])
    )
    assert (run.case_id, run.answer) == ("a", "Here")
