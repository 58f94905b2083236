"""Chat messages of OpenAI's API: parallel and legacy calls, parts, batches, streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from contractlab.importers.registry import detect
from contractlab.importers.source import Source
from tests.importers.build import answers, asks, calls, file, lines, record, records, says, skipped

if TYPE_CHECKING:
    from pathlib import Path


def _call(name: str, arguments: str, id_: str | None = None) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def talk(folder: Path, *messages: dict[str, Any], **more: Any) -> Any:
    return record("openai-chat", lines(folder, [{"case_id": "c", "messages": messages, **more}]))


def test_calls_asked_for_together_share_a_turn_and_are_joined_by_id(tmp_path: Path) -> None:
    both = [_call("a", '{"x": 1}', "1"), _call("b", '{"y": 2}', "2"), _call("c", "", "3")]
    run = talk(
        tmp_path,
        says("q", "user"),
        {"role": "assistant", "content": None, "tool_calls": both},
        answers("ValueError: no", "2"),
        answers("fine", "1"),
        asks("d", id_="4"),
    )
    assert calls(run) == [
        ("a", {"x": 1}, True),
        ("b", {"y": 2}, False),
        ("c", None, None),
        ("d", {}, None),
    ]
    turns = [each.turn for each in run.calls]
    assert turns[0] == turns[1] == turns[2] < turns[3]


def test_legacy_function_calls_are_joined_in_their_order(tmp_path: Path) -> None:
    def legacy(arguments: str) -> dict[str, Any]:
        return {"role": "assistant", "function_call": {"name": "f", "arguments": arguments}}

    run = talk(
        tmp_path,
        says("q", "user"),
        legacy('{"y": 1}'),
        {"role": "function", "name": "f", "content": '{"error": "denied"}'},
        legacy('{"y": 2}'),
        {"role": "function", "name": "f", "content": "fine"},
    )
    assert calls(run) == [("f", {"y": 1}, False), ("f", {"y": 2}, True)]


def test_a_developers_message_and_pictures_are_no_question(tmp_path: Path) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    run = talk(
        tmp_path,
        says("You are terse.", "developer"),
        says([picture, {"type": "text", "text": "What is it?"}], "user"),
        says([{"type": "text", "text": "A dog."}]),
    )
    assert run.answer == "A dog."
    one = lines(tmp_path, [{"messages": [says("x", "developer"), says("What is it?", "user")]}])
    asked = says([picture, {"type": "text", "text": "What is it?"}], "user")
    other = lines(tmp_path, [{"messages": [asked]}], "o")
    assert record("openai-chat", one).case_id == record("openai-chat", other).case_id


def test_a_refusal_is_the_answer(tmp_path: Path) -> None:
    refused = {"role": "assistant", "content": None, "refusal": "I can't do that."}
    assert talk(tmp_path, says("q", "user"), refused).answer == "I can't do that."
    part = says([{"type": "refusal", "refusal": "I can't do that."}])
    assert talk(tmp_path, says("q", "user"), part).answer == "I can't do that."


def test_blocks_of_anthropic_in_a_chat_are_calls_too(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "u", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "u", "content": "denied", "is_error": True}
    run = talk(tmp_path, says("q", "user"), says([use]), says([result], "user"), says("No."))
    assert calls(run) == [("Bash", {"command": "ls"}, False)]


def test_langchains_messages_of_a_chat_are_read(tmp_path: Path) -> None:
    call = {"name": "find", "args": {"q": 1}, "id": "1", "type": "tool_call"}
    bad = {"name": "pay", "args": "{oops", "id": "2", "error": "Expecting property name"}
    asked = {"role": "assistant", "content": "", "tool_calls": [call], "invalid_tool_calls": [bad]}
    result = {"role": "tool", "tool_call_id": "1", "content": "no", "status": "error"}
    run = talk(tmp_path, says("q", "user"), asked, result)
    assert calls(run) == [("find", {"q": 1}, False), ("pay", "{oops", False)]


def _batch(**more: Any) -> dict[str, Any]:
    body = {"choices": [{"message": says("cut"), "finish_reason": "length"}]}
    answer = {"status_code": 200, "body": body}
    return {"custom_id": "b", "response": answer, "error": None, **more}


def test_an_answer_that_was_cut_off_reached_a_limit(tmp_path: Path) -> None:
    run = record("openai-chat", lines(tmp_path, [_batch()]))
    assert (run.status, run.error, run.answer) == ("limit", "limit: length", "cut")


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"response": {"body": {"error": {"message": "Request timed out: timeout"}}}}, "timeout"),
        ({"response": None, "error": {"code": "batch_expired", "message": "expired"}}, "error"),
    ],
)
def test_a_request_of_a_batch_that_failed_is_a_run_that_is_not_ok(
    tmp_path: Path, more: dict[str, Any], status: str
) -> None:
    run = record("openai-chat", lines(tmp_path, [_batch(**more)]))
    assert (run.case_id, run.status, run.answer) == ("b", status, None)


def test_a_request_of_a_batch_without_its_answer_is_no_run(tmp_path: Path) -> None:
    body = {"messages": [says("q", "user")]}
    asked = {"custom_id": "b", "method": "POST", "url": "/v1/chat/completions", "body": body}
    assert skipped("openai-chat", lines(tmp_path, [asked])) == ["a request without its answer"]


def test_tokens_that_were_cached_are_told(tmp_path: Path) -> None:
    used = {
        "prompt_tokens": 9,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    run = talk(tmp_path, says("q", "user"), says("a"), usage=used)
    assert run.tokens == {"input": 9, "output": 1, "cache_read": 4}


def _chunk(id_: str, delta: dict[str, Any], **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, **more}
    return {"id": id_, "object": "chat.completion.chunk", "choices": [choice]}


def test_pieces_of_a_stream_are_put_together_by_their_answer(tmp_path: Path) -> None:
    head = {"index": 0, "id": "t", "function": {"name": "find", "arguments": '{"q":'}}
    tail = {"index": 0, "function": {"arguments": " 1}"}}
    pieces = [
        _chunk("a", {"role": "assistant", "content": "Hel"}),
        _chunk("b", {"tool_calls": [head]}),
        _chunk("a", {"content": "lo"}, finish_reason="stop"),
        _chunk("b", {"tool_calls": [tail]}),
        {
            "id": "b",
            "object": "chat.completion.chunk",
            "choices": [],
            "usage": {"prompt_tokens": 3},
        },
    ]
    name = lines(tmp_path, pieces)
    assert detect(Source(name)) == "openai-chat"
    one, other = records("openai-chat", name)
    assert (one.answer, calls(other)) == ("Hello", [("find", {"q": 1}, None)])
    assert other.tokens == {"input": 3}


def test_messages_that_are_kept_as_json_in_a_text_are_read(tmp_path: Path) -> None:
    row = {"case_id": "c", "messages": '[{"role": "assistant", "content": "hi"}]'}
    assert record("openai-chat", file(tmp_path, [row])).answer == "hi"


def test_a_file_of_a_message_a_line_is_one_run(tmp_path: Path) -> None:
    talk = [says("q", "user"), asks("f"), answers("Error: no"), says("No.")]
    name = lines(tmp_path, talk)
    assert detect(Source(name)) == "openai-chat"
    run = record("openai-chat", name)
    assert (calls(run), run.answer) == ([("f", {}, False)], "No.")
    two = [{**each, "conversation_id": key} for key in "ab" for each in talk]
    assert len(records("openai-chat", lines(tmp_path, two, "two.jsonl"))) == 2
