"""Version 2's gates: metrics under selectors, absolute or against the baseline."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from contractlab.batches import rows_of
from contractlab.checks import committed
from contractlab.compare import exact
from contractlab.contrast import Contrast, Method, Values, contrast
from contractlab.decide import CRITICAL, UNDECIDED, Finding, GateResult
from contractlab.figures import case_values, lacking, read, slices
from contractlab.model import Terms, Verdict
from contractlab.stats import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from contractlab.decide import Value
    from contractlab.grade import Graded
    from contractlab.model import Case, Gate, Rubric

COVERAGE = "coverage"
ERRORS = "error_rate"
FLAKINESS = "flaky_rate"
MINIMUM_CASES = "minimum_cases"
MINIMUM_POWER = "minimum_power"


@dataclass(frozen=True, slots=True)
class Sample:
    """Both releases on the cases of the rubric's split."""

    cases: tuple[Case, ...]
    before: Mapping[str, Graded]
    """The baseline's results by case id; a case without a record is not there."""
    after: Mapping[str, Graded]
    """The candidate's."""
    known: dict[Any, Contrast | None] = field(default_factory=dict, compare=False, repr=False)
    """Comparisons that were made, because several gates look at the same one."""

    def contrast(self, metric: str, group: Group, rubric: Rubric) -> Contrast | None:
        """Candidate against baseline on a group; None where it is not measured in both."""
        key = (metric, group.name)
        if key not in self.known:
            unit = (rubric.terms or Terms()).unit
            values = paired(self, metric, group.cases, unit)
            self.known[key] = contrast(values, method_of(rubric)) if values else None
        return self.known[key]

    def everything(self) -> Group:
        """All its cases."""
        return Group((), self.cases)

    def both(self, cases: Iterable[Case] | None = None) -> list[tuple[Graded, Graded]]:
        """The cases that both releases have records for, in dataset order."""
        return [
            (self.before[case.id], self.after[case.id])
            for case in (self.cases if cases is None else cases)
            if case.id in self.before and case.id in self.after
        ]


class Group(NamedTuple):
    """Cases that a gate looks at by themselves."""

    name: tuple[tuple[str, str], ...]
    """Selector and name; empty for all cases. Raw, so escape it."""
    cases: Sequence[Case]
    slice: str | None = None
    label: str | None = None


def method_of(rubric: Rubric) -> Method:
    """How a rubric's intervals are reached."""
    terms = rubric.terms or Terms()
    return Method(terms.interval, exact(rubric.confidence), rubric.resamples, rubric.seed)


def paired(sample: Sample, metric: str, cases: Iterable[Case], unit: str) -> list[Values]:
    """The cases that have a per-case metric's value in both releases.

    None at all where some run lacks it: those that have it are no fair picture.
    """
    both = sample.both(cases)
    before, after = [one for one, _ in both], [other for _, other in both]
    baseline, candidate = case_values(metric, before), case_values(metric, after)
    if lacking(metric, before, baseline) or lacking(metric, after, candidate):
        return []
    values = rows_of(
        Values,
        [one.case.family_id if unit == "family" else one.case.id for one in before],
        baseline,
        candidate,
        [
            min(len(one.trials), len(other.trials)) or 1
            for one, other in zip(before, after, strict=True)
        ],
    )
    return [each for each in values if None not in each]


def evaluate(sample: Sample, rubric: Rubric) -> tuple[GateResult, ...]:
    """Every gate: the critical rule, then BLOCK before REVIEW, in the rubric's order."""
    terms = rubric.terms or Terms()
    results = [
        *_critical(sample, terms),
        *_coverage(sample, terms),
        *_errors(sample, terms),
        *(result for gate in rubric.gates for result in _gate(gate, sample, rubric)),
        *_flakiness(sample, terms),
        *_minimum(sample, rubric, terms),
    ]
    return tuple(sorted(results, key=lambda result: _severity(result, results[0])))


def _severity(result: GateResult, critical: GateResult) -> int:
    return 0 if result is critical else 1 if result.verdict is Verdict.BLOCK else 2


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


def _critical(sample: Sample, terms: Terms) -> Iterator[GateResult]:
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


def _coverage(sample: Sample, terms: Terms) -> Iterator[GateResult]:
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


