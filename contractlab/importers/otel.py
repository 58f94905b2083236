"""OpenTelemetry traces of agents: the GenAI convention, its older names, ADK, OpenInference.

A trace is a run. Instrumentations nest: an agent framework's span around a provider SDK's,
each with the same token counts, so only the innermost counts. Spans that have nothing to
do with an agent are kept for the nesting alone.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import case_id
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Note, Skipped, Where
from contractlab.importers.otel_calls import calls_of
from contractlab.importers.otel_messages import Told, of_events
from contractlab.importers.otel_span import Span, as_span
from contractlab.importers.otel_tree import Tree
from contractlab.importers.spans import logs, looks, spans
from contractlab.importers.values import (
    added,
    between_ms,
    count,
    measured,
    name,
    obj,
    parsed,
    total,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

__all__ = ["TITLE", "case", "looks", "read", "read_together"]

TITLE = "OpenTelemetry GenAI traces (OTLP JSON, Tempo, Jaeger JSON, span lists; OpenInference)"

_CASE_KEYS = (
    "contractlab.case_id",
    "case_id",
    "case.id",
    "test.case.id",
    "test.case.name",
    "langfuse.trace.metadata.case_id",
    "langsmith.metadata.case_id",
    "traceloop.association.properties.case_id",
    "ai.telemetry.metadata.case_id",
)


def read(source: Source) -> Iterator[Found]:
    """Every trace of the file."""
    yield from read_together([source])


def read_together(sources: Iterable[Source]) -> Iterator[Found]:
    """Every trace of the files. Its spans may stand anywhere in them, so all are read first."""
    traces: dict[str, dict[str, Span]] = {}
    begun: dict[str, Where] = {}
    logged: dict[str, dict[str, Told]] = {}
    for source in sources:
        found = nameless = False
        for entry in source.entries():
            for raw in spans(entry.value):
                found = True
                if not raw.trace:
                    nameless = True
                    continue
                trace = traces.setdefault(raw.trace, {})
                # An exporter that tries again sends a span twice.
                if not raw.id or raw.id not in trace:
                    span = as_span(raw)
                    span.id = span.id or f"#{len(trace)}"
                    trace[span.id] = span
                if raw.trace not in begun:
                    begun[raw.trace] = Where(source.name, entry.line, raw.trace)
            for event in logs(entry.value):
                of_trace = logged.setdefault(event.trace, {})
                of_trace.setdefault(event.span, Told()).add(of_events([event]))
        if nameless or not found:
            yield Skipped(
                "spans without a trace id" if nameless else "no spans", Where(source.name)
            )
    talks: Counter[str] = Counter()
    for id_ in list(traces):
        trace = traces.pop(id_)
        _complete(trace, logged.pop(id_, {}))
        run = _run(list(trace.values()), begun[id_])
        if isinstance(run, NeutralRecord):
            talks.update(filter(None, [name(run.raw["attributes"].get("gen_ai.conversation.id"))]))
        yield run
    shared = sum(much for much in talks.values() if much > 1)
    if shared:
        yield Note(
            f"{shared} traces are of conversations that other traces are of too; "
            "each is a run of its own"
        )


def _complete(trace: dict[str, Span], logged: dict[str, Told]) -> None:
    """Gives each span what log records told of it; those of no span are the only model call's."""
    loose = logged.pop("", None)
    models = [span for span in trace.values() if span.kind == "llm"]
    each = [(trace[id_], told) for id_, told in logged.items() if id_ in trace]
    if loose is not None and len(models) == 1:
        each.append((models[0], loose))
    for span, told in each:
        whole = Told()
        whole.add(span.told)
        whole.add(told)
        span.told = whole


def case(record: NeutralRecord) -> CaseFacts:
    """What the user said first."""
    return CaseFacts(input=record.raw.get("input"))


def _run(trace: list[Span], where: Where) -> Found:
    trace.sort(key=lambda span: (span.start_ns or 0, span.end_ns or 0))
    telling = [span for span in trace if span.kind is not None]
    if not telling:
        return Skipped("a trace without an agent's, a model's or a tool's span", where)
    tree = Tree(trace)
    models = tree.innermost(span for span in telling if span.says_something())
    runs = tree.outermost(span for span in telling if span.kind in ("agent", "chain"))
    whole = runs or tree.outermost(telling)
    counted = _without_doubles(tree.innermost(span for span in telling if span.tokens), tree)
    tokens = measured(added(span.tokens for span in counted)) or measured(
        added(span.aggregated for span in whole)
    )
    costs = [span.cost_usd for span in tree.innermost(s for s in telling if s.cost_usd)]
    asked = next((span.told.input for span in [*runs, *telling] if span.told.input), None)
    merged = _attributes(trace, whole)
    # A line may hold several traces, so that only its id tells where one is.
    called, unsure = case_id(_named(merged), asked, Where(where.file, None, where.id))
    failed = _failed(runs, models, telling)
    evidence = list(dict.fromkeys(each for span in telling for each in span.documents))
    return NeutralRecord(
        called,
        where,
        {"attributes": merged, "input": asked},
        trial=count(merged.get("contractlab.trial")),
        status="ok" if failed is None else _status(failed.error),
        error=None if failed is None else failed.error or "error",
        calls=calls_of(telling, models, whole, tree),
        evidence=evidence or None,
        answer=_answer(models, whole),
        latency_ms=_latency(runs, whole, tree),
        cost_usd=total(costs),
        tokens=tokens,
        release=name(next((s.version for s in whole if s.version), None)),
        notes=unsure,
    )


