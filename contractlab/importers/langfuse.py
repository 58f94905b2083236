"""Langfuse exports: a trace with its observations.

Latency is in seconds in some exports and in milliseconds in others, so end minus start is
taken. A generation inside a generation is the same tokens again: the innermost count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import NAMELESS, call_of, case_id, walk
from contractlab.importers.neutral import Call, CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.values import (
    added,
    arguments,
    arr,
    between_ms,
    brief,
    content_text,
    failure,
    first,
    instant_ms,
    measured,
    name,
    number,
    obj,
    parsed,
    text,
    total,
    usage,
    verdict,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "Langfuse trace exports (JSON, or JSON Lines of traces)"

_PREFIXES = ("running tool: ", "running tool ", "execute_tool ")


def looks(value: Any) -> bool:
    """Whether a value is a trace with observations, or a list of them."""
    given = obj(value[0] if type(value) is list and value else value)
    found = arr(first(given, "observations") or obj(given.get("trace")).get("observations"))
    return bool(found) and "startTime" in obj(found[0])


def read(source: Source) -> Iterator[Found]:
    """Every trace of the file."""
    for entry in source.entries():
        several = type(entry.value) is list
        for index, value in enumerate(entry.value if several else [entry.value]):
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            yield _run(value, where)


def case(record: NeutralRecord) -> CaseFacts:
    """The trace's input, its tags, and the scores that are a yes."""
    trace = _trace(record.raw)
    tags = tuple(sorted({tag for tag in arr(trace.get("tags")) if text(tag)}))
    wanted = {"outcomes": dict.fromkeys(sorted(record.outcomes), True)} if record.outcomes else {}
    return CaseFacts(input=_unwrapped(trace.get("input")), tags=tags, expect=wanted)


def _trace(value: Any) -> dict[str, Any]:
    given = obj(value)
    return obj(given.get("trace")) or given


def _observations(value: Any) -> list[dict[str, Any]]:
    """In the order of their starts. Those in the trace may lack the texts of those beside it."""
    given = obj(value)
    found = arr(given.get("observations")) or arr(_trace(value).get("observations"))
    return sorted(map(obj, found), key=lambda each: str(each.get("startTime")))


def _unwrapped(value: Any) -> Any:
    """Langfuse writes a value as JSON in a text, some SDKs twice."""
    for _ in range(2):
        if type(value) is str and value[:1] == '"' and value[-1:] == '"':
            inner = parsed(f"[{value}]")
            value = inner[0] if type(inner) is list else value
    return parsed(value)


def _run(value: Any, where: Where) -> Found:
    trace = _trace(value)
    where = Where(where.file, where.line, name(trace.get("id")) or where.id)
    observations = _observations(value)
    if not observations:
        return Skipped("a trace without an observation", where)
    generations = _innermost(
        [each for each in observations if usage(each.get("usageDetails")) or _asks(each)],
        observations,
    )
    calls = _calls(observations, generations)
    metadata = obj(_unwrapped(trace.get("metadata")))
    asked = _unwrapped(trace.get("input"))
    called = name(first(metadata, "case_id", "dataset_item_id"))
    called = called or name(obj(trace.get("datasetItem")).get("id"))
    called, unsure = case_id(called, asked, where)
    starts = [each for each in (instant_ms(one.get("startTime")) for one in observations) if each]
    ends = [each for each in (instant_ms(one.get("endTime")) for one in observations) if each]
    roots = [one for one in observations if not one.get("parentObservationId")] or observations[:1]
    failed = next((one for one in roots if one.get("level") == "ERROR"), None)
    scores = {text(obj(one).get("name")): obj(one) for one in arr(trace.get("scores"))}
    told = {key: _score(score) for key, score in scores.items() if key}
    return NeutralRecord(
        called,
        where,
        value,
        status="error" if failed else "ok",
        error=brief(failed.get("statusMessage") or "error") if failed else None,
        outcomes={key: told[key] for key in sorted(told) if told[key] is not None},
        calls=calls,
        answer=_answer(trace, observations),
        latency_ms=between_ms(min(starts), max(ends)) if starts and ends else None,
        cost_usd=total(number(each.get("totalCost")) for each in generations),
        tokens=measured(added(usage(each.get("usageDetails")) for each in generations)),
        release=name(first(trace, "release", "version")),
        notes=unsure,
    )


