"""tau-bench and tau2-bench: simulated users, trials, rewards, and the calls that were expected.

The recorded reward is kept as the outcome `reward`, and a second one, `expected_writes`, is
graded here from the calls themselves; where the two differ, that is said.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import GUESSED, walk
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Note, Skipped, Where
from contractlab.importers.tau_grade import (
    FLIGHT_DETAILS,
    WRITE_TOOLS,
    all_made,
    environment,
    flight_legs,
    graded,
    is_known,
    told,
)
from contractlab.importers.values import (
    added,
    arr,
    brief,
    count,
    first,
    measured,
    name,
    number,
    obj,
    seconds_as_ms,
    text,
    usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Found, Status
    from contractlab.importers.source import Source

TITLE = "tau-bench trajectories and tau2-bench results (JSON)"

REWARD, WRITES = "reward", "expected_writes"
_FULL = 1 - 1e-6


def looks(value: Any) -> bool:
    """Whether a value is a list of tau-bench runs, or a tau2 results file."""
    given = obj(value)
    made = given.get("simulations")
    if type(made) is list:
        return not made or "task_id" in obj(made[0])
    sample = obj(value[0] if type(value) is list and value else value)
    return "task_id" in sample and "traj" in sample and "reward" in sample


def read(source: Source) -> Iterator[Found]:
    """Every trajectory or simulation of the file."""
    hashes: Counter[str] = Counter()
    tasks: set[str] = set()
    for entry in source.entries():
        given = obj(entry.value)
        if "simulations" in given:
            yield from _tau2(given, source, entry.line)
            continue
        several = type(entry.value) is list
        for index, value in enumerate(entry.value if several else [entry.value]):
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            truth = text(_truth(value).get("gt_data_hash"))
            if truth:
                hashes[truth] += 1
                tasks.add(str(obj(value).get("task_id")))
            yield _tau1(value, where)
    if len(hashes) == 1 and len(tasks) > 1:
        yield Note(
            f"{source.name}: all {len(tasks)} tasks have the same ground-truth hash, so their "
            "rewards compare with one state and say nothing about the tasks"
        )


def case(record: NeutralRecord) -> CaseFacts:
    """The task's instruction, its user as the family, and the calls that were expected."""
    raw = obj(record.raw)
    task = obj(raw.get("task")) or obj(obj(raw.get("info")).get("task"))
    expected = _expected(raw)
    writes = sorted({each["name"] for each in expected if each["name"] in WRITE_TOOLS})
    user = name(task.get("user_id"))
    given = first(task, "instruction", "ticket")
    if given is None:
        scenario = obj(task.get("user_scenario"))
        given = first(scenario, "instructions")
    wanted: dict[str, Any] = {"outcomes": {REWARD: True}}
    if writes:
        wanted["tools"] = {
            "mode": "superset",
            "arguments": "exact",
            "calls": [_written(each) for each in expected if each["name"] in WRITE_TOOLS],
        }
    if "simulation" not in raw and is_known(expected, record.calls or []):
        wanted["forbidden"] = [
            {"name": tool, "attempts": "successful"}
            for tool in sorted(environment(expected, record.calls or []) - set(writes))
        ]
    return CaseFacts(
        input=given,
        family_id=f"customer/{user}" if user else None,
        slice=None
        if not expected and "simulation" in raw
        else (
            writes[0] if len(writes) == 1 else "several-kinds-of-write" if writes else "no-write"
        ),
        expect=wanted,
    )


def _written(call: dict[str, Any]) -> dict[str, Any]:
    """An expected call as a dataset writes it: an object is no set of matchers."""
    given = {
        key: {"equals": value} if type(value) is dict else value
        for key, value in obj(call["arguments"]).items()
    }
    legs = flight_legs(call["arguments"])
    if legs:
        given["flights"] = {"json_schema": _legs_schema(legs)}
    return {"name": call["name"], **({"arguments": given} if given else {})}


def _legs_schema(legs: list[dict[str, Any]]) -> dict[str, Any]:
    """Takes a list of these flights, with or without what the environment sets itself."""
    any_details = dict.fromkeys(FLIGHT_DETAILS, True)
    return {
        "type": "array",
        "minItems": len(legs),
        "maxItems": len(legs),
        "prefixItems": [
            {
                "type": "object",
                "required": list(leg),
                "properties": {
                    **{key: {"const": value} for key, value in leg.items()},
                    **any_details,
                },
                "additionalProperties": False,
            }
            for leg in legs
        ],
    }


def _truth(value: Any) -> dict[str, Any]:
    return obj(obj(obj(obj(value).get("info")).get("reward_info")).get("info"))


