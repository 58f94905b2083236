"""A judgement as one self-contained HTML page: it loads nothing and sends nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers
from contractlab.render.escape import html
from contractlab.render.figures_v2 import Limits, figure_rows
from contractlab.render.page import confusion, evidence, figures, measures, parts_v2, summary
from contractlab.render.page.assets import POLICY, SCRIPT, STYLE
from contractlab.render.page.casebook import Casebook, clip
from contractlab.render.page.cases import CONTROLS, static_cases
from contractlab.render.page.distributions import distributions
from contractlab.render.page.forest import forest
from contractlab.render.page.island import island
from contractlab.render.page.parts import section
from contractlab.render.tables import metric_rows
from contractlab.render.tables_v2 import recorded

if TYPE_CHECKING:
    from contractlab.details import Details
    from contractlab.judge import Judgement
    from contractlab.render.page.island import Island

MAX_BYTES = 1_900_000
"""Of the whole page, whatever is in it."""
_STATIC_BYTES = 400_000
"""Of the cases that can be read without the script."""
_NOTES = 1000
"""Of the notes that say what had no room."""


def render_html(judgement: Judgement) -> str:
    """The report. Everything but filtering works without its script.

    Every case has a row that opens to its input and both behaviours. The worst ones stand in
    the page itself, all of them in its data, as far as `MAX_BYTES` lets them; what had no
    room is counted on the page.
    """
    book = Casebook(judgement.comparison.pairs)
    before, between, after = _before(judgement, book), _between(judgement), _AFTER
    shown, count = static_cases(book, _STATIC_BYTES)
    room = MAX_BYTES - sum(len(part.encode()) for part in (before, shown, between, after)) - _NOTES
    data = island(book, room)
    static_note = (
        f'<p class="note" id="static-note">The {numbers.count(count)} most concerning of'
        f" {numbers.count(len(book))} cases. The others are in the table that this page's"
        " script shows, and in the JSON report.</p>"
        if count < len(book)
        else ""
    )
    return "".join((before, _left_out(data), static_note, shown, between, data.json, after))


def _left_out(data: Island) -> str:
    notes = []
    if data.left_out:
        notes.append(
            f"{numbers.counted(data.left_out, 'case')} had no room here; the JSON report has them."
        )
    if data.brief:
        notes.append(
            f"Of {numbers.counted(data.brief, 'case')} there was room for the outcome only;"
            " the JSON report has what was asked and done."
        )
    if data.shortened:
        notes.append(
            f"{numbers.count(data.shortened)} inputs are cut short here; the dataset has them"
            " whole."
        )
    return f'<p class="note">{" ".join(notes)}</p>' if notes else ""


def _before(judgement: Judgement, book: Casebook) -> str:
    """The page up to its cases."""
    title = f"{judgement.decision.verdict}: {judgement.candidate_release}"
    details = judgement.details
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{html(title)} | contractlab</title>\n<style>{STYLE}</style></head>\n<body>"
        '<a class="skip" href="#cases">Skip to the cases</a><main>\n'
        + summary.header(judgement)
        + '<div class="pair first"><div>'
        + section("reasons", "Why", summary.failed_gates(judgement))
        + section(
            "outcomes",
            "Outcomes",
            f"<p>{summary.sentence(judgement)}</p>",
            figures.flips(judgement, book),
        )
        + "</div>"
        + section("worse", "What got worse", summary.worse(judgement, book))
        + "</div>\n"
        + section("difference", "Difference and its uncertainty", forest(judgement))
        + '<div class="pair">'
        + section("slices", "Slices", figures.slices(judgement))
        + section("checks", "Checks", figures.checks(judgement.comparison.pairs))
        + "</div>\n"
        + (_figures_v2(judgement, details, book) if details else _figures(judgement))
        + section("gates", "All gates", summary.all_gates(judgement))
        + '<section id="cases" aria-labelledby="cases-title" tabindex="-1">'
        f'<h2 id="cases-title">Cases</h2>{CONTROLS}'
    )


def _figures(judgement: Judgement) -> str:
    return (
        section("metrics", "Metrics", figures.metrics(metric_rows(judgement)))
        + section("confusion", "Labels", confusion.of_two(judgement))
        + section("distributions", "Latency and cost", distributions(measures.of_cases(judgement)))
    )


def _figures_v2(judgement: Judgement, details: Details, book: Casebook) -> str:
    of = recorded(judgement, details)
    limits = Limits(judgement, lambda name: f"“{clip(name, 60)}”")
    one, other = details.baseline, details.candidate
    several = one.records > one.covered or other.records > other.covered
    labelled = one.labels or other.labels
    quantities = measures.of_runs(of, limits)
    title = "Latency, cost and tokens" if len(quantities) > 2 else "Latency and cost"
    return (
        section("changed", "What changed between the releases", parts_v2.changed(details, book, of))
        + section("recorded", "What was recorded", parts_v2.recorded(details))
        + (section("trials", "Trials", parts_v2.trials(of, details)) if several else "")
        + section(
            "metrics",
            "Metrics",
            figures.metrics(figure_rows(judgement, details, of, limits)),
            parts_v2.compared_note(details),
        )
        + (
            section("confusion", "Labels", confusion.of_classes(judgement, details))
            if labelled
            else ""
        )
        + section(
            "distributions",
            title,
            '<p class="note">Of the runs that ended well.</p>',
            distributions(quantities),
        )
    )


def _between(judgement: Judgement) -> str:
    """What follows the cases, up to their data."""
    return (
        "</section>\n"
        + section("warnings", "Warnings", evidence.warnings(judgement))
        + section("evidence", "Evidence", evidence.evidence(judgement))
        + section("limitations", "What this does not say", evidence.limitations(judgement))
        + '</main>\n<script type="application/json" id="data">'
    )


_AFTER = f"</script>\n<script>{SCRIPT}</script></body></html>\n"
