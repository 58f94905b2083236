"""A judgement for a terminal: 80 columns, aligned, the verdict last so that it stays in view."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contractlab.render import difference, numbers
from contractlab.render.behaviour import NONE, changes, check_flips, forbidden_taken
from contractlab.render.columns import cut, cut_inside, left, right, width, wrapped
from contractlab.render.escape import terminal
from contractlab.render.reasons import message
from contractlab.render.style import coloured
from contractlab.render.tables import metric_rows, slice_rows
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from contractlab.compare import Pair
    from contractlab.interval import Interval
    from contractlab.judge import Judgement
    from contractlab.model import Verdict
    from contractlab.render.behaviour import Change

_CASES = 10
"""Cases of one kind that are named."""
_TOLD = 3
"""Critical cases that got worse of which everything is told."""
_EXPLAINED = 100
"""Cases that got worse of which everything is told, where that is asked for."""
_SLICES = 20
_REASONS = 10
_NAME = 28
"""Columns of a slice's name."""
_VALUE = 60
"""Columns of any other name or value."""
# A quoted value stays on one line, so that it can be searched for.
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"\S*|\S+')

_Row = tuple[str, str, str, str, "Verdict | None"]
"""Cells; what a gate led to where it failed."""


def render_text(
    judgement: Judgement, *, colour: bool = False, quiet: bool = False, verbose: bool = False
) -> str:
    """The judgement in some fifty lines.

    Args:
        judgement: decided.
        colour: with ANSI colours.
        quiet: only the reasons and the verdict.
        verbose: also what changed in each case that got worse.
    """
    lines: list[str] = []
    if not quiet:
        lines += [*_names(judgement), "", *_tables(judgement, colour=colour), ""]
        lines += [*_paired(judgement, verbose=verbose), ""]
    lines += _decision(judgement, colour=colour)
    return "".join(f"{line}\n" for line in lines)


def _names(judgement: Judgement) -> Iterator[str]:
    after = judgement.candidate
    yield f"baseline   {_name(judgement.baseline_release)}"
    yield f"candidate  {_name(judgement.candidate_release)}"
    yield f"dataset    {_name(judgement.dataset_version)}"
    slices = numbers.counted(len(after.by_slice), "slice")
    yield f"           {numbers.counted(after.case_count, 'test case')} in {slices}"


def _tables(judgement: Judgement, *, colour: bool) -> Iterator[str]:
    figures: list[_Row] = [
        (row.label, row.baseline, row.candidate, _ascii(row.limit), row.failed)
        for row in metric_rows(judgement)
    ]
    yield from _table(("", "baseline", "candidate", "gate", None), figures, colour=colour)
    yield ""
    found = slice_rows(judgement, worst_first=True)
    slices: list[_Row] = []
    for row in found[:_SLICES]:
        notes = []
        if row.critical_count:
            notes.append(f"{numbers.count(row.critical_count)} critical")
        if row.regressed and row.improved:
            notes.append(f"{row.regressed:,} worse, {row.improved:,} better")
        elif row.change:
            notes.append(f"{'worse' if row.change < 0 else 'better'} by {abs(row.change):,}")
        slices.append(
            (
                cut_inside(terminal(row.name), _NAME),
                f"{numbers.count(row.baseline_passed)}/{numbers.count(row.count)}",
                f"{numbers.count(row.candidate_passed)}/{numbers.count(row.count)}",
                ", ".join(notes),
                None,
            )
        )
    yield from _table(("slice", "baseline", "candidate", "", None), slices, colour=colour)
    if len(found) > _SLICES:
        yield f"and {numbers.count(len(found) - _SLICES)} more slices, none with a greater loss"


def _ascii(limit: str) -> str:
    # Not every terminal's encoding has the signs.
    return limit.replace("≥", ">=").replace("≤", "<=")


def _table(head: _Row, rows: Sequence[_Row], *, colour: bool) -> Iterator[str]:
    lines = (head, *rows)
    first, second, third, fourth = (
        max(width(str(line[column])) for line in lines) for column in range(4)
    )
    for name, baseline, candidate, note, failed in lines:
        end = f"  {coloured(failed, failed, colour=colour)}" if failed else ""
        cells = f"{left(name, first)}  {right(baseline, second)}  {right(candidate, third)}"
        yield f"{cells}   {left(note, fourth) if end else note}".rstrip() + end


