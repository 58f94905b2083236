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
    "both": "passes as before",
    "improved": "got better",
    "regressed": "got worse",
    "neither": "fails as before",
}


def missed(pair: Pair) -> list[str]:
    """A sentence a check that does not hold for the candidate: `tool_correct: "x", not "y"`."""
    return [_miss(each) for each in misses(pair.candidate)]


def changed(pair: Pair) -> list[str]:
    """A sentence an aspect in which the releases differ: `tool "a" -> "b"`."""
    return [_change(each) for each in changes(pair)]


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
