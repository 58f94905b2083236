"""Every case as the report shows it, in the order of concern: the worst come first.

Thousands of cases are ordered and counted, and the page has room for some hundreds or
thousands; so what a case shows is made only once the page asks for it. Many cases share
their behaviours, so what follows from both behaviours and both outcomes (the `Story`) is
one object for all of them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from contractlab.compare import Pair
from contractlab.model import ONE_RUN
from contractlab.render.behaviour import (
    NONE,
    changed_aspects,
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

    from contractlab.grade import Graded
    from contractlab.model import Case, Record
    from contractlab.render.behaviour import Change, CheckFlip, Fact

Values = tuple[str, ...]
Facts = tuple[tuple[str, Values], ...]
"""Aspects with their values, raw, clipped."""
Outcomes = tuple[tuple[str, int, int], ...]
"""Checks by name: in how many runs it holds, of how many."""
Runs = tuple[tuple[str, str, str], ...]
"""Trials by name, with what came of each in words; empty where a release has no such trial."""

_VALUES = 20
_VALUE_CHARS = 320
"""Of one value. A call or an answer comes cut to 300 characters, which is not told twice."""
_INPUT_CHARS = 4000
_WORD_CHARS = 60
_TRIALS = 20


class Story(NamedTuple):
    """What both releases did and how it was graded; shared between cases."""

    flip: str
    flaky: bool
    """Whether the candidate passes in some trials only."""
    outcomes_before: Outcomes
    outcomes_after: Outcomes
    changed: tuple[str, ...]
    """Aspects in which the behaviour changed."""
    words: str
    """What changed, on one line; raw."""
    before: Facts | None = None
    """None where the page has no room for what was done; likewise all that follows."""
    after: Facts | None = None
    forbidden_before: Values = ()
    """What was done and must not be; raw, clipped as in the facts."""
    forbidden_after: Values = ()
    runs: Runs = ()
    """Empty where there is one run of each release."""
    shown: tuple[str, str] = ("", "")
    """The trials whose behaviour is shown, of the baseline and of the candidate."""


class Entry(NamedTuple):
    """One case."""

    case: Case
    expected: Facts
    """Empty where the story has no room either."""
    story: Story
    measures: tuple[str, ...] = ()
    """Texts of the measured aspects: the baseline's, then the candidate's."""


class _Found(NamedTuple):
    """One pair, as far as it must be known to put it in its place."""

    pair: Pair
    flip: str
    changed: tuple[str, ...]
    """Aspects in which the behaviour changed."""


class Casebook:
    """The cases: got worse, fails in both, got better, passes in both.

    Within each, behaviour that changed comes first, then critical cases, then dataset order.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        groups: dict[str, list[tuple[bool, bool, int, _Found]]] = {flip: [] for flip in FLIPS}
        for index, pair in enumerate(pairs):
            found = _Found(pair, pair.flip, changed_aspects(pair))
            critical = pair.baseline.case.critical
            groups[found.flip].append((not found.changed, not critical, index, found))
        self._found = [
            each[3] for flip in FLIPS for each in sorted(groups[flip], key=lambda each: each[:3])
        ]
        self._entries: list[Entry] = []
        self._made = _Stories()
        self.counts = {flip: len(groups[flip]) for flip in FLIPS}
        """Cases by flip."""
        self.drifted = sum(not each[0] for each in groups["both"])
        """Cases that pass as before although the behaviour changed."""
        self.changed = Counter(aspect for each in self._found for aspect in each.changed)
        """Cases by the aspect in which their behaviour changed."""

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, place: int) -> Entry:
        """A case with all that the page can show of it."""
        while len(self._entries) <= place:
            self._entries.append(self._made.entry(self._found[len(self._entries)]))
        return self._entries[place]

    def briefly(self, place: int) -> Entry:
        """A case with its outcome alone."""
        return self._made.brief(self._found[place])