def _paired(judgement: Judgement, *, verbose: bool) -> Iterator[str]:
    comparison = judgement.comparison
    confidence = numbers.confidence(judgement.rubric.confidence)
    yield (
        f"{difference.changed(comparison.counts)};"
        f" difference {numbers.difference(comparison.delta)}"
    )
    yield f"{confidence} interval  {_interval(comparison.bootstrap.interval)} bootstrap"
    indent = " " * (len(confidence) + len(" interval  "))
    yield f"{indent}{_interval(comparison.newcombe)} Newcombe"
    if comparison.families is not None:
        families = numbers.count(comparison.families.families)
        bounds = _interval(comparison.families.interval)
        yield f"{indent}{bounds} resampled by {families} families"
    yield difference.missed(comparison)
    worse, better = of_flip(judgement, "regressed"), of_flip(judgement, "improved")
    yield from why_worse(worse, verbose=verbose)
    yield from _listed("got better:", better)


def why_worse(pairs: Sequence[Pair], *, verbose: bool = False) -> Iterator[str]:
    """Why the first critical cases got worse, or where verbose each case; names of the others."""
    if verbose:
        told = list(pairs[:_EXPLAINED])
    else:
        told = [pair for pair in pairs[:_TOLD] if pair.baseline.case.critical]
    if told:
        yield "got worse:"
    for pair in told:
        yield from _explained(pair)
    others = pairs[len(told) :]
    yield from _listed("also got worse:" if told else "got worse:", others)
    if len(others) > _CASES:
        yield "  contractlab cases --flip regressed lists them"


def of_flip(judgement: Judgement, flip: str) -> list[Pair]:
    """The cases of one flip, critical ones first."""
    found = [pair for pair in judgement.comparison.pairs if pair.flip == flip]
    return sorted(found, key=lambda pair: not pair.baseline.case.critical)


def _listed(title: str, pairs: Sequence[Pair]) -> Iterator[str]:
    if not pairs:
        return
    names = [
        f"{_quoted(pair.baseline.case.id)}{' (critical)' if pair.baseline.case.critical else ''}"
        for pair in pairs[:_CASES]
    ]
    words = [f"{name}," for name in names[:-1]] + names[-1:]
    if len(pairs) > _CASES:
        words.append(f"and {numbers.count(len(pairs) - _CASES)} more")
    yield from wrapped(words, first=f"{title} ", indent=2)


def _explained(pair: Pair) -> Iterator[str]:
    case = pair.baseline.case
    critical = "critical, " if case.critical else ""
    yield from wrapped([_quoted(case.id), f"({critical}slice {_quoted(case.slice)})"], first="  ")
    broken = [flip.name for flip in check_flips(pair) if flip.held_before]
    yield from wrapped([_name(name) for name in broken], first="      now fails ", indent=8)
    forbidden = forbidden_taken(pair.candidate)
    for change in changes(pair):
        yield from wrapped(_change(change, forbidden), first="      ", indent=8)


def _change(change: Change, forbidden: Collection[str]) -> list[str]:
    if change.words:
        return change.words.split()
    words = [_name(change.aspect)]
    if not change.several:
        return [*words, _values(change.before), "->", _values(change.after)]
    if change.added:
        words.append("added")
        words += [
            f"{_quoted(each)}{' (forbidden)' if each in forbidden else ''}" for each in change.added
        ]
    if change.removed:
        words += ["removed", *map(_quoted, change.removed)]
    return words if len(words) > 1 else [*words, "in another order"]


def _values(values: Sequence[str]) -> str:
    return ", ".join(map(_quoted, values)) or NONE


def _decision(judgement: Judgement, *, colour: bool) -> Iterator[str]:
    decision = judgement.decision
    first, *others = decision.reasons or (None,)
    for gate in others[:_REASONS]:
        yield from _reason("also ", gate.verdict, terminal(message(gate, most=3)), colour=colour)
    if len(others) > _REASONS:
        yield f"also {numbers.count(len(others) - _REASONS)} more gates that do not hold"
    yield f"evidence {judgement.evidence.fingerprint} (first 16 of 64 hex digits)"
    why = terminal(message(first, most=3)) if first else "every gate holds"
    yield from _reason("", decision.verdict, why, colour=colour)


def _reason(before: str, verdict: Verdict, why: str, *, colour: bool) -> Iterator[str]:
    begin = f"{before}{verdict}:"
    lines = list(wrapped(_WORD.findall(why), first=f"{begin} ", indent=4))
    yield before + coloured(verdict, verdict, colour=colour) + lines[0][len(begin) - 1 :]
    yield from lines[1:]


def _interval(bounds: Interval) -> str:
    return f"[{numbers.difference(bounds.low)}, {numbers.difference(bounds.high)}]"


def _quoted(text: str) -> str:
    return cut(terminal(shown(text)), _VALUE)


def _name(text: str) -> str:
    return cut(terminal(text[: _VALUE + 1]), _VALUE)
