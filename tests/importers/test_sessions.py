"""Claude Code's sessions, and Anthropic's batches and streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from contractlab.importers.registry import detect
from contractlab.importers.source import Source
from tests.importers.build import calls, file, lines, record, records, says, skipped

if TYPE_CHECKING:
    from pathlib import Path

USE = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "a"}}


def line(role: str, content: Any, second: int = 0, session: str = "S", **more: Any) -> Any:
    message = {"role": role, "content": content, **more.pop("message", {})}
    stamp = f"2026-01-01T00:00:{second:02}Z"
    return {"type": role, "sessionId": session, "timestamp": stamp, "message": message, **more}


def text(told: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": told}]


def test_what_the_program_notes_is_not_what_the_user_asked(tmp_path: Path) -> None:
    noted = [
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "S"},
        line("user", "Caveat: The messages below were generated", isMeta=True),
        line("user", "<command-name>/clear</command-name>"),
        line("user", "This session is being continued", isCompactSummary=True),
        line("user", "a subagent's prompt", isSidechain=True),
    ]
    asked, answered = line("user", text("Find the bug")), line("assistant", text("It is X."))
    name = lines(tmp_path, [*noted, asked, answered])
    assert detect(Source(name)) == "anthropic"
    plain = lines(tmp_path, [line("user", "Find the bug"), answered], "plain")
    assert record("anthropic", name).case_id == record("anthropic", plain).case_id


def test_a_sidechains_calls_are_another_agents(tmp_path: Path) -> None:
    aside: dict[str, Any] = {"isSidechain": True}
    inner = {**USE, "id": "i", "name": "Grep"}
    session = [line("user", "q"), line("assistant", [USE]), line("assistant", [inner], **aside)]
    assert calls(record("anthropic", lines(tmp_path, session))) == [
        ("Read", {"file_path": "a"}, None)
    ]
    only = lines(tmp_path, [line("user", "q", **aside), line("assistant", [USE], **aside)], "only")
    assert skipped("anthropic", only) == [
        "a subagent's own transcript, which is part of another run"
    ]


def test_calls_of_one_streamed_message_share_a_turn(tmp_path: Path) -> None:
    same: dict[str, Any] = {
        "message": {"id": "m", "usage": {"input_tokens": 5, "output_tokens": 9}}
    }
    session = [
        line("user", "q"),
        line("assistant", [USE], **same),
        line("assistant", [{**USE, "id": "u"}], **same),
        line("user", [{"type": "tool_result", "tool_use_id": "u", "content": "x"}]),
        line("assistant", [{**USE, "id": "v"}]),
    ]
    run = record("anthropic", lines(tmp_path, session))
    first, second, third = (each.turn for each in run.calls or [])
    assert first == second != third
    assert run.tokens == {"input": 5, "output": 9}


def test_several_sessions_of_a_file_are_runs_of_their_own(tmp_path: Path) -> None:
    mixed = [line("user", "one", session="A"), line("user", "two", session="B"),
             line("assistant", text("1"), 3, "A"),
             line("assistant", text("2"), 9, "B")]  # fmt: skip
    one, other = records("anthropic", lines(tmp_path, mixed))
    assert (one.answer, one.latency_ms) == ("1", 3000.0)
    assert (other.answer, other.latency_ms) == ("2", 9000.0)


def test_a_session_that_ends_with_an_error_of_the_api_is_not_ok(tmp_path: Path) -> None:
    overloaded = line("assistant", text("API Error: 529"), isApiErrorMessage=True)
    begun = [line("user", "q"), line("assistant", text("I look."))]
    run = record("anthropic", lines(tmp_path, [*begun, overloaded]))
    assert (run.status, run.error, run.answer) == ("error", "API Error: 529", "I look.")
    went_on = lines(tmp_path, [*begun, overloaded, line("assistant", text("Done."))], "on")
    assert record("anthropic", went_on).status == "ok"


def _stream(**result: Any) -> list[dict[str, Any]]:
    said = {"role": "assistant", "content": [USE]}
    sub = {"role": "assistant", "content": [{**USE, "name": "Grep"}]}
    total = {"type": "result", "total_cost_usd": 0.01, "duration_ms": 1200, **result}
    parts: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init"},
        {"type": "stream_event", "event": {}},
        {"type": "assistant", "message": said, "parent_tool_use_id": None},
        {"type": "assistant", "message": sub, "parent_tool_use_id": "t"},
        total,
    ]
    return [{**each, "session_id": "Z"} for each in parts]


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ({"subtype": "success", "result": "Done."}, "ok"),
        ({"subtype": "error_max_turns", "is_error": False}, "limit"),
        ({"subtype": "error_during_execution", "is_error": True}, "error"),
    ],
)
def test_the_output_of_a_headless_session_ends_with_its_totals(
    tmp_path: Path, result: dict[str, Any], status: str
) -> None:
    run = record("anthropic", lines(tmp_path, _stream(**result)))
    assert (run.status, run.cost_usd, run.latency_ms) == (status, 0.01, 1200)
    assert calls(run) == [("Read", {"file_path": "a"}, None)]


def test_a_batch_of_messages_has_runs_that_failed(tmp_path: Path) -> None:
    message = {
        "type": "message",
        "role": "assistant",
        "content": text("x"),
        "stop_reason": "max_tokens",
    }
    broken = {"type": "errored", "error": {"type": "error", "error": {"message": "bad"}}}
    results = [{"type": "succeeded", "message": message}, broken, {"type": "expired"}]
    batch = [{"custom_id": str(i), "result": each} for i, each in enumerate(results)]
    runs = records("anthropic", lines(tmp_path, batch))
    assert [(r.case_id, r.status, r.error) for r in runs] == [
        ("0", "limit", "max_tokens"),
        ("1", "error", "bad"),
        ("2", "error", "expired"),
    ]


def test_a_tool_that_the_provider_runs_may_fail(tmp_path: Path) -> None:
    asked = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
    failed = {
        "type": "web_search_tool_result",
        "tool_use_id": "s",
        "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    }
    message = {"type": "message", "role": "assistant", "content": [asked, failed, *text("Hm.")]}
    (call,) = record("anthropic", file(tmp_path, message)).calls or []
    assert (call.name, call.ok, call.error) == ("web_search", False, "max_uses_exceeded")


def test_events_of_a_stream_are_one_message(tmp_path: Path) -> None:
    def delta(index: int, kind: str, key: str, piece: str) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}}

    start = {"type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 9}}
    events = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        delta(0, "text_delta", "text", "Hel"),
        delta(0, "text_delta", "text", "lo"),
        {"type": "content_block_start", "index": 1, "content_block": {**USE, "input": {}}},
        delta(1, "input_json_delta", "partial_json", '{"file_path":'),
        delta(1, "input_json_delta", "partial_json", ' "b"}'),
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]
    name = lines(tmp_path, events)
    assert detect(Source(name)) == "anthropic"
    (run,) = records("anthropic", name)
    assert (run.answer, calls(run)) == ("Hello", [("Read", {"file_path": "b"}, None)])
    assert run.tokens == {"input": 9, "output": 5}


def test_a_list_of_messages_with_blocks_is_one_run_of_anthropics(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
    name = file(tmp_path, [says("q", "user"), says([USE]), says([result], "user"), says("a")])
    assert detect(Source(name)) == "anthropic"
    run = record("anthropic", name)
    assert (calls(run), run.answer) == ([("Read", {"file_path": "a"}, True)], "a")
