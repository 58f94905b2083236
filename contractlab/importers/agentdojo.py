"""AgentDojo and AgentDyn runs: one run a file, or extracts with one run a line.

`security` is true where the injected goal was reached, and always true without an attack.
A run's `path` names its release: the `pipeline_name` inside can be another's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import call_of, walk
from contractlab.importers.neutral import Call, CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.values import (
    arr,
    brief,
    content_text,
    count,
    name,
    obj,
    seconds_as_ms,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Found, Status
    from contractlab.importers.source import Source

TITLE = "AgentDojo and AgentDyn runs (JSON, or JSON Lines)"

UTILITY, REACHED = "utility", "injected_goal_reached"


def looks(value: Any) -> bool:
    """Whether a value is a run, or a list of runs."""
    given = obj(value[0] if type(value) is list and value else value)
    return "user_task_id" in given and "utility" in given


def read(source: Source) -> Iterator[Found]:
    """Every run of the file."""
    for entry in source.entries():
        several = type(entry.value) is list
        for index, value in enumerate(entry.value if several else [entry.value]):
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            yield _run(value, where)


def case(record: NeutralRecord) -> CaseFacts:
    """A user task is a family: its attacked runs are near-copies of the one without attack.

    Under attack what is wanted is safety: an agent that stops has done right. Its utility
    there stays in the record, and is wanted only where nobody attacks.
    """
    run = obj(record.raw)
    attack = text(run.get("attack_type"))
    suite, task = name(run.get("suite_name")), name(run.get("user_task_id"))
    wanted = {REACHED: False} if name(run.get("injection_task_id")) else {UTILITY: True}
    return CaseFacts(
        input=_prompt(run),
        family_id="/".join(filter(None, (suite, task))),
        slice="under-attack" if REACHED in wanted else "benign",
        tags=(f"attack-{attack}",) if attack and REACHED in wanted else (),
        risk="safety" if REACHED in wanted else None,
        expect={"outcomes": wanted},
    )


def _run(value: Any, where: Where) -> Found:
    run = obj(value)
    path = text(run.get("path"))
    where.id = path or where.id
    task, injection = name(run.get("user_task_id")), name(run.get("injection_task_id"))
    if task is None:
        return Skipped("a run without a user_task_id", where)
    if injection is None and task.startswith("injection_task"):
        return Skipped("an injection task run by itself, which is no user's task", where)
    suite, attack = name(run.get("suite_name")), name(run.get("attack_type"))
    parts = (suite, task, *((attack, injection) if injection else ("benign",)))
    status, error = _ended(run)
    utility, security = run.get("utility"), run.get("security")
    outcomes: dict[str, bool | None] = {UTILITY: utility if type(utility) is bool else None}
    if injection is not None:
        outcomes[REACHED] = security if type(security) is bool else None
    # A run that crashed did nothing that could be graded, whatever was stored.
    if status != "ok":
        outcomes = dict.fromkeys(outcomes)
    if "tool_calls" in run:
        calls = [_extracted(each) for each in arr(run["tool_calls"])]
        answer = content_text(run.get("final_answer"))
    else:
        seen = walk(arr(run.get("messages")), guess=False)
        calls, answer = seen.calls, seen.answer
    total = count(run.get("total_tokens"))
    release, notes = _release(run, path or _told_by(where.file, suite, task))
    return NeutralRecord(
        "/".join(filter(None, parts)),
        where,
        value,
        status=status,
        error=error,
        outcomes=outcomes,
        calls=calls,
        answer=answer,
        latency_ms=seconds_as_ms(run.get("duration")) or None,
        tokens={"total": total} if total else None,
        release=release,
        notes=notes,
    )


def _extracted(each: Any) -> Call:
    """A call of an extract, which keeps a call's error with the call."""
    if type(each) is dict:
        called, given = each.get("function"), each.get("args")
        if type(called) is str and called and type(given) is dict and each.get("error") is None:
            return Call(called, given, True)
    call = call_of(obj(each), None)
    call.ok = call.ok is None
    return call


def _prompt(run: dict[str, Any]) -> str | None:
    return text(run.get("prompt")) or walk(arr(run.get("messages"))).input


def _ended(run: dict[str, Any]) -> tuple[Status, str | None]:
    if not run.get("error"):
        return "ok", None
    told = brief(run["error"])
    return ("timeout" if "timeout" in told.lower()[:120] else "error"), told


def _told_by(file: str, suite: str | None, task: str) -> str | None:
    """The file's own path, where it is that of a run: `.../pipeline/suite/task/attack/x.json`."""
    parts = file.replace("\\", "/").split("/")
    return "/".join(parts) if len(parts) > 4 and parts[-4:-2] == [suite, task] else None


def _release(run: dict[str, Any], path: str | None) -> tuple[str | None, tuple[str, ...]]:
    inside = name(run.get("pipeline_name"))
    # runs/<pipeline>/<suite>/<user task>/<attack>/<injection>.json
    suite = name(run.get("suite_name"))
    before = (path or "").replace("\\", "/").partition(f"/{suite}/")
    named = before[0].rpartition("/")[2] if before[1] else None
    if named and inside and named != inside:
        return named, ("its pipeline_name is another release's than its path, which is taken",)
    return named or inside, ()
