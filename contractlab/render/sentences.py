"""How a case came out, in plain sentences for machines' reports and lists. Raw: escape them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render.behaviour import NONE, changes, misses
from contractlab.words import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.compare import Pair
    from contractlab.render.behaviour import Change, Miss

FLIPS = {
    "regressed": "got worse",
    "neither": "fails as before",
    "improved": "got better",
    "both": "passes as before",
}
"""In words, in the order of concern."""


def missed(pair: Pair) -> list[str]:
    """A sentence a check that does not hold for the candidate: `tool_correct: "x", not "y"`."""
    return [_miss(each) for each in misses(pair.candidate)]


def changed(pair: Pair) -> list[str]:
    """A sentence an aspect in which the releases differ: `tool "a" -> "b"`."""
    return [_change(each) for each in changes(pair)]


def failed(pair: Pair) -> str:
    """Why the candidate fails a case, on one line; of trials, in how many it passes."""
    words = failure(pair.flip, missed(pair), changed(pair))
    trials = in_trials(pair)
    if not trials:
        return words
    if pair.flip == "both":
        words = words.replace(FLIPS["both"], "passes in some trials as before", 1)
    return f"{trials}; {words}"


def in_trials(pair: Pair) -> str:
    """In how many trials a case passes and passed; empty where that is all or one of each."""
    if not (pair.baseline.trials or pair.candidate.trials):
        return ""
    if pair.baseline.passed and pair.candidate.passed:
        return ""
    before, after = (
        f"{sum(trial.passed for trial in each):,} of {len(each):,} trials"
        for each in (pair.baseline.each, pair.candidate.each)
    )
    return f"passes {after}, was {before}"


def failure(flip: str, missed_: Sequence[str], changed_: Sequence[str]) -> str:
    """Why the candidate fails a case, and what it did before, on one line."""
    before = "; ".join(changed_) or "the baseline did the same"
    return f"{FLIPS[flip]}: {'; '.join(missed_)} ({before})"


def _miss(miss: Miss) -> str:
    if miss.forbidden:
        return f"{miss.check}: {_values(miss.did)} is forbidden"
    return f"{miss.check}: {_values(miss.did)}, expected {_values(miss.wanted)}"


def _change(change: Change) -> str:
    if change.words:
        return change.words
    if not change.several:
        return f"{change.aspect} {_values(change.before)} -> {_values(change.after)}"
    parts = []
    if change.added:
        parts.append(f"added {_values(change.added)}")
    if change.removed:
        parts.append(f"removed {_values(change.removed)}")
    return f"{change.aspect} {', '.join(parts) or 'in another order'}"


def _values(values: Sequence[str]) -> str:
    return listed(values) if values else NONE
