"""Langfuse exports: a trace with its observations, in one object or in rows.

Latency is in seconds in some exports and in milliseconds in others, so end minus start is
taken. A generation inside a generation is the same tokens again: the innermost count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import NAMELESS, case_id
from contractlab.importers.neutral import Call, CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.otel_calls import adopt
from contractlab.importers.said import answer, messages, user_text
from contractlab.importers.table import is_table, rows
from contractlab.importers.values import (
    added,
    arguments,
    arr,
    between_ms,
    brief,
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

TITLE = "Langfuse exports of traces or observations (JSON, JSON Lines, CSV)"

_PREFIXES = ("running tool: ", "running tool ", "execute_tool ", "tool.")
_TRACE_KEYS = {"sessionId", "session_id", "bookmarked", "projectId", "project_id", "htmlPath"}


def looks(value: Any) -> bool:
    """Whether a value is a trace with observations, a row of either, or a list of them."""
    if type(value) is list:
        value = value[0] if value else None
    given = obj(value)
    listed = first(given, "data", "traces")
    if type(listed) is list and listed:
        given = obj(listed[0])
    found = arr(_listed(given))
    if found and type(found[0]) is dict:
        return "startTime" in _camel(found[0])
    return is_row(given)


def is_row(given: dict[str, Any]) -> bool:
    """Whether an object, or a table with such columns, is a row of an export."""
    keys = given.keys()
    if {"traceId", "startTime", "type"} <= keys or {"trace_id", "start_time", "type"} <= keys:
        return True
    return {"id", "timestamp", "input", "output"} <= keys and len(keys & _TRACE_KEYS) > 1


def _listed(given: dict[str, Any]) -> Any:
    return first(given, "observations") or obj(given.get("trace")).get("observations")


def read(source: Source) -> Iterator[Found]:
    """Every trace of the file; rows of observations stand anywhere in it, so they are collected."""
    loose: dict[str, list[dict[str, Any]]] = {}
    traces: dict[str, dict[str, Any]] = {}
    begun: dict[str, Where] = {}
    for value, where in _values(source):
        given = obj(value)
        if any(type(each) is dict for each in arr(_listed(given))):
            yield _run(value, where)
            continue
        row = _camel(given)
        id_ = name(row.get("traceId"))
        if id_ is not None and "startTime" in row:
            loose.setdefault(id_, []).append(row)
        elif (id_ := name(_trace(row).get("id"))) is not None:
            traces[id_] = _trace(row)
        else:
            yield Skipped("a trace without an observation", where)
            continue
        begun.setdefault(id_, where)
    for id_, where in begun.items():
        yield _run(_joined(id_, traces.get(id_), loose.get(id_, [])), where)


def _values(source: Source) -> Iterator[tuple[Any, Where]]:
    if is_table(source.name):
        for line, row in rows(source):
            yield row, Where(source.name, line)
        return
    for entry in source.entries():
        value = entry.value
        wrapped = first(obj(value), "data", "traces")
        value = wrapped if type(wrapped) is list else value
        several = type(value) is list
        for index, each in enumerate(value if several else [value]):
            yield each, Where(source.name, entry.line, f"[{index}]" if several else None)


def _camel(given: dict[str, Any]) -> dict[str, Any]:
    """A row with the API's names, also where an export to a warehouse wrote them its own way."""
    if "start_time" not in given and "trace_id" not in given:
        return given
    out = {}
    for key, value in given.items():
        head, *tail = key.split("_")
        out["".join([head, *(part.title() for part in tail)])] = value
    return out


def _joined(
    id_: str, trace: dict[str, Any] | None, observations: list[dict[str, Any]]
) -> dict[str, Any]:
    """A trace of its rows; what a row of observations says of its trace is the trace's."""
    made = {"id": id_, **(trace or {})}
    if trace is None and observations:
        of_trace = ("release", "version", "tags", "traceMetadata", "sessionId")
        made |= {key: observations[0][key] for key in of_trace if key in observations[0]}
        made["metadata"] = made.pop("traceMetadata", None)
    return {"trace": made, "observations": [_unpacked(each) for each in observations]}


