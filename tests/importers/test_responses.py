"""Items of the Responses API, and sessions of Codex."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.importers.registry import detect
from contractlab.importers.source import Source
from tests.importers.build import calls, file, lines, record, records, says, skipped

if TYPE_CHECKING:
    from pathlib import Path


def _asks(id_: str, name: str = "f", arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function_call", "call_id": id_, "name": name, "arguments": arguments}


def _tells(id_: str, output: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id_, "output": output}


def _response(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"object": "response", "status": "completed", "output": list(output), **more}


def read(folder: Path, *items: dict[str, Any]) -> Any:
    return record("openai-responses", file(folder, [says("q", "user"), *items]))


@pytest.mark.parametrize(
    ("item", "call"),
    [
        ({"type": "web_search_call", "status": "completed", "action": {"query": "x"}},
         ("web_search", {"query": "x"}, True)),
        ({"type": "file_search_call", "status": "failed", "queries": ["x"]},
         ("file_search", ["x"], False)),
        ({"type": "code_interpreter_call", "status": "completed", "code": "1+1"},
         ("code_interpreter", "1+1", True)),
        ({"type": "mcp_call", "name": "roll", "arguments": '{"n": 1}', "output": "4"},
         ("roll", {"n": 1}, True)),
        ({"type": "mcp_call", "name": "roll", "arguments": "{}", "error": "boom"},
         ("roll", {}, False)),
        ({"type": "custom_tool_call", "name": "patch", "input": "*** Begin", "call_id": "c"},
         ("patch", "*** Begin", None)),
        ({"type": "function_call", "name": "f", "arguments": "{oops", "status": "completed"},
         ("f", "{oops", None)),
        ({"type": "function_call", "name": "f", "arguments": '{"a"', "status": "incomplete"},
         ("f", '{"a"', False)),
    ],
)  # fmt: skip
def test_items_are_calls_and_only_those_that_a_provider_runs_are_done(
    tmp_path: Path, item: dict[str, Any], call: tuple[Any, ...]
) -> None:
    assert calls(record("openai-responses", file(tmp_path, _response(item)))) == [call]


def test_lists_of_tools_and_what_was_thought_are_no_calls(tmp_path: Path) -> None:
    aside = [{"type": "reasoning", "summary": []}, {"type": "mcp_list_tools", "tools": []}]
    assert calls(read(tmp_path, *aside, _asks("1"))) == [("f", {}, None)]


def _exits(**outcome: Any) -> list[dict[str, Any]]:
    return [{"stdout": "", "outcome": outcome}]


@pytest.mark.parametrize(
    ("kind", "id_key", "output", "ok"),
    [
        ("local_shell_call", "id", '{"output": "no", "metadata": {"exit_code": 2}}', False),
        ("shell_call", "call_id", _exits(type="exit", exit_code=1), False),
        ("shell_call", "call_id", _exits(type="timeout"), False),
        ("shell_call", "call_id", _exits(type="exit", exit_code=0), True),
        ("function_call", "call_id", "Wall time: 0\nProcess exited with code 1\nOutput:\n", False),
        ("function_call", "call_id", [{"type": "input_text", "text": "Error: x"}], False),
        ("custom_tool_call", "call_id", "fine", True),
    ],
)  # fmt: skip
def test_results_settle_their_calls_by_exit_code_or_words(
    tmp_path: Path, kind: str, id_key: str, output: Any, ok: bool
) -> None:
    asked = {"type": kind, "id": "i", "call_id": "i", "name": "sh", "arguments": "{}"}
    told = {"type": f"{kind}_output", id_key: "i", "output": output}
    ((_, _, went_well),) = calls(read(tmp_path, asked, told))
    assert went_well is ok


def test_calls_between_two_results_were_asked_for_together(tmp_path: Path) -> None:
    run = read(tmp_path, _asks("1"), _asks("2"), _tells("1", "a"), _tells("2", "b"), _asks("3"))
    assert [each.turn for each in run.calls] == [0, 0, 1]


def test_a_call_that_was_not_approved_failed(tmp_path: Path) -> None:
    asked = {"type": "mcp_approval_request", "id": "a", "name": "wire", "arguments": "{}"}
    denied = {"type": "mcp_approval_response", "approval_request_id": "a", "approve": False}
    assert calls(read(tmp_path, asked, denied)) == [("wire", {}, False)]


def test_a_list_that_begins_with_a_message_is_known_by_its_items(tmp_path: Path) -> None:
    name = file(tmp_path, [says("q", "user"), _asks("1"), _tells("1", "x")])
    assert detect(Source(name)) == "openai-responses"
    wrapped = file(tmp_path, {"messages": [says("q", "user"), _asks("1")]}, "wrapped.json")
    assert detect(Source(wrapped)) == "openai-responses"
    assert calls(record("openai-responses", wrapped)) == [("f", {}, None)]


@pytest.mark.parametrize(
    ("more", "status", "error"),
    [
        ({"status": "failed", "error": {"message": "oops"}}, "error", "oops"),
        ({"status": "cancelled"}, "error", "cancelled"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
         "limit", "max_output_tokens"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
         "error", "content_filter"),
    ],
)  # fmt: skip
def test_how_a_response_ended(
    tmp_path: Path, more: dict[str, Any], status: str, error: str
) -> None:
    run = record(
        "openai-responses", file(tmp_path, _response(says("x") | {"type": "message"}, **more))
    )
    assert (run.status, run.error) == (status, error)


def test_a_response_that_is_not_finished_is_no_run(tmp_path: Path) -> None:
    name = file(tmp_path, _response(status="in_progress"))
    assert skipped("openai-responses", name) == ["a response that is not finished yet"]


def test_of_a_stream_only_the_whole_response_counts(tmp_path: Path) -> None:
    whole = _response({"type": "message", **says([{"type": "output_text", "text": "Hi"}])})
    stream = [
        {"type": "response.created", "response": _response(status="in_progress")},
        {"type": "response.output_text.delta", "delta": "H"},
        {"type": "response.completed", "response": whole},
    ]
    (run,) = records("openai-responses", lines(tmp_path, stream))
    assert run.answer == "Hi"


# ── Codex ───────────────────────────────────────────────────────────────────────────────────


def _item(**payload: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": payload}


def _user(text: str) -> dict[str, Any]:
    return _item(type="message", role="user", content=[{"type": "input_text", "text": text}])


def _event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **more}}


def _meta(id_: str) -> dict[str, Any]:
    return {"type": "session_meta", "payload": {"id": id_}}


def test_a_codex_session_asks_what_the_user_asked_and_not_what_surrounds_it(tmp_path: Path) -> None:
    head = [_meta("s"), _user("<environment_context><cwd>/x</cwd></environment_context>")]
    one = record("openai-responses", lines(tmp_path, [*head, _user("fix it")]))
    other = lines(tmp_path, [_meta("t"), _event("user_message", message="fix it"), _user("x")], "o")
    assert one.case_id == record("openai-responses", other).case_id


def test_codex_sessions_in_one_file_are_runs_of_their_own(tmp_path: Path) -> None:
    aborted = [_meta("b"), _user("two"), _event("turn_aborted", reason="interrupted")]
    one, other = records("openai-responses", lines(tmp_path, [_meta("a"), _user("one"), *aborted]))
    assert (one.status, other.status, other.error) == ("ok", "error", "interrupted")
    assert (one.where.line, other.where.line) == (1, 3)


def test_codex_events_name_files_searches_and_what_never_ended(tmp_path: Path) -> None:
    def done(**item: Any) -> dict[str, Any]:
        return {"type": "item.completed", "item": item}

    begun = {"id": "9", "type": "command_execution", "command": "sleep", "status": "in_progress"}
    events = [
        {"type": "thread.started", "thread_id": "t"},
        done(id="1", type="file_change", changes=[{"path": "a"}], status="completed"),
        done(id="2", type="mcp_tool_call", tool="t", arguments={}, error={"message": "bad"}),
        done(id="3", type="web_search", query="x"),
        {"type": "item.started", "item": begun},
        {"type": "error", "message": "stream lost"},
    ]
    run = record("openai-responses", lines(tmp_path, events))
    assert calls(run) == [
        ("file_change", [{"path": "a"}], True),
        ("t", {}, False),
        ("web_search", "x", True),
        ("command_execution", "sleep", None),
    ]
    assert (run.status, run.error) == ("error", "stream lost")


def test_a_sessions_cached_tokens_are_told(tmp_path: Path) -> None:
    used = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 20}
    counted = _event("token_count", info={"total_token_usage": used})
    run = record("openai-responses", lines(tmp_path, [_meta("s"), _user("q"), counted]))
    assert run.tokens == {"input": 100, "output": 20, "cache_read": 40}
    assert json.dumps(run.latency_ms) == "null"
