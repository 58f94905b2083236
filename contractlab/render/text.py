"""A judgement for a terminal: 80 columns, aligned, the verdict last so that it stays in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers
from contractlab.render.escape import terminal
from contractlab.render.reasons import message, primary_reason
from contractlab.render.tables import metric_rows, slice_rows
from contractlab.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.judge import Judgement

_CASES = 10
"""Cases of one kind that are named."""


def render_text(judgement: Judgement) -> str:
    """The judgement in some forty lines."""
    return "".join(f"{line}\n" for line in _lines(judgement))


def _lines(judgement: Judgement) -> Iterator[str]:
    after = judgement.candidate
    yield f"baseline   {terminal(judgement.baseline_release)}"
    yield f"candidate  {terminal(judgement.candidate_release)}"
    yield (
        f"dataset    {terminal(judgement.dataset_version)},"
        f" {numbers.count(after.case_count)} test cases in {len(after.by_slice)} slices"
    )
    yield ""
    yield from _table(("", "baseline", "candidate", "gate"), _metric_rows(judgement))
    yield ""
    yield from _table(("slice", "baseline", "candidate", ""), _slice_rows(judgement))
    yield ""
    yield from _paired(judgement)
    yield ""
    reasons = judgement.decision.reasons
    for gate in reasons[1:]:
        yield f"also {gate.verdict}: {terminal(message(gate))}"
    fingerprint = judgement.evidence.fingerprint
    yield f"evidence {fingerprint} (first 16 of 64 hex digits)"
    yield f"{judgement.decision.verdict}: {terminal(primary_reason(judgement.decision))}"


def _metric_rows(judgement: Judgement) -> list[tuple[str, str, str, str]]:
    return [
        (row.label, row.baseline, row.candidate, f"{row.limit}  {row.failed or ''}".rstrip())
        for row in metric_rows(judgement)
    ]


def _slice_rows(judgement: Judgement) -> list[tuple[str, str, str, str]]:
    return [
        (
            _cut(terminal(row.name)),
            f"{numbers.amount(row.baseline_passed)}/{row.count}",
            f"{numbers.amount(row.candidate_passed)}/{row.count}",
            f"{row.critical_count} critical" if row.critical_count else "",
        )
        for row in slice_rows(judgement)
    ]


def _paired(judgement: Judgement) -> Iterator[str]:
    comparison = judgement.comparison
    counts, rubric = comparison.counts, judgement.rubric
    interval, other = comparison.bootstrap.interval, comparison.newcombe
    yield (
        f"{counts.regressed} of {counts.n} cases got worse, {counts.improved} better;"
        f" difference {numbers.difference(comparison.delta)}"
    )
    yield (
        f"{numbers.percent(rubric.confidence, 'nearest')} interval"
        f" [{numbers.difference(interval.low)}, {numbers.difference(interval.high)}]"
        f" (bootstrap), [{numbers.difference(other.low)}, {numbers.difference(other.high)}]"
        " (Newcombe)"
    )
    missed = numbers.rounded(comparison.could_have_missed * 100, 1, "up")
    yield f"this set could have missed a regression of up to {missed} points"
    for flip, title in (("regressed", "got worse"), ("improved", "got better")):
        ids = comparison.ids(flip)
        if ids:
            yield terminal(f"{title}: {listed(ids, _CASES)}")


def _cut(name: str) -> str:
    return name if len(name) <= 28 else f"{name[:27]}…"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:3], widths[1:3], strict=True)]
        yield f"{'  '.join(cells)}   {row[3]}".rstrip()
