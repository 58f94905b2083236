"""Any contracts held against each other: each alone, then replays against their dataset.

Unlike a comparison's, they may be of several agents, or not all that there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.advice import advise_both, advise_dataset, advise_rubric
from contractlab.contract import load_dataset, load_predictions, load_rubric
from contractlab.coverage import check_fit, check_releases, check_replays, check_rubric
from contractlab.leakage import check_dataset
from contractlab.positions import place
from contractlab.problems import Problem, Rule
from contractlab.split import check_beside, unrecorded
from contractlab.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from contractlab.intake import Document
    from contractlab.model import Dataset, Predictions, Rubric

    Home = tuple[str, Dataset] | Problem | None
    """The file and the dataset of some replays, or why there is none; None passes over it."""


@dataclass(frozen=True, slots=True)
class Models:
    """Contracts by role and file name."""

    datasets: dict[str, Dataset]
    rubrics: dict[str, Rubric]
    replays: dict[str, Predictions]


def models(documents: Sequence[Document]) -> Models:
    """The models of documents whose shape is right."""
    return Models(
        {each.name: load_dataset(each.value) for each in documents if each.role == "dataset"},
        {each.name: load_rubric(each.value) for each in documents if each.role == "rubric"},
        {
            each.name: load_predictions(each.value)
            for each in documents
            if each.role == "predictions"
        },
    )


def check_models(
    given: Models,
    groups: Iterable[Mapping[str, Predictions]],
    home_of: Callable[[str, str], Home],
) -> list[Problem]:
    """Problems and warnings, not placed yet.

    Args:
        given: every contract, alone.
        groups: the replays in sets, each of one dataset; by file name.
        home_of: finds a set's dataset from its first file and the version that it names.
    """
    problems: list[Problem] = []
    unfit = set()
    for name, dataset in given.datasets.items():
        own = check_dataset(dataset, name)
        unfit.update([name] if own else [])
        problems += own + advise_dataset(dataset, name)
    for name, rubric in given.rubrics.items():
        problems += [*check_rubric(rubric, name), *advise_rubric(rubric, name)]
    for group in groups:
        own = check_replays(group)
        problems += own
        if own:
            continue
        name, predictions = next(iter(group.items()))
        home = home_of(name, predictions.dataset_version)
        if isinstance(home, Problem):
            problems.append(home)
        elif home is not None and home[0] not in unfit:
            problems += check_fit(home[1], home[0], group)
    return problems


def check_all(documents: Sequence[Document], *, complete: bool = True) -> list[Problem]:
    """Problems and warnings of any contracts together, placed.

    Replays belong to the dataset whose version they name, so that contracts of several
    agents can be checked in one go. One dataset alone is held against every replay.

    Args:
        documents: those whose shape is right.
        complete: whether that is all of them; else a replay's dataset may be among the others.
    """
    given = models(documents)
    datasets, replays = given.datasets, given.replays
    versions = dict.fromkeys(each.dataset_version for each in replays.values())
    groups = [
        {name: each for name, each in replays.items() if each.dataset_version == version}
        for version in versions
    ]

    def home_of(file: str, version: str) -> Home:
        homes = {name: each for name, each in datasets.items() if each.version == version}
        if not datasets or not (homes or complete):
            return None
        hint = "name the one dataset that these replays were recorded on"
        return only(datasets if len(datasets) == 1 else homes, file, version, none=hint, many=hint)

    problems = check_models(given, groups, home_of)
    if complete:
        problems += _of_rubrics(given, {problem.file for problem in problems})
    return place(problems, {each.name: each.text for each in documents})


def _of_rubrics(given: Models, unfit: set[str]) -> list[Problem]:
    """What rubrics ask of the datasets and replays beside them.

    Args:
        given: every contract.
        unfit: files that something is wrong with, which explains what else is missed.
    """
    problems: list[Problem] = []
    for name, rubric in given.rubrics.items():
        own = check_beside(rubric, name, given.datasets)
        problems += own
        if own:
            continue
        if len(given.datasets) == 1:
            ((file, dataset),) = given.datasets.items()
            problems += advise_both(dataset, rubric, name)
            if file not in unfit:
                problems += _unrecorded(rubric, dataset, given.replays, unfit)
        if given.datasets and given.replays:
            baseline = rubric.baseline_release
            problems += check_releases(
                rubric, name, given.replays, baseline=baseline, candidate=None
            )
    return problems


def _unrecorded(
    rubric: Rubric, dataset: Dataset, replays: Mapping[str, Predictions], unfit: set[str]
) -> Iterator[Problem]:
    """Version 2: the replays without some of the cases that the rubric judges."""
    if rubric.terms is not None and rubric.terms.coverage is None:
        ids = [case.id for case in dataset.of_split(rubric.split)]
        releases = [
            (release, file)
            for file, predictions in replays.items()
            if file not in unfit
            for release in predictions.releases
        ]
        yield from unrecorded(ids, rubric.split, releases)


def only(
    homes: Mapping[str, Dataset],
    file: str,
    version: str,
    *,
    none: str,
    many: str,
    among: str = "",
) -> tuple[str, Dataset] | Problem:
    """The one dataset that replays belong to, or that there is none or more than one.

    Args:
        homes: datasets of the version, by file name.
        file: of the replays.
        version: the dataset's that they name.
        none: the way out where there is none.
        many: the way out where there are several.
        among: where it was looked for, as in " of the repository".
    """
    if len(homes) == 1:
        return next(iter(homes.items()))
    message = f"no dataset{among} is version {shown(version)}"
    if homes:
        message = f"several datasets are version {shown(version)}: {listed(list(homes))}"
    hint = many if homes else none
    return Problem(Rule.DATASET_NOT_FOUND, message, hint, file, ("dataset_version",))
