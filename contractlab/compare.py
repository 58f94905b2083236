"""Candidate against baseline on the same cases: what changed, and how sure that is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from contractlab.bootstrap import BootstrapResult, paired_bootstrap
from contractlab.families import FamilyResult, family_bootstrap
from contractlab.stats import (
    McNemar,
    PairedCounts,
    could_have_missed,
    mcnemar,
    newcombe,
    smallest_detectable_regression,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.grade import Graded
    from contractlab.interval import Interval
    from contractlab.model import Rubric


class Pair(NamedTuple):
    """One case, graded for both releases."""

    baseline: Graded
    candidate: Graded

    @property
    def flip(self) -> str:
        """`both` pass, `improved`, `regressed` or `neither` passes; with trials, its value."""
        if self.baseline.trials or self.candidate.trials:
            before, after = self.baseline.value, self.candidate.value
            if before != after:
                return "improved" if after > before else "regressed"
            return "both" if after else "neither"
        if self.baseline.passed:
            return "both" if self.candidate.passed else "regressed"
        return "improved" if self.candidate.passed else "neither"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The paired comparison. Differences are candidate minus baseline, -1 to 1."""

    pairs: tuple[Pair, ...]
    """In dataset order."""
    counts: PairedCounts
    bootstrap: BootstrapResult
    """The rubric's interval: the one that its gate looks at."""
    newcombe: Interval
    """Advisory, like all that follows."""
    mcnemar: McNemar
    could_have_missed: float
    """A regression of up to this size is still inside Newcombe's interval."""
    smallest_detectable: float | None
    """Smallest regression that so many cases show with 80 % power at one-sided 5 %."""
    families: FamilyResult | None
    """Interval resampled by family; None where each test case is a family of its own."""
    difference: Fraction | None = None
    """Of the pass rates, where cases have several trials."""

    @property
    def delta(self) -> Fraction:
        """Difference of the pass rates."""
        return self.counts.delta if self.difference is None else self.difference

    def ids(self, flip: str) -> tuple[str, ...]:
        """Ids of the pairs with one flip, in dataset order."""
        return tuple(pair.baseline.case.id for pair in self.pairs if pair.flip == flip)


def compare(baseline: Sequence[Graded], candidate: Sequence[Graded], rubric: Rubric) -> Comparison:
    """Compares two releases' results, which are in the same (dataset) order."""
    pairs = tuple(map(Pair, baseline, candidate))
    counts = _counted(pairs)
    confidence = exact(rubric.confidence)
    sums = _family_sums(pairs)
    return Comparison(
        pairs=pairs,
        counts=counts,
        bootstrap=paired_bootstrap(
            counts.differences,
            resamples=rubric.resamples,
            confidence=confidence,
            seed=rubric.seed,
        ),
        newcombe=newcombe(counts, confidence),
        mcnemar=mcnemar(counts.improved, counts.regressed),
        could_have_missed=could_have_missed(counts, confidence),
        smallest_detectable=smallest_detectable_regression(counts.n),
        families=(
            family_bootstrap(
                sums, resamples=rubric.resamples, confidence=confidence, seed=rubric.seed
            )
            if len(sums) < counts.n
            else None
        ),
    )


def exact(number: float) -> Fraction:
    """The decimal that a contract wrote, exactly: 0.1 is a tenth, not the double near it."""
    return Fraction(repr(number))


def _counted(pairs: Sequence[Pair]) -> PairedCounts:
    flips = Counter(pair.flip for pair in pairs)
    return PairedCounts(flips["both"], flips["improved"], flips["regressed"], flips["neither"])


def _family_sums(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Summed difference and size of each family, sorted: the seed must not hang on file order."""
    sums: dict[str, list[int]] = {}
    for pair in pairs:
        family = sums.setdefault(pair.baseline.case.family_id, [0, 0])
        family[0] += pair.candidate.passed - pair.baseline.passed
        family[1] += 1
    return sorted((total, size) for total, size in sums.values())