def _unpacked(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose objects are JSON in a text, as a CSV has them."""
    packed = ("usageDetails", "costDetails", "usage", "toolCalls", "toolCallNames")
    return {key: parsed(value) if key in packed else value for key, value in row.items()}


def case(record: NeutralRecord) -> CaseFacts:
    """The trace's input and its tags."""
    trace = _trace(record.raw)
    tags = tuple(sorted({tag for tag in arr(trace.get("tags")) if text(tag)}))
    return CaseFacts(input=_input(trace, _observations(record.raw)), tags=tags)


def _trace(value: Any) -> dict[str, Any]:
    given = obj(value)
    return obj(given.get("trace")) or given


def _observations(value: Any) -> list[dict[str, Any]]:
    """In the order of their starts. Those in the trace may lack the texts of those beside it."""
    given = obj(value)
    found = arr(given.get("observations")) or arr(_trace(value).get("observations"))
    return sorted(map(_camel, map(obj, found)), key=lambda each: str(each.get("startTime")))


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
    if not observations and "output" not in trace:
        return Skipped("a trace without an observation", where)
    generations = _innermost(
        [each for each in observations if _tokens(each) or _asks(each)], observations
    )
    metadata = obj(_unwrapped(trace.get("metadata")))
    asked = _input(trace, observations)
    called = name(first(metadata, "case_id", "dataset_item_id"))
    called = called or name(obj(trace.get("datasetItem")).get("id"))
    called, notes = case_id(called, asked, where)
    if not observations:
        notes += ("its trace is here without its observations, so its calls are unknown",)
    starts = [each for each in (instant_ms(one.get("startTime")) for one in observations) if each]
    ends = [each for each in (instant_ms(one.get("endTime")) for one in observations) if each]
    failed = _failed(observations)
    scored = [*arr(trace.get("scores")), *arr(obj(value).get("scores"))]
    scores = {text(obj(one).get("name")): obj(one) for one in scored}
    told = {key: _score(score) for key, score in scores.items() if key}
    cost = total(_dollars(each) for each in generations)
    return NeutralRecord(
        called,
        where,
        value,
        status="error" if failed else "ok",
        error=brief(failed.get("statusMessage") or "error") if failed else None,
        outcomes={key: told[key] for key in sorted(told) if told[key] is not None},
        calls=_calls(observations, generations) if observations else None,
        answer=_answer(trace, observations),
        latency_ms=between_ms(min(starts), max(ends)) if starts and ends else None,
        cost_usd=cost if observations else _dollars(trace) or None,
        tokens=measured(added(map(_tokens, generations))),
        release=name(first(trace, "release", "version")),
        notes=notes,
        run_id=name(trace.get("id")),
    )


def _failed(observations: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The observation by which the run failed: its own, or the last of several at the top."""
    ids = {word(one.get("id")) for one in observations}
    roots = [one for one in observations if word(one.get("parentObservationId")) not in ids]
    last = roots[-1] if roots else None
    return last if last is not None and last.get("level") == "ERROR" else None


def _input(trace: dict[str, Any], observations: Sequence[dict[str, Any]]) -> Any:
    """What the user asked; where nobody said it in words, the trace's input as it is."""
    for value in (trace.get("input"), *(one.get("input") for one in observations)):
        told = user_text(_unwrapped(value))
        if told is not None:
            return told
    return _unwrapped(trace.get("input"))


def _tokens(each: dict[str, Any]) -> dict[str, int]:
    older = {key: each.get(key) for key in ("promptTokens", "completionTokens")}
    return usage(each.get("usageDetails")) or usage(each.get("usage")) or usage(older)


def _dollars(each: dict[str, Any]) -> float | None:
    found = first(each, "totalCost", "calculatedTotalCost")
    if type(found) is str:  # a CSV's
        try:
            found = float(found)
        except ValueError:
            return None
    return number(found)


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
    made: list[Call] = []
    begun: dict[int, str] = {}
    for each in observations:
        called = _tool_name(each)
        # A LangGraph export marks its tools as mere spans, known by what was asked for.
        is_tool = each.get("type") == "TOOL" or (
            each.get("type") == "SPAN" and (called in names or _is_marked(each))
        )
        if not is_tool:
            continue
        turn = sum(end <= str(each.get("startTime")) for end in ends)
        call = Call(called or NAMELESS, arguments(_unwrapped(each.get("input"))), True, turn)
        if each.get("level") == "ERROR":
            call.ok, call.error = False, brief(each.get("statusMessage") or "error")
        elif (error := failure(_unwrapped(each.get("output")))) is not None:
            call.ok, call.error = False, error
        made.append(call)
        begun[id(call)] = str(each.get("startTime"))
    if not made:
        return _settled(asked, generations)
    adopt(made, asked)
    # Clocks are coarse: what began at the same moment stands in the order of the asking.
    place = {call.id: index for index, call in enumerate(asked) if call.id}
    made.sort(key=lambda call: (begun[id(call)], place.get(call.id or "", len(place))))
    run = {call.name for call in made}
    for call in asked:
        if call.name not in run:
            call.ok, call.error = False, "asked for; nothing shows that it was carried out"
            made.append(call)
    return made


def _settled(asked: list[Call], generations: Sequence[dict[str, Any]]) -> list[Call]:
    """Calls that only the generations show, with what the later ones were told of them."""
    by_id = {call.id: call for call in asked if call.id}
    for each in generations:
        for said in messages(_unwrapped(each.get("input"))):
            for result in said.results:
                call = by_id.get(result.id or "")
                if call is not None:
                    call.ok, call.error = result.error is None, result.error
    return asked


def _tool_name(each: dict[str, Any]) -> str | None:
    called = text(each.get("name"))
    for prefix in _PREFIXES:
        if called is not None:
            called = called.removeprefix(prefix)
    return called


def _is_marked(each: dict[str, Any]) -> bool:
    """Whether a mere span says in its attributes that it is a tool's."""
    attributes = obj(obj(_unwrapped(each.get("metadata"))).get("attributes"))
    kind = first(attributes, "openinference.span.kind", "traceloop.span.kind")
    return attributes.get("gen_ai.operation.name") == "execute_tool" or kind in ("TOOL", "tool")


def _asked(generation: dict[str, Any], turn: int) -> list[Call]:
    found = []
    for said in messages(_unwrapped(generation.get("output"))):
        if said.role in ("assistant", ""):
            found += said.calls
    if not found:
        called = arr(generation.get("toolCallNames"))
        for index, each in enumerate(arr(generation.get("toolCalls"))):
            given = obj(parsed(each))
            called_ = text(given.get("name")) or text((called[index : index + 1] or [None])[0])
            call = Call(called_ or NAMELESS, arguments(given.get("arguments")))
            call.id = text(given.get("id"))
            found.append(call)
    for call in found:
        call.turn = turn
    return found


def _answer(trace: dict[str, Any], observations: Sequence[dict[str, Any]]) -> Any:
    """The trace's own output, else the first observation's, else the last that a model said."""
    outermost = observations[0].get("output") if observations else None
    for value in (trace.get("output"), outermost, _last(observations)):
        told = answer(_unwrapped(value))
        if told is not None and type(told) is not list:
            return told
    return None


def _last(observations: Sequence[dict[str, Any]]) -> Any:
    spoken = [each.get("output") for each in observations if each.get("type") == "GENERATION"]
    return spoken[-1] if spoken else None
