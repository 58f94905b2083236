"""Version 2's gates: metrics under selectors, absolute or against the baseline."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from contractlab import standing
from contractlab.case_values import case_values, lacking
from contractlab.compare import exact
from contractlab.decide import Finding, GateResult
from contractlab.figures import read, slices
from contractlab.model import Terms, Verdict
from contractlab.sample import Group, groups
from contractlab.stats import holm

if TYPE_CHECKING:
    from collections.abc import Callable

    from contractlab.contrast import Contrast
    from contractlab.decide import Value
    from contractlab.model import Gate, Rubric
    from contractlab.sample import Sample


def evaluate(sample: Sample, rubric: Rubric) -> tuple[GateResult, ...]:
    """Every gate: the critical rule, then BLOCK before REVIEW, in the rubric's order."""
    terms = rubric.terms or Terms()
    results = [
        *standing.critical(sample, terms),
        *standing.coverage(sample, terms),
        *standing.errors(sample, terms),
        *(result for gate in rubric.gates for result in _gate(gate, sample, rubric)),
        *standing.flakiness(sample, terms),
        *standing.minimum(sample, rubric, terms),
    ]
    return tuple(sorted(results, key=lambda result: _severity(result, results[0])))


def _severity(result: GateResult, critical: GateResult) -> int:
    return 0 if result is critical else 1 if result.verdict is Verdict.BLOCK else 2


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
