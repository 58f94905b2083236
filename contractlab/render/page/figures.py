"""Counts to look at: metrics, flips, confusion matrices, checks, slices."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from contractlab.render import numbers, sentences
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.parts import filter_link, more, row, table, unbroken, verdict_tag
from contractlab.render.tables import metric_rows, slice_rows
from contractlab.unseen import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.judge import Judgement
    from contractlab.metrics import Metrics
    from contractlab.render.page.casebook import Entry
    from contractlab.render.tables import MetricRow, SliceRow

_SLICES = 60


def metrics(judgement: Judgement) -> str:
    """Every figure of both releases beside its gate."""
    rows = [
        row(
            html(each.label),
            html(each.baseline),
            html(each.candidate),
            unbroken(each.limit),
            _result(each),
        )
        for each in metric_rows(judgement)
    ]
    head = ("metric", "baseline", "candidate", "limit", "result")
    return table("Metrics of both releases", head, rows, kind="n3")


def _result(metric: MetricRow) -> str:
    if metric.failed:
        return verdict_tag(metric.failed, "fails: ")
    return "holds" if metric.limit else ""


def flip_matrix(judgement: Judgement, entries: Sequence[Entry]) -> str:
    """How many cases passed before and after; each cell leads to its cases."""
    counts = judgement.comparison.counts
    drifted = sum(entry.story.drifted for entry in entries)

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
    note = f"{numbers.count(drifted)} of the cases that pass in both behave otherwise than before"
    link = filter_link("flip=drift", "show them", anchor="cases-both")
    head = ("", "candidate passes", "candidate fails")
    return (
        table("Cases by outcome", head, rows, kind="flips")
        + f'<p class="note">{note}{f": {link}" if drifted else ""}.</p>'
    )


def confusion(judgement: Judgement) -> str:
    """Both confusion matrices, side by side."""
    positive = judgement.rubric.positive_label
    negative = _OTHER.get(positive, f"not {positive}")
    labels = html(clip(positive, 60)), html(clip(negative, 60))
    return (
        f'<div class="pair">{_matrix("Baseline", judgement.baseline, *labels)}'
        f"{_matrix('Candidate', judgement.candidate, *labels)}</div>"
    )


_OTHER = {"positive": "negative", "negative": "positive"}
"""The other of version 1's two labels."""


def _matrix(name: str, of: Metrics, positive: str, negative: str) -> str:
    counts = of.confusion_matrix

    def cell(count: int, what: str) -> str:
        return f'<b>{numbers.count(count)}</b> <span class="note">{what}</span>'

    rows = [
        row(
            f"expected {positive}",
            cell(counts.tp, "true positive"),
            cell(counts.fn, "false negative"),
        ),
        row(
            f"expected {negative}",
            cell(counts.fp, "false positive"),
            cell(counts.tn, "true negative"),
        ),
    ]
    head = ("", f"predicted {positive}", f"predicted {negative}")
    return table(f"{name}: confusion matrix", head, rows, kind="matrix")


def checks(entries: Sequence[Entry]) -> str:
    """How often each check fails."""
    failures: dict[str, list[int]] = {}
    stories: dict[int, int] = {}
    for entry in entries:
        stories[id(entry.story)] = stories.get(id(entry.story), 0) + 1
    for story in {id(entry.story): entry.story for entry in entries}.values():
        for side, outcomes in enumerate((story.outcomes_before, story.outcomes_after)):
            for name, held in outcomes:
                counted = failures.setdefault(name, [0, 0])
                counted[side] += 0 if held else stories[id(story)]
    rows = [
        row(
            filter_link(f"check={quote(f'fails:{visible(name)}')}", html(name)),
            numbers.count(before),
            numbers.count(after),
        )
        for name, (before, after) in failures.items()
    ]
    return table("Cases that fail a check", ("check", "baseline", "candidate"), rows, kind="n2")


def _change(each: SliceRow) -> str:
    if each.regressed and each.improved:
        return f"{each.regressed:,} worse, {each.improved:,} better"
    return f"{each.change:+d}" if each.change else "0"


def slices(judgement: Judgement) -> str:
    """Passed cases of all, by slice."""
    rows = slice_rows(judgement, worst_first=True)
    shown = rows[:_SLICES]
    cells = [
        row(
            filter_link(f"slice={quote(visible(each.name))}", html(clip(each.name, 80))),
            f"{numbers.count(each.baseline_passed)} of {numbers.count(each.count)}",
            f"{numbers.count(each.candidate_passed)} of {numbers.count(each.count)}",
            _change(each),
            numbers.count(each.critical_count),
        )
        for each in shown
    ]
    head = ("slice", "baseline passes", "candidate passes", "change", "critical")
    return table("Cases that pass, by slice", head, cells, kind="n4") + more(
        len(rows) - len(shown), "slices, which did better,", "in the JSON report"
    )
