"""The cases of a judgement, filtered and listed: for digging without a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contractlab.canonical import encode_report
from contractlab.grade import CHECKS
from contractlab.problems import ContractError, Problem, Rule
from contractlab.render.escape import terminal
from contractlab.render.report import pair_as_dict
from contractlab.render.sentences import changed, missed
from contractlab.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.compare import Pair
    from contractlab.grade import Graded
    from contractlab.judge import Judgement

FLIPS = ("regressed", "improved", "neither", "both")
_WIDEST = 40
"""Columns of an id or a slice that are kept for aligning; a longer one is shown whole."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which cases; each filter that is not empty must hold."""

    flips: tuple[str, ...] = ()
    """Any of these."""
    slices: tuple[str, ...] = ()
    """Any of these."""
    checks: tuple[str, ...] = ()
    """Any of these failed: for the candidate or, where it passes the case, for the baseline."""
    critical: bool = False


def select(judgement: Judgement, wanted: Filter) -> list[Pair]:
    """The cases that a filter lets through, in dataset order.

    Raises:
        ContractError: a slice or check that the judgement does not have, so that a misspelt
            one does not read as "no such case".
    """
    problems = [
        *_unknown("slice", wanted.slices, list(judgement.candidate.by_slice)),
        *_unknown("check", wanted.checks, CHECKS),
        *_unknown("flip", wanted.flips, FLIPS),
    ]
    if problems:
        raise ContractError(problems)
    return [pair for pair in judgement.comparison.pairs if _passes(pair, wanted)]


def _unknown(kind: str, names: Sequence[str], known: Sequence[str]) -> Iterator[Problem]:
    for name in names:
        if name not in known:
            yield Problem(Rule.BAD_USAGE, f"there is no {kind} {shown(name)}", listed(known))


def _passes(pair: Pair, wanted: Filter) -> bool:
    case = pair.candidate.case
    return (
        (not wanted.flips or pair.flip in wanted.flips)
        and (not wanted.slices or case.slice in wanted.slices)
        and (case.critical or not wanted.critical)
        and (not wanted.checks or not all(_failing(pair).checks[each] for each in wanted.checks))
    )


def _failing(pair: Pair) -> Graded:
    return pair.baseline if pair.candidate.passed else pair.candidate


def render_cases(judgement: Judgement, pairs: Sequence[Pair]) -> str:
    """The cases for a terminal: one line each, and what failed and changed indented below."""
    total = judgement.candidate.case_count
    lines = [
        line
        for pair, head in zip(pairs, _heads(pairs), strict=True)
        for line in (head, *_below(pair))
    ]
    lines.append(f"{len(pairs):,} of {total:,} cases")
    return "".join(f"{line}\n" for line in lines)


def _heads(pairs: Sequence[Pair]) -> list[str]:
    rows = [
        (
            pair.flip,
            terminal(pair.candidate.case.id),
            terminal(pair.candidate.case.slice),
            "critical" if pair.candidate.case.critical else "",
        )
        for pair in pairs
    ]
    widths = [
        max((min(len(row[column]), _WIDEST) for row in rows), default=0) for column in range(4)
    ]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _below(pair: Pair) -> Iterator[str]:
    for sentence in missed(pair):
        yield f"    {terminal(sentence)}"
    for sentence in changed(pair):
        yield f"    changed: {terminal(sentence)}"


def render_cases_json(judgement: Judgement, pairs: Sequence[Pair]) -> bytes:
    """The cases as in the JSON report, each with its slice and both results beside it."""
    return encode_report(
        {
            "case_count": judgement.candidate.case_count,
            "cases": [_as_dict(pair) for pair in pairs],
        }
    )


def _as_dict(pair: Pair) -> dict[str, Any]:
    case = pair.candidate.case
    return {
        **pair_as_dict(pair),
        "slice": case.slice,
        "critical": case.critical,
        "baseline_checks": pair.baseline.checks,
        "candidate_checks": pair.candidate.checks,
    }
