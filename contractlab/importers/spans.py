"""OpenTelemetry spans out of their containers: OTLP JSON, Tempo, Jaeger, and SDK span lists.

A nanosecond time exceeds 2^53, so it comes as text or as an integer and is kept as one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.values import arr, first, instant_ms, number, obj, text

if TYPE_CHECKING:
    from collections.abc import Iterator

_NS_PER_MS = 1_000_000


@dataclass(slots=True)
class RawSpan:
    """A span as any of the containers has it."""

    trace: str
    id: str
    parent: str | None
    name: str
    start_ns: int | None
    end_ns: int | None
    attributes: dict[str, Any]
    failed: bool
    error: str | None
    resource: dict[str, Any]
    events: list[Event] = field(default_factory=list)
    """What was told beside the attributes, in the order of time."""


@dataclass(slots=True)
class Event:
    """An event of a span, or a log record that belongs to one."""

    name: str
    given: dict[str, Any]
    """Its attributes, and its body where that is an object."""
    trace: str = ""
    span: str = ""


def looks(value: Any) -> bool:
    """Whether a value is a container of spans, a span, or a list of them."""
    if type(value) is list:
        value = value[0] if value else None
    given = obj(value)
    if given.keys() & {"resourceSpans", "resource_spans", "batches", "scopeSpans", "resourceLogs"}:
        return True
    data = given.get("data")
    if type(data) is list and data and "spans" in obj(data[0]):
        return True
    listed = given.get("spans")
    if type(listed) is list and listed and (_is_span(obj(listed[0])) or _is_jaeger(listed[0])):
        return True
    for inner in (data, given.get("trace"), given.get("result")):
        if type(inner) is dict and looks(inner):
            return True
    return _is_span(given) or _is_jaeger(given)


def _is_span(given: dict[str, Any]) -> bool:
    if _is_log(given):
        return False
    named = given.keys() & {"span_id", "spanId", "spanID"}
    if named or obj(given.get("context")).get("span_id"):
        return "attributes" in given
    # As the console exporter of JavaScript, and Zipkin, write one.
    return {"traceId", "id"} <= given.keys() and "duration" in given


def _is_log(given: dict[str, Any]) -> bool:
    return "body" in given and "name" not in given and bool(given.keys() & {"traceId", "trace_id"})


def _is_jaeger(value: Any) -> bool:
    return {"spanID", "operationName"} <= obj(value).keys()


def spans(value: Any) -> Iterator[RawSpan]:
    """Every span of a container."""
    if type(value) is list:
        for each in value:
            yield from spans(each)
        return
    given = obj(value)
    if _is_span(given):
        yield _sdk_span(given, {})
        return
    if _is_jaeger(given):
        yield from _jaeger({"spans": [given]})
        return
    for key in ("data", "trace", "traces", "result", "spans"):
        inner = given.get(key)
        if type(inner) is list and inner and "spans" in obj(inner[0]):
            for trace in map(obj, inner):
                yield from _jaeger(trace)
            return
        if key == "spans" and type(inner) is list and _is_jaeger(inner[0] if inner else None):
            yield from _jaeger(given)
            return
        if type(inner) in (list, dict):
            yield from spans(inner)
            return
    for batch in arr(first(given, "resourceSpans", "resource_spans", "batches")):
        resource = attributes(obj(obj(batch).get("resource")).get("attributes"))
        scopes = first(
            obj(batch), "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "ilSpans"
        )
        for scope in arr(scopes):
            for span in arr(obj(scope).get("spans")):
                yield _sdk_span(obj(span), resource)


def logs(value: Any) -> Iterator[Event]:
    """Every log record of a container that names its span, such as the messages of a model."""
    if type(value) is list:
        for each in value:
            yield from logs(each)
        return
    for batch in arr(first(obj(value), "resourceLogs", "resource_logs")):
        for scope in arr(first(obj(batch), "scopeLogs", "scope_logs")):
            for record in map(obj, arr(first(obj(scope), "logRecords", "log_records"))):
                yield _record(record)
    if _is_log(obj(value)):
        yield _record(obj(value))


def _record(given: dict[str, Any]) -> Event:
    event = _event(given)
    event.trace = str(first(given, "traceId", "trace_id") or "")
    event.span = str(first(given, "spanId", "span_id") or "")
    return event


def _event(given: dict[str, Any]) -> Event:
    own = attributes(first(given, "attributes", "fields"))
    called = first(given, "eventName", "event_name", "name")
    called = called or first(own, "event.name", "otel.event.name", "event")
    body = given.get("body")
    body = _any_value(body) if type(body) is dict and len(body) == 1 else body
    more = body if type(body) is dict else {} if body is None else {"content": body}
    return Event(text(called) or "", {**own, **more})


def _events(given: dict[str, Any]) -> list[Event]:
    listed = given.get("events") or given.get("span_events") or given.get("logs")
    return [_event(obj(each)) for each in listed] if type(listed) is list else []


def attributes(value: Any) -> dict[str, Any]:
    """Attributes as an object, also where they are a list of key and value."""
    if type(value) is dict:
        return value
    found = {}
    for each in arr(value):
        if type(each) is dict and type(each.get("key")) is str:
            found[each["key"]] = _any_value(each.get("value"))
    return found


def _any_value(value: Any) -> Any:
    """OTLP's AnyValue: an object with the value under its kind; an integer may be text."""
    if type(value) is not dict or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    match kind:
        case "stringValue" | "string_value" | "boolValue" | "bool_value" | "doubleValue":
            return inner
        case "double_value" | "bytesValue" | "bytes_value":
            return inner
        case "intValue" | "int_value":
            return nanoseconds(inner)
        case "arrayValue" | "array_value":
            return [_any_value(each) for each in arr(obj(inner).get("values"))]
        case "kvlistValue" | "kvlist_value":
            return attributes(obj(inner).get("values"))
    return value


