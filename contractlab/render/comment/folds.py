"""What opens on a click. Each part is a whole, and empty where there is nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from contractlab.evidence import (
    DIGEST_FORMAT,
    DIGEST_FORMAT_V2,
    EVALUATOR_VERSION,
    EVALUATOR_VERSION_V2,
)
from contractlab.render import difference_v2, numbers
from contractlab.render.comment import items, layout
from contractlab.render.comment.budget import taken
from contractlab.render.comment.problems import problem_item
from contractlab.render.escape import markdown
from contractlab.render.report import LIMITATIONS
from contractlab.render.tables import metric_rows, slice_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contractlab.render.comment.view import View
    from contractlab.render.tables import SliceRow

Shown = TypeVar("Shown")


def more_worse(view: View, shown: int) -> str:
    """The cases that got worse after those that the opening shows."""
    rest = view.regressed[shown:]
    title = f"Got worse: {numbers.counted(len(rest), 'more case')}"
    return case_list(title, rest, items.regressed, view)


def failing(view: View) -> str:
    """Critical cases that fail in both releases: no news, but they block."""
    title = f"Critical, and fails in both releases: {numbers.counted(len(view.failing), 'case')}"
    # Where nothing got worse, these are what a reviewer is looking for.
    return case_list(title, view.failing, items.failing, view, opened=not view.regressed)


def better(view: View) -> str:
    """The cases that got better."""
    title = f"Got better: {numbers.counted(len(view.improved), 'case')}"
    return case_list(title, view.improved, items.improved, view)


def drift(view: View) -> str:
    """The cases that pass as before in another way: what a pass rate never shows."""
    title = f"Still passes, but behaves differently: {numbers.counted(len(view.drifted), 'case')}"
    return case_list(title, view.drifted, items.drifted, view)


def slices(view: View) -> str:
    """Counts and intervals by slice, the largest loss first."""
    confidence = view.judgement.rubric.confidence
    found = slice_rows(view.judgement, worst_first=True)
    rows = [_slice(row, confidence) for row in found[: view.budget.rows]]
    lost = sum(row.change < 0 for row in found)
    most = f", the worst by {numbers.counted(int(-found[0].change), 'case')}" if lost else ""
    head = ("Slice", "Passed", f"{numbers.confidence(confidence)} interval")
    more = layout.left_out(len(found) - len(rows), "slice", view.where)
    return layout.folded(
        f"Slices: {numbers.count(lost)} of {numbers.count(len(found))} got worse{most}",
        layout.table(head, rows) + more,
    )


def _slice(row: SliceRow, confidence: float) -> tuple[str, str, str]:
    critical = f" ({numbers.count(row.critical_count)} critical)" if row.critical_count else ""
    change = f" ({row.change:+,})" if row.change else ""
    if row.regressed and row.improved:
        change = f" ({row.regressed:,} worse, {row.improved:,} better)"
    passed = f"{numbers.count(row.baseline_passed)} → {numbers.count(row.candidate_passed)}"
    bounds = row.interval(confidence)
    return (
        f"{layout.name(row.name)}{critical}",
        f"{layout.unbroken(f'{passed} of {numbers.count(row.count)}')}{change}",
        f"{numbers.rate(bounds.low)} to {numbers.rate(bounds.high)}",
    )


def figures(view: View) -> str:
    """Every figure of both releases beside its gate."""
    rows = []
    for row in metric_rows(view.judgement):
        limit = layout.unbroken(row.limit)
        fails = " fails" if row.failed else ""
        rows.append((row.label, row.baseline, row.candidate, f"{limit}{fails}"))
    head = ("Figure", "Baseline", "Candidate", "Gate")
    return layout.folded("All figures", layout.table(head, rows))


def evidence(view: View) -> str:
    """What was judged, by which rules, and the digest that binds them."""
    judgement = view.judgement
    found, rubric = judgement.evidence, judgement.rubric
    files = found.inputs[: view.budget.rows]
    version, format_ = EVALUATOR_VERSION, DIGEST_FORMAT
    method = f"Bootstrap: {numbers.count(rubric.resamples)} resamples, seed {rubric.seed}"
    if judgement.details is not None:
        version, format_ = EVALUATOR_VERSION_V2, DIGEST_FORMAT_V2
        method = f"Difference: {difference_v2.method(judgement, judgement.details)}"
    lines = [
        f"- SHA-256 of the inputs: `{found.sha256}` (`{format_}`)",
        f"- Evaluator `{version}`, dataset {layout.name(judgement.dataset_version)},"
        f" rubric {layout.name(rubric.version)},"
        f" replays {layout.name(judgement.predictions_version)}",
        f"- {method}",
        *(
            f"- {each.role.capitalize()} {markdown(each.name)}:"
            f" {numbers.counted(each.byte_count, 'byte')}, SHA-256 `{each.sha256}`"
            for each in files
        ),
    ]
    more = layout.left_out(len(found.inputs) - len(files), "file", view.where)
    body = "".join(f"{line}\n" for line in lines) + more
    return layout.folded(f"Evidence <code>{found.fingerprint}</code>", body)


def warnings(view: View) -> str:
    """What was noticed about the contracts."""
    found, budget = view.judgement.warnings, view.budget
    if not found:
        return ""
    shown = taken(
        (problem_item(problem, blob_base=view.blob_base) for problem in found),
        most=budget.rows,
        room=budget.limit // 8,
        budget=budget,
    )
    more = layout.left_out(len(found) - len(shown), "warning", view.where)
    title = numbers.counted(len(found), "warning")
    return layout.folded(f"{title} about the contracts", f"{''.join(shown)}{more}")


def limitations(lines: Sequence[str] = LIMITATIONS) -> str:
    """What a verdict does not say; `lines` are Markdown of ours."""
    body = "".join(f"- {each}\n" for each in lines)
    return layout.folded("What this verdict does not say", body)


def case_list(
    title: str,
    pairs: Sequence[Shown],
    item: Callable[[Shown], str],
    view: View,
    *,
    opened: bool = False,
) -> str:
    """A folded list of cases, as long as the budget takes; empty where there are none."""
    if not pairs:
        return ""
    budget = view.budget
    shown = taken(map(item, pairs), most=budget.folded, room=budget.limit // 6, budget=budget)
    more = layout.left_out(len(pairs) - len(shown), "case", view.where)
    return layout.folded(title, "".join(shown) + more, opened=opened)
