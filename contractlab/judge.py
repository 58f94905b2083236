"""The whole way from contracts that are right to a judgement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.compare import Comparison, compare
from contractlab.decide import Decision, decide
from contractlab.grade import grade_release
from contractlab.metrics import Metrics, measure

if TYPE_CHECKING:
    from contractlab.details import Details
    from contractlab.evidence import Evidence
    from contractlab.model import Dataset, Release, Rubric
    from contractlab.places import Places
    from contractlab.problems import Problem


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with all that led to it; what every renderer takes."""

    decision: Decision
    dataset_version: str
    predictions_version: str
    rubric: Rubric
    baseline_release: str
    candidate_release: str
    baseline: Metrics
    candidate: Metrics
    comparison: Comparison
    evidence: Evidence
    warnings: tuple[Problem, ...]
    places: Places | None = None
    """Where the cases stand that the candidate failed; None where nobody looked."""
    details: Details | None = None
    """What version 2 shows beside this; None in version 1."""


def judge(
    dataset: Dataset,
    rubric: Rubric,
    *,
    baseline: Release,
    candidate: Release,
    predictions_version: str,
    evidence: Evidence,
    warnings: tuple[Problem, ...] = (),
) -> Judgement:
    """Grades both releases, compares and decides.

    Args:
        dataset: checked, with at least one case in the rubric's split.
        rubric: the gates.
        baseline: the release compared with, one record a case of the split.
        candidate: the release judged, likewise.
        predictions_version: names the recording, for the report.
        evidence: what the inputs were.
        warnings: what was noticed about them.
    """
    cases = dataset.of_split(rubric.split)
    before = measure(grade_release(cases, baseline), positive_label=rubric.positive_label)
    after = measure(grade_release(cases, candidate), positive_label=rubric.positive_label)
    comparison = compare(before.results, after.results, rubric)
    return Judgement(
        decision=decide(after, comparison, rubric),
        dataset_version=dataset.version,
        predictions_version=predictions_version,
        rubric=rubric,
        baseline_release=baseline.id,
        candidate_release=candidate.id,
        baseline=before,
        candidate=after,
        comparison=comparison,
        evidence=evidence,
        warnings=warnings,
    )
