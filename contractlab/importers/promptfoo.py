"""promptfoo results: a provider and a prompt are a release, so one file may hold several.

`error` is also filled where an assertion merely failed: only `failureReason` 2 is a crash.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import orjson

from contractlab.importers.follow import follow
from contractlab.importers.messages import GUESSED, call_of
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.said import answer as answer_of
from contractlab.importers.said import messages
from contractlab.importers.values import (
    arr,
    brief,
    content_text,
    digest_id,
    first,
    measured,
    name,
    number,
    obj,
    parsed,
    text,
    usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Call, Found
    from contractlab.importers.said import Message
    from contractlab.importers.source import Source

TITLE = "promptfoo results (JSON, or JSON Lines of results)"
_CRASHED = 2


def looks(value: Any) -> bool:
    """Whether a value is a results file, one result, or a list of them."""
    if type(value) is list:
        value = value[0] if value else None
    given = obj(value)
    inner = _results(given)
    sample = obj(inner[0]) if inner else given
    return bool(sample.keys() & {"testCase", "gradingResult", "vars"}) and "success" in sample


def _results(given: dict[str, Any]) -> list[Any] | None:
    """The results of a file, of any version; those of its table, where it has no others."""
    results = given.get("results")
    inner = obj(results).get("results") if type(results) is dict else results
    if type(inner) is list and inner:
        return inner
    table = obj(first(obj(results), "table") or given.get("table"))
    return _of_table(table) if table else inner if type(inner) is list else None


def _of_table(table: dict[str, Any]) -> list[dict[str, Any]]:
    """A table's cells as results: a row is a test, a column a prompt with its provider."""
    head = obj(table.get("head"))
    prompts, names = arr(head.get("prompts")), arr(head.get("vars"))
    found = []
    for row in map(obj, arr(table.get("body"))):
        given = dict(zip(map(str, names), arr(row.get("vars")), strict=False))
        for index, cell in enumerate(map(obj, arr(row.get("outputs")))):
            prompt = obj(prompts[index]) if index < len(prompts) else {}
            found.append(
                {
                    **cell,
                    "success": cell.get("pass"),
                    "vars": given,
                    "testCase": obj(row.get("test")) or {"vars": given},
                    "promptIdx": index,
                    "prompt": {"label": first(prompt, "label", "raw", "display")},
                    "provider": first(cell, "provider") or prompt.get("provider"),
                    "response": {
                        "output": cell.get("text"),
                        "tokenUsage": cell.get("tokenUsage"),
                        **obj(cell.get("response")),
                    },
                }
            )
    return found


def read(source: Source) -> Iterator[Found]:
    """Every result of the file."""
    for entry in source.entries():
        several = type(entry.value) is list
        for each in entry.value if several else [entry.value]:
            inner = _results(obj(each))
            if inner is None:
                yield _run(each, Where(source.name, entry.line))
                continue
            for index, result in enumerate(inner):
                yield _run(result, Where(source.name, entry.line, f"results[{index}]"))


def case(record: NeutralRecord) -> CaseFacts:
    """The variables that the prompt was filled with."""
    given = obj(record.raw)
    test = obj(given.get("testCase"))
    variables = obj(first(given, "vars") or test.get("vars"))
    family = name(obj(test.get("metadata")).get("family_id"))
    return CaseFacts(
        input=variables or None, family_id=family, expect={"outcomes": {"passed": True}}
    )


