"""A version 2 judgement for a terminal: 80 columns, what decides last."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from contractlab.render import findings, numbers
from contractlab.render.columns import cut_apart
from contractlab.render.difference_v2 import FEW_UNITS, METHODS, few
from contractlab.render.escape import terminal
from contractlab.render.reasons import message, primary_reason
from contractlab.render.text import of_flip, why_worse
from contractlab.words import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from contractlab.contrast import Contrast
    from contractlab.decide import GateResult
    from contractlab.details import Details, Side
    from contractlab.judge import Judgement

_CASES = 10
"""Cases of one kind that are named."""
_CHANGES = 20
"""Changed parts of the manifest that are shown."""
_NAME = 28

Row = tuple[str, str, str, str]


def render_text(
    judgement: Judgement, details: Details, *, quiet: bool = False, verbose: bool = False
) -> str:
    """The judgement in some sixty lines; quiet and verbose as in version 1."""
    lines = [] if quiet else list(_facts(judgement, details, verbose=verbose))
    return "".join(f"{line}\n" for line in [*lines, *_decision(judgement)])


def _facts(judgement: Judgement, details: Details, *, verbose: bool) -> Iterator[str]:
    yield from _names(judgement, details)
    yield from _changed(details)
    yield ""
    yield from _table(("", "baseline", "candidate", ""), list(figure_rows(judgement, details)))
    yield ""
    yield from _table(
        ("slice", "baseline", "candidate", "difference"), list(slice_rows(judgement, details))
    )
    yield ""
    yield from _paired(judgement, details, verbose=verbose)
    yield from _trials(details)
    yield ""
    yield from _gates(judgement)
    yield ""


def _decision(judgement: Judgement) -> Iterator[str]:
    reasons = judgement.decision.reasons
    for gate in reasons[1:]:
        yield f"also {gate.verdict}: {terminal(message(gate))}"
    yield f"evidence {judgement.evidence.fingerprint} (first 16 of 64 hex digits)"
    yield f"{judgement.decision.verdict}: {terminal(primary_reason(judgement.decision))}"


def _names(judgement: Judgement, details: Details) -> Iterator[str]:
    overall = details.overall
    yield f"baseline   {terminal(judgement.baseline_release)}{_runs(details.baseline, details)}"
    yield f"candidate  {terminal(judgement.candidate_release)}{_runs(details.candidate, details)}"
    yield (
        f"dataset    {terminal(judgement.dataset_version)}, {judgement.rubric.split} split:"
        f" {numbers.count(details.compared)} of {numbers.count(details.cases)} cases compared,"
        f" {numbers.count(overall.units)} independent"
    )


def _runs(side: Side, details: Details) -> str:
    parts = [f"{numbers.count(side.covered)} of {numbers.count(details.cases)} cases"]
    if side.records != side.covered:
        parts.append(numbers.counted(side.records, "record"))
    parts += [
        f"{numbers.count(count)} {status}" for status, count in side.statuses.items()
        if status != "ok"
    ]  # fmt: skip
    if side.ignored:
        parts.append(f"{numbers.count(side.ignored)} of other splits")
    return f" ({', '.join(parts)})"


def _changed(details: Details) -> Iterator[str]:
    changes = details.manifest_changes
    if not changes:
        known = details.baseline.manifest is not None and details.candidate.manifest is not None
        yield f"changed    {'nothing' if known else 'not recorded'} (release manifests)"
        return
    for index, change in enumerate(changes[:_CHANGES]):
        was, now = map(_part, cut_apart(change.before, change.after, _NAME))
        what = terminal(f"{change.component}.{change.part}")
        yield f"{'changed    ' if not index else '           '}{what}: {was} -> {now}"
    if len(changes) > _CHANGES:
        yield f"           and {len(changes) - _CHANGES} more"


def _part(text: str) -> str:
    return terminal(text) if text else "absent"


def figure_rows(judgement: Judgement, details: Details) -> Iterator[Row]:
    """The figures of both releases, on the cases that both have."""
    return figure_cells(judgement, details, lambda name: _cut(terminal(name)))


def figure_cells(
    judgement: Judgement, details: Details, written: Callable[[str], str]
) -> Iterator[Row]:
    """The figures with their labels, in which a contract's names are as `written` makes them."""
    before, after = judgement.baseline, judgement.candidate
    one, other = details.baseline, details.candidate
    yield "pass rate", numbers.rate(before.pass_rate), numbers.rate(after.pass_rate), ""
    for name in sorted(one.outcomes.keys() | other.outcomes.keys()):
        cells = [_outcome(side, name) for side in (one, other)]
        yield f"outcome {written(name)} as wanted", cells[0], cells[1], ""
    if one.classes or other.classes:
        yield "macro F1", numbers.rate(one.macro_f1), numbers.rate(other.macro_f1), ""
    for name in sorted(one.classes.keys() | other.classes.keys()):
        cells = []
        for side in (one, other):
            matrix = side.classes.get(name)
            both = (None, None) if matrix is None else (matrix.precision, matrix.recall)
            cells.append(" / ".join(numbers.rate(each) for each in both))
        yield f"class {written(name)}", cells[0], cells[1], "precision / recall"
    for k in sorted(one.hat_k.keys() & other.hat_k.keys()):
        yield f"pass^{k}", numbers.rate(one.hat_k[k]), numbers.rate(other.hat_k[k]), ""
        yield f"pass@{k}", numbers.rate(one.at_k[k]), numbers.rate(other.at_k[k]), ""
    yield "runs not ok", _failed_runs(one), _failed_runs(other), ""
    for label, metric, write in (
        ("mean latency", "mean_latency_ms", numbers.milliseconds),
        ("p95 latency", "p95_latency_ms", numbers.milliseconds),
        ("mean cost", "mean_estimated_cost_usd", numbers.usd),
    ):
        yield label, write(getattr(before, metric)), write(getattr(after, metric)), ""


