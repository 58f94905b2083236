"""Small OTLP documents: attributes as key and value, spans, log records."""

from __future__ import annotations

from typing import Any

START = 1_760_000_000_000_000_000


def any_value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(each) for each in value]}}
        case dict():
            return {"kvlistValue": {"values": pairs(value)}}
    return {"stringValue": value}


def pairs(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": any_value(value)} for key, value in values.items()]


def span(
    id_: str,
    parent: str | None,
    start: int,
    end: int,
    *,
    events: Any = (),
    error: Any = None,
    trace: Any = "t1",
    **attributes: Any,
) -> dict[str, Any]:
    """A span of some milliseconds; a double underscore in a name stands for a dot."""
    told = events.items() if isinstance(events, dict) else events
    return {
        "traceId": trace,
        "spanId": id_,
        **({"parentSpanId": parent} if parent else {}),
        "name": id_,
        "startTimeUnixNano": str(START + start * 1_000_000),
        "endTimeUnixNano": str(START + end * 1_000_000),
        "attributes": pairs({key.replace("__", "."): each for key, each in attributes.items()}),
        "events": [{"name": name, "attributes": pairs(given)} for name, given in told],
        "status": {"code": 2, "message": error} if error else {},
    }


def log(name: str, span_id: str, body: dict[str, Any], trace: str = "t1") -> dict[str, Any]:
    return {"eventName": name, "traceId": trace, "spanId": span_id, "body": any_value(body)}


def otlp(*spans: dict[str, Any], logs: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    document: dict[str, Any] = {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}
    if logs:
        document["resourceLogs"] = [{"scopeLogs": [{"logRecords": list(logs)}]}]
    return document


def agent(**more: Any) -> dict[str, Any]:
    return span("agent", None, 0, 100, gen_ai__operation__name="invoke_agent", **more)


def model(id_: str, start: int, end: int, parent: Any = "agent", **more: Any) -> Any:
    return span(id_, parent, start, end, gen_ai__operation__name="chat", **more)


def tool(name: str, start: int, id_: str = "", parent: str | None = "agent", **more: Any) -> Any:
    return span(
        id_ or f"tool-{start}",
        parent,
        start,
        start + 1,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name=name,
        **more,
    )