def _named(merged: dict[str, Any]) -> str | None:
    """The case that a trace names, by an attribute or in its metadata."""
    metadata = obj(parsed(merged.get("metadata")))
    found = (name(given.get(key)) for given in (merged, metadata) for key in _CASE_KEYS)
    return next((each for each in found if each), None)


def _failed(runs: Sequence[Span], models: Sequence[Span], telling: Sequence[Span]) -> Span | None:
    """The span by which the run as a whole failed.

    Without a span of the run itself that is the last model call: one that failed before may
    have been tried again, and a failed tool is a failed call.
    """
    if runs:
        return next((span for span in runs if span.failed), None)
    calls = [span for span in telling if span.kind == "llm"] or list(models)
    last = max(calls, key=lambda span: span.end_ns or 0, default=None)
    return last if last is not None and last.failed else None


def _latency(runs: Sequence[Span], whole: Sequence[Span], tree: Tree) -> float | None:
    """From the run's start to its end; its own span is the root's, where no agent has one."""
    tops = {top.id: top for top in map(tree.top, whole)}
    timed = list(tops.values()) if not runs and len(tops) == 1 else whole
    starts = [span.start_ns for span in timed if span.start_ns is not None]
    ends = [span.end_ns for span in timed if span.end_ns is not None]
    return between_ms(min(starts) / 1e6, max(ends) / 1e6) if starts and ends else None


def _status(error: str | None) -> Any:
    told = (error or "").lower()
    return "timeout" if "timeout" in told or "deadline" in told else "error"


def _attributes(trace: Sequence[Span], whole: Sequence[Span]) -> dict[str, Any]:
    """Everything that the trace's spans say, the run's own spans last, so that they win."""
    merged: dict[str, Any] = {}
    for span in [*reversed(trace), *reversed(whole)]:
        merged.update(span.attributes)
    return merged


def _without_doubles(counted: list[Span], tree: Tree) -> list[Span]:
    """Without a span that only a lost parent keeps from being known as the outer of another.

    Known by the same counts within its time: an exporter dropped the span between them.
    """
    if len(counted) < 2 or not any(map(tree.is_cut_off, counted)):
        return counted
    alike: dict[tuple[tuple[str, int], ...], list[Span]] = {}
    for span in counted:
        alike.setdefault(tuple(sorted(span.tokens.items())), []).append(span)
    outer: set[str] = set()
    for group in alike.values():
        outer |= _enclosing(group, tree)
    return [span for span in counted if span.id not in outer]


def _enclosing(group: list[Span], tree: Tree) -> set[str]:
    """Spans around another that is of no known parent of theirs."""
    timed = [span for span in group if span.start_ns is not None and span.end_ns is not None]
    timed.sort(key=lambda span: (span.start_ns or 0, -(span.end_ns or 0)))
    found: set[str] = set()
    opened: list[Span] = []
    for span in timed:
        while opened and (opened[-1].end_ns or 0) < (span.end_ns or 0):
            opened.pop()
        if opened and tree.is_cut_off(span) and _is_around(opened[-1], span, tree):
            found.add(opened[-1].id)
        opened.append(span)
    return found


def _is_around(outer: Span, inner: Span, tree: Tree) -> bool:
    longer = (outer.start_ns, outer.end_ns) != (inner.start_ns, inner.end_ns)
    return longer and tree.top(outer).id != tree.top(inner).id


def _answer(models: Sequence[Span], whole: Sequence[Span]) -> Any:
    """The run's own output; else the last thing that a model said."""
    for span in reversed(whole):
        told = span.told.answer
        # A chain's output may be its whole state: only a text is an answer for sure.
        if told is not None and (span.kind == "agent" or type(told) is str):
            return told
    spoken = [span for span in models if span.told.answer is not None]
    if spoken:
        return max(spoken, key=lambda span: span.end_ns or 0).told.answer
    return next((span.told.answer for span in whole if span.told.answer is not None), None)