def _run(value: Any, where: Where) -> Found:
    given = obj(value)
    if not given.keys() & {"response", "success", "gradingResult"}:
        return Skipped("is no result", where)
    id_ = name(given.get("id"))
    where = Where(where.file, where.line, id_ or where.id)
    response = obj(given.get("response"))
    output = response.get("output")
    calls, answer, guessed = _behaviour(output, response)
    used = {} if response.get("cached") else usage(response.get("tokenUsage"))
    success = given.get("success")
    # A cached answer took no time and no money of its own.
    timed = not response.get("cached")
    notes = () if timed else ("a cached answer has no latency, cost or tokens of its own",)
    record = NeutralRecord(
        _case_id(given),
        where,
        value,
        outcomes={"passed": success if type(success) is bool else None},
        calls=calls,
        answer=answer,
        latency_ms=number(first(given, "latencyMs")) or None if timed else None,
        cost_usd=number(given.get("cost")) or None if timed else None,
        tokens=measured(used),
        release=_release(given),
        notes=(*notes, GUESSED) if guessed else notes,
        run_id=id_,
    )
    if _crashed(given, response):
        told = brief(first(given, "error") or first(response, "error") or "error")
        record.status = "timeout" if _TIMEOUT.search(told) else "error"
        record.error = told
    return record


_TIMEOUT = re.compile(r"(?i)\btime[- ]?out\b|timed out")


def _crashed(given: dict[str, Any], response: dict[str, Any]) -> bool:
    """Whether a provider failed; files of before `failureReason` tell it by the missing answer."""
    reason = given.get("failureReason")
    if reason is not None:
        return bool(reason == _CRASHED)
    if response.get("error"):
        return True
    graded = given.get("gradingResult")
    return bool(given.get("error")) and not graded and response.get("output") in (None, "")


def _release(given: dict[str, Any]) -> str | None:
    provider = obj(given.get("provider"))
    prompt = obj(given.get("prompt"))
    who = text(provider.get("label")) or text(provider.get("id"))
    who = who or name(first(given, "provider"))
    index = given.get("promptIdx")
    what = text(prompt.get("label"))
    if who is None or what is None:
        return who
    return f"{who} × {what[:80]}" if type(index) is int else who


def _case_id(given: dict[str, Any]) -> str:
    """The test's own id, or its description with a digest of its variables.

    `testIdx` is no id: repeats of a test have one each, and it moves with every test above it.
    """
    test = obj(given.get("testCase"))
    metadata = obj(test.get("metadata"))
    called = name(first(metadata, "case_id", "id", "testCaseId"))
    if called is not None:
        return called
    described = name(test.get("description"))
    variables = obj(first(given, "vars") or test.get("vars"))
    shown = variables or {"assert": test.get("assert"), "threshold": test.get("threshold")}
    try:
        data = orjson.dumps(shown, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # an integer beyond 64 bits
        data = json.dumps(shown, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return digest_id(described[:200] if described else "test", described or "", data)


def _behaviour(output: Any, response: dict[str, Any]) -> tuple[list[Call] | None, Any, bool]:
    """Calls, answer, and whether a failed call is only taken for one.

    The output is a text, messages or blocks of any API, a list of calls, or any JSON value;
    a text may hold a call's block among its lines.
    """
    metadata = obj(response.get("metadata"))
    talk = first(metadata, "messages", "transcript") or response.get("messages")
    if type(talk) is list and (found := follow(talk)).calls:
        return found.calls, answer_of(parsed(output)) or found.answer, found.guessed
    asked = first(metadata, "toolCalls", "tool_calls")
    told = parsed(output)
    said = messages(told) or _in_lines(output)
    if said:
        calls = [call for each in said for call in each.calls]
        for call in calls:
            call.turn = 0
        texts = [each.text for each in said if each.role in ("assistant", "") and each.text]
        return calls or None, texts[-1] if texts else None, False
    if type(asked) is list:
        return [call_of(obj(each), index) for index, each in enumerate(asked)], output, False
    return None, content_text(output) if type(output) is str else output, False


def _in_lines(output: Any) -> list[Message]:
    """What a provider joined with blank lines: texts, and calls as JSON."""
    if type(output) is not str or '"type"' not in output:
        return []
    parts = [parsed(each) for each in output.split("\n\n")]
    blocks = [each if type(each) is dict else {"type": "text", "text": each} for each in parts]
    if not any(type(each) is dict and messages([each]) for each in parts):
        return []
    return messages(blocks)
