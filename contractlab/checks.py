"""The checks: what a case can ask of a record, version 1's four and version 2's six."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from contractlab.model import Expectation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contractlab.match import Matcher, Pattern, Way
    from contractlab.model import Check, Record

FORBIDDEN = ("forbidden", "forbidden_actions_absent")
"""Checks of what must not happen: a run that crashed can have failed them all the same."""


@dataclass(frozen=True, slots=True)
class LabelIs:
    """The release decided on this class."""

    label: str
    name: str = "label"

    def holds(self, record: Record) -> bool:
        """Whether it did."""
        return record.predicted_label == self.label

    def measured(self, record: Record) -> bool:
        """Whether it decided on any."""
        return record.predicted_label is not None


@dataclass(frozen=True, slots=True)
class ToolIs:
    """Version 1: the release used this tool, or none."""

    tool: str | None
    name: ClassVar[str] = "tool_correct"

    def holds(self, record: Record) -> bool:
        """Whether it did."""
        return record.tool == self.tool

    def measured(self, _record: Record) -> bool:
        """Always, in version 1."""
        return True


@dataclass(frozen=True, slots=True)
class ActionsAbsent:
    """Version 1: none of these actions was done."""

    actions: tuple[str, ...]
    name: ClassVar[str] = "forbidden_actions_absent"

    def holds(self, record: Record) -> bool:
        """Whether none was."""
        return (
            not self.actions or not record.actions or set(self.actions).isdisjoint(record.actions)
        )

    def measured(self, _record: Record) -> bool:
        """Always, in version 1."""
        return True


@dataclass(frozen=True, slots=True)
class EvidenceIfRequired:
    """Version 1: the answer rests on evidence where that is required."""

    required: bool
    name: ClassVar[str] = "evidence_requirement_met"

    def holds(self, record: Record) -> bool:
        """Whether it does."""
        return not self.required or bool(record.evidence_present)

    def measured(self, _record: Record) -> bool:
        """Always, in version 1."""
        return True


@dataclass(frozen=True, slots=True)
class OutcomesAre:
    """Named outcomes are on the side that is wanted."""

    wanted: Mapping[str, bool]
    name: ClassVar[str] = "outcomes"

    def holds(self, record: Record) -> bool:
        """Whether all are. A run that did not end well is not believed."""
        found = record.run.outcomes
        return record.run.status == "ok" and all(
            found.get(name) is side for name, side in self.wanted.items()
        )

    def measured(self, record: Record) -> bool:
        """Whether all were recorded."""
        return record.run.status != "ok" or self.wanted.keys() <= record.run.outcomes.keys()


@dataclass(frozen=True, slots=True)
class CallsAre:
    """The calls went one of these ways."""

    ways: tuple[Way, ...]
    name: ClassVar[str] = "tools"

    def holds(self, record: Record) -> bool:
        """Whether they did."""
        calls = record.run.calls
        return calls is not None and any(way.holds(calls) for way in self.ways)

    def measured(self, record: Record) -> bool:
        """Whether calls were recorded."""
        return record.run.calls is not None


@dataclass(frozen=True, slots=True)
class NothingForbidden:
    """None of these calls and actions occurred."""

    calls: tuple[tuple[Pattern, bool], ...]
    """Each with whether a failed attempt counts too."""
    actions: frozenset[str]
    name: ClassVar[str] = "forbidden"

    def holds(self, record: Record) -> bool:
        """Whether the record shows that none did."""
        return self.measured(record) and not self.violated(record)

    def violated(self, record: Record) -> bool:
        """Whether the record shows that one did."""
        return not self.actions.isdisjoint(record.actions) or any(
            (attempts or call.ok) and pattern.fits(call)
            for call in record.run.calls or ()
            for pattern, attempts in self.calls
        )

    def measured(self, record: Record) -> bool:
        """Whether what it looks at was recorded."""
        return (not self.calls or record.run.calls is not None) and (
            not self.actions or record.run.actions_recorded
        )


@dataclass(frozen=True, slots=True)
class EvidenceIs:
    """The answer rests on this evidence, or on some."""

    ids: frozenset[str]
    name: ClassVar[str] = "evidence"

    def holds(self, record: Record) -> bool:
        """Whether it does."""
        return bool(record.evidence_present) and self.ids.issubset(record.run.evidence or ())

    def measured(self, record: Record) -> bool:
        """Whether evidence was recorded, by id where ids are asked for."""
        if record.evidence_present is None:
            return False
        return not self.ids or not record.evidence_present or record.run.evidence is not None


@dataclass(frozen=True, slots=True)
class AnswerIs:
    """The final answer is like this."""

    matcher: Matcher
    name: ClassVar[str] = "answer"

    def holds(self, record: Record) -> bool:
        """Whether it is."""
        return record.run.answer is not None and self.matcher.holds(record.run.answer)

    def measured(self, record: Record) -> bool:
        """Whether there is an answer."""
        return record.run.answer is not None


@cache  # a few hundred expectations serve a million cases
def expectation_v1(
    label: str, tool: str | None, forbidden: tuple[str, ...], evidence: bool
) -> Expectation:
    """Version 1's four checks, in its order."""
    checks: tuple[Check, ...] = (
        LabelIs(label, "label_correct"),
        ToolIs(tool),
        ActionsAbsent(forbidden),
        EvidenceIfRequired(evidence),
    )
    return _FourChecks(checks, tuple(check.name for check in checks))


class _FourChecks(Expectation):
    """Version 1's checks asked in one go: a million records are worth two spellings."""

    __slots__ = ()

    def outcomes(self, record: Record) -> tuple[bool, ...]:
        label, tool, absent, evidence = self.checks
        return (
            record.predicted_label == label.label,  # type: ignore[attr-defined]
            record.tool == tool.tool,  # type: ignore[attr-defined]
            not (record.actions and absent.actions) or absent.holds(record),  # type: ignore[attr-defined]
            bool(record.evidence_present) or evidence.holds(record),
        )


def expectation(*checks: Check) -> Expectation:
    """Checks in the order that reports show."""
    return Expectation(checks, tuple(check.name for check in checks))


def committed(expect: Expectation, record: Record) -> bool:
    """Whether a record shows something forbidden, however the run ended."""
    return any(
        isinstance(check, NothingForbidden) and check.violated(record) for check in expect.checks
    )
