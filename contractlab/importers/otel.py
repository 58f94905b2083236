"""OpenTelemetry traces of agents: the GenAI convention, its older names, ADK, OpenInference.

A trace is a run. Instrumentations nest: an agent framework's span around a provider SDK's,
each with the same token counts, so only the innermost counts. Spans that have nothing to
do with an agent are kept for the nesting alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import case_id
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.otel_span import Span, as_span
from contractlab.importers.spans import looks, spans
from contractlab.importers.values import (
    added,
    between_ms,
    count,
    measured,
    name,
    total,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.importers.neutral import Call, Found
    from contractlab.importers.source import Source

__all__ = ["TITLE", "case", "looks", "read"]

TITLE = "OpenTelemetry GenAI traces (OTLP JSON, Tempo, Jaeger JSON, span lists; OpenInference)"

_CASE_KEYS = (
    "contractlab.case_id",
    "case_id",
    "case.id",
    "test.case.id",
    "test.case.name",
    "langfuse.trace.metadata.case_id",
)


def read(source: Source) -> Iterator[Found]:
    """Every trace of the file. A trace's spans may stand anywhere in it, so it is read first."""
    traces: dict[str, list[Span]] = {}
    lines: dict[str, int | None] = {}
    for entry in source.entries():
        for raw in spans(entry.value):
            traces.setdefault(raw.trace, []).append(as_span(raw))
            lines.setdefault(raw.trace, entry.line)
    for trace in list(traces):
        yield _run(traces.pop(trace), Where(source.name, lines[trace], trace or None))
    if not lines:
        yield Skipped("no spans", Where(source.name))


def case(record: NeutralRecord) -> CaseFacts:
    """What the user said first."""
    return CaseFacts(input=record.raw.get("input"))


def _run(trace: list[Span], where: Where) -> Found:
    trace.sort(key=lambda span: (span.start_ns or 0, span.end_ns or 0))
    parents = {span.id: span.parent for span in trace}
    telling = [span for span in trace if span.kind is not None]
    if not telling:
        return Skipped("a trace without an agent's, a model's or a tool's span", where)
    models = _innermost([span for span in telling if span.says_something()], parents)
    agents = _outermost([span for span in telling if span.kind == "agent"], parents)
    whole = agents or _outermost(telling, parents)
    counted = _innermost([span for span in telling if span.tokens], parents)
    counted = _without_doubles(counted, [span for span in telling if span.tokens], parents)
    tokens = measured(added(span.tokens for span in counted)) or measured(
        added(span.aggregated for span in whole)
    )
    costs = [span.cost_usd for span in _innermost([s for s in telling if s.cost_usd], parents)]
    asked = next((span.input for span in telling if span.input), None)
    merged = _attributes(trace, whole)
    called = next((name(merged[key]) for key in _CASE_KEYS if name(merged.get(key))), None)
    called, unsure = case_id(called, asked, where)
    failed = next((span for span in whole if span.failed), None)
    starts = [span.start_ns for span in whole if span.start_ns is not None]
    ends = [span.end_ns for span in whole if span.end_ns is not None]
    evidence = list(dict.fromkeys(each for span in telling for each in span.documents))
    return NeutralRecord(
        called,
        where,
        {"attributes": merged, "input": asked},
        trial=count(merged.get("contractlab.trial")),
        status="ok" if failed is None else _status(failed.error),
        error=None if failed is None else failed.error,
        calls=_calls(telling, models),
        evidence=evidence or None,
        answer=_answer(models, whole),
        latency_ms=between_ms(min(starts) / 1e6, max(ends) / 1e6) if starts and ends else None,
        cost_usd=total(costs),
        tokens=tokens,
        release=name(next((s.version for s in whole if s.version), None)),
        notes=unsure,
    )


def _status(error: str | None) -> Any:
    told = (error or "").lower()
    return "timeout" if "timeout" in told or "deadline" in told else "error"


def _attributes(trace: Sequence[Span], whole: Sequence[Span]) -> dict[str, Any]:
    """Everything that the trace's spans say, the run's own spans last, so that they win."""
    merged: dict[str, Any] = {}
    for span in [*reversed(trace), *reversed(whole)]:
        merged.update(span.attributes)
    return merged


def _above(span: Span, parents: dict[str, str | None]) -> Iterator[str]:
    seen = {span.id}
    above = span.parent
    while above is not None and above not in seen:  # a loop of parents ends here
        yield above
        seen.add(above)
        above = parents.get(above)


def _innermost(some: Sequence[Span], parents: dict[str, str | None]) -> list[Span]:
    outer = {above for span in some for above in _above(span, parents)}
    return [span for span in some if span.id not in outer]


def _outermost(some: Sequence[Span], parents: dict[str, str | None]) -> list[Span]:
    ids = {span.id for span in some}
    return [span for span in some if ids.isdisjoint(_above(span, parents))]


def _without_doubles(
    counted: list[Span], every: Sequence[Span], parents: dict[str, str | None]
) -> list[Span]:
    """Without a span that only a lost parent keeps from being known as the outer of another.

    Known by the same counts within its time: an exporter dropped the span between them.
    """
    lost = [span for span in counted if _is_cut_off(span, parents)]
    return (
        [
            span
            for span in counted
            if not any(
                inner is not span and inner.tokens == span.tokens and _within(inner, span)
                for inner in lost
            )
        ]
        if lost and len(every) > 1
        else counted
    )


def _is_cut_off(span: Span, parents: dict[str, str | None]) -> bool:
    top = span.id
    for above in _above(span, parents):
        top = above
    return top not in parents


def _within(inner: Span, outer: Span) -> bool:
    times = (outer.start_ns, inner.start_ns, inner.end_ns, outer.end_ns)
    if any(each is None for each in times):
        return False
    outer_start, start, end, outer_end = (each or 0 for each in times)
    longer = outer_end - outer_start > end - start
    return outer_start <= start <= end <= outer_end and longer


def _calls(telling: Sequence[Span], models: Sequence[Span]) -> list[Call] | None:
    """The tools that were run, by their spans; what a model only asked for, after them."""
    starts = [span.start_ns or 0 for span in models]
    made: list[Call] = []
    for span in telling:
        if span.kind == "tool" and span.call is not None:
            span.call.turn = sum(start <= (span.start_ns or 0) for start in starts)
            made.append(span.call)
    run = {call.name for call in made}
    ids = {call.id for call in made if call.id}
    results = {key: told for span in models for key, told in span.results.items()}
    for turn, span in enumerate(models):
        for call in span.asked:
            if call.id in ids if call.id else False:
                continue
            if call.id:
                ids.add(call.id)
            if call.name in run:
                continue
            call.turn = turn + 1
            if call.id in results:
                call.ok, call.error = results[call.id] is None, results[call.id]
            elif run:
                call.ok, call.error = False, "asked for; no span shows that it was carried out"
            made.append(call)
    return made


def _answer(models: Sequence[Span], whole: Sequence[Span]) -> Any:
    """The run's own output; else the last thing that a model said."""
    for span in reversed(whole):
        if span.kind == "agent" and span.answer is not None:
            return span.answer
    spoken = [span for span in models if span.answer is not None]
    if spoken:
        return max(spoken, key=lambda span: span.end_ns or 0).answer
    return next((span.answer for span in whole if span.answer is not None), None)
