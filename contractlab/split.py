"""What a version 2 rubric asks of the contracts beside it: its split is there, frozen, recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.coverage import mixed_versions
from contractlab.problems import Problem, Rule
from contractlab.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from contractlab.model import Dataset, Release, Rubric


def check_beside(rubric: Rubric, file: str, datasets: Mapping[str, Dataset]) -> list[Problem]:
    """Whether a rubric can judge the dataset that it is meant for.

    Args:
        rubric: of either version.
        file: its name.
        datasets: by file name. Of several, none can be told to be the one that is meant, but
            all may be of another version than the rubric.
    """
    version = 1 if rubric.terms is None else 2
    mixed = [(each.frozen_splits is None) != (version == 1) for each in datasets.values()]
    if mixed and all(mixed):
        return [mixed_versions(file, 3 - version)]
    if len(datasets) != 1 or version == 1:
        return []
    ((dataset_file, dataset),) = datasets.items()
    return check_split(rubric, file, dataset, dataset_file)


def check_split(
    rubric: Rubric, rubric_file: str, dataset: Dataset, dataset_file: str
) -> list[Problem]:
    """Whether the split that a version 2 rubric judges is in the dataset, and frozen."""
    split = rubric.split
    if not any(case.split == split for case in dataset.cases):
        message = f"no case is in the {split} split, which the rubric judges"
        hint = "add cases to it, or name another split"
        return [Problem(Rule.ABSENT_SPLIT, message, hint, rubric_file, ("split",))]
    if split not in (dataset.frozen_splits or ()):
        message = f"the {split} split is judged and not frozen"
        hint = "a candidate must not change what it is judged on: list it in frozen_splits"
        return [Problem(Rule.SPLIT_NOT_FROZEN, message, hint, dataset_file, ("frozen_splits",))]
    return []


def unrecorded(
    ids: Sequence[str], split: str, releases: Iterable[tuple[Release, str]]
) -> Iterator[Problem]:
    """The releases that have no record for some cases of a split.

    Args:
        ids: of the split's cases, in dataset order.
        split: its name.
        releases: each with its file.
    """
    for release, file in releases:
        found = {record.case_id for record in release.records}
        missing = [id_ for id_ in ids if id_ not in found]
        if missing:
            yield Problem(
                Rule.MISSING_RECORD,
                f"release {shown(release.id)} has no record for {len(missing)} of"
                f" {len(ids)} {split} cases: {listed(missing)}",
                "replay those cases, or allow partial coverage in the rubric",
                file,
                ("records",),
            )