def nanoseconds(value: Any) -> int | None:
    """An integer, also where it is written as text because it exceeds 2^53."""
    if type(value) is int:
        return value
    if type(value) is str and len(value) < 20 and value.lstrip("-").isdecimal():
        return int(value)
    return int(value) if type(value) is float and abs(value) < 2**63 else None


def _instant(value: Any) -> int | None:
    if type(value) is list and len(value) == 2 and all(type(each) is int for each in value):
        return int(value[0]) * 1_000_000_000 + int(value[1])  # seconds and nanoseconds
    found = nanoseconds(value)
    if found is None and (moment := instant_ms(value)) is not None:
        return round(moment * _NS_PER_MS)
    return found


def _sdk_span(given: dict[str, Any], resource: dict[str, Any]) -> RawSpan:
    """A span of OTLP, or as SDKs dump it (snake case, or the console exporter's `context`)."""
    context = obj(first(given, "context", "spanContext"))
    status = obj(given.get("status"))
    code = first(status, "code", "status_code")
    if code is None:
        code = first(given, "status_code", "status")
    failed = code == 2 or str(code).upper() in ("ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR")
    own = attributes(first(given, "attributes", "tags"))
    if any(type(own.get(key)) is dict for key in _NESTED):
        own = _flat(own)
    if text(given.get("span_kind")):  # Phoenix keeps it beside the attributes
        own.setdefault("openinference.span.kind", given["span_kind"])
    told = text(first(status, "message", "description")) or text(given.get("status_message"))
    told = told or text(own.get("error.type"))
    parent = first(given, "parentSpanId", "parent_span_id", "parent_id", "parentId")
    parent = parent or obj(given.get("parentSpanContext")).get("spanId")
    start, end = _times(given)
    return RawSpan(
        trace=str(
            first(given, "traceId", "trace_id") or first(context, "trace_id", "traceId") or ""
        ),
        id=str(
            first(given, "spanId", "span_id")
            or first(context, "span_id", "spanId")
            or first(given, "id")
            or ""
        ),
        parent=str(parent) if parent else None,
        name=text(given.get("name")) or "",
        start_ns=start,
        end_ns=end,
        attributes=own,
        failed=failed,
        error=told or ("error" if failed else None),
        resource=resource or attributes(obj(given.get("resource")).get("attributes")),
        events=_events(given),
    )


def _times(given: dict[str, Any]) -> tuple[int | None, int | None]:
    start = _instant(
        first(given, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
    )
    end = _instant(first(given, "endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"))
    if start is None and (at := number(given.get("timestamp"))) is not None:
        # Microseconds, and how many more of them it lasted.
        start, lasted = int(at) * 1000, number(given.get("duration"))
        end = None if lasted is None else start + int(lasted) * 1000
    return start, end


_NESTED = ("llm", "openinference", "gen_ai", "input", "output", "tool")


def _flat(own: dict[str, Any]) -> dict[str, Any]:
    """Attributes that were kept as objects within objects, by their dotted names."""
    flat: dict[str, Any] = {}
    left: list[tuple[str, Any]] = list(own.items())
    while left:
        key, value = left.pop()
        if type(value) is dict and key.partition(".")[0] in _NESTED:
            left += [(f"{key}.{name}", inner) for name, inner in value.items()]
        elif type(value) is list and key.startswith("llm.") and type((value or [0])[0]) is dict:
            left += [(f"{key}.{index}", inner) for index, inner in enumerate(value)]
        else:
            flat[key] = value
    return flat


def _jaeger(trace: dict[str, Any]) -> Iterator[RawSpan]:
    """Jaeger's JSON: tags for attributes, microseconds, the parent among the references."""
    processes = obj(trace.get("processes"))
    for given in map(obj, arr(trace.get("spans"))):
        own = _tags(given.get("tags"))
        start, lasted = given.get("startTime"), given.get("duration")
        start_ns = start * 1000 if type(start) is int else None
        references = [obj(each) for each in arr(given.get("references"))]
        above = [each for each in references if each.get("refType", "CHILD_OF") == "CHILD_OF"]
        failed = own.get("error") in (True, "true") or own.get("otel.status_code") == "ERROR"
        told = text(own.get("otel.status_description")) or text(own.get("error.type"))
        parent = above[0].get("spanID") if above else given.get("parentSpanID")
        yield RawSpan(
            trace=str(first(given, "traceID") or trace.get("traceID") or ""),
            id=str(given.get("spanID") or ""),
            parent=str(parent) if parent else None,
            name=text(given.get("operationName")) or "",
            start_ns=start_ns,
            end_ns=start_ns + lasted * 1000
            if start_ns is not None and type(lasted) is int
            else None,
            attributes=own,
            failed=failed,
            error=told or ("error" if failed else None),
            resource=_tags(_process(given, processes).get("tags")),
            events=[Event(_logged(log), _tags(log.get("fields"))) for log in _logs(given)],
        )


def _process(given: dict[str, Any], processes: dict[str, Any]) -> dict[str, Any]:
    return obj(given.get("process")) or obj(processes.get(str(given.get("processID"))))


def _logs(given: dict[str, Any]) -> list[dict[str, Any]]:
    return [obj(each) for each in arr(given.get("logs"))]


def _logged(log: dict[str, Any]) -> str:
    fields = _tags(log.get("fields"))
    return text(first(fields, "event", "event.name", "name")) or ""


def _tags(value: Any) -> dict[str, Any]:
    found = {}
    for each in map(obj, arr(value)):
        if type(each.get("key")) is str:
            found[each["key"]] = each.get("value")
    return found
