"""Version 2's paired difference in words, the same in every medium; of our own, safe in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.model import Terms
from contractlab.render import difference, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.details import Details
    from contractlab.judge import Judgement

FEW_UNITS = 10
"""Families below which no method keeps its level (Cameron, Gelbach & Miller 2008)."""
METHODS = {"newcombe": "Newcombe", "bootstrap": "bootstrap"}
"""Intervals by the word that a sentence has for them."""


def how_sure(judgement: Judgement, details: Details) -> Iterator[str]:
    """How sure the difference is, what the cases cannot tell, and how many would; sentences."""
    terms, overall = judgement.rubric.terms or Terms(), details.overall
    yield (
        f"{difference.changed(judgement.comparison.counts)};"
        f" {numbers.confidence(judgement.rubric.confidence)} {METHODS[overall.method.interval]}"
        f" interval of the difference ({numbers.points(overall.delta, 'nearest')} points)"
        f" {numbers.interval(overall.interval)} points, by {terms.unit}"
        f" ({numbers.count(overall.units)} independent);"
        f" one-sided p that it got worse {numbers.rounded(overall.p_worse, 4, 'up'):f};"
        f" {difference.missed(judgement.comparison)}."
    )
    if overall.units < FEW_UNITS and overall.units < overall.cases:
        yield f"{few(overall.units)}."
    if details.power is not None:
        needed = details.needed
        more = "" if needed is None else f"; 80 % needs about {numbers.counted(needed, 'case')}"
        yield (
            f"The power to show an unchanged agent within the margin {terms.margin!r} is"
            f" {numbers.percent(details.power)}{more}."
        )


def method(judgement: Judgement, details: Details) -> str:
    """How the intervals come about: `95 % Newcombe interval, by family`."""
    rubric, used = judgement.rubric, details.overall.method
    drawn = (
        f", {numbers.count(rubric.resamples)} resamples, seed {rubric.seed}"
        if used.interval == "bootstrap"
        else ""
    )
    unit = (rubric.terms or Terms()).unit
    confidence = numbers.confidence(rubric.confidence)
    return f"{confidence} {METHODS[used.interval]} interval, by {unit}{drawn}"


def few(units: int) -> str:
    """That so few families carry no interval; without a full stop."""
    many = "1 family is" if units == 1 else f"{units} families are"
    return f"{many} few: every interval over so few is too narrow"
