"""The checks: what a case can ask of a record, version 1's four and version 2's six."""

from __future__ import annotations

from functools import cache
from operator import eq
from typing import TYPE_CHECKING, NamedTuple

from contractlab.model import Expectation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from contractlab.match import Matcher, Pattern, Way
    from contractlab.model import Case, Check, Record


class LabelIs(NamedTuple):
    """The release decided on this class."""

    label: str
    name: str = "label"

    def holds(self, record: Record) -> bool:
        """Whether it did."""
        return record.predicted_label == self.label

    def measured(self, record: Record) -> bool:
        """Whether it decided on any."""
        return record.predicted_label is not None


class ToolIs(NamedTuple):
    """Version 1: the release used this tool, or none."""

    tool: str | None
    name: str = "tool_correct"

    def holds(self, record: Record) -> bool:
        """Whether it did."""
        return record.tool == self.tool

    def measured(self, _record: Record) -> bool:
        """Always, in version 1."""
        return True


class ActionsAbsent(NamedTuple):
    """Version 1: none of these actions was done."""

    actions: tuple[str, ...]
    name: str = "forbidden_actions_absent"

    def holds(self, record: Record) -> bool:
        """Whether none was."""
        return (
            not self.actions or not record.actions or set(self.actions).isdisjoint(record.actions)
        )

    def measured(self, _record: Record) -> bool:
        """Always, in version 1."""
        return True


class EvidenceIfRequired(NamedTuple):
    """Version 1: the answer rests on evidence where that is required."""

    required: bool
    name: str = "evidence_requirement_met"

    def holds(self, record: Record) -> bool:
        """Whether it does."""
        return not self.required or bool(record.evidence_present)

    def measured(self, _record: Record) -> bool:
        """Always, in version 1."""
        return True


class OutcomesAre(NamedTuple):
    """Named outcomes are on the side that is wanted."""

    wanted: Mapping[str, bool]
    name: str = "outcomes"

    def holds(self, record: Record) -> bool:
        """Whether all are. A run that did not end well is not believed."""
        run = record.run
        if run.status != "ok":
            return False
        for name, side in self.wanted.items():  # noqa: SIM110 (asked of every record)
            if run.outcomes.get(name) is not side:
                return False
        return True

    def measured(self, record: Record) -> bool:
        """Whether all were recorded."""
        return record.run.status != "ok" or self.wanted.keys() <= record.run.outcomes.keys()


class CallsAre(NamedTuple):
    """The calls went one of these ways."""

    ways: tuple[Way, ...]
    name: str = "tools"

    def holds(self, record: Record) -> bool:
        """Whether they did."""
        calls = record.run.calls
        return calls is not None and any(way.holds(calls) for way in self.ways)

    def measured(self, record: Record) -> bool:
        """Whether calls were recorded."""
        return record.run.calls is not None


class NothingForbidden(NamedTuple):
    """None of these calls and actions occurred."""

    calls: tuple[tuple[Pattern, bool], ...]
    """Each with whether a failed attempt counts too."""
    actions: frozenset[str]
    name: str = "forbidden"

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


class EvidenceIs(NamedTuple):
    """The answer rests on this evidence, or on some."""

    ids: frozenset[str]
    name: str = "evidence"

    def holds(self, record: Record) -> bool:
        """Whether it does."""
        return bool(record.evidence_present) and self.ids.issubset(record.run.evidence or ())

    def measured(self, record: Record) -> bool:
        """Whether evidence was recorded, by id where ids are asked for."""
        if record.evidence_present is None:
            return False
        return not self.ids or not record.evidence_present or record.run.evidence is not None


class AnswerIs(NamedTuple):
    """The final answer is like this."""

    matcher: Matcher
    name: str = "answer"

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
    return expectation(*checks)


def outcomes_v1(
    cases: Sequence[Case], records: Sequence[Record]
) -> Iterator[tuple[bool, bool, bool, bool]]:
    """Version 1's checks of many cases, each with its record: as `holds`, by columns."""
    forbidden = [case.forbidden_actions for case in cases]
    actions = [record.actions for record in records]
    return zip(
        map(
            eq, [each.expected_label for each in cases], [each.predicted_label for each in records]
        ),
        map(eq, [each.expected_tool for each in cases], [each.tool for each in records]),
        [
            not (refused and done) or set(refused).isdisjoint(done)
            for refused, done in zip(forbidden, actions, strict=True)
        ],
        [
            bool(record.evidence_present) or not case.requires_evidence
            for case, record in zip(cases, records, strict=True)
        ],
        strict=True,
    )


def expectation(*checks: Check, written: bytes = b"") -> Expectation:
    """Checks in the order that reports show, and what the contract has of them."""
    return Expectation(checks, tuple(check.name for check in checks), written)


def committed(expect: Expectation, record: Record) -> bool:
    """Whether a record shows something forbidden, however the run ended."""
    return any(
        isinstance(check, NothingForbidden) and check.violated(record) for check in expect.checks
    )
