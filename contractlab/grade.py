"""Case and record to checks: a yes or no each, the same on every machine."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contractlab.model import Case, Record, Release

CHECKS = (
    "label_correct",
    "tool_correct",
    "forbidden_actions_absent",
    "evidence_requirement_met",
)
"""The names of version 1's checks, in the order reports show them."""


class Graded(NamedTuple):
    """One record of one release, graded."""

    case: Case
    record: Record
    checks: Mapping[str, bool]
    """By name, in the order of `CHECKS`. Shared between records, so read only."""
    held: int
    """How many of the checks hold."""
    passed: bool
    """Whether every check holds."""

    @property
    def score(self) -> float:
        """Mean of the checks, 0 to 1."""
        return self.held / len(self.checks)


def grade(case: Case, record: Record) -> Graded:
    """The four checks of one record against what its case expects."""
    checks, held = _checks(
        record.predicted_label == case.expected_label,
        record.tool == case.expected_tool,
        not (case.forbidden_actions and record.actions)
        or set(case.forbidden_actions).isdisjoint(record.actions),
        record.evidence_present or not case.requires_evidence,
    )
    return Graded(case, record, checks, held, held == len(checks))


@cache  # sixteen outcomes, so a million records share sixteen mappings
def _checks(*outcomes: bool) -> tuple[Mapping[str, bool], int]:
    return dict(zip(CHECKS, outcomes, strict=True)), sum(outcomes)


def grade_release(cases: tuple[Case, ...], release: Release) -> tuple[Graded, ...]:
    """Every case of a split with its record, in dataset order.

    Args:
        cases: the evaluated split.
        release: with exactly one record for each of them, in any order.
    """
    records = {record.case_id: record for record in release.records}
    return tuple([grade(case, records[case.id]) for case in cases])
