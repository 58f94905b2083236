"""One case of a comparison as a list item: what changed, or what is missing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from contractlab.render.behaviour import (
    NONE,
    changes,
    check_flips,
    forbidden_taken,
    misses,
    telling,
)
from contractlab.render.escape import markdown, markdown_prose

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from contractlab.compare import Pair
    from contractlab.grade import Graded
    from contractlab.render.behaviour import Change, Miss

_VALUE = 60
"""Characters of one value; an id may be longer."""
_VALUES = 3
"""Values of one list."""


def regressed(pair: Pair) -> str:
    """A case that got worse: the checks that fail now, and what was done otherwise."""
    broken = [flip.name for flip in check_flips(pair) if flip.held_before]
    return _item(pair, _told(pair, "now fails", broken))


def improved(pair: Pair) -> str:
    """A case that got better: the checks that hold now, and what was done otherwise."""
    mended = [flip.name for flip in check_flips(pair) if flip.held_after]
    return _item(pair, _told(pair, "now meets", mended))


def drifted(pair: Pair) -> str:
    """A case that passes as before, in another way."""
    return _item(pair, _changes(pair))


def failing(pair: Pair) -> str:
    """A case that fails as before: what the candidate did, and what is asked for."""
    return _item(pair, "; ".join(_miss(miss) for miss in misses(pair.candidate)))


def flaky(graded: Graded) -> str:
    """A case that passes in some trials only: in how many, and what it fails in the others."""
    case = graded.case
    failed = "; ".join(_miss(miss) for miss in misses(graded))
    return f"- **{markdown(case.id)}** passes {_trials(graded)}: {failed}\n"


def _told(pair: Pair, verb: str, checks: Sequence[str]) -> str:
    """What came out differently, then what was done otherwise; of trials, how many pass."""
    parts = []
    if pair.baseline.trials or pair.candidate.trials:
        parts.append(f"passes {_trials(pair.candidate)}, was {_trials(pair.baseline)}")
    changed = _changes(pair)
    if checks:
        parts.append(f"{verb} {_names(checks)}{': ' if changed else ''}{changed}")
    elif changed:
        parts.append(changed)
    return "; ".join(parts)


def _trials(graded: Graded) -> str:
    each = graded.each
    return f"{sum(trial.passed for trial in each):,} of {len(each):,}"


def _item(pair: Pair, text: str) -> str:
    case = pair.baseline.case
    title = f"**{markdown(case.id)}**, {'**critical**, ' if case.critical else ''}in"
    # A backslash at the end of a line breaks it in a comment and in a summary alike.
    return f"- {title} {markdown(case.slice, _VALUE)}\\\n  {text}\n"


def _changes(pair: Pair) -> str:
    forbidden = forbidden_taken(telling(pair).candidate)
    return "; ".join(_change(change, forbidden) for change in changes(pair))


def _change(change: Change, forbidden: Collection[str]) -> str:
    if change.words:
        return change.words
    aspect = _aspect(change.aspect)
    if change.aspect not in ("calls", "actions"):
        forbidden = ()
    if not change.several:
        return f"{aspect} {_values(change.before)} → {_values(change.after)}"
    parts = []
    if change.added:
        parts.append(f"{aspect} added: {_values(change.added, forbidden)}")
    if change.removed:
        parts.append(f"{aspect} removed: {_values(change.removed)}")
    return "; ".join(parts) or f"{aspect} in another order: {_values(change.after)}"


def _aspect(aspect: str) -> str:
    """An aspect, of which a name is written as JSON: `outcome "utility"`."""
    kind, named, name = aspect.partition(" ")
    return f"{kind} {markdown(json.loads(name), _VALUE)}" if named else markdown_prose(aspect)


def _miss(miss: Miss) -> str:
    if miss.forbidden:
        return f"fails {markdown(miss.check)}: {_values(miss.did, miss.did)}"
    return f"fails {markdown(miss.check)}: {_values(miss.did)} instead of {_values(miss.wanted)}"


def _values(values: Sequence[str], forbidden: Collection[str] = ()) -> str:
    if not values:
        return NONE
    # What is forbidden comes first: it must not be among what is left out.
    ordered = sorted(values, key=lambda value: value not in forbidden)
    texts = [
        f"{_value(value)}{' (forbidden)' if value in forbidden else ''}"
        for value in ordered[:_VALUES]
    ]
    more = len(values) - _VALUES
    return ", ".join(texts) + (f" and {more:,} more" if more > 0 else "")


def _value(value: str) -> str:
    # A call or an answer may come cut, so the count of its characters would mislead.
    return markdown(value if len(value) <= _VALUE else f"{value[:_VALUE]}…", _VALUE + 1)


def _names(checks: Sequence[str]) -> str:
    return ", ".join(markdown(check, _VALUE) for check in checks)
