"""What a release did, what was expected, and how it changed: facts that every medium shows.

Renderers show these and never look into a record themselves, so that a new kind of
expectation needs words in this module alone. All texts are raw: escape them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from contractlab.compare import Pair
from contractlab.grade import CHECKS
from contractlab.model import ONE_RUN
from contractlab.render import behaviour_v2, numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.grade import Graded
    from contractlab.model import Call, Case, Record, Run
    from contractlab.render.behaviour_v2 import Aspect

NONE = "none"


@dataclass(frozen=True, slots=True)
class Fact:
    """One aspect of a behaviour or an expectation."""

    aspect: str
    """`label`, `tool`, `actions`, `evidence`, `latency`, `cost`, `forbidden`; in version 2 also
    `status`, `calls`, `answer` and an outcome's name."""
    values: tuple[str, ...]
    """In recorded order; empty where there is none of it."""
    several: bool = False
    """Whether it is a list by nature, so that a change is what was added and removed."""

    @property
    def text(self) -> str:
        """The values on one line."""
        return ", ".join(self.values) or NONE


@dataclass(frozen=True, slots=True)
class Change:
    """One aspect in which the candidate did something else than the baseline."""

    aspect: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    several: bool = False
    """As in `Fact`. Where nothing was added or removed, the order changed."""
    words: str = ""
    """Words of our own that say it better than values do: `evidence lost`."""

    @property
    def added(self) -> tuple[str, ...]:
        """What only the candidate did."""
        return tuple(value for value in self.after if value not in self.before)

    @property
    def removed(self) -> tuple[str, ...]:
        """What only the baseline did."""
        return tuple(value for value in self.before if value not in self.after)


@dataclass(frozen=True, slots=True)
class CheckFlip:
    """A check that came out differently."""

    name: str
    held_before: bool
    held_after: bool


@dataclass(frozen=True, slots=True)
class Miss:
    """A check that does not hold, with what was done and what was asked for."""

    check: str
    did: tuple[str, ...]
    """Empty where nothing was done."""
    wanted: tuple[str, ...]
    """Empty where nothing was wanted."""
    forbidden: bool = False
    """Whether `did` is what must not be done."""


def expectation(case: Case) -> Sequence[Fact]:
    """What a case asks for."""
    if case.expect.names and case.expect.names != CHECKS:
        return _facts(behaviour_v2.expected(case))
    return _asked(
        case.expected_label, case.expected_tool, case.forbidden_actions, case.requires_evidence
    )


def judged(record: Record) -> Sequence[Fact]:
    """The aspects that checks look at."""
    if record.run is not ONE_RUN:
        return _facts(behaviour_v2.behaviour(record))
    return _did(record.predicted_label, record.tool, record.actions, record.evidence_present)


MEASURED = ("latency", "cost")
"""The aspects that no check looks at, and that differ from record to record."""


def measured(record: Record) -> tuple[str, str]:
    """The texts of these aspects."""
    return numbers.milliseconds(record.latency_ms), numbers.usd(record.estimated_cost_usd)


def changes(pair: Pair) -> list[Change]:
    """The aspects, latency and cost aside, in which the two releases differ."""
    if pair.candidate.record.run is not ONE_RUN:
        return _changes_v2(telling(pair))
    both = zip(judged(pair.baseline.record), judged(pair.candidate.record), strict=True)
    return [
        Change(old.aspect, old.values, new.values, old.several, _words(new))
        for old, new in both
        if old != new
    ]


def check_flips(pair: Pair) -> list[CheckFlip]:
    """The checks that came out differently, in their order."""
    pair = telling(pair)
    after = pair.candidate.checks
    return [
        CheckFlip(name, held, after[name])
        for name, held in pair.baseline.checks.items()
        if held != after[name]
    ]


def misses(graded: Graded) -> list[Miss]:
    """The checks of one release on one case that do not hold; of trials, in the first that failed.

    In version 2 also `status`, where a run did not end well.
    """
    if graded.record.run is not ONE_RUN:
        return [Miss(*each) for each in behaviour_v2.lacks(_trial(graded, passed=False))]
    case, record = graded.case, graded.record
    every = {
        "label_correct": Miss(
            "label_correct", _tool(record.predicted_label), (case.expected_label,)
        ),
        "tool_correct": Miss("tool_correct", _tool(record.tool), _tool(case.expected_tool)),
        "forbidden_actions_absent": Miss(
            "forbidden_actions_absent", forbidden_taken(graded), (), forbidden=True
        ),
        "evidence_requirement_met": Miss("evidence_requirement_met", (), ("evidence",)),
    }
    return [every[name] for name, held in graded.checks.items() if not held]