class _Stories:
    """Equal stories and expectations are one object each."""

    def __init__(self) -> None:
        # By the identity of what the pairs keep alive.
        self._known: dict[tuple[object, ...], Story] = {}
        self._stories: dict[Story, Story] = {}
        self._asked: dict[int, Facts] = {}
        self._expectations: dict[Facts, Facts] = {}

    def entry(self, found: _Found) -> Entry:
        """All of a case."""
        shown = telling(found.pair)
        one, other = shown.baseline.record, shown.candidate.record
        case = shown.baseline.case
        asked = self._asked.get(id(case.expect))
        if asked is None:
            facts = _expected(case, other)
            asked = self._asked[id(case.expect)] = self._expectations.setdefault(facts, facts)
        return Entry(case, asked, self._story(found, shown), measured(one) + measured(other))

    def brief(self, found: _Found) -> Entry:
        """Its outcome alone."""
        flips = check_flips(found.pair)
        words = filter(None, (in_trials(found.pair), _words((), flips, ())))
        story = _outcome(found, "; ".join(words))
        return Entry(found.pair.baseline.case, (), self._stories.setdefault(story, story))

    def _story(self, found: _Found, shown: Pair) -> Story:
        """The story of a pair, of which one run of each release is shown."""
        (case, before, *_), (_, after, *_) = shown
        if after.run is not ONE_RUN:
            story = _whole(found, shown)
            return self._stories.setdefault(story, story)
        # In version 1 thousands of cases share a few hundred stories.
        checks = id(shown.baseline.checks), id(shown.candidate.checks)
        key = (before[1:5], after[1:5], checks, case.forbidden_actions, found.flip)
        known = self._known.get(key)
        if known is None:
            story = _whole(found, shown)
            known = self._known[key] = self._stories.setdefault(story, story)
        return known


def _expected(case: Case, record: Record) -> Facts:
    """What a case asks for; in version 2 also that the run ends well."""
    facts = _clipped(expectation(case))
    return facts if record.run is ONE_RUN else (("status", ("ok",)), *facts)


def _whole(found: _Found, shown: Pair) -> Story:
    """All of a story."""
    taken = forbidden_taken(shown.baseline), forbidden_taken(shown.candidate)
    words = _words(changes(shown), check_flips(shown), taken[1])
    story = _outcome(found, "; ".join(filter(None, (in_trials(found.pair), words))))
    story = story._replace(
        before=_clipped(judged(shown.baseline.record)),
        after=_clipped(judged(shown.candidate.record)),
        forbidden_before=tuple(clip(each, _VALUE_CHARS) for each in taken[0]),
        forbidden_after=tuple(clip(each, _VALUE_CHARS) for each in taken[1]),
    )
    if shown is found.pair:
        return story
    one, other = (f"trial {each.record.run.trial:,}" for each in shown)
    return story._replace(runs=_runs(found.pair, shown), shown=(one, other))


def _outcome(found: _Found, words: str) -> Story:
    pair = found.pair
    outcomes = _outcomes(pair.baseline), _outcomes(pair.candidate)
    return Story(found.flip, pair.candidate.flaky, *outcomes, found.changed, words)


def _outcomes(graded: Graded) -> Outcomes:
    """In how many of its runs each check of a case holds."""
    if not graded.trials:
        return tuple((name, int(held), 1) for name, held in graded.checks.items())
    runs = graded.trials
    return tuple((name, sum(run.checks[name] for run in runs), len(runs)) for name in graded.checks)


def _runs(pair: Pair, shown: Pair) -> Runs:
    """What came of each trial, and how it behaved otherwise than the one that is shown."""
    before, after = (
        {run.record.run.trial: _run(run, of) for run in graded.each}
        for graded, of in zip(pair, shown, strict=True)
    )
    trials = sorted({*before, *after})
    rows = [(f"{trial:,}", before.get(trial, ""), after.get(trial, "")) for trial in trials]
    rest = len(rows) - _TRIALS
    return (*rows[:_TRIALS], *([(f"{rest:,} more", "…", "…")] if rest > 0 else []))


def _run(run: Graded, shown: Graded) -> str:
    """What came of a run: `fails label; calls −refund_order()`."""
    failed = ", ".join(name for name, held in run.checks.items() if not held)
    status = run.record.run.status
    parts = [status] if status != "ok" else []
    if run.passed:
        parts.append(f"passes (of what does not count fails {failed})" if failed else "passes")
    elif failed:
        parts.append(f"fails {failed}")
    if run is shown:
        parts.append("shown above")
    else:
        parts.append(_words(changes(Pair(shown, run)), (), forbidden_taken(run)))
    return "; ".join(filter(None, parts))


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
            _short(", ".join(values)) or NONE for values in (change.before, change.after)
        )
        return f"{change.aspect} {before} → {after}"
    # What must not be done comes first, so that no number of other actions hides it.
    added = sorted(change.added, key=lambda value: value not in forbidden)
    signed = [
        f"+{_short(value)}{' (forbidden)' if value in forbidden else ''}" for value in added[:3]
    ]
    signed += [f"−{_short(value)}" for value in change.removed[:3]]
    rest = len(change.added[3:]) + len(change.removed[3:])
    if rest:
        signed.append(f"and {rest} more")
    return f"{change.aspect} {' '.join(signed) or 'in another order'}"


def _short(text: str) -> str:
    """The start of a value, for a line that names several."""
    return text if len(text) <= _WORD_CHARS else f"{text[:_WORD_CHARS]}…"
