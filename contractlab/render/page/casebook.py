"""Every case as the report shows it, in the order of concern: the worst come first.

Thousands of cases share a few hundred behaviours, so what follows from both behaviours and
both outcomes (the `Story`) is made once and shared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contractlab.render.behaviour import (
    NONE,
    changes,
    check_flips,
    expectation,
    forbidden_taken,
    judged,
    measured,
    telling,
)
from contractlab.render.page.parts import FLIPS
from contractlab.render.sentences import in_trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.compare import Pair
    from contractlab.model import Case
    from contractlab.render.behaviour import Change, CheckFlip, Fact

Values = tuple[str, ...]
Facts = tuple[tuple[str, Values], ...]
"""Aspects with their values, raw, clipped."""
Outcomes = tuple[tuple[str, bool], ...]
"""Checks by name: whether each holds."""

_VALUES = 20
_VALUE_CHARS = 300
_INPUT_CHARS = 4000
_WORD_CHARS = 60


class Story(NamedTuple):
    """What both releases did and how it was graded; shared between cases."""

    before: Facts
    after: Facts
    measured_before: tuple[str, ...]
    """The measured aspects, whose values stand in the entry."""
    measured_after: tuple[str, ...]
    outcomes_before: Outcomes
    outcomes_after: Outcomes
    changed: tuple[str, ...]
    """Aspects in which the behaviour changed."""
    words: str
    """What changed, on one line; raw."""
    flip: str
    forbidden_before: Values = ()
    """What was done and must not be; raw, clipped as in the facts."""
    forbidden_after: Values = ()

    @property
    def drifted(self) -> bool:
        """Whether the case passes as before although the behaviour changed."""
        return self.flip == "both" and bool(self.changed)


class Entry(NamedTuple):
    """One case."""

    case: Case
    expected: Facts
    story: Story
    measures: tuple[str, ...]
    """Of the baseline, then of the candidate, as the story names them."""


def casebook(pairs: Sequence[Pair]) -> list[Entry]:
    """The cases: got worse, fails in both, got better, passes in both.

    Within each, behaviour that changed comes first, then critical cases, then dataset order.
    """
    stories = _Stories()
    asked: dict[int, tuple[Sequence[Fact], Facts]] = {}
    expectations: dict[Facts, Facts] = {}
    groups: dict[str, list[tuple[bool, bool, int, Entry]]] = {flip: [] for flip in FLIPS}
    for index, pair in enumerate(pairs):
        case = pair.baseline.case
        wanted = expectation(case)
        if id(wanted) not in asked:
            facts = _clipped(wanted)
            asked[id(wanted)] = wanted, expectations.setdefault(facts, facts)
        shown = telling(pair)
        had, has = measured(shown.baseline.record), measured(shown.candidate.record)
        story = stories.of(shown, had, has, flip=pair.flip, trials=in_trials(pair))
        measures = (*[fact.text for fact in had], *[fact.text for fact in has])
        entry = Entry(case, asked[id(wanted)][1], story, measures)
        groups[story.flip].append((not story.changed, not case.critical, index, entry))
    return [found[3] for flip in FLIPS for found in sorted(groups[flip], key=_concern)]


def _concern(found: tuple[bool, bool, int, Entry]) -> tuple[bool, bool, int]:
    return found[:3]


class _Stories:
    """Equal stories are one object, whether or not their parts were shared to begin with."""

    def __init__(self) -> None:
        # By the identity of the parts, which are kept so that no identity is used again.
        self._known: dict[tuple[object, ...], tuple[Story, tuple[object, ...]]] = {}
        self._stories: dict[Story, Story] = {}

    def of(
        self,
        pair: Pair,
        had: Sequence[Fact],
        has: Sequence[Fact],
        *,
        flip: str,
        trials: str,
    ) -> Story:
        """The story of a pair whose records were measured so.

        Args:
            pair: one run of each release.
            had: what was measured of the baseline's.
            has: what was measured of the candidate's.
            flip: of the case, over all its trials.
            trials: in how many it passes, in words; empty where there is one.
        """
        before, after = judged(pair.baseline.record), judged(pair.candidate.record)
        checks = pair.baseline.checks, pair.candidate.checks
        taken = forbidden_taken(pair.baseline), forbidden_taken(pair.candidate)
        key = (*map(id, (before, after, *checks)), len(had), len(has), taken, flip, trials)
        known = self._known.get(key)
        if known is None:
            found = changes(pair)
            story = Story(
                _clipped(before),
                _clipped(after),
                tuple(fact.aspect for fact in had),
                tuple(fact.aspect for fact in has),
                tuple(checks[0].items()),
                tuple(checks[1].items()),
                tuple(each.aspect for each in found),
                "; ".join(filter(None, (trials, _words(found, check_flips(pair), taken[1])))),
                flip,
                *(tuple(clip(each, _VALUE_CHARS) for each in side) for side in taken),
            )
            story = self._stories.setdefault(story, story)
            known = self._known[key] = story, (before, after, checks)
        return known[0]


def input_shown(case: Case) -> str:
    """A case's input, cut where it is very long."""
    return clip(case.input, _INPUT_CHARS)


def clip(text: str, most: int) -> str:
    """The start of a text, and how long the whole is where that is not all of it."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _clipped(facts: Sequence[Fact]) -> Facts:
    return tuple(
        (
            fact.aspect,
            (
                *(clip(value, _VALUE_CHARS) for value in fact.values[:_VALUES]),
                *_rest(len(fact.values) - _VALUES),
            ),
        )
        for fact in facts
    )


def _rest(count: int) -> Values:
    return (f"… {count:,} more",) if count > 0 else ()


def _words(changed: Sequence[Change], flips: Sequence[CheckFlip], forbidden: Values) -> str:
    """`fails tool_correct; tool search → none; actions +refund_order (forbidden) −reply`."""
    said = []
    for verb, held in (("fails", False), ("now passes", True)):
        names = [flip.name for flip in flips if flip.held_after is held]
        if names:
            said.append(f"{verb} {', '.join(names)}")
    return "; ".join([*said, *(_change_words(change, forbidden) for change in changed)])


def _change_words(change: Change, forbidden: Values) -> str:
    if change.words:
        return change.words
    if not change.several:
        before, after = (
            clip(", ".join(values), _WORD_CHARS) or NONE for values in (change.before, change.after)
        )
        return f"{change.aspect} {before} → {after}"
    # What must not be done comes first, so that no number of other actions hides it.
    added = sorted(change.added, key=lambda value: value not in forbidden)
    signed = [
        f"+{clip(value, _WORD_CHARS)}{' (forbidden)' if value in forbidden else ''}"
        for value in added[:3]
    ]
    signed += [f"−{clip(value, _WORD_CHARS)}" for value in change.removed[:3]]
    rest = len(change.added[3:]) + len(change.removed[3:])
    if rest:
        signed.append(f"and {rest} more")
    return f"{change.aspect} {' '.join(signed) or 'in another order'}"
