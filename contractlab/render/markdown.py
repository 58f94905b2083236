"""A judgement as Markdown, for a pull request's comment and a job's summary.

What decides comes first. Where the whole is larger than the medium takes, sections are left
out from the end of this list, and the last line names them: slices, latency and cost, evidence,
more cases that got worse, critical cases that fail in both, warnings, behaviour that changed,
cases that got better, all figures, limitations. The verdict, what decides it, the first cases
that got worse and the uncertainty always stay. Version 2 has more sections: `markdown_v2`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from contractlab.render.comment import folds, opening
from contractlab.render.comment.budget import COMMENT, Section, fitted
from contractlab.render.comment.problems import whole_report
from contractlab.render.comment.view import view as view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.judge import Judgement
    from contractlab.render.comment.budget import Budget
    from contractlab.render.comment.view import View

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
    details = judgement.details
    if details is None:
        head = f"{opening.head(view)}\n{opening.decides(view)}"
        sure = opening.uncertainty(view)
        sections, order = _sections(view, shown), _ORDER
    else:
        from contractlab.render import markdown_v2  # noqa: PLC0415 (version 2 only)

        head, sure = markdown_v2.fixed_parts(view, details)
        sections, order = markdown_v2.sections(view, details, shown), markdown_v2.ORDER
    room = budget.limit - budget.size(head + worse + sure) - _NOTE_ROOM
    texts = {
        part.title: text
        for part, text in zip(sections, fitted(sections, room, budget), strict=True)
    }
    left = [title for title, text in texts.items() if text is None]
    texts[""] = sure
    reading_order = (head, worse, *map(texts.get, order), _closing(left, details_url))
    return "\n".join(part for part in reading_order if part)


_ORDER: Sequence[str] = (
    "more that got worse", "critical cases that fail in both", "what got better",
    "changed behaviour", "slices", "", "latency and cost", "all figures", "evidence", "warnings",
    "limitations",
)  # fmt: skip
"""The sections as they are read; "" is the uncertainty."""


def _sections(view: View, shown: int) -> tuple[Section, ...]:
    """What may be left out, the most important first; `shown` got worse in the opening."""
    return (
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


def _closing(left: list[str], details_url: str | None) -> str:
    where = whole_report(details_url)
    if left:
        return f"Left out for length: {', '.join(left)}. All of it is in {where}.\n"
    return f"Every case is in {where}.\n" if details_url is not None else ""
