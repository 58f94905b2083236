"""What a reviewer sees without a click: verdict, what decides it, what got worse, how sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.decide import CRITICAL
from contractlab.model import Verdict
from contractlab.render import difference, numbers, reasons
from contractlab.render.comment import items, layout
from contractlab.render.comment.budget import taken
from contractlab.render.tables import gate_rows

if TYPE_CHECKING:
    from contractlab.judge import Judgement
    from contractlab.render.comment.view import View

_SIGNS = {Verdict.PASS: "✅", Verdict.REVIEW: "⚠️", Verdict.BLOCK: "⛔"}
_REASON_CASES = 2
"""Cases that the first line names."""
GATES = 10
"""Rows of the table that decides, which is never left out."""


def head(view: View) -> str:
    """The verdict with its first reason, and what it means in cases."""
    judgement = view.judgement
    counts = judgement.comparison.counts
    return (
        f"{verdict_line(judgement)} It passes {numbers.count(judgement.candidate.passed)} of"
        f" {numbers.counted(counts.n, 'test case')}; baseline"
        f" {layout.name(judgement.baseline_release)} passes"
        f" {numbers.count(judgement.baseline.passed)}."
        f" **{numbers.count(counts.regressed)} got worse**,"
        f" {numbers.count(counts.improved)} got better.\n"
    )


def verdict_line(judgement: Judgement) -> str:
    """The verdict with its first reason as a heading, and what to do."""
    decision = judgement.decision
    verdict = decision.verdict
    reason = "every gate holds"
    if decision.reasons:
        reason = reasons.message(decision.reasons[0], layout.name, _REASON_CASES)
    candidate = layout.name(judgement.candidate_release)
    advice = {
        Verdict.PASS: f"{candidate} may be released, as far as these cases can tell.",
        Verdict.REVIEW: f"A person should look before {candidate} is released.",
        Verdict.BLOCK: f"Do not release {candidate}.",
    }[verdict]
    return f"### {_SIGNS[verdict]} {verdict}: {reason}\n\n**{advice}**"


def decides(view: View) -> str:
    """The gates that do not hold, with what was observed; empty for PASS."""
    decision = view.judgement.decision
    failed = decision.reasons
    if not failed:
        return ""
    rows = [
        (
            f"{reasons.label(row.result, layout.name)}"
            f"{',' if row.result.name == CRITICAL else ''} {layout.unbroken(row.limit)}"
            f" ({row.result.verdict})",
            f"**{row.candidate}**",
            row.baseline,
        )
        for row in gate_rows(view.judgement, failed[:GATES])
    ]
    held = len(decision.gates) - len(failed)
    more = layout.left_out(len(failed) - len(rows), "failed gate", view.where)
    return (
        "#### What decides it\n\n"
        f"{layout.table(('Gate that fails', 'Candidate', 'Baseline'), rows)}{more}\n"
        f"{numbers.count(held)} of {numbers.count(len(decision.gates))} gates hold.\n"
    )


def worse(view: View) -> tuple[str, int]:
    """The first cases that got worse, and how many they are."""
    if not view.regressed:
        return "", 0
    budget = view.budget
    shown = taken(
        map(items.regressed, view.regressed),
        most=budget.shown,
        room=budget.limit // 2,
        budget=budget,
    )
    title = f"#### What got worse: {numbers.counted(len(view.regressed), 'case')}"
    return f"{title}\n\n{''.join(shown)}", len(shown)


def uncertainty(view: View) -> str:
    """How sure the difference is, and what the cases cannot tell."""
    judgement = view.judgement
    comparison, confidence = judgement.comparison, judgement.rubric.confidence
    counts, families = comparison.counts, comparison.families
    critical = difference.critical(judgement.candidate)
    others = f"Newcombe's interval {numbers.interval(comparison.newcombe)}"
    if families is not None:
        others += (
            f"; resampled by the {numbers.count(families.families)} families"
            f" {numbers.interval(families.interval)}"
        )
    return (
        f"**How sure is that?** {difference.changed(counts)};"
        f" {numbers.confidence(confidence)} interval of the difference"
        f" {numbers.interval(comparison.bootstrap.interval)} points;"
        f" {difference.missed(comparison)}. ({others}.){f' {critical}' if critical else ''}\n"
    )


def latency_and_cost(view: View) -> str:
    """What a case takes, before and after."""
    before, after = view.judgement.baseline, view.judgement.candidate
    milliseconds, usd = numbers.milliseconds, numbers.usd
    return (
        f"- Mean latency: {milliseconds(before.mean_latency_ms)} →"
        f" {milliseconds(after.mean_latency_ms)}\n"
        f"- p95 latency: {milliseconds(before.p95_latency_ms)} →"
        f" {milliseconds(after.p95_latency_ms)}\n"
        f"- Mean cost: {usd(before.mean_estimated_cost_usd)} →"
        f" {usd(after.mean_estimated_cost_usd)}\n"
    )
