"""What a reviewer of a version 2 judgement sees without a click, beside what got worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers, reasons
from contractlab.render.comment import layout
from contractlab.render.comment.budget import taken
from contractlab.render.comment.opening import GATES, verdict_line
from contractlab.render.difference_v2 import how_sure
from contractlab.render.tables_v2 import gate_rows

if TYPE_CHECKING:
    from contractlab.details import Details, Side
    from contractlab.render.comment.view import View
    from contractlab.render.tables import GateRow

_TOLD = 4
"""Reasons about differences that are said in full."""


def head(view: View, details: Details) -> str:
    """The verdict with its first reason, what it means in cases, and what could be compared."""
    judgement = view.judgement
    counts = judgement.comparison.counts
    of_split = f"{layout.name(judgement.rubric.split)} {_noun(counts.n)}"
    return (
        f"{verdict_line(judgement)} It passes {numbers.count(judgement.candidate.passed)} of"
        f" {numbers.count(counts.n)} {of_split}; baseline"
        f" {layout.name(judgement.baseline_release)} passes"
        f" {numbers.count(judgement.baseline.passed)}."
        f" **{numbers.count(counts.regressed)} got worse**,"
        f" {numbers.count(counts.improved)} got better.{_recorded(details)}\n"
    )


def _noun(count: int) -> str:
    return "case" if count == 1 else "cases"


def _recorded(details: Details) -> str:
    """What was not compared or did not end well, as sentences; empty where there is none."""
    parts = []
    if details.compared < details.cases:
        parts.append(
            f"Compared are {numbers.count(details.compared)} of"
            f" {numbers.counted(details.cases, 'case')}:"
            f" {numbers.count(len(details.missing_before))} without a record of the baseline,"
            f" {numbers.count(len(details.missing_after))} without one of the candidate."
        )
    for title, side in (("baseline", details.baseline), ("candidate", details.candidate)):
        text = _not_ok(side)
        if text:
            parts.append(f"Runs of the {title} that did not end well: {text}.")
    return "".join(f" {part}" for part in parts)


def _not_ok(side: Side) -> str:
    bad = {name: count for name, count in side.statuses.items() if name != "ok"}
    if not bad:
        return ""
    kinds = ", ".join(f"{numbers.count(count)} {layout.name(name)}" for name, count in bad.items())
    return f"{numbers.count(sum(bad.values()))} of {numbers.count(side.records)} ({kinds})"


def decides(view: View, details: Details) -> str:
    """The gates that do not hold, with what was observed and asked for; empty for PASS."""
    judgement = view.judgement
    decision = judgement.decision
    failed = decision.reasons
    if not failed:
        return ""
    budget = view.budget
    found = gate_rows(judgement, details, failed[:GATES], layout.name)
    rows = taken(
        (" | ".join(_gate(each)) for each in found),
        most=GATES,
        room=budget.limit // 5,
        budget=budget,
    )
    held = len(decision.gates) - len(failed)
    more = layout.left_out(len(failed) - len(rows), "failed gate", view.where)
    # What a difference means for the set's size has no room in a cell.
    told = taken(
        (
            f"- {gate.verdict}: {reasons.message(gate, layout.name, 2)}\n"
            for gate in failed[1:GATES]
            if gate.finding is not None and gate.finding.contrast is not None
        ),
        most=_TOLD,
        room=budget.limit // 10,
        budget=budget,
    )
    return (
        "#### What decides it\n\n"
        f"{layout.table(('Gate that fails', 'Observed', 'Baseline'), [[row] for row in rows])}"
        f"{more}\n"
        f"{''.join([*told, chr(10)]) if told else ''}"
        f"{numbers.count(held)} of {numbers.count(len(decision.gates))} gates hold.\n"
    )


def _gate(each: GateRow) -> tuple[str, str, str]:
    result = each.result
    return f"{gate_words(each)} ({result.verdict})", f"**{each.candidate}**", each.baseline


def gate_words(each: GateRow) -> str:
    """What a gate is about and asks for: `mean cost ≤ 1.1 × baseline`."""
    comma = "" if each.limit[:1] in ("≥", "≤") else ","
    label = reasons.label(each.result, layout.name)
    return f"{label}{comma} {layout.unbroken(each.limit)}"


def uncertainty(view: View, details: Details) -> str:
    """How sure the difference is, what the cases cannot tell, and how many would."""
    return f"**How sure is that?** {' '.join(how_sure(view.judgement, details))}\n"


def latency_and_cost(view: View) -> str:
    """What a run takes, before and after, as far as it was measured in both."""
    before, after = view.judgement.baseline, view.judgement.candidate
    rows = (
        ("Mean latency", before.mean_latency_ms, after.mean_latency_ms, numbers.milliseconds),
        ("p95 latency", before.p95_latency_ms, after.p95_latency_ms, numbers.milliseconds),
        ("Mean cost", before.mean_estimated_cost_usd, after.mean_estimated_cost_usd, numbers.usd),
    )
    return "".join(
        f"- {title}: {write(one)} → {write(other)}\n"
        for title, one, other, write in rows
        if one is not None or other is not None
    )
