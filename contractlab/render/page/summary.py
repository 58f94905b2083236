"""The first screen: the verdict, why, and what got worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.decide import CRITICAL
from contractlab.model import Verdict
from contractlab.render import difference, numbers, reasons
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.parts import (
    CRITICAL_TAG,
    filter_link,
    more,
    row,
    table,
    unbroken,
    verdict_tag,
)
from contractlab.render.tables import gate_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.decide import GateResult
    from contractlab.judge import Judgement
    from contractlab.render.page.casebook import Entry
    from contractlab.render.tables import GateRow

_REASONS = 12
_WORSE = 8
_GATES = 60
_NAMED = 3
_CHARS = 240
_SHAPES = {Verdict.PASS: "●", Verdict.REVIEW: "▲", Verdict.BLOCK: "■"}


def header(judgement: Judgement) -> str:
    """The verdict with its primary reason, and what was compared."""
    verdict = judgement.decision.verdict
    counts = judgement.comparison.counts
    return (
        f'<header class="{verdict.lower()}"><h1><span class="verdict">'
        f'<span aria-hidden="true">{_SHAPES[verdict]}</span> {verdict}</span> '
        f"{html(_reason(judgement))}</h1>"
        f"<p>Candidate <b>{html(judgement.candidate_release)}</b> against baseline"
        f" <b>{html(judgement.baseline_release)}</b> on"
        f" {numbers.counted(counts.n, f'{html(judgement.rubric.split)} case')} of"
        f" {html(judgement.dataset_version)}.</p></header>\n"
    )


def _reason(judgement: Judgement) -> str:
    failed = judgement.decision.reasons
    if not failed:
        return reasons.primary_reason(judgement.decision)
    return reasons.message(failed[0], lambda name: f"“{clip(name, 60)}”", _NAMED)


def failed_gates(judgement: Judgement) -> str:
    """The reasons as a table; for PASS, that there is none."""
    failed = judgement.decision.reasons
    if not failed:
        return "<p>Every gate holds.</p>"
    rows = [
        row(*_gate(each), verdict_tag(each.result.verdict))
        for each in gate_rows(judgement, failed[:_REASONS])
    ]
    return table(
        "Gates that fail", ("gate", "candidate", "limit", "baseline", "leads to"), rows, kind="n3"
    ) + more(len(failed) - _REASONS, "failed gates", 'under <a href="#gates">All gates</a>')


def all_gates(judgement: Judgement) -> str:
    """Every gate, in the order they decide."""
    gates = judgement.decision.gates
    shown = gates
    if len(gates) > _GATES:
        shown = (*judgement.decision.reasons, *(gate for gate in gates if gate.held))[:_GATES]
    rows = [
        row(*_gate(each), _result(each.result), code_name(each.result))
        for each in gate_rows(judgement, shown)
    ]
    return table(
        "All gates, in the order they decide",
        ("gate", "candidate", "limit", "baseline", "result", "rubric key"),
        rows,
        kind="n3",
    ) + more(len(gates) - _GATES, "gates", "in the JSON report")


def _gate(each: GateRow) -> tuple[str, str, str, str]:
    label = html(reasons.label(each.result, lambda name: f"“{clip(name, 80)}”"))
    return label, html(each.candidate), unbroken(each.limit), html(each.baseline)


def _result(gate: GateResult) -> str:
    if gate.held:
        return "holds"
    return verdict_tag(gate.verdict, "fails: ")


def code_name(gate: GateResult) -> str:
    """The gate's rubric key."""
    return "" if gate.name == CRITICAL else f"<code>{html(gate.name)}</code>"


def worse(judgement: Judgement, entries: Sequence[Entry]) -> str:
    """The regressed cases by name."""
    comparison = judgement.comparison
    counts = comparison.counts
    regressed = [entry for entry in entries[: counts.regressed] if entry.story.flip == "regressed"]
    items = "".join(
        f'<li><span class="id">{html(clip(entry.case.id, 80))}</span>'
        f' <span class="slice">{html(clip(entry.case.slice, 60))}</span>'
        f" {CRITICAL_TAG if entry.case.critical else ''}"
        f'<span class="what">{html(clip(entry.story.words, _CHARS))}</span></li>'
        for entry in regressed[:_WORSE]
    )
    every = filter_link("flip=regressed", "see them all", anchor="cases-regressed")
    rest = numbers.count(counts.regressed - _WORSE)
    return (f'<ul class="worse">{items}</ul>' if items else "<p>No case got worse.</p>") + (
        f'<p class="note">{rest} more: {every}.</p>' if counts.regressed > _WORSE else ""
    )


def sentence(judgement: Judgement) -> str:
    """The uncertainty, in words."""
    comparison = judgement.comparison
    critical = "" if judgement.details else difference.critical(judgement.candidate)
    confidence = numbers.confidence(judgement.rubric.confidence)
    return (
        f"{difference.changed(comparison.counts)}: {numbers.points(comparison.delta)} points,"
        f" {confidence} interval {numbers.interval(comparison.bootstrap.interval)};"
        f" {difference.missed(comparison)}.{f' {critical}' if critical else ''}"
    )
