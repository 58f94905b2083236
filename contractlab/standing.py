"""The gates that stand beside a version 2 rubric's list: critical cases, coverage, errors, size."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from contractlab.checks import committed
from contractlab.compare import exact
from contractlab.decide import CRITICAL, UNDECIDED, Finding, GateResult
from contractlab.figures import read
from contractlab.model import Terms, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.grade import Graded
    from contractlab.model import Rubric
    from contractlab.sample import Sample

COVERAGE = "coverage"
ERRORS = "error_rate"
FLAKINESS = "flaky_rate"
MINIMUM_CASES = "minimum_cases"
MINIMUM_POWER = "minimum_power"


def fails_critically(graded: Graded, required: frozenset[str] | None = None) -> bool:
    """Whether some trial failed, or a run that crashed did something forbidden before.

    Args:
        graded: a critical case.
        required: names of the checks that a record needs to pass; None: all.
    """
    forbids = required is None or "forbidden" in required
    return any(
        not trial.passed
        if trial.record.run.status == "ok"
        else forbids and committed(trial.case.expect, trial.record)
        for trial in graded.each
    )


def critical_failures(sample: Sample, terms: Terms) -> tuple[str, ...]:
    """Ids of the critical cases that the rule counts as failed, in dataset order."""
    failed = [
        case.id
        for case in sample.cases
        if case.critical
        and case.id in sample.after
        and fails_critically(sample.after[case.id], terms.pass_requires)
    ]
    if terms.critical == "none_newly_fails":
        before = sample.before
        failed = [id_ for id_ in failed if id_ in before and before[id_].passed]
    return tuple(failed)


def critical(sample: Sample, terms: Terms) -> Iterator[GateResult]:
    """The critical rule, and critical cases of which nobody knows."""
    failures = critical_failures(sample, terms)
    critical = [case for case in sample.cases if case.critical]
    if isinstance(terms.critical, float | int):
        observed = Fraction(len(failures), len(critical)) if critical else Fraction(0)
        yield GateResult(
            CRITICAL,
            Verdict.BLOCK,
            observed <= exact(terms.critical),
            "at_most",
            observed,
            terms.critical,
            case_ids=failures,
            finding=Finding("critical_failure_rate", "value", (), len(critical), len(critical)),
        )
    else:
        yield GateResult(
            CRITICAL, Verdict.BLOCK, not failures, "at_most", len(failures), 0, case_ids=failures
        )
    failed = set(failures)
    undecided = tuple(
        case.id for case in critical if case.id not in failed and _undecided(case.id, sample, terms)
    )
    if undecided:
        yield GateResult(
            UNDECIDED,
            Verdict.REVIEW,
            held=False,
            bound="at_most",
            observed=len(undecided),
            threshold=0,
            case_ids=undecided,
            finding=Finding(UNDECIDED, "unmeasured", (), len(critical) - len(undecided),
                            len(critical)),
        )  # fmt: skip


def _undecided(id_: str, sample: Sample, terms: Terms) -> bool:
    """Whether nobody knows about a critical case, because a run crashed or is missing."""
    before, after = sample.before.get(id_), sample.after.get(id_)
    if after is None or any(trial.record.run.status != "ok" for trial in after.each):
        return True
    # Whether a failure is new, only a baseline that ended well can tell.
    return (
        terms.critical == "none_newly_fails"
        and fails_critically(after, terms.pass_requires)
        and (before is None or not fails_critically(before, terms.pass_requires))
    )


def coverage(sample: Sample, terms: Terms) -> Iterator[GateResult]:
    """Whether both releases have enough of the cases."""
    if terms.coverage is None:
        return
    of = len(sample.cases)
    fewest = min(len(sample.before), len(sample.after))
    observed = Fraction(fewest, of)
    yield GateResult(
        COVERAGE,
        terms.coverage.verdict,
        observed >= exact(terms.coverage.limit),
        "at_least",
        observed,
        terms.coverage.limit,
        finding=Finding(COVERAGE, "value", (), fewest, of),
    )


def errors(sample: Sample, terms: Terms) -> Iterator[GateResult]:
    """Whether few enough runs ended badly."""
    if terms.errors is not None:
        yield _share_gate(ERRORS, sample, terms.errors.limit, terms.errors.verdict)


def flakiness(sample: Sample, terms: Terms) -> Iterator[GateResult]:
    """Whether few enough cases pass in some trials and fail in others."""
    if terms.flakiness is not None:
        yield _share_gate(FLAKINESS, sample, terms.flakiness.limit, terms.flakiness.verdict)


def _share_gate(metric: str, sample: Sample, limit: float, verdict: Verdict) -> GateResult:
    reading = read(metric, list(sample.after.values()))
    held = reading.value is not None and reading.value <= exact(limit)
    if reading.value is None:
        verdict = Verdict.REVIEW
    kind = "value" if reading.value is not None else "unmeasured"
    finding = Finding(metric, kind, (), reading.measured, reading.of)  # type: ignore[arg-type]
    flaky = tuple(graded.case.id for graded in sample.after.values() if graded.flaky)
    return GateResult(
        metric, verdict, held, "at_most", reading.value, limit, finding=finding,
        case_ids=flaky if metric == FLAKINESS else (),
    )  # fmt: skip


def minimum(sample: Sample, rubric: Rubric, terms: Terms) -> Iterator[GateResult]:
    """Whether there are enough cases for a PASS to mean something."""
    compared = len(sample.both())
    if terms.minimum_cases is not None:
        yield GateResult(
            MINIMUM_CASES,
            Verdict.REVIEW,
            compared >= terms.minimum_cases,
            "at_least",
            compared,
            terms.minimum_cases,
            finding=Finding(MINIMUM_CASES, "value", (), compared, len(sample.cases)),
        )
    if terms.minimum_power is not None and terms.margin is not None:
        seen = sample.contrast("pass_rate", sample.everything(), rubric)
        if seen is None:
            return
        power = seen.power(terms.margin)
        yield GateResult(
            MINIMUM_POWER,
            Verdict.REVIEW,
            power >= terms.minimum_power,
            "at_least",
            power,
            terms.minimum_power,
            finding=Finding(
                MINIMUM_POWER, "too_small", (), seen.cases, len(sample.cases), terms.margin,
                seen, needed=seen.needed(terms.margin),
            ),
        )  # fmt: skip
