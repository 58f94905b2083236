"""What a release did, what was expected, and how it changed: facts that every medium shows.

Renderers show these and never look into a record themselves, so that a new kind of
expectation needs words in this module alone. All texts are raw: escape them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.render import numbers

if TYPE_CHECKING:
    from contractlab.compare import Pair
    from contractlab.model import Case, Record

NONE = "none"


@dataclass(frozen=True, slots=True)
class Fact:
    """One aspect of a behaviour or an expectation."""

    aspect: str
    """`label`, `tool`, `actions`, `evidence`, `latency`, `cost`, `forbidden`."""
    values: tuple[str, ...]
    """In recorded order; empty where there is none of it."""

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


def expectation(case: Case) -> list[Fact]:
    """What a case asks for."""
    return [
        Fact("label", (case.expected_label,)),
        Fact("tool", _tool(case.expected_tool)),
        Fact("forbidden", case.forbidden_actions),
        Fact("evidence", ("required" if case.requires_evidence else "not required",)),
    ]


def behaviour(record: Record) -> list[Fact]:
    """What a release did on a case; the aspects that checks look at come first."""
    return [
        *_judged(record),
        Fact("latency", (numbers.milliseconds(record.latency_ms),)),
        Fact("cost", (numbers.usd(record.estimated_cost_usd),)),
    ]


def changes(pair: Pair) -> list[Change]:
    """The aspects, latency and cost aside, in which the two releases differ."""
    both = zip(_judged(pair.baseline.record), _judged(pair.candidate.record), strict=True)
    return [
        Change(before.aspect, before.values, after.values)
        for before, after in both
        if before != after
    ]


def check_flips(pair: Pair) -> list[CheckFlip]:
    """The checks that came out differently, in their order."""
    after = pair.candidate.checks
    return [
        CheckFlip(name, held, after[name])
        for name, held in pair.baseline.checks.items()
        if held != after[name]
    ]


def drifted(pair: Pair) -> bool:
    """Whether the case passes as before although the behaviour changed."""
    return pair.flip == "both" and bool(changes(pair))


def _judged(record: Record) -> list[Fact]:
    return [
        Fact("label", _tool(record.predicted_label)),
        Fact("tool", _tool(record.tool)),
        Fact("actions", record.actions),
        Fact("evidence", ("present" if record.evidence_present else "absent",)),
    ]


def _tool(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)
