"""The paired difference of pass rates as a forest plot: a table whose last column is drawn.

Positions are percentages of the column, so one drawing fits every width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contractlab.compare import exact
from contractlab.render import numbers
from contractlab.render.difference_v2 import METHODS, how_sure
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.parts import more, scrolled
from contractlab.stats import PairedCounts, newcombe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from contractlab.compare import Pair
    from contractlab.interval import Interval
    from contractlab.judge import Judgement
    from contractlab.model import Gate

_SLICES = 30
_STEPS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
_TICKS = 5


class Estimate(NamedTuple):
    """One line of the plot."""

    label: str
    """Markup."""
    note: str
    """Markup: what the cases are or how the interval came about."""
    delta: Fraction
    interval: Interval
    kind: str = ""


def forest(judgement: Judgement) -> str:
    """Overall by three methods, then each slice, with the gate's limit."""
    estimates = _overall(judgement)
    slices = _by_slice(judgement)
    limit = _limit(judgement.rubric.gates)
    shown = [*estimates, *slices[:_SLICES]]
    low, high, step = _axis([each.interval for each in shown], limit)
    inside = limit is not None and low <= limit <= high
    rows = "".join(_row(each, low, high, limit if inside else None) for each in shown)
    plot = scrolled(
        "Paired difference",
        '<table class="forest"><caption>Paired difference of pass rates, candidate minus'
        " baseline, in percentage points</caption><thead><tr>"
        '<th scope="col">cases</th><th scope="col">difference</th>'
        f'<th scope="col">{numbers.confidence(judgement.rubric.confidence)} interval</th>'
        f'<th scope="col">{_axis_svg(low, high, step)}</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>",
    )
    return (
        f"{plot}{_key(limit, inside=inside)}{_sure(judgement)}"
        f"{more(len(slices) - _SLICES, 'slices, which did better,', 'in the JSON report')}"
    )


def _limit(gates: Sequence[Gate]) -> float | None:
    """The least that a gate takes for the lower end of the interval over all cases."""
    for each in gates:
        if each.metric == "paired_delta_ci_low":
            return each.threshold
        of_all = each.slice is None and each.tag is None
        if each.metric == "pass_rate" and each.bound == "not_worse_by" and of_all:
            return -each.threshold
    return None


def _sure(judgement: Judgement) -> str:
    """What else version 2 says of the difference."""
    if judgement.details is None:
        return ""
    return f"<p>{' '.join(how_sure(judgement, judgement.details))}</p>"


def _overall(judgement: Judgement) -> list[Estimate]:
    comparison, details = judgement.comparison, judgement.details
    cases = numbers.counted(comparison.counts.n, "case")
    if details is not None:
        seen = details.overall
        method = METHODS[seen.method.interval]
        note = f"{cases}, {numbers.count(seen.units)} independent, {method}"
        return [Estimate("all cases", note, seen.delta, seen.interval, "gated")]
    found = [
        Estimate(
            "all cases",
            f"{cases}, paired bootstrap (what the gate looks at)",
            comparison.delta,
            comparison.bootstrap.interval,
            "gated",
        ),
        Estimate("all cases", f"{cases}, Newcombe", comparison.delta, comparison.newcombe),
    ]
    if comparison.families is not None:
        families = comparison.families
        note = f"{numbers.count(families.families)} families, resampled by family"
        found.append(Estimate("all cases", note, comparison.delta, families.interval))
    return found


