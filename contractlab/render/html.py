"""A judgement as one self-contained HTML page: it loads nothing and sends nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers
from contractlab.render.escape import html
from contractlab.render.page import evidence, figures, parts_v2, summary
from contractlab.render.page.assets import POLICY, SCRIPT, STYLE
from contractlab.render.page.casebook import casebook
from contractlab.render.page.cases import CONTROLS, static_cases
from contractlab.render.page.distributions import distributions
from contractlab.render.page.forest import forest
from contractlab.render.page.island import island
from contractlab.render.page.parts import section

if TYPE_CHECKING:
    from contractlab.details import Details
    from contractlab.judge import Judgement
    from contractlab.render.page.casebook import Entry

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
    entries = casebook(judgement.comparison.pairs)
    before, between, after = _before(judgement, entries), _between(judgement), _AFTER
    shown, count = static_cases(entries, _STATIC_BYTES)
    room = MAX_BYTES - sum(len(part.encode()) for part in (before, shown, between, after)) - _NOTES
    data = island(entries, room)
    static_note = (
        f'<p class="note" id="static-note">The {numbers.count(count)} most concerning of'
        f" {numbers.count(len(entries))} cases. The others are in the table that this page's"
        " script shows, and in the JSON report.</p>"
        if count < len(entries)
        else ""
    )
    return "".join(
        (
            before,
            _left_out(data.left_out, data.shortened),
            static_note,
            shown,
            between,
            data.json,
            after,
        )
    )


def _left_out(cases: int, inputs: int) -> str:
    notes = []
    if cases:
        notes.append(f"{numbers.count(cases)} cases had no room here; the JSON report has them.")
    if inputs:
        notes.append(
            f"{numbers.count(inputs)} inputs are cut short here; the dataset has them whole."
        )
    return f'<p class="note">{" ".join(notes)}</p>' if notes else ""


def _before(judgement: Judgement, entries: list[Entry]) -> str:
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
        + '<div class="pair first">'
        + "<div>"
        + section(
            "reasons",
            "Why",
            parts_v2.reasons_table(judgement) if details else summary.failed_gates(judgement),
        )
        + section(
            "outcomes",
            "Outcomes",
            f"<p>{summary.sentence(judgement)}</p>",
            parts_v2.outcomes(judgement, entries)
            if details
            else figures.flip_matrix(judgement, entries),
        )
        + "</div>"
        + section("worse", "What got worse", summary.worse(judgement, entries))
        + "</div>\n"
        + section("difference", "Difference and its uncertainty", forest(judgement))
        + (_figures_v2(judgement, details, entries) if details else _figures(judgement, entries))
        + '<section id="cases" aria-labelledby="cases-title" tabindex="-1">'
        f'<h2 id="cases-title">Cases</h2>{CONTROLS}'
    )


def _figures(judgement: Judgement, entries: list[Entry]) -> str:
    return (
        '<div class="pair">'
        + section("slices", "Slices", figures.slices(judgement))
        + section("checks", "Checks", figures.checks(entries))
        + "</div>\n"
        + section("metrics", "Metrics", figures.metrics(judgement))
        + section("confusion", "Labels", figures.confusion(judgement))
        + section("distributions", "Latency and cost", distributions(judgement))
        + section("gates", "All gates", summary.all_gates(judgement))
    )


def _figures_v2(judgement: Judgement, details: Details, entries: list[Entry]) -> str:
    return (
        parts_v2.sections(judgement, details)
        + section("checks", "Checks", figures.checks(entries))
        + section("gates", "All gates", parts_v2.gates(judgement))
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
