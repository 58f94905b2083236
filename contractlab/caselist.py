"""Some of a judgement's cases, by what happened to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.grade import CHECKS
from contractlab.problems import ContractError, Problem, Rule
from contractlab.render.sentences import FLIPS
from contractlab.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.compare import Pair
    from contractlab.grade import Graded
    from contractlab.judge import Judgement


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
        *_unknown("check", wanted.checks, _checks(judgement)),
        *_unknown("flip", wanted.flips, list(FLIPS)),
    ]
    if problems:
        raise ContractError(problems)
    return [pair for pair in judgement.comparison.pairs if _passes(pair, wanted)]


def _checks(judgement: Judgement) -> Sequence[str]:
    """The names of the checks that some case has; version 1's are on every case."""
    if judgement.details is None:
        return CHECKS
    pairs = judgement.comparison.pairs
    return list(dict.fromkeys(name for pair in pairs for name in pair.candidate.checks))


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
        and (
            not wanted.checks
            or not all(_failing(pair).checks.get(each, True) for each in wanted.checks)
        )
    )


def _failing(pair: Pair) -> Graded:
    return pair.baseline if pair.candidate.passed else pair.candidate