def _outcome(side: Side, name: str) -> str:
    reading = side.outcomes.get(name)
    if reading is None or reading.value is None:
        return numbers.NOT_MEASURED
    return f"{numbers.rate(Fraction(reading.value))} of {numbers.count(reading.measured)}"


def _failed_runs(side: Side) -> str:
    return numbers.count(sum(count for name, count in side.statuses.items() if name != "ok"))


def slice_rows(judgement: Judgement, details: Details) -> Iterator[Row]:
    """Every slice of the cases that both releases have."""
    before, after = judgement.baseline.by_slice, judgement.candidate.by_slice
    for each in details.slices:
        one, other = before[each.name], after[each.name]
        critical = f", {one.critical_count} critical" if one.critical_count else ""
        yield (
            _cut(terminal(each.name)),
            f"{numbers.amount(one.passed)}/{one.count}",
            f"{numbers.amount(other.passed)}/{other.count}",
            f"{_bounds(each.contrast)} p {_p_value(each.p_adjusted)}{critical}",
        )


def _bounds(seen: Contrast) -> str:
    low, high = numbers.difference(seen.interval.low), numbers.difference(seen.interval.high)
    return f"{numbers.difference(seen.delta)} [{low}, {high}]"


def _p_value(value: float) -> str:
    return f"{numbers.rounded(value, 4, 'up'):f}"


def _paired(judgement: Judgement, details: Details, *, verbose: bool) -> Iterator[str]:
    comparison, overall = judgement.comparison, details.overall
    unit = judgement.rubric.terms.unit if judgement.rubric.terms else "case"
    counts = comparison.counts
    yield (
        f"{counts.regressed} of {counts.n} cases got worse, {counts.improved} better;"
        f" difference {_bounds(overall)}"
    )
    yield (
        f"({numbers.confidence(overall.method.confidence)}"
        f" {METHODS[overall.method.interval]} interval by {unit};"
        f" one-sided p that it got worse {_p_value(overall.p_worse)})"
    )
    missed = numbers.rounded(comparison.could_have_missed * 100, 1, "up")
    if missed:
        yield f"this set could have missed a regression of up to {missed} points"
    if overall.units < FEW_UNITS and overall.units < overall.cases:
        yield few(overall.units)
    if details.power is not None:
        margin = judgement.rubric.terms.margin if judgement.rubric.terms else None
        needed = (
            ""
            if details.needed is None
            else (f"; 80 % needs about {numbers.count(details.needed)} cases")
        )
        yield (
            f"power to show an unchanged agent within {margin!r}:"
            f" {numbers.percent(details.power)}{needed}"
        )
    yield from why_worse(of_flip(judgement, "regressed"), verbose=verbose)
    for title, ids in (
        ("got better", comparison.ids("improved")),
        ("no record of the baseline", details.missing_before),
        ("no record of the candidate", details.missing_after),
    ):
        if ids:
            yield terminal(f"{title}: {listed(ids, _CASES)}")


def _trials(details: Details) -> Iterator[str]:
    for title, side in (("baseline", details.baseline), ("candidate", details.candidate)):
        if side.flaky:
            yield terminal(
                f"flaky in the {title}: {len(side.flaky)} of {side.covered} cases:"
                f" {listed(side.flaky, _CASES)}"
            )


def _gates(judgement: Judgement) -> Iterator[str]:
    yield "gates"
    for gate in judgement.decision.gates:
        if gate.finding is None:
            names = f": {listed(gate.case_ids, 3)}" if gate.case_ids else ""
            text = f"critical cases that failed: {len(gate.case_ids)}{names}"
        else:
            finding = gate.finding
            text = (
                f"{findings.label(gate, finding)} {findings.observed(gate, finding)}"
                f" ({_asked(gate, findings.threshold(gate, finding))})"
            )
        yield f"  {'holds ' if gate.held else str(gate.verdict).ljust(6)} {terminal(text)}"


def _asked(gate: GateResult, limit: str) -> str:
    if limit == "none" or not gate.bound.startswith("at_"):
        return limit
    return f"{'at least' if gate.bound == 'at_least' else 'at most'} {limit}"


def _cut(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _table(head: Row, rows: Sequence[Row]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:3], widths[1:3], strict=True)]
        yield f"{'  '.join(cells)}   {row[3]}".rstrip()