def _expected(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """The expected calls, as name and arguments."""
    if "simulation" in raw:
        criteria = obj(obj(raw.get("task")).get("evaluation_criteria"))
        listed = _agents(criteria)
    else:
        listed = arr(obj(obj(raw.get("info")).get("task")).get("actions"))
    return [
        {"name": each["name"], "arguments": first(each, "kwargs", "arguments") or {}}
        for each in map(obj, listed)
        if text(each.get("name"))
    ]


def _agents(criteria: dict[str, Any]) -> list[dict[str, Any]]:
    """The expected actions that are the agent's, and not the simulated user's."""
    actions = map(obj, arr(criteria.get("actions")))
    return [each for each in actions if each.get("requestor", "assistant") == "assistant"]


def _tau1(value: Any, where: Where) -> Found:
    run, info = obj(value), obj(obj(value).get("info"))
    task = name(run.get("task_id"))
    if task is None:
        return Skipped("a trajectory without a task_id", where)
    messages = arr(run.get("traj"))
    seen = walk(messages)
    status: Status = "ok"
    error = None
    if info.get("error"):
        status, error = "error", brief(info["error"])
    elif not info.get("reward_info"):
        status, error = "limit", "ended without being graded: its steps ran out"
    reward = number(run.get("reward"))
    outcomes: dict[str, bool | None] = {REWARD: None, WRITES: None}
    notes: list[str] = [GUESSED] if seen.guessed else []
    if status == "ok":
        outcomes[REWARD] = None if reward is None else reward >= _FULL
        outcomes[WRITES] = graded(_expected(run), seen.calls) and told(
            arr(obj(info.get("task")).get("outputs")), messages
        )
        notes += _disagreement(outcomes)
    return NeutralRecord(
        f"task-{task}",
        where,
        value,
        trial=count(run.get("trial")),
        status=status,
        error=error,
        outcomes=outcomes,
        calls=seen.calls,
        answer=seen.answer,
        tokens=measured(added(seen.usages)),
        notes=tuple(notes),
    )


def _disagreement(outcomes: dict[str, bool | None]) -> list[str]:
    reward, graded = outcomes[REWARD], outcomes[WRITES]
    if reward is None or graded is None or reward == graded:
        return []
    if reward:
        return ["its recorded reward is 1, but its writes are not the expected ones"]
    return ["its recorded reward is 0, but its writes are the expected ones"]


_ENDED: dict[str, Status] = {
    "max_steps": "limit",
    "too_many_errors": "error",
    "agent_error": "error",
    "user_error": "error",
    "infrastructure_error": "error",
    "timeout": "timeout",
}


def _ended(reason: str) -> Status:
    known = _ENDED.get(reason)
    return known or ("error" if reason.endswith(("error", "errors")) else "ok")


def _tau2(given: dict[str, Any], source: Source, line: int | None) -> Iterator[Found]:
    agent = obj(obj(given.get("info")).get("agent_info"))
    release = " ".join(filter(None, (text(agent.get("implementation")), text(agent.get("llm")))))
    tasks = {name(obj(task).get("id")): obj(task) for task in arr(given.get("tasks"))}
    for index, value in enumerate(arr(given.get("simulations"))):
        simulation = obj(value)
        where = Where(source.name, line, name(simulation.get("id")) or f"simulations[{index}]")
        task = name(simulation.get("task_id"))
        if task is None:
            yield Skipped("a simulation without a task_id", where)
            continue
        record = _simulated(task, simulation, tasks.get(task, {}), where)
        record.release = release or None
        record.run_id = name(simulation.get("id"))
        yield record


def _simulated(
    task_id: str, simulation: dict[str, Any], task: dict[str, Any], where: Where
) -> NeutralRecord:
    messages = arr(simulation.get("messages"))
    # A task may begin in the middle of a talk: that part is given, not the agent's doing.
    before = len(arr(obj(task.get("initial_state")).get("message_history")))
    seen = walk(messages[before:], guess=False)
    raw = {"task": task, "simulation": simulation}
    rewards = obj(simulation.get("reward_info"))
    status = _ended(str(simulation.get("termination_reason")))
    reward = number(rewards.get("reward"))
    checks = [obj(each).get("action_match") for each in arr(rewards.get("action_checks"))]
    outcomes: dict[str, bool | None] = {REWARD: None}
    notes: tuple[str, ...] = ()
    if status == "ok":
        outcomes[REWARD] = None if reward is None else reward >= _FULL
        expected = _expected(raw)
        if expected:
            # tau2's own checks look at the whole talk, with what was given.
            whole = walk(messages, guess=False).calls if before else seen.calls
            matched = all_made(_agents(obj(task.get("evaluation_criteria"))), whole)
            if checks and all(type(each) is bool for each in checks) and all(checks) != matched:
                notes = ("its recorded action checks differ from the calls it made",)
            elif outcomes[REWARD] is False and matched:
                notes = ("its recorded reward is below 1, though it made every expected call",)
            elif outcomes[REWARD] and not matched:
                notes = ("its recorded reward is 1, though an expected call is missing",)
    # Of the agent alone: the simulated user's model is no part of the release.
    agents = [obj(each) for each in messages[before:] if obj(each).get("role") == "assistant"]
    return NeutralRecord(
        task_id,
        where,
        raw,
        trial=count(simulation.get("trial")),
        status=status,
        error=None if status == "ok" else str(simulation.get("termination_reason")),
        outcomes=outcomes,
        calls=seen.calls,
        answer=seen.answer,
        latency_ms=seconds_as_ms(simulation.get("duration")),
        cost_usd=number(simulation.get("agent_cost")),
        tokens=measured(added(usage(each.get("usage")) for each in agents)),
        notes=notes,
    )
