"""promptfoo results: a provider and a prompt are a release, so one file may hold several.

`error` is also filled where an assertion merely failed: only `failureReason` 2 is a crash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from contractlab.importers.messages import call_of, walk
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Skipped, Where
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
    from contractlab.importers.source import Source

TITLE = "promptfoo results (JSON, or JSON Lines of results)"
_CRASHED = 2


def looks(value: Any) -> bool:
    """Whether a value is a results file, or one result."""
    given = obj(value)
    results = given.get("results")
    inner = arr(obj(results).get("results")) if type(results) is dict else arr(results)
    sample = obj(inner[0]) if inner else given
    return bool(sample.keys() & {"testCase", "gradingResult"}) and "success" in sample


def read(source: Source) -> Iterator[Found]:
    """Every result of the file."""
    for entry in source.entries():
        given = obj(entry.value)
        results = given.get("results")
        inner = obj(results).get("results") if type(results) is dict else results
        if type(inner) is not list:
            yield _run(entry.value, Where(source.name, entry.line))
            continue
        for index, each in enumerate(inner):
            yield _run(each, Where(source.name, entry.line, f"results[{index}]"))


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
    where = Where(where.file, where.line, name(given.get("id")) or where.id)
    response = obj(given.get("response"))
    crashed = given.get("failureReason") == _CRASHED
    output = response.get("output")
    calls, answer = _behaviour(output, response)
    used = {} if response.get("cached") else usage(response.get("tokenUsage"))
    success = given.get("success")
    # A cached answer took no time and no money of its own.
    timed = not response.get("cached")
    return NeutralRecord(
        _case_id(given),
        where,
        value,
        status="error" if crashed else "ok",
        error=brief(first(given, "error") or "error") if crashed else None,
        outcomes={"passed": success if type(success) is bool else None},
        calls=calls,
        answer=answer,
        latency_ms=number(first(given, "latencyMs")) if timed else None,
        cost_usd=number(given.get("cost")) or None if timed else None,
        tokens=measured(used),
        release=_release(given),
        notes=() if timed else ("a cached answer has no latency, cost or tokens of its own",),
    )


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
    data = orjson.dumps(shown, option=orjson.OPT_SORT_KEYS).decode()
    return digest_id(described[:200] if described else "test", described or "", data)


def _behaviour(output: Any, response: dict[str, Any]) -> tuple[list[Call] | None, Any]:
    """Calls and answer: the output is a text, a message, a list of calls, or any JSON value."""
    metadata = obj(response.get("metadata"))
    told = parsed(output)
    asked = first(metadata, "toolCalls", "tool_calls")
    if type(told) is dict and ("tool_calls" in told or told.get("role") == "assistant"):
        seen = walk([{"role": "assistant", **told}])
        return seen.calls, seen.answer
    if type(told) is list and told and all("function" in obj(each) for each in told):
        return [call_of(each, 0) for each in told], None
    if type(asked) is list:
        return [call_of(obj(each), index) for index, each in enumerate(asked)], output
    return None, content_text(output) if type(output) is str else output
