"""OpenTelemetry spans out of their containers: OTLP JSON, Tempo, Jaeger, and SDK span lists.

A nanosecond time exceeds 2^53, so it comes as text or as an integer and is kept as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contractlab.importers.values import arr, first, instant_ms, obj, text

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


def looks(value: Any) -> bool:
    """Whether a value is a container of spans, a span, or a list of them."""
    if type(value) is list:
        value = value[0] if value else None
    given = obj(value)
    if given.keys() & {"resourceSpans", "resource_spans", "batches", "scopeSpans"}:
        return True
    data = given.get("data")
    if type(data) is list and data and "spans" in obj(data[0]):
        return True
    if type(data) is dict or type(given.get("trace")) is dict:
        return looks(data or given["trace"])
    return _is_span(given)


def _is_span(given: dict[str, Any]) -> bool:
    named = given.keys() & {"span_id", "spanId", "spanID"}
    return bool(named or obj(given.get("context")).get("span_id")) and "attributes" in given


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
    for key in ("data", "trace", "traces"):
        inner = given.get(key)
        if type(inner) is list and inner and "spans" in obj(inner[0]):
            for trace in map(obj, inner):
                yield from _jaeger(trace)
            return
        if inner is not None:
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
    found = nanoseconds(value)
    if found is None and (moment := instant_ms(value)) is not None:
        return round(moment * _NS_PER_MS)
    return found


def _sdk_span(given: dict[str, Any], resource: dict[str, Any]) -> RawSpan:
    """A span of OTLP, or as SDKs dump it (snake case, or the console exporter's `context`)."""
    context = obj(first(given, "context", "spanContext"))
    status = obj(given.get("status"))
    code = first(status, "code", "status_code")
    failed = code == 2 or str(code).upper() in ("ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR")
    own = attributes(given.get("attributes"))
    told = text(first(status, "message", "description")) or text(own.get("error.type"))
    parent = first(given, "parentSpanId", "parent_span_id", "parent_id")
    return RawSpan(
        trace=str(first(given, "traceId", "trace_id") or context.get("trace_id") or ""),
        id=str(first(given, "spanId", "span_id") or context.get("span_id") or ""),
        parent=str(parent) if parent else None,
        name=text(given.get("name")) or "",
        start_ns=_instant(first(given, "startTimeUnixNano", "start_time_unix_nano", "start_time")),
        end_ns=_instant(first(given, "endTimeUnixNano", "end_time_unix_nano", "end_time")),
        attributes=own,
        failed=failed,
        error=told or ("error" if failed else None),
        resource=resource or attributes(obj(given.get("resource")).get("attributes")),
    )


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
            resource=_tags(obj(processes.get(str(given.get("processID")))).get("tags")),
        )


def _tags(value: Any) -> dict[str, Any]:
    found = {}
    for each in map(obj, arr(value)):
        if type(each.get("key")) is str:
            found[each["key"]] = each.get("value")
    return found
