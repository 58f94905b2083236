"""What was measured of both releases as cumulative shares (ECDF), beside the gates' limits."""

from __future__ import annotations

from fractions import Fraction
from math import log
from sys import float_info
from typing import TYPE_CHECKING, NamedTuple

from contractlab.metrics import nearest_rank
from contractlab.render import numbers
from contractlab.render.page.parts import limit, row, table, verdict_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.render.tables import MetricRow

_POINTS = 300
"""Steps of a curve that are drawn; more are thinner than a pixel."""
_LONG_TAIL = 20
"""A longest value so many times the median makes the axis logarithmic."""


_TICKS = 6
_LARGEST = float_info.max


class Mark(NamedTuple):
    """A gate's limit, to be drawn."""

    label: str
    value: float


class _Axis(NamedTuple):
    low: float
    high: float
    logarithmic: bool

    def at(self, value: float) -> float:
        """The place of a value, 0 to 1."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            return (log(value) - log(self.low)) / (log(self.high) - log(self.low))
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round numbers within the axis, six at most."""
        if self.logarithmic:
            powers = [float(f"1e{power}") for power in range(-300, 308)]
            found = [each for each in powers if self.low <= each <= self.high]
            return found[:: -(-len(found) // _TICKS) or 1]
        size = float(f"1e{f'{self.high:e}'.partition('e')[2]}")
        steps = [each * size for each in (0.2, 0.25, 0.5, 1, 2)]
        step = next((each for each in steps if each * (_TICKS - 1) >= self.high), self.high)
        places = [round(step * place, 12) for place in range(_TICKS)]
        return [each for each in places if each <= self.high]


class Quantity(NamedTuple):
    """What was measured of every case or run, ready to be drawn."""

    id: str
    """Of its elements on the page."""
    name: str
    """Markup: `latency`, `input tokens`."""
    unit: str
    each: str
    """What is counted: `cases` or `runs`."""
    before: list[float]
    """Sorted; empty where it was not measured."""
    after: list[float]
    limits: Sequence[Mark]
    rows: Sequence[MetricRow]
    """Its figures, whose labels are markup."""
    notes: Sequence[str] = ()
    """Markup: what was not measured."""


def distributions(found: Sequence[Quantity]) -> str:
    """The charts, each with its figures as a table."""
    return f'<div class="pair">{"".join(map(_figure, found))}</div>'


def _figure(of: Quantity) -> str:
    rows = [
        row(each.label, each.baseline, each.candidate, limit(each.limit) + _failed(each.failed))
        for each in of.rows
    ]
    head = ("", "baseline", "candidate", "limit")
    title = f"{of.name[0].upper()}{of.name[1:]}"
    measured = bool(of.before or of.after)
    drawn = _drawn(of, title) if measured else f"<figcaption>{title}</figcaption>"
    notes = "".join(f'<p class="note">{note}</p>' for note in of.notes)
    limited = any(each.limit for each in of.rows)
    figures = table(title, head, rows, kind="n3") if measured or limited else ""
    return f"<figure>{drawn}{notes}{figures}</figure>"


def _drawn(of: Quantity, title: str) -> str:
    """The chart with its caption and key."""
    axis = _axis(of.before, of.after, of.limits)
    scale = ", logarithmic axis" if axis.logarithmic else ""
    beyond = [
        f"{each.label} {numbers.limit(each.value)} {of.unit}"
        for each in of.limits
        if each.value > axis.high
    ]
    aside = f'<p class="note">Right of the axis: {", ".join(beyond)}.</p>' if beyond else ""
    keys = "".join(
        f' <span class="line {kind}"></span> {kind} ({how})'
        for kind, how, values in (
            ("baseline", "dashed", of.before),
            ("candidate", "solid", of.after),
        )
        if values
    )
    return (
        f"<figcaption>{title}: share of {of.each} at or below,"
        f" in {of.unit}{scale}</figcaption>"
        f"{_chart(of, axis, [mark for mark in of.limits if mark.value <= axis.high])}"
        f'<p class="legend">{keys}</p>{aside}'
    )


def _failed(verdict: str | None) -> str:
    return f" {verdict_tag(verdict)}" if verdict else ""


def _axis(before: list[float], after: list[float], marks: Sequence[Mark]) -> _Axis:
    """From zero, or from the smallest value where the tail is long; a near limit is in view."""
    largest = max([*before[-1:], *after[-1:]])
    positive = [each for each in (*before, *after) if each > 0]
    median = nearest_rank(positive, Fraction(1, 2)) if positive else 0.0
    logarithmic = bool(positive) and largest > _LONG_TAIL * median
    reach = largest * (10 if logarithmic else 2)
    high = max([largest, *(each.value for each in marks if each.value <= reach)])
    if not high:
        return _Axis(0.0, 1.0, logarithmic=False)
    return _Axis(min(positive) if logarithmic else 0.0, min(high * 1.04, _LARGEST), logarithmic)


def _chart(of: Quantity, axis: _Axis, marks: Sequence[Mark]) -> str:
    places = [(axis.at(value), value) for value in axis.ticks()]
    ticks = "".join(
        f'<text class="{_anchor(place)}" x="{_percent(place)}" y="194">'
        f"{numbers.limit(value)}</text>"
        for place, value in places
    )
    grid = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{_y(share)}" y2="{_y(share)}"/>'
        f'<text class="end" x="-8" y="{_y(share) + 4}">{label}</text>'
        for share, label in ((0, "0"), (0.5, "50 %"), (0.95, "95 %"))
    )
    lines = "".join(
        f'<line class="gate" x1="{_percent(axis.at(mark.value))}" y1="10" y2="180"'
        f' x2="{_percent(axis.at(mark.value))}"/>'
        f'<text class="{_anchor(axis.at(mark.value), 0.6)}" x="{_percent(axis.at(mark.value))}"'
        f' dx="{-4 if axis.at(mark.value) > 0.6 else 4}" y="{150 - 16 * index}">{mark.label}</text>'
        for index, mark in enumerate(marks)
    )
    curves = [
        (kind, values)
        for kind, values in (("baseline", of.before), ("candidate", of.after))
        if values
    ]
    dots = "".join(
        f'<circle class="{kind}" cx="{_percent(axis.at(nearest_rank(values, Fraction(95, 100))))}"'
        f' cy="{_y(0.95)}" r="4"/>'
        for kind, values in curves
    )
    whose = "both releases" if len(curves) > 1 else f"the {curves[0][0]} alone"
    return (
        f'<svg class="ecdf" role="img" aria-labelledby="{of.id}-title {of.id}-desc">'
        f'<title id="{of.id}-title">Cumulative share of {of.each} by {of.name}, {whose}</title>'
        f'<desc id="{of.id}-desc">Dots mark where each curve reaches 95 %; the table below'
        " has the means, the 95th percentiles and the limits.</desc>"
        f'{grid}{lines}<svg x="0" y="10" width="100%" height="170" viewBox="0 0 1000 1000"'
        f' preserveAspectRatio="none">'
        f"{''.join(_curve(kind, axis, values) for kind, values in curves)}</svg>{dots}"
        f'<line class="base" x1="0" x2="100%" y1="180" y2="180"/>{ticks}</svg>'
    )


def _curve(kind: str, axis: _Axis, values: list[float]) -> str:
    count = len(values)
    steps = sorted({-(-place * count // _POINTS) for place in range(1, _POINTS + 1)})
    path = "".join(
        f"H{round(axis.at(values[rank - 1]) * 1000)}V{round(1000 - rank / count * 1000)}"
        for rank in steps
        if rank
    )
    return f'<path class="{kind}" d="M0 1000{path}H1000"/>'


def _y(share: float) -> float:
    return round(180 - 170 * share, 1)


def _percent(place: float) -> str:
    return f"{place * 100:.2f}%"


def _anchor(place: float, end: float = 0.92) -> str:
    return "end" if place > end else "start" if place < 0.06 or end < 0.9 else "middle"
