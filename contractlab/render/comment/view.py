"""A judgement as the sections of a comment look at it: its cases by what a reviewer asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.render.behaviour import drifted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.compare import Pair
    from contractlab.judge import Judgement
    from contractlab.render.comment.budget import Budget


@dataclass(frozen=True, slots=True)
class View:
    """A judgement, how it is shown, and its cases by what a reviewer asks of them."""

    judgement: Judgement
    budget: Budget
    where: str
    """Where the whole report is: Markdown that follows `more are in`."""
    blob_base: str | None
    """Address of the folder that file names start from, at the judged commit."""
    regressed: Sequence[Pair]
    """Critical ones first, like all that follow."""
    improved: Sequence[Pair]
    drifted: Sequence[Pair]
    """Pass as before, in another way."""
    failing: Sequence[Pair]
    """Critical, and fail in both releases; with trials also those that fail less often now."""


def view(judgement: Judgement, budget: Budget, *, where: str, blob_base: str | None) -> View:
    """Looks at every case once."""
    regressed: list[Pair] = []
    improved: list[Pair] = []
    drift: list[Pair] = []
    failing: list[Pair] = []
    for pair in judgement.comparison.pairs:
        flip = pair.flip
        if flip == "regressed":
            regressed.append(pair)
            continue
        if flip == "improved":
            improved.append(pair)
        if not pair.candidate.passed:
            if pair.baseline.case.critical:
                failing.append(pair)
        elif flip == "both" and drifted(pair):
            drift.append(pair)
    for each in (regressed, improved, drift):
        each.sort(key=lambda pair: not pair.baseline.case.critical)
    return View(judgement, budget, where, blob_base, regressed, improved, drift, failing)
