"""Candidate against baseline on the same cases: what changed, and how sure that is."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from contractlab.batches import rows_of
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


class Comparison(NamedTuple):
    """The paired comparison. Differences are candidate minus baseline, -1 to 1."""

    pairs: tuple[Pair, ...]
    """In dataset order."""
    flips: tuple[str, ...]
    """Theirs."""
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
        pairs = zip(self.pairs, self.flips, strict=True)
        return tuple(pair.baseline.case.id for pair, own in pairs if own == flip)


def compare(baseline: Sequence[Graded], candidate: Sequence[Graded], rubric: Rubric) -> Comparison:
    """Compares two releases' results, which are in the same (dataset) order."""
    pairs = tuple(rows_of(Pair, baseline, candidate))
    flips = tuple([pair.flip for pair in pairs])
    counts = counted(flips)
    confidence = exact(rubric.confidence)
    sums = _family_sums(pairs, flips)
    return Comparison(
        pairs=pairs,
        flips=flips,
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


def counted(flips: Sequence[str]) -> PairedCounts:
    """How many cases there are of each flip."""
    counts = Counter(flips)
    return PairedCounts(counts["both"], counts["improved"], counts["regressed"], counts["neither"])


def _family_sums(pairs: Sequence[Pair], flips: Sequence[str]) -> list[tuple[int, int]]:
    """Summed difference and size of each family, sorted: the seed must not hang on file order."""
    families = [pair.baseline.case.family_id for pair in pairs]
    sums: Counter[str] = Counter()
    for family, flip in zip(families, flips, strict=True):
        if flip in _DIFFERENCE:
            sums[family] += _DIFFERENCE[flip]
    return sorted((sums[family], size) for family, size in Counter(families).items())


_DIFFERENCE = {"improved": 1, "regressed": -1}
