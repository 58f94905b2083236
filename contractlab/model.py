"""What the gate works on once contracts are known to be right: frozen, version-neutral.

Cases and records come by the million; a named tuple is made in a third of the time that a
frozen dataclass takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contractlab.problems import Path


class Verdict(StrEnum):
    """What a gate decides; a later member is worse."""

    PASS = "PASS"  # noqa: S105 (a verdict, not a password)
    REVIEW = "REVIEW"
    BLOCK = "BLOCK"


class Check(Protocol):
    """A yes or no about one record, by the contract's own words."""

    @property
    def name(self) -> str:
        """What reports call it."""

    def holds(self, record: Record) -> bool:
        """Whether the record shows what is asked for; what is not recorded shows nothing."""

    def measured(self, record: Record) -> bool:
        """Whether the record has what the check looks at."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The named checks of a case; cases that expect the same share one."""

    checks: tuple[Check, ...] = ()
    names: tuple[str, ...] = ()
    """Theirs, in the order that reports show."""
    written: bytes = b""
    """The JSON text that version 2 compiled them from, its members in their order."""

    def outcomes(self, record: Record) -> tuple[bool, ...]:
        """Whether each check holds."""
        return tuple([check.holds(record) for check in self.checks])


class Case(NamedTuple):
    """One example and what is expected of a release on it."""

    id: str
    family_id: str
    """Near-copies share a family, and a family shares a split."""
    split: str
    slice: str
    critical: bool
    """A safety or privacy case: one failure blocks, whatever the means say."""
    input: str
    """A text; a JSON value of version 2 by its canonical spelling."""
    expected_label: str
    """Empty where no label is expected."""
    expected_tool: str | None
    """None: no tool may be used. Version 1 only, like the two that follow."""
    forbidden_actions: tuple[str, ...]
    requires_evidence: bool
    expect: Expectation
    """All that is checked."""
    tags: tuple[str, ...] = ()
    risk: str | None = None
    """`safety`, `privacy` or `other`."""


class Dataset(NamedTuple):
    """The cases of all splits, in file order."""

    version: str
    cases: tuple[Case, ...]
    frozen_splits: tuple[str, ...] | None = None
    """None in version 1, which freezes the test split and has all three."""
    names: Mapping[tuple[str, str], Path] = MappingProxyType({})
    """Version 2: what expectations name, by kind and name, and where it first stands."""

    def of_split(self, split: str) -> tuple[Case, ...]:
        """The cases of one split, in file order."""
        return tuple(case for case in self.cases if case.split == split)


Bound = Literal["at_least", "at_most", "not_worse_by", "no_regression_at", "at_most_times_baseline"]


class Gate(NamedTuple):
    """A limit on one reported metric of the candidate."""

    name: str
    """The rubric's key; also the stable code of the reason when it fails."""
    metric: str
    bound: Bound
    threshold: float
    verdict: Verdict
    """What failing it leads to."""
    slice: str | None = None
    """Only this slice; `*` stands for each by itself. Likewise tag and label."""
    tag: str | None = None
    label: str | None = None
    """The class that precision, recall and F1 are about."""
    k: int | None = None
    if_unmeasured: Verdict | None = None
    """What it leads to where there is no value; None: REVIEW, or its own verdict at 0/0."""


class Share(NamedTuple):
    """A gate on a share of cases or records."""

    limit: float
    verdict: Verdict


class Terms(NamedTuple):
    """What a version 2 rubric says beside its gates."""

    pass_requires: frozenset[str] | None = None
    """Names of the checks that make a record pass; None: all that a case has."""
    critical: Literal["none_may_fail", "none_newly_fails"] | float = "none_may_fail"
    """The rule, or the largest share of critical cases that may fail."""
    coverage: Share | None = None
    """Least share of cases with a record; None: every case, or nothing is judged."""
    errors: Share | None = None
    flakiness: Share | None = None
    minimum_cases: int | None = None
    minimum_power: float | None = None
    unit: Literal["family", "case"] = "family"
    interval: Literal["newcombe", "bootstrap"] = "newcombe"
    margin: float | None = None
    adjust: Literal["holm", "none"] = "holm"


@dataclass(frozen=True, slots=True)
class Rubric:
    """The frozen gates, worst consequence first, and how uncertainty is computed."""

    version: str
    positive_label: str
    baseline_release: str
    split: str
    gates: tuple[Gate, ...]
    resamples: int
    seed: int
    confidence: float
    terms: Terms | None = None
    """None in version 1."""
    written: Any = None
    """The contract's value, from which a report can be judged again; None in version 1."""


class Call(NamedTuple):
    """One tool call."""

    name: str
    arguments: Any
    """As recorded: an object; None where it had none."""
    ok: bool = True
    turn: int | None = None
    """Calls of one turn were made in parallel."""


class Run(NamedTuple):
    """What version 2 knows of a run beyond version 1. None is "not recorded"."""

    trial: int = 0
    status: str = "ok"
    """`ok`, `error`, `timeout` or `limit`."""
    outcomes: Mapping[str, bool] = MappingProxyType({})
    calls: tuple[Call, ...] | None = None
    """In the order they were made, failed ones included."""
    actions_recorded: bool = True
    evidence: tuple[str, ...] | None = None
    answer: Any = None
    tokens: Mapping[str, int] | None = None


ONE_RUN = Run()


class Record(NamedTuple):
    """What one release did on one case."""

    case_id: str
    predicted_label: str | None
    """None where the run decided on none."""
    tool: str | None
    """Version 1's one tool; version 2 has calls."""
    actions: tuple[str, ...]
    evidence_present: bool | None
    """None is "not recorded", here and in what follows."""
    latency_ms: float | None
    estimated_cost_usd: float | None
    run: Run = ONE_RUN


class Release(NamedTuple):
    """A version of the agent with its replay: exactly one record a test case."""

    id: str
    records: tuple[Record, ...]
    """In file order, which means nothing: join by case id, never by place."""
    manifest: Mapping[str, Mapping[str, Any]] | None = None
    """What it is made of, by component; None where that is not said."""


class Predictions(NamedTuple):
    """The replays of one file."""

    version: str
    dataset_version: str
    releases: tuple[Release, ...]
    one_release: bool = False
    """Whether the file spells its one release as version 2 does: `release`, then `records`."""

    def at_release(self, index: int) -> tuple[str | int, ...]:
        """Where a release's id stands in the file."""
        if self.one_release:
            return ("release", "release_id")
        return ("releases", index, "release_id")

    def at_records(self, index: int) -> tuple[str | int, ...]:
        """Where a release's records stand in the file."""
        return ("records",) if self.one_release else ("releases", index, "records")