def _errors(sample: Sample, terms: Terms) -> Iterator[GateResult]:
    if terms.errors is not None:
        yield _share_gate(ERRORS, sample, terms.errors.limit, terms.errors.verdict)


def _flakiness(sample: Sample, terms: Terms) -> Iterator[GateResult]:
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


def _minimum(sample: Sample, rubric: Rubric, terms: Terms) -> Iterator[GateResult]:
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


# ── gates of the list ───────────────────────────────────────────────────────────────────────


def groups(gate: Gate, cases: Sequence[Case]) -> list[Group]:
    """The groups of cases that a gate's selectors name, sorted by name."""
    found = [Group((), cases)]
    if gate.slice is not None:
        found = [
            Group((("slice", name),), part, name)
            for name, part in _parts(gate.slice, cases, lambda case: (case.slice,))
        ]
    if gate.tag is not None:
        found = [
            Group((*group.name, ("tag", name)), part, group.slice)
            for group in found
            for name, part in _parts(gate.tag, group.cases, lambda case: case.tags)
        ]
    if gate.label is not None:
        found = [
            Group((*group.name, ("class", name)), group.cases, group.slice, name)
            for group in found
            for name in (_classes(group.cases) if gate.label == "*" else [gate.label])
        ]
    return found or [_of_nothing(gate)]


def _classes(cases: Sequence[Case]) -> list[str]:
    return sorted({case.expected_label for case in cases if case.expected_label})


def _of_nothing(gate: Gate) -> Group:
    """What stands for the groups of a `*` that no case has: nothing must not pass unseen."""
    chosen = {"slice": gate.slice, "tag": gate.tag, "class": gate.label}
    return Group(tuple((key, name) for key, name in chosen.items() if name is not None), ())


def _parts(
    selector: str, cases: Sequence[Case], names: Callable[[Case], tuple[str, ...]]
) -> list[tuple[str, list[Case]]]:
    """The cases by name: all names, sorted, or the one that is selected."""
    found: dict[str, list[Case]] = {} if selector == "*" else {selector: []}
    for case in cases:
        for name in names(case):
            if selector in ("*", name):
                found.setdefault(name, []).append(case)
    return sorted(found.items())


def _gate(gate: Gate, sample: Sample, rubric: Rubric) -> list[GateResult]:
    if gate.metric == "paired_delta_ci_low":
        seen = sample.contrast("pass_rate", sample.everything(), rubric)
        low, cases = (seen.interval.low, seen.cases) if seen else (None, 0)
        result = _limit(gate, Group((), []), low, cases, len(sample.cases))
        return [replace(result, finding=result.finding and replace(result.finding, contrast=seen))]
    if gate.metric == "critical_slice_pass_rate":
        return _critical_slices(gate, sample)
    found = groups(gate, sample.cases)
    match gate.bound:
        case "not_worse_by" | "no_regression_at":
            return _against_baseline(gate, found, sample, rubric)
        case "at_most_times_baseline":
            return [_times_baseline(gate, group, sample) for group in found]
        case _:
            return [_absolute(gate, group, sample) for group in found]


def _critical_slices(gate: Gate, sample: Sample) -> list[GateResult]:
    critical = {case.slice for case in sample.cases if case.critical}
    rated = slices([sample.after[case.id] for case in sample.cases if case.id in sample.after])
    results = []
    for name in sorted(critical):
        of = sum(case.slice == name for case in sample.cases)
        value = Fraction(rated[name].passed) / of if name in rated else Fraction(0)
        group = Group((("slice", name),), [], name)
        results.append(_limit(gate, group, value, of, of))
    return results


def _absolute(gate: Gate, group: Group, sample: Sample) -> GateResult:
    results = [sample.after[case.id] for case in group.cases if case.id in sample.after]
    missing = [case for case in group.cases if case.id not in sample.after]
    reading = read(gate.metric, results, missing=missing, label=group.label, k=gate.k)
    return _limit(gate, group, reading.value, reading.measured, reading.of)


def _limit(gate: Gate, group: Group, value: Value, measured: int, of: int) -> GateResult:
    """A figure beside its limit."""
    if value is None:
        return _without_value(gate, group, measured, of)
    limit: float | Fraction = gate.threshold
    if isinstance(value, Fraction):
        limit = exact(gate.threshold)
    held = value >= limit if gate.bound == "at_least" else value <= limit
    finding = Finding(gate.metric, "value", group.name, measured, of, k=gate.k)
    return _result(gate, group, held, value, finding)


