"""What the gate works on once contracts are known to be right: frozen, version-neutral.

Cases and records come by the million; a named tuple is made in a third of the time that a
frozen dataclass takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple


class Verdict(StrEnum):
    """What a gate decides; a later member is worse."""

    PASS = "PASS"  # noqa: S105 (a verdict, not a password)
    REVIEW = "REVIEW"
    BLOCK = "BLOCK"


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
    expected_label: str
    expected_tool: str | None
    """None: no tool may be used."""
    forbidden_actions: tuple[str, ...]
    requires_evidence: bool


@dataclass(frozen=True, slots=True)
class Dataset:
    """The cases of all splits, in file order."""

    version: str
    cases: tuple[Case, ...]

    def of_split(self, split: str) -> tuple[Case, ...]:
        """The cases of one split, in file order."""
        return tuple(case for case in self.cases if case.split == split)


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit on one reported metric of the candidate."""

    name: str
    """The rubric's key; also the stable code of the reason when it fails."""
    metric: str
    bound: Literal["at_least", "at_most"]
    threshold: float
    verdict: Verdict
    """What failing it leads to."""


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


class Record(NamedTuple):
    """What one release did on one case."""

    case_id: str
    predicted_label: str
    tool: str | None
    actions: tuple[str, ...]
    evidence_present: bool
    latency_ms: float
    estimated_cost_usd: float


@dataclass(frozen=True, slots=True)
class Release:
    """A version of the agent with its replay: exactly one record a test case."""

    id: str
    records: tuple[Record, ...]
    """In file order, which means nothing: join by case id, never by place."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """The replays of one file."""

    version: str
    dataset_version: str
    releases: tuple[Release, ...]