def forbidden_taken(graded: Graded) -> tuple[str, ...]:
    """The forbidden actions that were taken, in recorded order."""
    if graded.record.run is not ONE_RUN:
        return behaviour_v2.violations(graded)
    forbidden = graded.case.forbidden_actions
    return tuple(action for action in graded.record.actions if action in forbidden)


def telling(pair: Pair) -> Pair:
    """Of cases with several trials, the two that show how a case got worse or better.

    Where it did neither, the first of each: they are alike in how they were recorded.
    """
    if not (pair.baseline.trials or pair.candidate.trials):
        return pair
    flip = pair.flip
    if flip in ("regressed", "improved"):
        return Pair(
            _trial(pair.baseline, passed=flip == "regressed"),
            _trial(pair.candidate, passed=flip == "improved"),
        )
    return Pair(pair.baseline.each[0], pair.candidate.each[0])


def _trial(graded: Graded, *, passed: bool) -> Graded:
    each = graded.each
    return next((trial for trial in each if trial.passed is passed), each[0])


def drifted(pair: Pair) -> bool:
    """Whether the case passes as before although the behaviour changed."""
    return pair.baseline.passed and pair.candidate.passed and bool(changed_aspects(pair))


def changed_aspects(pair: Pair) -> tuple[str, ...]:
    """The aspects of `changes`; asked of every case, most of which changed in none."""
    shown = telling(pair)
    before, after = shown.baseline.record, shown.candidate.record
    if before[1:5] == after[1:5] and (
        after.run is ONE_RUN or _same_run(pair.baseline.case, before.run, after.run)
    ):
        return ()
    return tuple(each.aspect for each in changes(shown))


def _same_run(case: Case, one: Run, other: Run) -> bool:
    return (
        one.status == other.status
        and one.outcomes == other.outcomes
        and one.evidence == other.evidence
        and one.actions_recorded == other.actions_recorded
        and _same_calls(one.calls, other.calls)
        and ("answer" not in case.expect.names or one.answer == other.answer)
    )


def _same_calls(one: Sequence[Call] | None, other: Sequence[Call] | None) -> bool:
    """Whether calls are alike; the order of an object's members does not count."""
    from contractlab.match import same  # noqa: PLC0415 (version 2 only)

    if one is None or other is None or len(one) != len(other):
        return one is other
    return all(
        before.name == after.name
        and before.ok == after.ok
        and same(before.arguments, after.arguments)
        for before, after in zip(one, other, strict=True)
    )


def _changes_v2(pair: Pair) -> list[Change]:
    case = pair.baseline.case
    before, after = (
        {aspect.name: aspect for aspect in behaviour_v2.compared(case, graded.record)}
        for graded in pair
    )
    calls = pair.baseline.record.run.calls, pair.candidate.record.run.calls
    absent = (behaviour_v2.NOT_RECORDED,)
    found = []
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old != new and not (name == "calls" and _same_calls(*calls)):
            was, now = (each.values if each else absent for each in (old, new))
            several = bool(old and new and old.several and new.several)
            found.append(Change(name, was, now, several))
    return found


def _facts(aspects: Sequence[Aspect]) -> Sequence[Fact]:
    return tuple(Fact(*aspect) for aspect in aspects)


# Thousands of records share a few hundred behaviours.
@lru_cache(maxsize=4096)
def _did(
    label: str | None, tool: str | None, actions: tuple[str, ...], evidence_present: bool | None
) -> tuple[Fact, ...]:
    return (
        Fact("label", _tool(label)),
        Fact("tool", _tool(tool)),
        Fact("actions", actions, several=True),
        Fact("evidence", ("present" if evidence_present else "absent",)),
    )


@lru_cache(maxsize=4096)
def _asked(
    label: str, tool: str | None, forbidden: tuple[str, ...], evidence: bool
) -> tuple[Fact, ...]:
    return (
        Fact("label", (label,)),
        Fact("tool", _tool(tool)),
        Fact("forbidden", forbidden),
        Fact("evidence", ("required" if evidence else "not required",)),
    )


def _words(after: Fact) -> str:
    if after.aspect != "evidence":
        return ""
    return "evidence lost" if after.values == ("absent",) else "evidence gained"


def _tool(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)
