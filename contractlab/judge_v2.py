"""Version 2's way from contracts that are right to the same kind of judgement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.bootstrap import BootstrapResult, paired_bootstrap
from contractlab.compare import Comparison, Pair, counted, exact
from contractlab.decide import concluded
from contractlab.details import describe
from contractlab.figures import measure_trials
from contractlab.gates import evaluate
from contractlab.grade import grade_trials
from contractlab.judge import Judgement
from contractlab.model import Terms
from contractlab.sample import Sample
from contractlab.standing import critical_failures
from contractlab.stats import mcnemar, newcombe, smallest_detectable_regression

if TYPE_CHECKING:
    from contractlab.evidence import Evidence
    from contractlab.interval import Interval
    from contractlab.metrics import Metrics
    from contractlab.model import Dataset, Release, Rubric
    from contractlab.problems import Problem
    from contractlab.stats import PairedCounts


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a judgement is about."""

    dataset: Dataset
    rubric: Rubric
    baseline: Release
    candidate: Release


def sample_of(inputs: Inputs) -> Sample:
    """Both releases, graded on the rubric's split."""
    cases = inputs.dataset.of_split(inputs.rubric.split)
    required = (inputs.rubric.terms or Terms()).pass_requires
    before, after = (
        grade_trials(cases, release, required) for release in (inputs.baseline, inputs.candidate)
    )
    return Sample(cases, before, after)


def judge_v2(
    inputs: Inputs,
    *,
    predictions_version: str,
    evidence: Evidence,
    warnings: tuple[Problem, ...] = (),
    ignored: tuple[int, int] | None = None,
) -> Judgement:
    """Grades both releases over their trials, compares and decides.

    The releases share at least one case of the split.

    Args:
        inputs: what is compared.
        predictions_version: names the recording, for the report.
        evidence: what the inputs were.
        warnings: what was noticed about them.
        ignored: how many records of other splits each release has; None: they are in `inputs`.
    """
    rubric, dataset = inputs.rubric, inputs.dataset
    sample = sample_of(inputs)
    terms = rubric.terms or Terms()
    both = sample.both()
    failures = critical_failures(sample, terms)
    before = measure_trials([one for one, _ in both], positive_label="", critical_failures=())
    after = measure_trials(
        [other for _, other in both], positive_label="", critical_failures=failures
    )
    return Judgement(
        decision=concluded(evaluate(sample, rubric)),
        dataset_version=dataset.version,
        predictions_version=predictions_version,
        rubric=rubric,
        baseline_release=inputs.baseline.id,
        candidate_release=inputs.candidate.id,
        baseline=before,
        candidate=after,
        comparison=_comparison(before, after, sample, rubric),
        evidence=evidence,
        warnings=warnings,
        details=describe(
            sample,
            rubric,
            manifests=(inputs.baseline.manifest, inputs.candidate.manifest),
            ignored=ignored or _of_other_splits(inputs, sample),
        ),
    )


def _of_other_splits(inputs: Inputs, sample: Sample) -> tuple[int, int]:
    """How many records of each release are of cases that are not judged."""
    split = {case.id for case in sample.cases}
    before, after = (
        sum(record.case_id not in split for record in release.records)
        for release in (inputs.baseline, inputs.candidate)
    )
    return before, after


def _comparison(before: Metrics, after: Metrics, sample: Sample, rubric: Rubric) -> Comparison:
    """The comparison in version 1's terms.

    A case got better or worse where its value over trials rose or fell; `both` and
    `neither` are cases whose value stayed, above or at 0.
    """
    pairs = tuple(Pair(*both) for both in zip(before.results, after.results, strict=True))
    flips = tuple([pair.flip for pair in pairs])
    counts = counted(flips)
    confidence = exact(rubric.confidence)
    seen = sample.contrast("pass_rate", sample.everything(), rubric)
    if seen is None:
        raise ValueError("the releases share no case")
    return Comparison(
        pairs=pairs,
        flips=flips,
        counts=counts,
        bootstrap=_bootstrap(counts, seen.interval, rubric),
        newcombe=newcombe(counts, confidence),
        mcnemar=mcnemar(counts.improved, counts.regressed),
        could_have_missed=max(0.0, -seen.interval.low),
        smallest_detectable=smallest_detectable_regression(counts.n),
        families=None,
        difference=seen.delta,
    )


def _bootstrap(counts: PairedCounts, interval: Interval, rubric: Rubric) -> BootstrapResult:
    """The rubric's interval, where version 1's readers look for it."""
    by_case = paired_bootstrap(
        counts.differences,
        resamples=rubric.resamples,
        confidence=exact(rubric.confidence),
        seed=rubric.seed,
    )
    return BootstrapResult(interval, by_case.exact, method=(rubric.terms or Terms()).interval)
