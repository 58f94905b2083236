"""The page's parts that only a version 2 judgement has: what changed, and what was recorded."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from contractlab.render import numbers
from contractlab.render.columns import cut_apart
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.parts import CRITICAL_TAG, filter_link, more, row, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contractlab.details import Details, Side
    from contractlab.grade import Graded
    from contractlab.render.page.casebook import Casebook
    from contractlab.render.tables_v2 import Recorded

_ROWS = 60
_TOOLS = 20
_CASES = 40


def changed(details: Details, book: Casebook, of: Recorded) -> str:
    """What the releases are made of that is not the same in both, beside how they behaved."""
    return (
        f'<div class="pair"><div>{_manifests(details)}{_aspects(book)}</div>'
        f"<div>{_tools(of)}</div></div>"
    )


def _manifests(details: Details) -> str:
    one, other = details.baseline.manifest, details.candidate.manifest
    if one is None or other is None:
        lacking = [
            name for name, found in (("baseline", one), ("candidate", other)) if found is None
        ]
        return f"<p>Not recorded: no release manifest of the {' and of the '.join(lacking)}.</p>"
    changes = details.manifest_changes
    if not changes:
        parts = numbers.counted(sum(map(len, one.values())), "part")
        return f"<p>Nothing: all {parts} of both manifests are the same.</p>"
    rows = [
        row(
            html(clip(f"{each.component}.{each.part}", 80)),
            *_parts(each.before, each.after),
        )
        for each in changes[:_ROWS]
    ]
    untouched = sorted((one.keys() & other.keys()) - {each.component for each in changes})
    note = ", ".join(html(clip(name, 60)) for name in untouched[:_ROWS])
    caption = "Parts of the release manifests that changed"
    return (
        table(caption, ("part", "baseline", "candidate"), rows, kind="parts")
        + more(len(changes) - len(rows), "parts", "in the JSON report")
        + (f'<p class="note">The same in both: {note}.</p>' if note else "")
    )


def _parts(before: str, after: str) -> tuple[str, ...]:
    """Both values of a part; of long ones what tells them apart."""
    cut = cut_apart(_value(before), _value(after), 100)
    return tuple(
        f"<code>{html(text)}</code>" if spelled else "absent"
        for spelled, text in zip((before, after), cut, strict=True)
    )


def _value(spelled: str) -> str:
    value = json.loads(spelled) if spelled else ""
    return value if isinstance(value, str) else spelled


def _aspects(book: Casebook) -> str:
    if not book.changed:
        return "<p>No case behaves otherwise than before.</p>"
    found = sorted(book.changed.items(), key=lambda each: (-each[1], each[0]))
    rows = [
        row(
            html(clip(aspect, 80)),
            numbers.count(count),
            numbers.percent(count / len(book), "nearest"),
        )
        for aspect, count in found[:_TOOLS]
    ]
    return table("Behaviour that changed", ("aspect", "cases", "share"), rows, kind="n2") + more(
        len(found) - len(rows), "aspects", "in the JSON report"
    )


def _tools(of: Recorded) -> str:
    """How often each tool was called, the largest change first; empty without calls."""
    sides = [_Calls.of(side.values()) for side in (of.before, of.after)]
    one, other = sides
    names = sorted(
        one.made.keys() | other.made.keys(),
        key=lambda name: (-abs(other.made[name] - one.made[name]), name),
    )
    if not names:
        return ""
    rows = [
        row(html(clip(name, 80)), *(side.words(name) for side in sides)) for name in names[:_TOOLS]
    ]
    heads = (
        f"{title}, {numbers.counted(side.runs, 'run')}"
        for title, side in zip(("baseline", "candidate"), sides, strict=True)
    )
    caption = "Calls by tool, the largest change first"
    return table(caption, ("tool", *heads), rows, kind="n2") + more(
        len(names) - len(rows), "tools", "in the JSON report"
    )


class _Calls(NamedTuple):
    """The calls that one release made, by tool."""

    runs: int
    made: Counter[str]
    failed: Counter[str]

    @classmethod
    def of(cls, results: Iterable[Graded]) -> _Calls:
        """Counts them over all runs."""
        runs = [run.record.run for graded in results for run in graded.each]
        calls = [call for run in runs for call in run.calls or ()]
        made = Counter([call.name for call in calls])
        return cls(len(runs), made, Counter([call.name for call in calls if not call.ok]))

    def words(self, name: str) -> str:
        """How often one tool was called."""
        failed = self.failed[name]
        also = f' <span class="note">({numbers.count(failed)} failed)</span>' if failed else ""
        return f"{numbers.count(self.made[name])}{also}"


# ── what was recorded ───────────────────────────────────────────────────────────────────────


def recorded(details: Details) -> str:
    """How much was recorded, how runs ended, what they lack, and what was not compared."""
    one, other = details.baseline, details.candidate
    of = numbers.count(details.cases)
    rows = [
        row("cases with a record", *(f"{numbers.count(s.covered)} of {of}" for s in (one, other))),
        *(
            row(title, numbers.count(before), numbers.count(after))
            for title, before, after in _counts(one, other)
        ),
    ]
    counts = table("Records of both releases", ("", "baseline", "candidate"), rows, kind="n2")
    return (
        f'<div class="pair"><div>{counts}</div><div>{_unmeasured(one, other)}</div></div>'
        f"{_unpaired(details)}"
    )


def _counts(one: Side, other: Side) -> Iterator[tuple[str, int, int]]:
    yield "runs", one.records, other.records
    statuses = {"ok", *one.statuses, *other.statuses}
    for status in sorted(statuses, key=lambda name: (name != "ok", name)):
        ended = f"runs that ended: {html(status)}"
        yield ended, one.statuses.get(status, 0), other.statuses.get(status, 0)
    if one.ignored or other.ignored:
        yield "records of other splits", one.ignored, other.ignored


def _unmeasured(one: Side, other: Side) -> str:
    """Runs that lack what a check looks at, though they ended well."""
    names = sorted(one.unmeasured.keys() | other.unmeasured.keys())
    if not names:
        return "<p>Every run that ended well has what its checks look at.</p>"
    rows = [
        row(html(name), *(numbers.count(side.unmeasured.get(name, 0)) for side in (one, other)))
        for name in names
    ]
    caption = "Runs without what a check looks at, which then does not hold"
    return table(caption, ("check", "baseline", "candidate"), rows, kind="n2")


def _unpaired(details: Details) -> str:
    """The cases that could not be compared; empty where there is none."""
    found = details.unpaired
    if not found:
        return ""
    rows = [
        row(
            f'<span class="id">{html(clip(each.case.id, 80))}</span>',
            f"{html(clip(each.case.slice, 60))}{f' {CRITICAL_TAG}' if each.case.critical else ''}",
            _alone(each.baseline),
            _alone(each.candidate),
        )
        for each in found[:_CASES]
    ]
    caption = "Cases that were not compared; without a record the candidate counts as failing"
    return table(caption, ("case", "slice", "baseline", "candidate"), rows) + more(
        len(found) - len(rows), "cases", "in the JSON report"
    )


def _alone(graded: Graded | None) -> str:
    """Whether a case passes; of several trials, how many do."""
    if graded is None:
        return "no record"
    if not graded.trials:
        return "passes" if graded.passed else "fails"
    return f"passes {sum(run.passed for run in graded.each):,} of {len(graded.each):,}"


def compared_note(details: Details) -> str:
    """Which cases a figure is of; empty where all cases have a record in both releases."""
    if not details.unpaired:
        return ""
    return (
        '<p class="note">Pass rate and mean score are of the'
        f" {numbers.counted(details.compared, 'case')} that both releases have a record of, the"
        " others of all records of each. A gate counts a case without a record as failing, so it"
        " may have seen less.</p>"
    )


# ── trials ──────────────────────────────────────────────────────────────────────────────────


def trials(of: Recorded, details: Details) -> str:
    """Cases that pass in some trials only: a rate hides them, and a single trial does too."""
    flaky = {*details.baseline.flaky, *details.candidate.flaky}
    if not flaky:
        return "<p>No case passes in some trials only.</p>"
    found = [case for case in of.cases if case.id in flaky]
    ours = set(details.candidate.flaky)
    found.sort(key=lambda case: case.id not in ours)
    rows = [
        row(
            f'<span class="id">{html(clip(case.id, 80))}</span>',
            _alone(of.before.get(case.id)),
            _alone(of.after.get(case.id)),
        )
        for case in found[:_CASES]
    ]
    counts = (
        f"{numbers.count(len(ours))} of"
        f" {numbers.counted(details.candidate.covered, 'case')} in the candidate,"
        f" {numbers.count(len(details.baseline.flaky))} of"
        f" {numbers.count(details.baseline.covered)} in the baseline"
    )
    link = f": {filter_link('flip=flaky', 'show those of the candidate')}" if ours else ""
    return (
        f"<p>Flaky, which is to pass in some trials only, are {counts}{link}.</p>"
        + table(
            "Flaky cases, those of the candidate first", ("case", "baseline", "candidate"), rows
        )
        + more(len(found) - len(rows), "cases", "in the JSON report")
    )