def _without_value(gate: Gate, group: Group, measured: int, of: int) -> GateResult:
    """A gate that could not be looked at; silence never passes unless the rubric says so."""
    undefined = measured == of and of > 0
    verdict = gate.if_unmeasured or (gate.verdict if undefined else Verdict.REVIEW)
    finding = Finding(gate.metric, "undefined" if undefined else "unmeasured", group.name,
                      measured, of, k=gate.k)  # fmt: skip
    result = _result(gate, group, verdict is Verdict.PASS, None, finding)
    return replace(result, verdict=gate.verdict if verdict is Verdict.PASS else verdict)


def _result(gate: Gate, group: Group, held: bool, observed: Value, finding: Finding) -> GateResult:
    return GateResult(
        gate.name,
        gate.verdict,
        held,
        gate.bound,
        observed,
        gate.threshold,
        group.slice,
        finding=finding,
    )


def _times_baseline(gate: Gate, group: Group, sample: Sample) -> GateResult:
    both = sample.both(group.cases)
    before = read(gate.metric, [one for one, _ in both], label=group.label, k=gate.k)
    after = read(gate.metric, [other for _, other in both], label=group.label, k=gate.k)
    if before.value is None or after.value is None:
        without = [each for each in (after, before) if each.value is None]
        # What was not measured is told before what is undefined.
        least = min(without, key=lambda each: each.undefined)
        return _without_value(gate, group, least.measured, least.of)
    held = _as_written(after.value) <= exact(gate.threshold) * _as_written(before.value)
    finding = Finding(
        gate.metric, "value", group.name, after.measured, after.of, before.value, k=gate.k
    )
    return _result(gate, group, held, after.value, finding)


def _as_written(value: Fraction | float) -> Fraction:
    # As decimals, not doubles: 1.05 is at most 1.5 times 0.7.
    return value if isinstance(value, Fraction) else exact(value)


def _against_baseline(
    gate: Gate, found: list[Group], sample: Sample, rubric: Rubric
) -> list[GateResult]:
    terms = rubric.terms or Terms()
    contrasts = [sample.contrast(gate.metric, group, rubric) for group in found]
    p_values = [1.0 if each is None else each.p_worse for each in contrasts]
    adjusted = holm(p_values) if terms.adjust == "holm" else p_values
    judge: Callable[..., GateResult] = (
        _shown_no_worse if gate.bound == "not_worse_by" else _no_loss_shown
    )
    return [
        _without_value(gate, group, *_measured(gate.metric, group, sample))
        if each is None
        else judge(gate, group, each, p_value)
        for group, each, p_value in zip(found, contrasts, adjusted, strict=True)
    ]


def _measured(metric: str, group: Group, sample: Sample) -> tuple[int, int]:
    """Of a group that cannot be compared: cases that have the metric, and that should."""
    both = sample.both(group.cases)
    sides = [one for one, _ in both], [other for _, other in both]
    without = {
        graded.case.id
        for side in sides
        for graded in lacking(metric, side, case_values(metric, side))
    }
    return len(group.cases) - len(without) if without else 0, max(len(group.cases), 1)


def _shown_no_worse(gate: Gate, group: Group, seen: Contrast, p_value: float) -> GateResult:
    held = seen.interval.low >= -gate.threshold
    kind = "shown" if held else "got_worse" if seen.interval.high < 0 else "too_small"
    needed = None if kind != "too_small" else seen.needed(gate.threshold)
    finding = Finding(gate.metric, kind, group.name, seen.cases, len(group.cases), None, seen,  # type: ignore[arg-type]
                      p_value, needed)  # fmt: skip
    return _result(gate, group, held, seen.interval.low, finding)


def _no_loss_shown(gate: Gate, group: Group, seen: Contrast, p_value: float) -> GateResult:
    held = p_value > gate.threshold
    finding = Finding(gate.metric, "not_shown_worse" if held else "got_worse", group.name,
                      seen.cases, len(group.cases), None, seen, p_value)  # fmt: skip
    return _result(gate, group, held, p_value, finding)
