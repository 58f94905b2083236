"""Cases as a list: for digging without a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.batches import in_batches
from contractlab.canonical import Rows, encode_report
from contractlab.render.columns import left, width
from contractlab.render.escape import terminal
from contractlab.render.report import CaseColumns
from contractlab.render.report_v2 import CaseRows
from contractlab.render.sentences import changed, missed
from contractlab.table import Kinds, objects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.canonical import Joined
    from contractlab.compare import Pair
    from contractlab.judge import Judgement

_WIDEST = 40
"""Columns of an id or a slice that are kept for aligning; a longer one is shown whole."""


def render_cases(judgement: Judgement, pairs: Sequence[Pair]) -> str:
    """The cases for a terminal: one line each, and what failed and changed indented below."""
    total = judgement.candidate.case_count
    lines = [
        line
        for pair, head in zip(pairs, _heads(pairs), strict=True)
        for line in (head, *_below(pair))
    ]
    lines.append(f"{len(pairs):,} of {total:,} cases")
    return "".join(f"{line}\n" for line in lines)


def _heads(pairs: Sequence[Pair]) -> list[str]:
    rows = [
        (
            pair.flip,
            terminal(pair.candidate.case.id),
            terminal(pair.candidate.case.slice),
            "critical" if pair.candidate.case.critical else "",
        )
        for pair in pairs
    ]
    widths = [
        max((min(width(row[column]), _WIDEST) for row in rows), default=0) for column in range(4)
    ]
    return [
        "  ".join(left(cell, columns) for cell, columns in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _below(pair: Pair) -> Iterator[str]:
    for sentence in missed(pair):
        yield f"    {terminal(sentence)}"
    for sentence in changed(pair):
        yield f"    changed: {terminal(sentence)}"


def render_cases_json(judgement: Judgement, pairs: Sequence[Pair]) -> bytes:
    """The cases as in the JSON report, each with its slice and both results beside it."""
    return encode_report(
        {
            "case_count": judgement.candidate.case_count,
            "cases": Rows(
                _spelled(pairs) if judgement.details is None else CaseRows().pairs(pairs)
            ),
        }
    )


def _spelled(pairs: Sequence[Pair]) -> Iterator[Joined]:
    columns, texts, flags, checks = CaseColumns(), Kinds(), Kinds(), Kinds()
    for some in in_batches(pairs):
        before = [pair.baseline.checks for pair in some]
        after = [pair.candidate.checks for pair in some]
        yield objects(
            {
                **columns.pairs(some, [pair.flip for pair in some]),
                "slice": texts.column([pair.baseline.case.slice for pair in some]),
                "critical": flags.column([pair.baseline.case.critical for pair in some]),
                "baseline_checks": checks.column(before, list(map(id, before))),
                "candidate_checks": checks.column(after, list(map(id, after))),
            }
        )
