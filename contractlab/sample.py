"""Two releases on the cases of a split: in groups, paired, and compared once for all gates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from contractlab.batches import rows_of
from contractlab.case_values import case_values, lacking
from contractlab.compare import exact
from contractlab.contrast import Contrast, Method, Values, contrast
from contractlab.model import Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from contractlab.grade import Graded
    from contractlab.model import Case, Gate, Rubric


@dataclass(frozen=True, slots=True)
class Sample:
    """Both releases on the cases of the rubric's split."""

    cases: tuple[Case, ...]
    before: Mapping[str, Graded]
    """The baseline's results by case id; a case without a record is not there."""
    after: Mapping[str, Graded]
    """The candidate's."""
    known: dict[Any, Contrast | None] = field(default_factory=dict, compare=False, repr=False)
    """Comparisons that were made, because several gates look at the same one."""
    shared: dict[str, tuple[Graded, Graded]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The cases that both releases have, once they were asked for."""

    def contrast(self, metric: str, group: Group, rubric: Rubric) -> Contrast | None:
        """Candidate against baseline on a group; None where it is not measured in both."""
        key = (metric, group.name)
        if key not in self.known:
            unit = (rubric.terms or Terms()).unit
            values = paired(self, metric, group.cases, unit)
            self.known[key] = contrast(values, method_of(rubric)) if values else None
        return self.known[key]

    def everything(self) -> Group:
        """All its cases."""
        return Group((), self.cases)

    def both(self, cases: Iterable[Case] | None = None) -> list[tuple[Graded, Graded]]:
        """The cases that both releases have records for, in dataset order."""
        if not self.shared:
            after = self.after
            self.shared.update(
                {id_: (one, after[id_]) for id_, one in self.before.items() if id_ in after}
            )
        shared = self.shared
        ids = [case.id for case in (self.cases if cases is None else cases)]
        return [shared[id_] for id_ in ids if id_ in shared]


class Group(NamedTuple):
    """Cases that a gate looks at by themselves."""

    name: tuple[tuple[str, str], ...]
    """Selector and name; empty for all cases. Raw, so escape it."""
    cases: Sequence[Case]
    slice: str | None = None
    label: str | None = None


def method_of(rubric: Rubric) -> Method:
    """How a rubric's intervals are reached."""
    terms = rubric.terms or Terms()
    return Method(terms.interval, exact(rubric.confidence), rubric.resamples, rubric.seed)


def paired(sample: Sample, metric: str, cases: Iterable[Case], unit: str) -> list[Values]:
    """The cases that have a per-case metric's value in both releases.

    None at all where some run lacks it: those that have it are no fair picture.
    """
    both = sample.both(cases)
    before, after = [one for one, _ in both], [other for _, other in both]
    baseline, candidate = case_values(metric, before), case_values(metric, after)
    if lacking(metric, before, baseline) or lacking(metric, after, candidate):
        return []
    values = rows_of(
        Values,
        [one.case.family_id if unit == "family" else one.case.id for one in before],
        baseline,
        candidate,
        [
            min(len(one.trials), len(other.trials)) or 1
            for one, other in zip(before, after, strict=True)
        ],
    )
    return [each for each in values if None not in each]


def groups(gate: Gate, cases: Sequence[Case]) -> list[Group]:
    """The groups of cases that a gate's selectors name, sorted by name."""
    found = [Group((), cases)]
    if gate.slice is not None:
        found = [
            Group((("slice", name),), part, name)
            for name, part in _parts(gate.slice, cases, lambda case: (case.slice,))
        ]
    if gate.tag is not None:
        found = [
            Group((*group.name, ("tag", name)), part, group.slice)
            for group in found
            for name, part in _parts(gate.tag, group.cases, lambda case: case.tags)
        ]
    if gate.label is not None:
        found = [
            Group((*group.name, ("class", name)), group.cases, group.slice, name)
            for group in found
            for name in (_classes(group.cases) if gate.label == "*" else [gate.label])
        ]
    return found or [_of_nothing(gate)]


def _classes(cases: Sequence[Case]) -> list[str]:
    return sorted({case.expected_label for case in cases if case.expected_label})


def _of_nothing(gate: Gate) -> Group:
    """What stands for the groups of a `*` that no case has: nothing must not pass unseen."""
    chosen = {"slice": gate.slice, "tag": gate.tag, "class": gate.label}
    return Group(tuple((key, name) for key, name in chosen.items() if name is not None), ())


def _parts(
    selector: str, cases: Sequence[Case], names: Callable[[Case], tuple[str, ...]]
) -> list[tuple[str, list[Case]]]:
    """The cases by name: all names, sorted, or the one that is selected."""
    found: dict[str, list[Case]] = {} if selector == "*" else {selector: []}
    for case in cases:
        for name in names(case):
            if selector in ("*", name):
                found.setdefault(name, []).append(case)
    return sorted(found.items())
