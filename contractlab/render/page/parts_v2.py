"""The page's parts that only a version 2 judgement has, or that say more there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from contractlab.render import findings, numbers, reasons, sentences
from contractlab.render.comment.opening_v2 import asked
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.figures import flip_matrix
from contractlab.render.page.parts import (
    FLIPS,
    filter_link,
    more,
    row,
    section,
    table,
    unbroken,
    verdict_tag,
)
from contractlab.render.text_v2 import figure_cells
from contractlab.unseen import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.decide import GateResult
    from contractlab.details import Details, SliceContrast
    from contractlab.judge import Judgement
    from contractlab.render.page.casebook import Entry

_ROWS = 60
_NAMED = 3
_HEAD = ("gate", "observed", "asked for")


def reasons_table(judgement: Judgement) -> str:
    """The gates that fail, and what each means; for PASS, that there is none."""
    failed = judgement.decision.reasons
    if not failed:
        return "<p>Every gate holds.</p>"
    shown = failed[:_ROWS]
    rows = [row(*_gate(gate), verdict_tag(gate.verdict)) for gate in shown]
    told = "".join(
        f"<li>{verdict_tag(gate.verdict)} {html(reasons.message(gate, _name, _NAMED))}</li>"
        for gate in shown
    )
    rest = more(len(failed) - len(shown), "failed gates", "in the JSON report")
    return f"{table('Gates that fail', (*_HEAD, 'leads to'), rows, kind='n2')}{rest}<ul>{told}</ul>"


def gates(judgement: Judgement) -> str:
    """Every gate, in the order they decide."""
    every = judgement.decision.gates
    rows = [
        row(
            *_gate(gate),
            "holds" if gate.held else verdict_tag(gate.verdict, "fails: "),
            f"<code>{html(clip(gate.name, 120))}</code>",
        )
        for gate in every[:_ROWS]
    ]
    return table(
        "All gates, in the order they decide", (*_HEAD, "result", "code"), rows, kind="n2"
    ) + more(len(every) - len(rows), "gates", "in the JSON report")


def _name(name: str) -> str:
    return f"“{clip(name, 60)}”"


def _gate(gate: GateResult) -> tuple[str, str, str]:
    label = html(reasons.label(gate, _name))
    if gate.finding is None:
        return label, numbers.count(len(gate.case_ids)), "none"
    return label, html(findings.observed(gate, gate.finding)), unbroken(asked(gate))


def outcomes(judgement: Judgement, entries: Sequence[Entry]) -> str:
    """How many cases changed: a matrix, or counts where a case passes in some trials only."""
    pairs = judgement.comparison.pairs
    if not any(pair.baseline.trials or pair.candidate.trials for pair in pairs):
        return flip_matrix(judgement, entries)
    counts = judgement.comparison.counts
    items = "".join(_flip(flip, getattr(counts, flip)) for flip in FLIPS)
    note = "By the share of their trials that pass."
    return f'<ul>{items}</ul><p class="note">{note}</p>'


def _flip(flip: str, count: int) -> str:
    words = sentences.FLIPS[flip]
    link = filter_link(f"flip={flip}", words, anchor=f"cases-{flip}") if count else words
    return f"<li><b>{numbers.count(count)}</b> {link}</li>"


def recorded(details: Details) -> str:
    """How much was recorded, how runs ended, and which cases are flaky."""
    rows = []
    for title, side, missing in (
        ("baseline", details.baseline, details.missing_before),
        ("candidate", details.candidate, details.missing_after),
    ):
        ended = ", ".join(f"{numbers.count(count)} {name}" for name, count in side.statuses.items())
        rows.append(
            row(
                title,
                f"{numbers.count(side.covered)} of {numbers.count(details.cases)}",
                html(_listed(missing)),
                html(ended),
                html(_listed(side.flaky)),
            )
        )
    head = ("", "cases recorded", "no record of", "how runs ended", "flaky cases")
    return table("Records of both releases", head, rows)


def _listed(ids: Sequence[str]) -> str:
    if not ids:
        return "none"
    rest = len(ids) - _NAMED
    names = ", ".join(map(_name, ids[:_NAMED]))
    return f"{numbers.count(len(ids))}: {names}{f' and {rest:,} more' if rest > 0 else ''}"


def changed(details: Details) -> str:
    """What the releases are made of that is not the same in both."""
    found = details.manifest_changes
    if not found:
        both = details.baseline.manifest is not None and details.candidate.manifest is not None
        return f"<p>{'Nothing' if both else 'Not recorded: a release has no manifest'}.</p>"
    rows = [
        row(
            html(clip(f"{each.component}.{each.part}", 80)),
            _part(each.before),
            _part(each.after),
        )
        for each in found[:_ROWS]
    ]
    return table("Parts of the release manifests", ("part", "baseline", "candidate"), rows) + more(
        len(found) - len(rows), "parts", "in the JSON report"
    )


def _part(spelled: str) -> str:
    if not spelled:
        return "absent"
    value = json.loads(spelled)
    return f"<code>{html(clip(value if isinstance(value, str) else spelled, 100))}</code>"


def slices(judgement: Judgement, details: Details) -> str:
    """Passed cases by slice, with corrected p-values, the largest loss first."""
    found = sorted(details.slices, key=lambda each: each.contrast.delta)
    rows = [_slice(judgement, each) for each in found[:_ROWS]]
    head = ("slice", "baseline passes", "candidate passes", "p that it got worse", "critical")
    return table("Cases that pass, by slice", head, rows, kind="n4") + more(
        len(found) - len(rows), "slices, which did better,", "in the JSON report"
    )


def _slice(judgement: Judgement, each: SliceContrast) -> str:
    one, other = judgement.baseline.by_slice[each.name], judgement.candidate.by_slice[each.name]
    return row(
        filter_link(f"slice={quote(visible(each.name))}", html(clip(each.name, 80))),
        f"{numbers.count(one.passed)} of {numbers.count(one.count)}",
        f"{numbers.count(other.passed)} of {numbers.count(other.count)}",
        f"{numbers.rounded(each.p_adjusted, 4, 'up'):f}",
        numbers.count(one.critical_count),
    )


def figures(judgement: Judgement, details: Details) -> str:
    """Every figure of both releases."""
    found = list(figure_cells(judgement, details, _name))
    rows = [
        row(html(f"{label}{f' ({note})' if note else ''}"), html(one), html(other))
        for label, one, other, note in found[:_ROWS]
    ]
    return table(
        "Figures of both releases", ("figure", "baseline", "candidate"), rows, kind="n2"
    ) + more(len(found) - len(rows), "figures", "in the JSON report")


def sections(judgement: Judgement, details: Details) -> str:
    """What follows the plot, up to the gates."""
    return (
        section("slices", "Slices", slices(judgement, details))
        + section("changed", "What changed between the releases", changed(details))
        + section("recorded", "What was recorded", recorded(details))
        + section("metrics", "Figures", figures(judgement, details))
    )
