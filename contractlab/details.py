"""What version 2 shows beside the figures of version 1: facts, counted once for every medium."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from contractlab.case_values import wanted_outcomes
from contractlab.figures import (
    confusion,
    labels,
    macro_f1,
    read,
)
from contractlab.manifest import ManifestChange, changes
from contractlab.model import Terms
from contractlab.sample import Group, Sample
from contractlab.stats import holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from contractlab.contrast import Contrast
    from contractlab.figures import Reading
    from contractlab.grade import Graded
    from contractlab.manifest import Manifest
    from contractlab.metrics import ConfusionMatrix
    from contractlab.model import Case, Rubric

_MOST_K = 8


@dataclass(frozen=True, slots=True)
class Side:
    """One release on the cases of the split."""

    covered: int
    """Cases with a record."""
    records: int
    """Records of those cases, every trial counted."""
    ignored: int
    """Records of cases in another split."""
    statuses: Mapping[str, int]
    """How many records ended how, `ok` included, sorted by name."""
    flaky: tuple[str, ...]
    """Ids of cases that pass in some trials and fail in others, in dataset order."""
    hat_k: Mapping[int, Fraction]
    """pass^k, for each k from 2 that every case has trials for."""
    at_k: Mapping[int, Fraction]
    outcomes: Mapping[str, Reading]
    """Share of cases on the wanted side, by outcome, sorted by name."""
    classes: Mapping[str, ConfusionMatrix]
    """Each class against the rest."""
    labels: Mapping[tuple[str, str], int]
    """Records by expected and predicted label (empty: none)."""
    macro_f1: Fraction | None
    unmeasured: Mapping[str, int]
    """Records, by check, that lack what the check looks at."""
    manifest: Manifest | None


@dataclass(frozen=True, slots=True)
class SliceContrast:
    """Candidate against baseline on one slice."""

    name: str
    contrast: Contrast
    p_adjusted: float
    """One-sided, that it got worse; by the rubric's correction over slices."""


class Unpaired(NamedTuple):
    """A case of the split that not both releases have records for."""

    place: int
    """Its index among the cases of the split."""
    case: Case
    baseline: Graded | None
    candidate: Graded | None


@dataclass(frozen=True, slots=True)
class Details:
    """Beside the figures."""

    cases: int
    """Of the rubric's split."""
    compared: int
    """Of these, with a record in both releases."""
    missing_before: tuple[str, ...]
    """Ids without a baseline record, in dataset order."""
    missing_after: tuple[str, ...]
    unpaired: tuple[Unpaired, ...]
    """These cases, in dataset order."""
    baseline: Side
    candidate: Side
    overall: Contrast
    slices: tuple[SliceContrast, ...]
    """Sorted by name."""
    manifest_changes: tuple[ManifestChange, ...]
    power: float | None
    """Probability to show an unchanged agent within the rubric's margin; None: no margin."""
    needed: int | None
    """Cases that would show it with 80 % power."""


def describe(
    sample: Sample,
    rubric: Rubric,
    *,
    manifests: tuple[Manifest | None, Manifest | None],
    ignored: tuple[int, int],
) -> Details:
    """The facts of one comparison on at least one case that both releases have."""
    terms = rubric.terms or Terms()
    overall = sample.contrast("pass_rate", sample.everything(), rubric)
    if overall is None:
        raise ValueError("the releases share no case")
    return Details(
        cases=len(sample.cases),
        compared=overall.cases,
        missing_before=tuple(c.id for c in sample.cases if c.id not in sample.before),
        missing_after=tuple(c.id for c in sample.cases if c.id not in sample.after),
        unpaired=tuple(_unpaired(sample)),
        baseline=_side(sample.before, manifests[0], ignored[0]),
        candidate=_side(sample.after, manifests[1], ignored[1]),
        overall=overall,
        slices=_slices(sample, rubric, terms),
        manifest_changes=changes(*manifests),
        power=None if not terms.margin else overall.power(terms.margin),
        needed=None if not terms.margin else overall.needed(terms.margin),
    )


def _unpaired(sample: Sample) -> Iterator[Unpaired]:
    for place, case in enumerate(sample.cases):
        before, after = sample.before.get(case.id), sample.after.get(case.id)
        if before is None or after is None:
            yield Unpaired(place, case, before, after)


def _side(results_of: Mapping[str, Graded], manifest: Manifest | None, ignored: int) -> Side:
    results = list(results_of.values())
    trials = [trial for graded in results for trial in graded.each]
    fewest = min((len(graded.each) for graded in results), default=0)
    matrices = confusion(results)
    ks = range(2, min(fewest, _MOST_K) + 1)
    return Side(
        covered=len(results),
        records=len(trials),
        ignored=ignored,
        statuses=_counted([trial.record.run.status for trial in trials]),
        flaky=tuple(graded.case.id for graded in results if graded.flaky),
        hat_k={k: Fraction(read("pass_hat_k", results, k=k).value or 0) for k in ks},
        at_k={k: Fraction(read("pass_at_k", results, k=k).value or 0) for k in ks},
        outcomes=_outcomes(results),
        classes=matrices,
        labels=labels(results),
        macro_f1=macro_f1(matrices),
        unmeasured=_unmeasured(trials),
        manifest=manifest,
    )


def _counted(names: Sequence[str]) -> dict[str, int]:
    return {name: names.count(name) for name in sorted(set(names))}


def _outcomes(results: Sequence[Graded]) -> dict[str, Reading]:
    wanted: dict[int, Iterable[str]] = {}  # by expectation, which many cases share
    asking: dict[str, list[Graded]] = {}
    for graded in results:
        key = id(graded.case.expect)
        if key not in wanted:
            wanted[key] = wanted_outcomes(graded.case)
        for name in wanted[key]:
            asking.setdefault(name, []).append(graded)
    return {name: read(f"outcome:{name}", asking[name]) for name in sorted(asking)}


def _unmeasured(trials: Sequence[Graded]) -> dict[str, int]:
    found: dict[str, int] = {}
    for trial in trials:
        # A run that crashed has a reason to lack things, and what holds was measured.
        if trial.record.run.status != "ok" or trial.held == len(trial.checks):
            continue
        for check in trial.case.expect.checks:
            if not check.measured(trial.record):
                found[check.name] = found.get(check.name, 0) + 1
    return dict(sorted(found.items()))


def _slices(sample: Sample, rubric: Rubric, terms: Terms) -> tuple[SliceContrast, ...]:
    groups: dict[str, list[Case]] = {}
    for case in sample.cases:
        groups.setdefault(case.slice, []).append(case)
    found = [
        (name, seen)
        for name, cases in sorted(groups.items())
        if (seen := sample.contrast("pass_rate", Group((("slice", name),), cases, name), rubric))
    ]
    p_values = [seen.p_worse for _, seen in found]
    adjusted = holm(p_values) if terms.adjust == "holm" else p_values
    return tuple(
        SliceContrast(name, seen, p_value)
        for (name, seen), p_value in zip(found, adjusted, strict=True)
    )
