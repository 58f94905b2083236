"""A/A: how often a rubric stops an agent that did not change.

Two ways to have comparisons of an agent with itself. From repeated trials of one release:
each case's trials are dealt into two halves at random. From two releases: each unit (family
or case) keeps or swaps its two sides at random, which leaves the observed discordance and
takes away its direction. Either way the rubric then decides as it always does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from contractlab.compare import exact
from contractlab.decide import concluded
from contractlab.gates import evaluate
from contractlab.grade import grade_trials, together
from contractlab.model import Terms, Verdict
from contractlab.sample import Sample
from contractlab.stats import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from contractlab.interval import Interval
    from contractlab.judge_v2 import Inputs
    from contractlab.model import Dataset, Release, Rubric


@dataclass(frozen=True, slots=True)
class AgainstItself:
    """What a rubric said of an unchanged agent."""

    source: str
    """`trials` or `swaps`."""
    rounds: int
    cases: int
    verdicts: Mapping[Verdict, int]
    """How often each, of all rounds; PASS, REVIEW, BLOCK."""
    reasons: Mapping[str, int]
    """How often each gate did not hold, the most frequent first."""

    def interval(self, verdict: Verdict) -> Interval | None:
        """Wilson's 95 % interval of how often a verdict comes."""
        return wilson(self.verdicts[verdict], self.rounds, exact(0.95))


def from_trials(
    dataset: Dataset, rubric: Rubric, release: Release, *, rounds: int, seed: int
) -> AgainstItself | None:
    """Deals the trials of one release; None where no case has two.

    A case with an odd number of trials leaves out one, another one each time; a case with a
    single trial is left out.
    """
    cases = dataset.of_split(rubric.split)
    graded = grade_trials(cases, release, (rubric.terms or Terms()).pass_requires)
    several = {id_: each for id_, each in graded.items() if len(each.each) > 1}
    if not several:
        return None
    kept = tuple(case for case in cases if case.id in several)
    draw = Random(seed)  # noqa: S311 (reproducible, nothing to keep secret)

    def deal() -> Sample:
        before, after = {}, {}
        for id_, each in several.items():
            trials = draw.sample(each.each, len(each.each))
            half = len(trials) // 2
            before[id_], after[id_] = together(trials[:half]), together(trials[half : 2 * half])
        return Sample(kept, before, after)

    return _counted("trials", rubric, (deal() for _ in range(rounds)), len(kept))


def from_swaps(inputs: Inputs, sample: Sample, *, rounds: int, seed: int) -> AgainstItself:
    """Swaps the sides of two releases, unit by unit."""
    rubric = inputs.rubric
    by_family = (rubric.terms or Terms()).unit == "family"
    both = sample.both()
    kept = tuple(one.case for one, _ in both)
    units = sorted({case.family_id if by_family else case.id for case in kept})
    draw = Random(seed)  # noqa: S311 (reproducible, nothing to keep secret)

    def deal() -> Sample:
        swapped = {unit: draw.random() < 0.5 for unit in units}
        before, after = {}, {}
        for one, other in both:
            case = one.case
            swap = swapped[case.family_id if by_family else case.id]
            before[case.id], after[case.id] = (other, one) if swap else (one, other)
        return Sample(kept, before, after)

    return _counted("swaps", rubric, (deal() for _ in range(rounds)), len(kept))


def _counted(source: str, rubric: Rubric, samples: Iterator[Sample], cases: int) -> AgainstItself:
    verdicts: Counter[Verdict] = Counter()
    reasons: Counter[str] = Counter()
    rounds = 0
    for sample in samples:
        decision = concluded(evaluate(sample, rubric))
        verdicts[decision.verdict] += 1
        reasons.update({gate.name for gate in decision.reasons})
        rounds += 1
    return AgainstItself(
        source,
        rounds,
        cases,
        {verdict: verdicts[verdict] for verdict in Verdict},
        dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )
