"""Version 2's figures as rows: both releases, and the gates that are about all cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contractlab.decide import CRITICAL
from contractlab.figures import SUMMARIES, Reading, measured, read
from contractlab.model import Verdict
from contractlab.render import findings
from contractlab.render.tables import MetricRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from contractlab.decide import GateResult
    from contractlab.details import Details, Side
    from contractlab.grade import Graded
    from contractlab.judge import Judgement
    from contractlab.metrics import Metrics
    from contractlab.render.tables_v2 import Recorded

    Name = Callable[[str], str]

_COMPARED = ("pass_rate", "mean_score")
"""Figures of the cases that both releases have; the others are of all records of each."""
_MEASURES = ("latency_ms.mean", "latency_ms.p95", "cost_usd.mean")
"""The measures among the figures; `quantities` has all."""


class Limits:
    """The gates on all cases, by metric."""

    def __init__(self, judgement: Judgement, name: Name) -> None:
        """`name` makes a medium's text of a name in a contract."""
        self._name = name
        self._gates: dict[tuple[str, int | None], list[GateResult]] = {}
        for gate in judgement.decision.gates:
            finding = gate.finding
            if finding is not None and not finding.group and gate.name != CRITICAL:
                self._gates.setdefault((finding.metric, finding.k), []).append(gate)

    def of(self, metric: str, k: int | None = None) -> Sequence[GateResult]:
        """Those on one metric, in the order they decide."""
        return self._gates.get((metric, k), ())

    def row(self, metric: str, before: Reading, after: Reading, k: int | None = None) -> MetricRow:
        """One figure of both releases."""
        gates = self.of(metric, k)
        failed = [gate.verdict for gate in gates if not gate.held]
        return MetricRow(
            self._label(metric, k),
            findings.seen_as(metric, before),
            findings.seen_as(metric, after),
            ", ".join(map(findings.asked, gates)),
            (Verdict.BLOCK if Verdict.BLOCK in failed else Verdict.REVIEW) if failed else None,
        )

    def _label(self, metric: str, k: int | None) -> str:
        kind, _, name = metric.partition(":")
        # Beside a number, "rate of outcome" would read as how often it came about.
        if kind == "outcome":
            return f"outcome {self._name(name)} as wanted"
        return findings.title(metric, k, self._name)


def figure_rows(
    judgement: Judgement, details: Details, of: Recorded, limits: Limits
) -> list[MetricRow]:
    """Every figure but those of classes and slices."""
    one = _Side(judgement.baseline, details.baseline, list(of.before.values()))
    other = _Side(judgement.candidate, details.candidate, list(of.after.values()))
    return [
        limits.row(metric, one.reading(metric, k), other.reading(metric, k), k)
        for metric, k in _metrics(details)
    ]


def _metrics(details: Details) -> Iterator[tuple[str, int | None]]:
    one, other = details.baseline, details.candidate
    for metric in _COMPARED:
        yield metric, None
    for name in sorted(one.outcomes.keys() | other.outcomes.keys()):
        yield f"outcome:{name}", None
    if one.labels or other.labels:
        yield "accuracy", None
        yield "macro_f1", None
    yield "error_rate", None
    for k in sorted(one.hat_k.keys() & other.hat_k.keys()):
        yield "pass_hat_k", k
        yield "pass_at_k", k
    if one.records > one.covered or other.records > other.covered:
        yield "flaky_rate", None
    for metric in _MEASURES:
        yield metric, None


class _Side(NamedTuple):
    """One release."""

    metrics: Metrics
    details: Side
    results: Sequence[Graded]
    """All of them, also of cases that the other release lacks."""

    def reading(self, metric: str, k: int | None) -> Reading:
        """A figure; what is known already is not counted again."""
        count = len(self.results)
        if metric in _COMPARED:
            return Reading(getattr(self.metrics, metric), count, count)
        if metric.startswith("outcome:"):
            unknown = Reading(None, 0, 1)
            return self.details.outcomes.get(metric.removeprefix("outcome:"), unknown)
        if metric == "macro_f1":
            return Reading(self.details.macro_f1, count, count)
        if k is not None:
            of_k = self.details.hat_k if metric == "pass_hat_k" else self.details.at_k
            return Reading(of_k[k], count, count)
        return read(metric, self.results)


# ── latency, cost and tokens ────────────────────────────────────────────────────────────────


class Quantity(NamedTuple):
    """What was measured of every run."""

    name: str
    """`latency_ms`, `cost_usd` or `tokens.KIND`; a kind is raw."""
    before: list[float]
    """Sorted; empty where some record that should have it lacks it."""
    after: list[float]
    measured: tuple[int, int]
    """Records that have it, of each release."""
    of: tuple[int, int]
    """Records that should."""
    rows: list[MetricRow]
    """Its mean, median, 95th percentile and largest."""


def quantities(of: Recorded, limits: Limits) -> list[Quantity]:
    """Latency and cost, and each kind of token that was recorded, sorted by name."""
    before, after = (
        [trial for graded in side.values() for trial in graded.each]
        for side in (of.before, of.after)
    )
    kinds = {kind for trial in (*before, *after) for kind in trial.record.run.tokens or ()}
    names = ["latency_ms", "cost_usd", *(f"tokens.{kind}" for kind in sorted(kinds))]
    return [_quantity(name, before, after, limits) for name in names]


def _quantity(
    name: str, before: Sequence[Graded], after: Sequence[Graded], limits: Limits
) -> Quantity:
    one, other = measured(name, before), measured(name, after)
    had, has = (sorted(values) if len(values) == of else [] for values, of in (one, other))
    return Quantity(
        name,
        had,
        has,
        (len(one[0]), len(other[0])),
        (one[1], other[1]),
        [
            limits.row(f"{name}.{each}", _summary(each, had), _summary(each, has))
            for each in SUMMARIES
        ],
    )


def _summary(name: str, values: Sequence[float]) -> Reading:
    return Reading(SUMMARIES[name](values), 1, 1) if values else Reading(None, 0, 1)
