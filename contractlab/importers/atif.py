"""ATIF trajectories (Agent Trajectory Interchange Format), as Harbor writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import GUESSED, NAMELESS, case_id
from contractlab.importers.neutral import Call, CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.values import (
    added,
    arguments,
    arr,
    between_ms,
    content_text,
    count,
    failure,
    first,
    instant_ms,
    measured,
    name,
    number,
    obj,
    text,
    total,
    usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "ATIF trajectories (JSON, or JSON Lines of them)"


def looks(value: Any) -> bool:
    """Whether a value is a trajectory, or a list of them."""
    given = obj(value[0] if type(value) is list and value else value)
    return str(given.get("schema_version")).startswith("ATIF") and "steps" in given


def read(source: Source) -> Iterator[Found]:
    """Every trajectory of the file."""
    for entry in source.entries():
        several = type(entry.value) is list
        for index, value in enumerate(entry.value if several else [entry.value]):
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            yield _run(value, where)


def case(record: NeutralRecord) -> CaseFacts:
    """The user's first message."""
    return CaseFacts(input=_input(record.raw))


def _input(value: Any) -> str | None:
    steps = map(obj, arr(obj(value).get("steps")))
    return next((content_text(s.get("message")) for s in steps if s.get("source") == "user"), None)


def _run(value: Any, where: Where) -> Found:
    given = obj(value)
    steps = [step for step in map(obj, arr(given.get("steps"))) if step]
    if not steps:
        return Skipped("a trajectory without a step", where)
    where = Where(where.file, where.line, name(given.get("session_id")) or where.id)
    calls: list[Call] = []
    answer, guessed = None, False
    for turn, step in enumerate(steps):
        if step.get("source") != "agent":
            continue
        answer = content_text(step.get("message")) or answer
        made = [_call(each, turn) for each in map(obj, arr(step.get("tool_calls")))]
        guessed = _answered(made, obj(step.get("observation"))) or guessed
        calls += made
    extra = obj(given.get("extra"))
    called = name(first(extra, "case_id", "task_id", "task_name"))
    notes: tuple[str, ...] = (GUESSED,) if guessed else ()
    called, unsure = case_id(called, _input(given), where)
    notes += unsure
    final = obj(given.get("final_metrics"))
    each_step = [obj(step.get("metrics")) for step in steps]
    moments = [each for each in (instant_ms(step.get("timestamp")) for step in steps) if each]
    cost = number(final.get("total_cost_usd"))
    agent = obj(given.get("agent"))
    return NeutralRecord(
        called,
        where,
        value,
        trial=count(extra.get("trial")),
        calls=calls,
        answer=answer,
        latency_ms=between_ms(min(moments), max(moments)) if len(moments) > 1 else None,
        cost_usd=cost or total(number(each.get("cost_usd")) for each in each_step),
        tokens=measured(_totals(final) or added(map(usage, each_step))),
        release=" ".join(filter(None, (text(agent.get("name")), text(agent.get("version")))))
        or None,
        notes=notes,
    )


def _totals(final: dict[str, Any]) -> dict[str, int] | None:
    pairs = (("input", "total_prompt_tokens"), ("output", "total_completion_tokens"))
    found = {kind: much for kind, key in pairs if (much := count(final.get(key))) is not None}
    return found or None


def _call(given: dict[str, Any], turn: int) -> Call:
    call = Call(
        text(given.get("function_name")) or NAMELESS, arguments(given.get("arguments")), None, turn
    )
    call.id = text(given.get("tool_call_id"))
    return call


def _answered(made: list[Call], observation: dict[str, Any]) -> bool:
    """Settles each call by its result; whether one is failed only by its result's words."""
    guessed = False
    results = [obj(each) for each in arr(observation.get("results"))]
    by_id = {call.id: call for call in made if call.id}
    for result in results:
        source_id = text(result.get("source_call_id"))
        call = by_id.get(source_id) if source_id else None
        if call is None and source_id is None and len(made) == len(results) == 1:
            call = made[0]
        if call is None or "content" not in result:
            continue
        error = failure(result["content"])
        call.ok, call.error = error is None, error
        guessed = guessed or error is not None
    return guessed
