"""Items of OpenAI's Responses API and of Codex: which are calls, and how their results read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import NAMELESS
from contractlab.importers.neutral import Call
from contractlab.importers.values import (
    arguments,
    arr,
    brief,
    failure,
    first,
    obj,
    parsed,
    text,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

CALLS: Mapping[str, str | None] = {
    "function_call": None,
    "custom_tool_call": None,
    "mcp_call": None,
    "program": "program",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "apply_patch_call": "apply_patch",
    "tool_search_call": "tool_search",
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "computer_call": "computer",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
    "command_execution": "command_execution",
    "file_change": "file_change",
    "web_search": "web_search",
    "mcp_tool_call": None,
}
"""Item types that are calls, and the tool where the type alone names it."""
_CARRIED_OUT = {
    "mcp_call",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "command_execution",
    "file_change",
    "web_search",
    "mcp_tool_call",
}
"""Those that no other item answers: a completed one was carried out."""
_FAILED = {"failed", "incomplete", "declined", "cancelled"}
_EXITED = re.compile(r"(?:^|\n)(?:Exit code|Process exited with code):? (-?\d{1,10})\b")
_HEAD = 400
"""Characters of a shell's result in which its exit code stands, before what it printed."""


def is_call(item: Any) -> bool:
    """Whether an item is a call."""
    return word(obj(item).get("type")) in CALLS


def is_result(item: Any) -> bool:
    """Whether an item is the result of a call."""
    given = obj(item)
    return word(given.get("type")).endswith("_call_output") or (
        word(given.get("type")).endswith("_output") and "call_id" in given
    )


def item_call(item: Mapping[str, Any], turn: int | None) -> Call:
    """The call that an item is."""
    kind = word(item.get("type"))
    called = text(first(item, "name", "tool")) or CALLS.get(kind) or NAMELESS
    given = first(
        item,
        *("arguments", "input", "action", "code", "command", "queries", "operation", "changes"),
        "query",
    )
    call = Call(called, arguments(given), None, turn)
    call.id = text(first(item, "call_id", "id"))
    status, code = item.get("status"), item.get("exit_code")
    if item.get("error"):
        call.ok, call.error = False, brief(item["error"])
    elif (type(code) is int and code != 0) or word(status) in _FAILED:
        call.ok, call.error = False, f"exit code {code}" if type(code) is int else str(status)
    elif code == 0 or (kind in _CARRIED_OUT and status in ("completed", None)):
        call.ok = True
    return call


def item_ids(item: Mapping[str, Any]) -> list[str]:
    """What a result may call an item by: a local shell's results name its `id`."""
    return [key for key in (text(item.get("call_id")), text(item.get("id"))) if key]


def item_error(item: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The error that a result tells, or None; and whether only its words tell it."""
    output = first(item, "output", "result")
    status = word(item.get("status"))
    if status in _FAILED:
        return failure(output) or status, False
    exited = _exit(output)
    if exited is not None:
        return exited, False
    error = failure(output)
    return error, error is not None


def _exit(output: Any) -> str | None:
    """How a shell's command failed, where its result says so."""
    value = parsed(output)
    codes = [obj(obj(value).get("metadata")).get("exit_code")]
    for each in map(obj, arr(value)):
        outcome = obj(each.get("outcome"))
        if outcome.get("type") == "timeout":
            return "timeout"
        codes.append(outcome.get("exit_code"))
    if type(value) is str and (told := _EXITED.search(value[:_HEAD])):
        codes.append(int(told[1]))
    failed = next((code for code in codes if type(code) is int and code != 0), None)
    return None if failed is None else f"exit code {failed}"
