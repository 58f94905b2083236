"""Counts to look at: metrics, flips, checks, slices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import quote

from contractlab.model import Terms
from contractlab.render import numbers, sentences
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.parts import filter_link, limit, more, row, table, verdict_tag
from contractlab.render.tables import slice_rows
from contractlab.unseen import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.compare import Pair
    from contractlab.judge import Judgement
    from contractlab.render.page.casebook import Casebook
    from contractlab.render.tables import MetricRow, SliceRow

_SLICES = 60
_FIGURES = 60


def metrics(found: Sequence[MetricRow]) -> str:
    """Every figure of both releases beside its gate."""
    rows = [
        row(
            html(each.label),
            html(each.baseline),
            html(each.candidate),
            limit(each.limit),
            _result(each),
        )
        for each in found[:_FIGURES]
    ]
    head = ("metric", "baseline", "candidate", "limit", "result")
    return table("Metrics of both releases", head, rows, kind="n3") + more(
        len(found) - len(rows), "figures", "in the JSON report"
    )


def _result(metric: MetricRow) -> str:
    if metric.failed:
        return verdict_tag(metric.failed, "fails: ")
    return "holds" if metric.limit else ""


def flips(judgement: Judgement, book: Casebook) -> str:
    """How many cases changed: a matrix, or a list where a case passes in some trials only."""
    pairs = judgement.comparison.pairs
    several = any(pair.baseline.trials or pair.candidate.trials for pair in pairs)
    matrix = _by_share(book, len(pairs)) if several else _flip_matrix(judgement)
    note = (
        f"{numbers.count(book.drifted)} of the cases that pass in both behave otherwise than before"
    )
    link = filter_link("flip=drift", "show them", anchor="cases-both")
    return f'{matrix}<p class="note">{note}{f": {link}" if book.drifted else ""}.</p>'


def _by_share(book: Casebook, count: int) -> str:
    rows = [
        row(
            filter_link(f"flip={flip}", words, anchor=f"cases-{flip}")
            if book.counts[flip]
            else words,
            f"<b>{numbers.count(book.counts[flip])}</b>",
            numbers.percent(book.counts[flip] / count, "nearest"),
        )
        for flip, words in sentences.FLIPS.items()
    ]
    head = ("by the share of its trials that pass", "cases", "share")
    return table("Cases by outcome", head, rows, kind="n2")


def _flip_matrix(judgement: Judgement) -> str:
    """How many cases passed before and after; each cell leads to its cases."""
    counts = judgement.comparison.counts

    def cell(flip: str) -> str:
        found = getattr(counts, flip)
        share = numbers.percent(found / counts.n, "nearest")
        number, note = f"<b>{numbers.count(found)}</b>", f'<span class="note">{share}</span>'
        if not found:
            return f'<span class="flip">{number} {sentences.FLIPS[flip]} {note}</span>'
        text = f"{number} <u>{sentences.FLIPS[flip]}</u> {note}"
        name = f"{numbers.count(found)} {sentences.FLIPS[flip]}, show these cases"
        link = filter_link(f"flip={flip}", text, anchor=f"cases-{flip}", name=name)
        return link.replace("<a ", f'<a class="flip {flip}" ', 1)

    rows = [
        row("baseline passes", cell("both"), cell("regressed")),
        row("baseline fails", cell("improved"), cell("neither")),
    ]
    head = ("", "candidate passes", "candidate fails")
    return table("Cases by outcome", head, rows, kind="flips")


def checks(pairs: Sequence[Pair]) -> str:
    """How often each check fails, in some trial at least, of the cases that have it."""
    failures: dict[str, list[int]] = {}
    # Mappings of checks are shared between records, so there are few of them.
    alike = Counter((id(one.checks), id(other.checks)) for one, other in pairs)
    kept = {(id(one.checks), id(other.checks)): (one.checks, other.checks) for one, other in pairs}
    for key, sides in kept.items():
        for side, outcomes in enumerate(sides):
            for name, held in outcomes.items():
                counted = failures.setdefault(name, [0, 0, 0])
                counted[side] += 0 if held else alike[key]
                counted[2] += 0 if side else alike[key]
    rows = [
        row(
            filter_link(f"check={quote(f'fails:{visible(name)}')}", html(name)),
            numbers.count(before),
            numbers.count(after),
            numbers.count(of),
        )
        for name, (before, after, of) in failures.items()
    ]
    head = ("check", "baseline", "candidate", "cases")
    return table("Cases that fail a check", head, rows, kind="n3")


def slices(judgement: Judgement) -> str:
    """Passed cases of all, by slice; in version 2 with what a loss is worth."""
    rows = slice_rows(judgement, worst_first=True)
    details = judgement.details
    p_values = {each.name: each.p_adjusted for each in details.slices} if details else {}
    holm = len(p_values) > 1 and (judgement.rubric.terms or Terms()).adjust == "holm"
    cells = [
        row(
            filter_link(f"slice={quote(visible(each.name))}", html(clip(each.name, 80))),
            f"{numbers.count(each.baseline_passed)} of {numbers.count(each.count)}",
            f"{numbers.count(each.candidate_passed)} of {numbers.count(each.count)}",
            f"{numbers.rounded(p_values[each.name], 4, 'up'):f}" if details else _change(each),
            numbers.count(each.critical_count),
        )
        for each in rows[:_SLICES]
    ]
    worth = f"p that it got worse{' (Holm)' if holm else ''}" if details else "change"
    head = ("slice", "baseline passes", "candidate passes", worth, "critical")
    return table("Cases that pass, by slice", head, cells, kind="n4") + more(
        len(rows) - len(cells), "slices, which did better,", "in the JSON report"
    )


def _change(each: SliceRow) -> str:
    if each.regressed and each.improved:
        return f"{each.regressed:,} worse, {each.improved:,} better"
    return f"{each.change:+d}" if each.change else "0"
