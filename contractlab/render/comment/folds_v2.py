"""What opens on a click in a version 2 judgement. Each part is empty where it says nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from contractlab.model import Terms
from contractlab.render import numbers
from contractlab.render.columns import cut_apart
from contractlab.render.comment import items, layout
from contractlab.render.comment.folds import case_list
from contractlab.render.comment.opening_v2 import gate_words
from contractlab.render.tables_v2 import gate_rows
from contractlab.render.text_v2 import figure_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.details import Details, SliceContrast
    from contractlab.render.comment.view import View
    from contractlab.render.tables import GateRow

_MOST = 56
"""Characters of a value; a name's room in a table, with the signs of a cut."""
_DIGEST = re.compile(r"((?:[a-z0-9]{1,20}:)?[0-9a-f]{12})[0-9a-f]{28,}\Z")


def changed(view: View, details: Details) -> str:
    """What the releases are made of that is not the same in both, beside how they behaved."""
    found = details.manifest_changes
    both = details.baseline.manifest is not None and details.candidate.manifest is not None
    if not found:
        said = "nothing" if both else "not recorded: a release has no manifest"
        return f"**What changed between the releases?** {said.capitalize()}.\n"
    rows = [
        (layout.name(f"{each.component}.{each.part}"), *_parts(each.before, each.after))
        for each in found[: view.budget.rows]
    ]
    more = layout.left_out(len(found) - len(rows), "change", view.where)
    title = f"What changed between the releases: {numbers.counted(len(found), 'part')}"
    body = layout.table(("Part", "Baseline", "Candidate"), rows, words=3) + more
    return layout.folded(title, body, opened=len(rows) <= view.budget.shown)


def _parts(before: str, after: str) -> tuple[str, str]:
    """Both values; of digests only the start, where that tells them apart."""
    one, other = _value(before), _value(after)
    if one is None or other is None or _start(one) != _start(other):
        one, other = _start(one), _start(other)
    cut = cut_apart(one or "", other or "", _MOST)
    return _part(one and cut[0]), _part(other and cut[1])


def _value(spelled: str) -> str | None:
    if not spelled:
        return None
    value = json.loads(spelled)
    return value if isinstance(value, str) else spelled


def _start(value: str | None) -> str | None:
    """A commit or a digest up to where a reader compares it."""
    found = _DIGEST.match(value or "")
    return value if found is None else f"{found[1]}…"


def _part(value: str | None) -> str:
    return "absent" if value is None else layout.name(value)


def slices(view: View, details: Details) -> str:
    """Counts, differences and corrected p-values by slice, the largest loss first."""
    found = sorted(details.slices, key=lambda each: each.contrast.delta)
    lost = sum(each.contrast.delta < 0 for each in found)
    rows = [_slice(view, each) for each in found[: view.budget.rows]]
    terms = view.judgement.rubric.terms or Terms()
    note = " (Holm)" if terms.adjust == "holm" and len(found) > 1 else ""
    confidence = numbers.confidence(view.judgement.rubric.confidence)
    head = ("Slice", "Passed", f"Difference, {confidence} interval; p that it got worse{note}")
    more = layout.left_out(len(found) - len(rows), "slice", view.where)
    title = f"Slices: {numbers.count(lost)} of {numbers.count(len(found))} got worse"
    return layout.folded(title, layout.table(head, rows) + more)


def _slice(view: View, each: SliceContrast) -> tuple[str, str, str]:
    one = view.judgement.baseline.by_slice[each.name]
    other = view.judgement.candidate.by_slice[each.name]
    critical = f" ({numbers.count(one.critical_count)} critical)" if one.critical_count else ""
    seen = each.contrast
    passed = f"{numbers.count(one.passed)} → {numbers.count(other.passed)}"
    p_value = numbers.rounded(each.p_adjusted, 4, "up")
    return (
        f"{layout.name(each.name)}{critical}",
        layout.unbroken(f"{passed} of {numbers.count(one.count)}"),
        f"{numbers.points(seen.delta)} {layout.unbroken(numbers.interval(seen.interval))};"
        f" {layout.unbroken(f'p {p_value:f}')}",
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
    looked = [
        _gate(each)
        for each in gate_rows(view.judgement, details, gates[: 2 * budget.rows], layout.name)
    ]
    more_gates = layout.left_out(len(gates) - len(looked), "gate", view.where)
    body = (
        f"{layout.table(('Figure', 'Baseline', 'Candidate'), rows)}{more}\n"
        f"{layout.table(('Gate', 'Observed', 'Baseline'), looked)}{more_gates}"
    )
    return layout.folded("All figures and gates", body)


def _figure(label: str) -> str:
    # As code, so that nobody by the name of a number is mentioned.
    return f"`{label}`" if re.fullmatch(r"pass[@^]\d+", label) else label


def _gate(each: GateRow) -> tuple[str, str, str]:
    result = "holds" if each.result.held else f"**fails ({each.result.verdict})**"
    return f"{gate_words(each)}: {result}", each.candidate, each.baseline
