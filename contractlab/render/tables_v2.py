"""Version 2's gates as rows: what was asked for, observed, and had by the baseline."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from contractlab.decide import CRITICAL, UNDECIDED
from contractlab.figures import Reading, confusion, read
from contractlab.metrics import ConfusionMatrix
from contractlab.model import Terms
from contractlab.render import findings, numbers
from contractlab.render.tables import GateRow
from contractlab.sample import groups
from contractlab.standing import COVERAGE, ERRORS, FLAKINESS, fails_critically

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contractlab.decide import Finding, GateResult
    from contractlab.details import Details
    from contractlab.grade import Graded
    from contractlab.judge import Judgement
    from contractlab.model import Case, Gate
    from contractlab.sample import Group

    Name = Callable[[str], str]

ABOUT_BOTH = "-"
"""The baseline's value of a gate that is about both releases, or about the set."""
_NAMED = 3


class Recorded(NamedTuple):
    """What both releases did on the cases of the split, those included that only one has."""

    cases: list[Case]
    """In dataset order."""
    before: dict[str, Graded]
    """The baseline's results by case id."""
    after: dict[str, Graded]


def recorded(judgement: Judgement, details: Details) -> Recorded:
    """Every case of the split with what is recorded of it."""
    found = Recorded([], {}, {})
    pairs = iter(judgement.comparison.pairs)
    unpaired = {each.place: each for each in details.unpaired}
    for place in range(details.cases):
        before: Graded | None
        after: Graded | None
        if place in unpaired:
            _, case, before, after = unpaired[place]
        else:
            before, after = next(pairs)
            case = before.case
        found.cases.append(case)
        if before is not None:
            found.before[case.id] = before
        if after is not None:
            found.after[case.id] = after
    return found


def gate_rows(
    judgement: Judgement, details: Details, results: Sequence[GateResult], name: Name
) -> list[GateRow]:
    """The gates given, in their order.

    Args:
        judgement: decided.
        details: of it.
        results: the gates to show.
        name: makes a medium's text of a case's id.
    """
    baseline = _Baseline(judgement, details)
    return [
        GateRow(
            result,
            _limit(judgement, result),
            _observed(result),
            baseline.under(result),
            _note(result, name),
        )
        for result in results
    ]


def _limit(judgement: Judgement, result: GateResult) -> str:
    if result.name == CRITICAL and result.finding is None:
        newly = (judgement.rubric.terms or Terms()).critical == "none_newly_fails"
        return "none may newly" if newly else "none may"
    return findings.asked(result)


def _observed(result: GateResult) -> str:
    if result.finding is None:
        return numbers.count(len(result.case_ids))
    return findings.beside(result, result.finding)


def _note(result: GateResult, name: Name) -> str:
    """What else was seen, and the cases that are named."""
    parts = []
    finding = result.finding
    if finding is not None and finding.contrast is not None:
        parts += [findings.interval(finding.contrast), findings.p_value(finding)]
        if finding.kind == "too_small" and not result.held:
            parts.append(f"too small for this margin: {findings.enough(finding)}")
    elif finding is not None and finding.kind == "unmeasured" and result.name != UNDECIDED:
        measured, of = numbers.count(finding.measured), numbers.count(finding.of)
        parts.append(f"measured on {measured} of {of}")
    if result.case_ids:
        more = len(result.case_ids) - _NAMED
        names = ", ".join(map(name, result.case_ids[:_NAMED]))
        parts.append(f"{names} and {more:,} more" if more > 0 else names)
    return ", ".join(filter(None, parts))


class _Baseline:
    """The baseline's value under each gate, on the same cases."""

    def __init__(self, judgement: Judgement, details: Details) -> None:
        self._terms = judgement.rubric.terms or Terms()
        self._recorded = recorded(judgement, details)
        self._gates = {(gate.name, gate.metric): gate for gate in judgement.rubric.gates}
        self._groups: dict[Gate, dict[tuple[tuple[str, str], ...], Group]] = {}

    @cached_property
    def _classes(self) -> dict[str, ConfusionMatrix]:
        """Each class against the rest over all cases, counted once for all gates."""
        cases, before, _ = self._recorded
        return confusion(list(before.values()), [case for case in cases if case.id not in before])

    def under(self, result: GateResult) -> str:
        """In words; `-` where a gate is about both releases."""
        finding = result.finding
        if finding is None or result.name == CRITICAL:
            return self._critical(finding)
        reading = self._reading(result, finding)
        if reading is None:
            return ABOUT_BOTH
        towards = "up" if result.bound.startswith("at_most") else "down"
        return findings.seen_as(finding.metric, reading, towards)

    def _critical(self, finding: Finding | None) -> str:
        if self._terms.critical == "none_newly_fails":
            return ABOUT_BOTH
        critical = [case.id for case in self._recorded.cases if case.critical]
        before = self._recorded.before
        failed = sum(id_ in before and fails_critically(before[id_]) for id_ in critical)
        if finding is None:
            return numbers.count(failed)
        return findings.number(finding.metric, Fraction(failed, max(len(critical), 1)), "up")

    def _reading(self, result: GateResult, finding: Finding) -> Reading | None:
        before = self._recorded.before
        if result.name == COVERAGE:
            return Reading(Fraction(len(before), len(self._recorded.cases)), 1, 1)
        if result.name in (ERRORS, FLAKINESS):
            return read(result.name, list(before.values()))
        gate = self._gates.get((result.name, finding.metric))
        if gate is None or gate.metric == "paired_delta_ci_low":
            return None
        if finding.baseline is not None:
            return Reading(finding.baseline, 1, 1)
        if gate.metric == "critical_slice_pass_rate":
            _, name = finding.group[0]
            cases = [case for case in self._recorded.cases if case.slice == name]
            return self._read("pass_rate", cases)
        return self._of_group(gate, finding)

    def _of_group(self, gate: Gate, finding: Finding) -> Reading | None:
        if gate not in self._groups:
            found = groups(gate, self._recorded.cases)
            self._groups[gate] = {group.name: group for group in found}
        group = self._groups[gate].get(finding.group)
        if group is None:
            return None
        if group.label is not None and len(group.name) == 1:
            matrix = self._classes.get(group.label, ConfusionMatrix(0, 0, 0, 0))
            return Reading(getattr(matrix, gate.metric), 1, 1)
        cases: Sequence[Case] = group.cases
        if finding.contrast is not None:  # which is about the cases that both have
            before, after = self._recorded.before, self._recorded.after
            cases = [case for case in cases if case.id in before and case.id in after]
        return self._read(gate.metric, cases, group.label, gate.k)

    def _read(
        self, metric: str, cases: Sequence[Case], label: str | None = None, k: int | None = None
    ) -> Reading:
        before = self._recorded.before
        results = [before[case.id] for case in cases if case.id in before]
        missing = [case for case in cases if case.id not in before]
        return read(metric, results, missing=missing, label=label, k=k)