def _score(score: dict[str, Any]) -> bool | None:
    """Only a boolean score is a yes or no: 0 of a numeric one may be its best value."""
    if score.get("dataType") != "BOOLEAN":
        return None
    return verdict(first(score, "value", "stringValue"))


def _asks(each: dict[str, Any]) -> bool:
    return each.get("type") == "GENERATION"


def _innermost(
    counted: Sequence[dict[str, Any]], every: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    parents = {word(each.get("id")): word(each.get("parentObservationId")) for each in every}
    outer: set[str] = set()
    for each in counted:
        above = parents.get(word(each.get("id")), "")
        while above and above not in outer:
            outer.add(above)
            above = parents.get(above, "")
    return [each for each in counted if word(each.get("id")) not in outer]


def _calls(
    observations: Sequence[dict[str, Any]], generations: Sequence[dict[str, Any]]
) -> list[Call]:
    """What tools were run; where none is marked as one, what the generations asked for."""
    asked = [call for turn, each in enumerate(generations) for call in _asked(each, turn)]
    names = {call.name for call in asked}
    ends = [str(each.get("endTime")) for each in generations]
    made = []
    for each in observations:
        called = _tool_name(each)
        # A LangGraph export marks its tools as mere spans, known by what was asked for.
        is_tool = each.get("type") == "TOOL" or (each.get("type") == "SPAN" and called in names)
        if not is_tool:
            continue
        turn = sum(end <= str(each.get("startTime")) for end in ends)
        call = Call(called or NAMELESS, arguments(_unwrapped(each.get("input"))), True, turn)
        if each.get("level") == "ERROR":
            call.ok, call.error = False, brief(each.get("statusMessage") or "error")
        elif (error := failure(_unwrapped(each.get("output")))) is not None:
            call.ok, call.error = False, error
        made.append(call)
    if not made:
        return asked
    run = {call.name for call in made}
    for call in asked:
        if call.name not in run:
            call.ok, call.error = False, "asked for; nothing shows that it was carried out"
            made.append(call)
    return made


def _tool_name(each: dict[str, Any]) -> str | None:
    called = text(each.get("name"))
    for prefix in _PREFIXES:
        if called is not None:
            called = called.removeprefix(prefix)
    return called


def _asked(generation: dict[str, Any], turn: int) -> list[Call]:
    output = _unwrapped(generation.get("output"))
    found: list[Call] = []
    for message in output if type(output) is list else [output]:
        given = obj(message)
        listed = arr(given.get("tool_calls")) or arr(
            obj(given.get("additional_kwargs")).get("tool_calls")
        )
        parts = [part for part in arr(given.get("parts")) if obj(part).get("type") == "tool_call"]
        found += [call_of(obj(each), turn) for each in [*listed, *parts]]
    return found


def _answer(trace: dict[str, Any], observations: Sequence[dict[str, Any]]) -> Any:
    for value in (trace.get("output"), observations[0].get("output"), _last(observations)):
        told = _unwrapped(value)
        if told is None or told == "":
            continue
        messages = told.get("messages") if type(told) is dict else told
        if type(messages) is list:
            answer = _last_text(messages)
            if answer is not None:
                return answer
        if type(told) is dict and type(told.get("content")) is str:
            return told["content"] or None
        if type(told) is not list:
            return told
    return None


def _last(observations: Sequence[dict[str, Any]]) -> Any:
    spoken = [each.get("output") for each in observations if each.get("type") == "GENERATION"]
    return spoken[-1] if spoken else None


def _last_text(messages: list[Any]) -> str | None:
    """The last message's text: LangChain's `type` ai, a role, or parts."""
    for message in reversed(messages):
        given = obj(message)
        if given.get("type") in ("human", "tool", "system"):
            continue
        told = content_text(first(given, "content", "parts"))
        if told is None:
            told = walk([{**given, "role": "assistant"}]).answer
        if told is not None:
            return told
    return None