def _by_slice(judgement: Judgement) -> list[Estimate]:
    """Each slice's interval, Newcombe's or version 2's own, worst difference first."""
    confidence = exact(judgement.rubric.confidence)
    found = []
    for each in judgement.details.slices if judgement.details else ():
        seen = each.contrast
        note = f"{numbers.counted(seen.cases, 'case')}, {METHODS[seen.method.interval]}"
        found.append(Estimate(html(clip(each.name, 80)), note, seen.delta, seen.interval))
    if judgement.details:
        return sorted(found, key=lambda each: (each.delta, each.interval.low, each.label))
    for name, counts in _slice_counts(judgement.comparison.pairs).items():
        note = f"{numbers.counted(counts.n, 'case')}, Newcombe"
        interval = newcombe(counts, confidence)
        found.append(Estimate(html(clip(name, 80)), note, counts.delta, interval))
    return sorted(found, key=lambda each: (each.delta, each.interval.low, each.label))


def _slice_counts(pairs: Sequence[Pair]) -> dict[str, PairedCounts]:
    found: dict[str, dict[str, int]] = {}
    for pair in pairs:
        counts = found.setdefault(
            pair.baseline.case.slice, {"both": 0, "improved": 0, "regressed": 0, "neither": 0}
        )
        counts[pair.flip] += 1
    return {name: PairedCounts(**counts) for name, counts in found.items()}


def _axis(intervals: Sequence[Interval], limit: float | None) -> tuple[float, float, float]:
    """Ends and step of the axis, in rates: all intervals, zero, and a limit not far away."""
    low = min(0.0, *(each.low for each in intervals))
    high = max(0.0, *(each.high for each in intervals))
    if limit is not None and low - 0.25 <= limit <= high + 0.25:
        low, high = min(low, limit), max(high, limit)
    step = next((each for each in _STEPS if (high - low) / each <= _TICKS), _STEPS[-1])
    # A half step of air on both sides keeps dots and labels inside.
    return low - step / 2, high + step / 2, step


def _row(each: Estimate, low: float, high: float, limit: float | None) -> str:
    left, middle, right = (
        _at(value, low, high)
        for value in (each.interval.low, float(each.delta), each.interval.high)
    )
    gate = "" if limit is None else _line("gate", _at(limit, low, high))
    return (
        f'<tr class="{each.kind}"><th scope="row">{each.label} <span class="note">{each.note}'
        f"</span></th><td>{numbers.points(each.delta)}</td><td>{numbers.interval(each.interval)}</td>"
        '<td><svg class="strip" aria-hidden="true">'
        f"{_line('zero', _at(0, low, high))}{gate}"
        f'<line class="bar" x1="{left}" x2="{right}" y1="50%" y2="50%"/>'
        f'<circle cx="{middle}" cy="50%" r="4"/></svg></td></tr>'
    )


def _axis_svg(low: float, high: float, step: float) -> str:
    first, last = -int(-low / step), int(high / step)
    ticks = "".join(
        _tick(place * step, low, high, minor=place not in (first, 0, last))
        for place in range(first, last + 1)
    )
    return (
        '<svg class="axis" role="img" aria-label="Axis in percentage points; the numbers stand'
        f' in the columns beside">{ticks}</svg>'
    )


def _tick(value: float, low: float, high: float, *, minor: bool) -> str:
    number = numbers.rounded(value * 100, 0, "nearest")
    kind = ' class="minor"' if minor else ""
    return (
        f'<text{kind} x="{_at(value, low, high)}" y="13">{number:{"+f" if number else "f"}}</text>'
    )


def _key(limit: float | None, *, inside: bool) -> str:
    text = "Dot: difference. Bar: interval. Thin line: no difference."
    if limit is not None:
        shown = f"{numbers.rounded(limit * 100, 4, 'down').normalize():f}"
        text += (
            f" Dashed line: the gate's limit for the lower end of the first bar, {shown} points"
            f"{'' if inside else ', which lies outside this axis'}."
        )
    return f'<p class="note">{text} One of many intervals lies outside by chance.</p>'


def _line(kind: str, x: str) -> str:
    return f'<line class="{kind}" x1="{x}" x2="{x}" y1="0" y2="100%"/>'


def _at(value: float, low: float, high: float) -> str:
    return f"{(value - low) / (high - low) * 100:.2f}%"
