"""What opens on a click in a version 2 judgement. Each part is empty where it says nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from contractlab.model import Terms
from contractlab.render import findings, numbers
from contractlab.render.comment import items, layout
from contractlab.render.comment.folds import case_list
from contractlab.render.comment.opening_v2 import asked
from contractlab.render.text_v2 import figure_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.decide import GateResult
    from contractlab.details import Details, SliceContrast
    from contractlab.render.comment.view import View


def changed(view: View, details: Details) -> str:
    """What the releases are made of that is not the same in both, beside how they behaved."""
    found = details.manifest_changes
    both = details.baseline.manifest is not None and details.candidate.manifest is not None
    if not found:
        said = "nothing" if both else "not recorded: a release has no manifest"
        return f"**What changed between the releases?** {said.capitalize()}.\n"
    rows = [
        (layout.name(f"{each.component}.{each.part}"), _part(each.before), _part(each.after))
        for each in found[: view.budget.rows]
    ]
    more = layout.left_out(len(found) - len(rows), "change", view.where)
    title = f"What changed between the releases: {numbers.counted(len(found), 'part')}"
    body = layout.table(("Part", "Baseline", "Candidate"), rows) + more
    return layout.folded(title, body, opened=len(rows) <= view.budget.shown)


def _part(spelled: str) -> str:
    if not spelled:
        return "absent"
    value = json.loads(spelled)
    return layout.name(value if isinstance(value, str) else spelled)


def slices(view: View, details: Details) -> str:
    """Counts, differences and corrected p-values by slice, the largest loss first."""
    found = sorted(details.slices, key=lambda each: each.contrast.delta)
    lost = sum(each.contrast.delta < 0 for each in found)
    rows = [_slice(view, each) for each in found[: view.budget.rows]]
    terms = view.judgement.rubric.terms or Terms()
    note = " (Holm)" if terms.adjust == "holm" and len(found) > 1 else ""
    confidence = numbers.confidence(view.judgement.rubric.confidence)
    head = ("Slice", "Passed", f"Difference, {confidence} interval", f"p that it got worse{note}")
    more = layout.left_out(len(found) - len(rows), "slice", view.where)
    title = f"Slices: {numbers.count(lost)} of {numbers.count(len(found))} got worse"
    return layout.folded(title, layout.table(head, rows) + more)


def _slice(view: View, each: SliceContrast) -> tuple[str, str, str, str]:
    one = view.judgement.baseline.by_slice[each.name]
    other = view.judgement.candidate.by_slice[each.name]
    critical = f" ({numbers.count(one.critical_count)} critical)" if one.critical_count else ""
    seen = each.contrast
    passed = f"{numbers.count(one.passed)} → {numbers.count(other.passed)}"
    return (
        f"{layout.name(each.name)}{critical}",
        layout.unbroken(f"{passed} of {numbers.count(one.count)}"),
        layout.unbroken(f"{numbers.points(seen.delta)} {numbers.interval(seen.interval)}"),
        f"{numbers.rounded(each.p_adjusted, 4, 'up'):f}",
    )


def flaky(view: View, details: Details) -> str:
    """Cases that pass in some trials only: a rate hides them, and a single trial does too."""
    before, after = details.baseline.flaky, details.candidate.flaky
    if not (before or after):
        return ""
    results = [pair.candidate for pair in view.judgement.comparison.pairs if pair.candidate.flaky]
    counts = (
        f"{numbers.count(len(after))} of {numbers.counted(details.candidate.covered, 'case')},"
        f" {numbers.count(len(before))} of {numbers.count(details.baseline.covered)}"
        " in the baseline"
    )
    if not results:
        return f"Flaky: {counts}.\n"
    return case_list(f"Flaky: {counts}", results, items.flaky, view)


def missing(view: View, details: Details) -> str:
    """Cases without a record: they are not compared, and never improve a score."""
    parts = [
        _ids(f"No record of the {title}", ids, view)
        for title, ids in (
            ("baseline", details.missing_before),
            ("candidate", details.missing_after),
        )
        if ids
    ]
    if not parts:
        return ""
    count = details.cases - details.compared
    title = f"Not compared: {numbers.counted(count, 'case')} without a record in both"
    return layout.folded(title, "\n".join(parts))


def _ids(title: str, ids: Sequence[str], view: View) -> str:
    shown = ids[: view.budget.folded]
    more = layout.left_out(len(ids) - len(shown), "case", view.where)
    return f"{title}: {', '.join(map(layout.name, shown))}\n{more}"


def figures(view: View, details: Details) -> str:
    """Every figure of both releases, then every gate."""
    budget = view.budget
    found = list(figure_cells(view.judgement, details, layout.name))
    rows = [
        (f"{_figure(label)}{f' ({note})' if note else ''}", one, other)
        for label, one, other, note in found[: 2 * budget.rows]
    ]
    more = layout.left_out(len(found) - len(rows), "figure", view.where)
    gates = view.judgement.decision.gates
    looked = [_gate(gate) for gate in gates[: 2 * budget.rows]]
    more_gates = layout.left_out(len(gates) - len(looked), "gate", view.where)
    body = (
        f"{layout.table(('Figure', 'Baseline', 'Candidate'), rows)}{more}\n"
        f"{layout.table(('Gate', 'Observed', 'Asked for', 'Result'), looked)}{more_gates}"
    )
    return layout.folded("All figures and gates", body)


def _figure(label: str) -> str:
    # As code, so that nobody by the name of a number is mentioned.
    return f"`{label}`" if re.fullmatch(r"pass[@^]\d+", label) else label


def _gate(gate: GateResult) -> tuple[str, str, str, str]:
    finding = gate.finding
    result = "holds" if gate.held else f"fails ({gate.verdict})"
    if finding is None:
        return "critical cases that failed", f"{len(gate.case_ids):,}", "none", result
    label = findings.label(gate, finding, layout.name)
    return label, findings.observed(gate, finding), layout.unbroken(asked(gate)), result
