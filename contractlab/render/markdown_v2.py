"""A version 2 judgement as Markdown, for a pull request's comment and a job's summary.

Built like version 1's, under the same budgets. Left out first, from the end: slices, what
changed between the releases, latency and cost, evidence, more cases that got worse, critical
cases that fail in both, flaky cases, cases without a record, warnings, behaviour that changed,
cases that got better, all figures, limitations.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from contractlab.render.comment import folds, folds_v2, opening_v2
from contractlab.render.comment.budget import Section
from contractlab.render.report_v2 import LIMITATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.details import Details
    from contractlab.render.comment.view import View


ORDER: Sequence[str] = (
    "more that got worse", "critical cases that fail in both", "what got better",
    "changed behaviour", "flaky cases", "what changed", "cases without a record", "slices",
    "", "latency and cost", "all figures", "evidence", "warnings", "limitations",
)  # fmt: skip
"""The sections as they are read; "" is the uncertainty."""


def fixed_parts(view: View, details: Details) -> tuple[str, str]:
    """What always stays: the opening with what decides, and the uncertainty."""
    head = f"{opening_v2.head(view, details)}\n{opening_v2.decides(view, details)}"
    return head, opening_v2.uncertainty(view, details)


def sections(view: View, details: Details, shown: int) -> tuple[Section, ...]:
    """What may be left out, the most important first.

    Args:
        view: of the judgement.
        details: its.
        shown: cases that got worse and are in the opening already.
    """
    return (
        Section("slices", partial(folds_v2.slices, view, details)),
        Section("what changed", partial(folds_v2.changed, view, details)),
        Section("latency and cost", partial(opening_v2.latency_and_cost, view)),
        Section("evidence", partial(folds.evidence, view)),
        Section("more that got worse", partial(folds.more_worse, view, shown)),
        Section("critical cases that fail in both", partial(folds.failing, view)),
        Section("flaky cases", partial(folds_v2.flaky, view, details)),
        Section("cases without a record", partial(folds_v2.missing, view, details)),
        Section("warnings", partial(folds.warnings, view)),
        Section("changed behaviour", partial(folds.drift, view)),
        Section("what got better", partial(folds.better, view)),
        Section("all figures", partial(folds_v2.figures, view, details)),
        Section("limitations", partial(folds.limitations, LIMITATIONS)),
    )
