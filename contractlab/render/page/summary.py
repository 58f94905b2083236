"""The first screen: the verdict, why, and what got worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.decide import CRITICAL, UNDECIDED
from contractlab.model import Verdict
from contractlab.render import difference, numbers, reasons, tables_v2
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.parts import (
    CRITICAL_TAG,
    filter_link,
    limit,
    more,
    row,
    table,
    verdict_tag,
)
from contractlab.render.tables import gate_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.decide import GateResult
    from contractlab.judge import Judgement
    from contractlab.render.page.casebook import Casebook, Entry
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
    return (
        f'<header class="{verdict.lower()}"><h1><span class="verdict">'
        f'<span aria-hidden="true">{_SHAPES[verdict]}</span> {verdict}</span> '
        f"{html(_reason(judgement))}</h1>"
        f"<p>Candidate <b>{html(judgement.candidate_release)}</b> against baseline"
        f" <b>{html(judgement.baseline_release)}</b> on {_cases(judgement)} of"
        f" {html(judgement.dataset_version)}.</p></header>\n"
    )


def _cases(judgement: Judgement) -> str:
    """How many could be compared: `160 test cases`, `15 of 16 test cases`."""
    noun = f"{html(clip(judgement.rubric.split, 60))} case"
    compared, details = judgement.comparison.counts.n, judgement.details
    if details is None or details.compared == details.cases:
        return numbers.counted(compared, noun)
    return f"{numbers.count(compared)} of {numbers.counted(details.cases, noun)}"


def _reason(judgement: Judgement) -> str:
    failed = judgement.decision.reasons
    if not failed:
        return reasons.primary_reason(judgement.decision)
    return reasons.message(failed[0], _quoted, _NAMED)


def failed_gates(judgement: Judgement) -> str:
    """The reasons as a table; for PASS, that there is none."""
    failed = judgement.decision.reasons
    if not failed:
        return "<p>Every gate holds.</p>"
    rows = [
        row(*_gate(each), verdict_tag(each.result.verdict))
        for each in _rows(judgement, failed[:_REASONS])
    ]
    head = ("gate", _observed(judgement), "limit", "baseline", "leads to")
    return table("Gates that fail", head, rows, kind="n3 gates") + more(
        len(failed) - _REASONS, "failed gates", 'under <a href="#gates">All gates</a>'
    )


def all_gates(judgement: Judgement) -> str:
    """Every gate, in the order they decide."""
    gates = judgement.decision.gates
    shown = gates
    if len(gates) > _GATES:
        shown = (*judgement.decision.reasons, *(gate for gate in gates if gate.held))[:_GATES]
    rows = [
        row(*_gate(each), _result(each.result), code_name(each.result))
        for each in _rows(judgement, shown)
    ]
    code = "rubric key" if judgement.details is None else "code"
    return table(
        "All gates, in the order they decide",
        ("gate", _observed(judgement), "limit", "baseline", "result", code),
        rows,
        kind="n3 gates",
    ) + more(len(gates) - _GATES, "gates", "in the JSON report")


def _rows(judgement: Judgement, results: Sequence[GateResult]) -> list[GateRow]:
    if judgement.details is None:
        return gate_rows(judgement, results)
    return tables_v2.gate_rows(judgement, judgement.details, results, _quoted)


def _observed(judgement: Judgement) -> str:
    # Version 2 has gates on the difference of both releases, and on the set.
    return "candidate" if judgement.details is None else "observed"


def _quoted(name: str) -> str:
    return f"“{clip(name, 60)}”"


def _gate(each: GateRow) -> tuple[str, str, str, str]:
    label = html(reasons.label(each.result, _quoted))
    note = f' <span class="note">{html(each.note)}</span>' if each.note else ""
    return f"{label}{note}", html(each.candidate), limit(each.limit), html(each.baseline)


def _result(gate: GateResult) -> str:
    if gate.held:
        return "holds"
    return verdict_tag(gate.verdict, "fails: ")


def code_name(gate: GateResult) -> str:
    """The gate's code: its rubric key, or its name in version 2."""
    return "" if gate.name == CRITICAL else f"<code>{html(clip(gate.name, 120))}</code>"


def worse(judgement: Judgement, book: Casebook) -> str:
    """The regressed cases by name."""
    count = judgement.comparison.counts.regressed
    items = "".join(_worse(book[place]) for place in range(min(count, _WORSE)))
    every = filter_link("flip=regressed", "see them all", anchor="cases-regressed")
    rest = numbers.count(count - _WORSE)
    return (f'<ul class="worse">{items}</ul>' if items else "<p>No case got worse.</p>") + (
        f'<p class="note">{rest} more: {every}.</p>' if count > _WORSE else ""
    )


def _worse(entry: Entry) -> str:
    # What has no room here stands in the list of cases.
    words = entry.story.words
    told = words if len(words) <= _CHARS else f"{words[:_CHARS]}…"
    return (
        f'<li><span class="id">{html(clip(entry.case.id, 80))}</span>'
        f' <span class="slice">{html(clip(entry.case.slice, 60))}</span>'
        f" {CRITICAL_TAG if entry.case.critical else ''}"
        f'<span class="what">{html(told)}</span></li>'
    )


def sentence(judgement: Judgement) -> str:
    """The uncertainty, in words."""
    comparison = judgement.comparison
    critical = difference.critical(judgement.candidate) if _all_must_pass(judgement) else ""
    confidence = numbers.confidence(judgement.rubric.confidence)
    return (
        f"{difference.changed(comparison.counts)}: {numbers.points(comparison.delta)} points,"
        f" {confidence} interval {numbers.interval(comparison.bootstrap.interval)};"
        f" {difference.missed(comparison)}.{f' {critical}' if critical else ''}"
    )


def _all_must_pass(judgement: Judgement) -> bool:
    """Whether no critical failure means that every critical case passed."""
    terms, gates = judgement.rubric.terms, judgement.decision.gates
    if terms is None:
        return True
    undecided = any(gate.name == UNDECIDED for gate in gates)
    return terms.critical == "none_may_fail" and not undecided
