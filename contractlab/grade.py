"""Case and record to checks: a yes or no each, the same on every machine."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from contractlab.batches import in_batches, rows_of
from contractlab.checks import outcomes_v1
from contractlab.model import ONE_RUN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from contractlab.model import Case, Record, Release

CHECKS = (
    "label_correct",
    "tool_correct",
    "forbidden_actions_absent",
    "evidence_requirement_met",
)
"""The names of version 1's checks, in the order reports show them."""


class Graded(NamedTuple):
    """What one release did on one case, graded: one record, or several trials of it."""

    case: Case
    record: Record
    """Of several trials, the first that failed, else the first."""
    checks: Mapping[str, bool]
    """By name, in the case's order; of several trials, whether all hold. Shared between
    records, so read only."""
    held: int
    """How many of the checks hold."""
    passed: bool
    """Whether every check that counts holds, in every trial."""
    trials: tuple[Graded, ...] = ()
    """Each trial by itself where there are several."""

    @property
    def score(self) -> float:
        """Mean of the checks, 0 to 1."""
        return self.held / len(self.checks)

    @property
    def each(self) -> tuple[Graded, ...]:
        """Its trials, one at least."""
        return self.trials or (self,)

    @property
    def value(self) -> Fraction | int:
        """Share of the trials that passed, 0 to 1."""
        if not self.trials:
            return int(self.passed)
        return Fraction(sum(trial.passed for trial in self.trials), len(self.trials))

    @property
    def flaky(self) -> bool:
        """Whether some trials pass and some fail."""
        return bool(self.trials) and 0 < self.value < 1


def grade(case: Case, record: Record, required: frozenset[str] | None = None) -> Graded:
    """The checks of one record against what its case expects.

    Args:
        case: with its checks.
        record: what was done.
        required: names of the checks that it needs to pass; None: all.
    """
    expect = case.expect
    checks, held, passed = _checks(expect.names, expect.outcomes(record), required)
    if record.run is not ONE_RUN and record.run.status != "ok":
        passed = False
    return Graded(case, record, checks, held, passed)


@cache  # a few dozen outcomes, so a million records share their mappings
def _checks(
    names: tuple[str, ...], outcomes: tuple[bool, ...], required: frozenset[str] | None
) -> tuple[Mapping[str, bool], int, bool]:
    checks = dict(zip(names, outcomes, strict=True))
    counted = [held for name, held in checks.items() if not required or name in required]
    return checks, sum(outcomes), all(counted)


def grade_release(cases: tuple[Case, ...], release: Release) -> tuple[Graded, ...]:
    """Every case of a split with its record, in dataset order: version 1.

    Args:
        cases: the evaluated split.
        release: with exactly one record for each of them, in any order.
    """
    by_id = {record.case_id: record for record in release.records}
    return tuple(chain.from_iterable(_graded(some, by_id) for some in in_batches(cases)))


def _graded(cases: Sequence[Case], by_id: Mapping[str, Record]) -> Iterator[Graded]:
    records = [by_id[case.id] for case in cases]
    outcomes = list(outcomes_v1(cases, records))
    known = {each: _checks(CHECKS, each, None) for each in set(outcomes)}
    checks, held, passed = zip(*map(known.__getitem__, outcomes), strict=True)
    return rows_of(Graded, cases, records, checks, held, passed, repeat(()))


def grade_trials(
    cases: tuple[Case, ...], release: Release, required: frozenset[str] | None
) -> dict[str, Graded]:
    """Every case that a release has records for, by id, in dataset order.

    Args:
        cases: the evaluated split.
        release: with any number of records for each, each trial once.
        required: names of the checks that a record needs to pass; None: all.
    """
    alone = {record.case_id: record for record in release.records}
    if len(alone) == len(release.records):
        return {
            case.id: grade(case, alone[case.id], required) for case in cases if case.id in alone
        }
    found: dict[str, list[Record]] = {}
    for record in release.records:
        found.setdefault(record.case_id, []).append(record)
    return {
        case.id: together([grade(case, record, required) for record in _by_trial(found[case.id])])
        for case in cases
        if case.id in found
    }


def together(trials: Sequence[Graded]) -> Graded:
    """Several trials of one case as one result; a single one is itself."""
    if len(trials) == 1:
        return trials[0]
    first = next((trial for trial in trials if not trial.passed), trials[0])
    checks = {name: all(trial.checks[name] for trial in trials) for name in first.checks}
    passed = all(trial.passed for trial in trials)
    held = sum(checks.values())
    return Graded(first.case, first.record, checks, held, passed, tuple(trials))


def _by_trial(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: record.run.trial) if len(records) > 1 else records
