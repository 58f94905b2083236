"""Latency, cost and tokens of both releases, ready to be drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contractlab.metrics import complete
from contractlab.render import numbers
from contractlab.render.escape import html
from contractlab.render.figures_v2 import quantities
from contractlab.render.page.casebook import clip
from contractlab.render.page.distributions import Mark, Quantity
from contractlab.render.tables import metric_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.decide import GateResult
    from contractlab.judge import Judgement
    from contractlab.render.figures_v2 import Limits
    from contractlab.render.figures_v2 import Quantity as Measured
    from contractlab.render.tables_v2 import Recorded

_QUANTITIES = 8
"""Quantities that have a chart: latency, cost, and the first kinds of tokens."""
_SUMMARIES = {"mean": "mean", "median": "p50", "p95": "p95", "largest": "max"}


def of_cases(judgement: Judgement) -> list[Quantity]:
    """Version 1's: latency and cost of every case."""
    before, after = judgement.baseline.results, judgement.candidate.results
    return [
        _of_cases(
            judgement,
            "latency",
            "ms",
            before=complete([each.record.latency_ms for each in before]),
            after=complete([each.record.latency_ms for each in after]),
            limits={"mean_latency_ms": "mean limit", "p95_latency_ms": "p95 limit"},
        ),
        _of_cases(
            judgement,
            "cost",
            "USD",
            before=complete([each.record.estimated_cost_usd for each in before]),
            after=complete([each.record.estimated_cost_usd for each in after]),
            limits={"mean_estimated_cost_usd": "mean limit"},
        ),
    ]


def _of_cases(
    judgement: Judgement,
    name: str,
    unit: str,
    *,
    before: list[float],
    after: list[float],
    limits: dict[str, str],
) -> Quantity:
    return Quantity(
        name,
        name,
        unit,
        "cases",
        sorted(before),
        sorted(after),
        [
            Mark(limits[gate.metric], gate.threshold)
            for gate in judgement.rubric.gates
            if gate.metric in limits
        ],
        [each for each in metric_rows(judgement) if each.label.endswith(name)],
    )


def of_runs(of: Recorded, limits: Limits) -> list[Quantity]:
    """Version 2's: latency, cost and tokens of every run, as far as they were measured."""
    return [
        _of_runs(each, f"measure-{place}", limits)
        for place, each in enumerate(quantities(of, limits)[:_QUANTITIES])
    ]


def _of_runs(of: Measured, id_: str, limits: Limits) -> Quantity:
    kind = of.name.removeprefix("tokens.")
    named = {"latency_ms": ("latency", "ms"), "cost_usd": ("cost", "USD")}
    name, unit = named.get(of.name, (f"{html(clip(kind, 60))} tokens", "tokens"))
    rows = [replace(each, label=word) for word, each in zip(_SUMMARIES, of.rows, strict=True)]
    marks = [
        Mark(f"{word} limit", bound)
        for word, summary in _SUMMARIES.items()
        for gate in limits.of(f"{of.name}.{summary}")
        if (bound := _bound(gate)) is not None
    ]
    return Quantity(id_, name, unit, "runs", of.before, of.after, marks, rows, list(_lacking(of)))


def _lacking(of: Measured) -> Iterator[str]:
    if not any(of.measured):
        yield "Not measured in either release."
        return
    for release, values, count, all_ in zip(
        ("baseline", "candidate"), (of.before, of.after), of.measured, of.of, strict=True
    ):
        if count and not values:
            yield (
                f"The {release} has no figure: it was measured on {numbers.count(count)} of"
                f" {numbers.counted(all_, 'run')} that ended well, which would be no fair picture."
            )
        elif not count:
            yield f"Not measured in the {release}."


def _bound(gate: GateResult) -> float | None:
    """The value that a gate allows, where it is one."""
    if gate.bound == "at_most_times_baseline":
        before = gate.finding.baseline if gate.finding else None
        return None if before is None else float(f"{gate.threshold * float(before):.4g}")
    return gate.threshold if gate.bound in ("at_most", "at_least") else None
