"""A judgement as Markdown, for a pull request's comment and a job's summary.

What decides comes first. Where the whole is larger than the medium takes, sections are left
out from the end of this list, and the last line names them: slices, latency and cost, evidence,
more cases that got worse, critical cases that fail in both, warnings, behaviour that changed,
cases that got better, all figures, limitations. The verdict, what decides it, the first cases
that got worse and the uncertainty always stay.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from contractlab.render.comment import folds, opening
from contractlab.render.comment.budget import COMMENT, Section, fitted
from contractlab.render.comment.problems import whole_report
from contractlab.render.comment.view import view as view_of

if TYPE_CHECKING:
    from contractlab.judge import Judgement
    from contractlab.render.comment.budget import Budget

_NOTE_ROOM = 2_000
"""Units for the last note: ten titles and an address."""


def render_markdown(
    judgement: Judgement,
    *,
    budget: Budget = COMMENT,
    details_url: str | None = None,
    blob_base: str | None = None,
) -> str:
    """The judgement, under the budget; it ends with a line end.

    Args:
        judgement: decided.
        budget: how large it may be, and how long its lists are: `COMMENT` or `SUMMARY`.
        details_url: where the whole report is, such as the run's page; under 500 characters.
        blob_base: as `render_problems_markdown` takes it, for the places of warnings.
    """
    where = whole_report(details_url)
    view = view_of(judgement, budget, where=where, blob_base=blob_base)
    worse, shown = opening.worse(view)
    head, sure = opening.head(view) + "\n" + opening.decides(view), opening.uncertainty(view)
    sections = (
        Section("slices", partial(folds.slices, view)),
        Section("latency and cost", partial(opening.latency_and_cost, view)),
        Section("evidence", partial(folds.evidence, view)),
        Section("more that got worse", partial(folds.more_worse, view, shown)),
        Section("critical cases that fail in both", partial(folds.failing, view)),
        Section("warnings", partial(folds.warnings, view)),
        Section("changed behaviour", partial(folds.drift, view)),
        Section("what got better", partial(folds.better, view)),
        Section("all figures", partial(folds.figures, view)),
        Section("limitations", folds.limitations),
    )
    room = budget.limit - budget.size(head + worse + sure) - _NOTE_ROOM
    texts = fitted(sections, room, budget)
    slices, latency, evidence, more, failing, warnings, drift, better, figures, limits = texts
    left = [part.title for part, text in zip(sections, texts, strict=True) if text is None]
    reading_order = (
        *(head, worse, more, failing, better, drift, slices, sure, latency),
        *(figures, evidence, warnings, limits, _closing(left, details_url)),
    )
    return "\n".join(part for part in reading_order if part)


def _closing(left: list[str], details_url: str | None) -> str:
    where = whole_report(details_url)
    if left:
        return f"Left out for length: {', '.join(left)}. All of it is in {where}.\n"
    return f"Every case is in {where}.\n" if details_url is not None else ""
