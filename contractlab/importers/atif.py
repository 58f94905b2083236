"""ATIF trajectories (Agent Trajectory Interchange Format), as Harbor writes them."""

from __future__ import annotations

import re
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
    word,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "ATIF trajectories (JSON, or JSON Lines of them)"


def looks(value: Any) -> bool:
    """Whether a value is a trajectory, or a list of them."""
    given = obj(value[0] if type(value) is list and value else value)
    return str(given.get("schema_version")).startswith("ATIF") and "steps" in given


def read(source: Source) -> Iterator[Found]:
    """Every trajectory of the file."""
    yield from read_together([source])


def read_together(sources: Iterable[Source]) -> Iterator[Found]:
    """Every trajectory of the files; one that another continues is one run with it."""
    parts: dict[str, list[tuple[int, dict[str, Any], Where]]] = {}
    children: set[str] = set()
    for source in sources:
        for entry in source.entries():
            several = type(entry.value) is list
            for index, value in enumerate(entry.value if several else [entry.value]):
                where = Where(source.name, entry.line, f"[{index}]" if several else None)
                given = obj(value)
                part = _part(given)
                children |= _children(given)
                if part is None and _is_child(given, children):
                    yield Skipped("a subagent's own trajectory, part of another run", where)
                elif part is None:
                    yield _run(given, where)
                else:
                    parts.setdefault(part[0], []).append((part[1], given, where))
    for each in parts.values():
        each.sort(key=lambda part: part[0])
        yield _run(_merged([given for _, given, _ in each]), each[0][2], whole=each[0][0] == 0)


def _part(given: dict[str, Any]) -> tuple[str, int] | None:
    """Which run a trajectory is a part of, and which part, where others continue it."""
    session = name(given.get("session_id"))
    index = obj(obj(given.get("agent")).get("extra")).get("continuation_index")
    told = _CONTINUED.search(session or "")
    if session is None:
        return None
    if told is not None:
        return session[: told.start()], int(told[1])
    if type(index) is int and index > 0:
        return session, index
    return (session, 0) if given.get("continued_trajectory_ref") else None


_CONTINUED = re.compile(r"-cont-?(\d{1,4})$")


def _children(given: dict[str, Any]) -> set[str]:
    """The sessions that a trajectory handed a part of its work to."""
    found = set()
    for step in map(obj, arr(given.get("steps"))):
        for result in map(obj, arr(obj(step.get("observation")).get("results"))):
            for each in map(obj, arr(result.get("subagent_trajectory_ref"))):
                found.add(word(each.get("session_id")))
    return found - {"", word(given.get("session_id"))}


def _is_child(given: dict[str, Any], children: set[str]) -> bool:
    asked = [step for step in map(obj, arr(given.get("steps"))) if step.get("source") == "user"]
    copied = bool(asked) and all(step.get("is_copied_context") for step in asked)
    return copied or word(given.get("session_id")) in children


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """A run of its parts: the totals of the last are those of all."""
    steps = [step for part in parts for step in arr(part.get("steps"))]
    last = {key: parts[-1].get(key) for key in ("final_metrics", "continued_trajectory_ref")}
    return {**parts[0], "steps": steps, **last}


def case(record: NeutralRecord) -> CaseFacts:
    """The user's first message."""
    return CaseFacts(input=_input(record.raw))


def _input(value: Any) -> str | None:
    steps = map(obj, arr(obj(value).get("steps")))
    return next((content_text(s.get("message")) for s in steps if s.get("source") == "user"), None)


def _run(given: dict[str, Any], where: Where, *, whole: bool = True) -> Found:
    steps = [step for step in map(obj, arr(given.get("steps"))) if step]
    if not steps:
        return Skipped("a trajectory without a step", where)
    session = name(given.get("session_id"))
    where = Where(where.file, where.line, session or where.id)
    calls, answer, guessed = _behaviour(steps)
    extra = obj(given.get("extra"))
    called = name(first(extra, "case_id", "task_id", "task_name"))
    notes: tuple[str, ...] = (GUESSED,) if guessed else ()
    if not whole:
        notes += ("it continues a trajectory that is not here",)
    if given.get("continued_trajectory_ref"):
        notes += ("it is continued in a trajectory that is not here",)
    called, unsure = case_id(called, _input(given), where)
    final = obj(given.get("final_metrics"))
    each_step = [obj(step.get("metrics")) for step in steps if not step.get("is_copied_context")]
    moments = [each for each in (instant_ms(step.get("timestamp")) for step in steps) if each]
    cost = number(final.get("total_cost_usd"))
    agent = obj(given.get("agent"))
    called_so = (text(agent.get(key)) for key in ("name", "version", "model_name"))
    return NeutralRecord(
        called,
        where,
        given,
        trial=count(extra.get("trial")),
        calls=calls,
        answer=answer,
        latency_ms=between_ms(min(moments), max(moments)) if len(moments) > 1 else None,
        cost_usd=cost or total(number(each.get("cost_usd")) for each in each_step),
        tokens=measured(_totals(final) or added(map(usage, each_step))),
        release=" ".join(filter(None, called_so)) or None,
        notes=notes + unsure,
        run_id=session,
    )


def _behaviour(steps: list[dict[str, Any]]) -> tuple[list[Call], str | None, bool]:
    """Calls, the last thing that the agent said, and whether an error is taken for one."""
    calls: list[Call] = []
    by_id: dict[str, Call] = {}
    answer, guessed = None, False
    for turn, step in enumerate(steps):
        if step.get("is_copied_context"):
            continue
        made: list[Call] = []
        if step.get("source") == "agent":
            answer = content_text(step.get("message")) or answer
            made = [_call(each, turn) for each in map(obj, arr(step.get("tool_calls")))]
            by_id.update({call.id: call for call in made if call.id})
            calls += made
        guessed = _answered(made, by_id, obj(step.get("observation"))) or guessed
    return calls, answer, guessed


def _totals(final: dict[str, Any]) -> dict[str, int] | None:
    pairs = (("input", "total_prompt_tokens"), ("output", "total_completion_tokens"))
    found = {kind: much for kind, key in pairs if (much := count(final.get(key))) is not None}
    if cached := count(final.get("total_cached_tokens")):
        found["cache_read"] = cached
    return found or None


def _call(given: dict[str, Any], turn: int) -> Call:
    call = Call(
        text(given.get("function_name")) or NAMELESS, arguments(given.get("arguments")), None, turn
    )
    call.id = text(given.get("tool_call_id"))
    return call


def _answered(made: list[Call], by_id: dict[str, Call], observation: dict[str, Any]) -> bool:
    """Settles each call by its result; whether one is failed only by its result's words."""
    guessed = False
    results = [obj(each) for each in arr(observation.get("results"))]
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
