"""The pre-commit hook: of the files in a commit, the contracts, each with the dataset it needs.

pre-commit sets unstaged changes aside before it calls, so what is on disk is what is
staged; which files the repository has is asked of git's index for the same reason.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from contractlab import config as configuration
from contractlab.advice import advise_dataset, advise_rubric
from contractlab.contract import load_dataset, load_predictions, load_rubric
from contractlab.coverage import check_fit, check_replays, check_rubric
from contractlab.intake import Document, open_documents
from contractlab.leakage import check_dataset
from contractlab.positions import place
from contractlab.problems import Problem, Rule
from contractlab.sniff import is_contract
from contractlab.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contractlab.model import Dataset, Predictions


def check(names: Sequence[str], *, config: str | None, max_bytes: int) -> list[Problem]:
    """Every problem and warning of the contracts among some files, placed.

    Args:
        names: files of a commit; those that are no contract are left alone. What the
            configuration names is one, whatever it says of itself.
        config: a `contractlab.toml`; None looks for one.
        max_bytes: size cap of a contract.
    """
    found = config or configuration.find()
    settings = configuration.load(found) if found else configuration.Config()
    configured = configuration.roles(settings)
    called = {name: configured.get(os.path.realpath(name)) for name in names}
    contracts = {name: role for name, role in called.items() if role or is_contract(name)}
    contracts |= dict.fromkeys(_partners(contracts, settings), "predictions")
    documents, problems = open_documents(list(contracts.items()), max_bytes=max_bytes)
    told = [each for each in problems if contracts[each.file] or not _is_other_json(each)]
    return [*told, *_Commit(documents, settings, max_bytes).problems()]


def _is_other_json(problem: Problem) -> bool:
    """Whether a document only quotes a contract somewhere inside."""
    return problem.path == () and problem.rule in (Rule.UNKNOWN_CONTRACT, Rule.WRONG_TYPE)


def _partners(contracts: Iterable[str], settings: configuration.Config) -> list[str]:
    """With the configured dataset, the configured replays: a change of one concerns the others."""
    configured = settings.dataset
    if configured is None or not any(_same(name, configured) for name in contracts):
        return []
    replays = configuration.expand(settings.predictions)
    known = [name for name in replays if not any(_same(name, other) for other in contracts)]
    return [name for name in known if os.path.lexists(name)]


class _Commit:
    """The contracts of one commit, and the datasets that its replays belong to."""

    def __init__(
        self, documents: Sequence[Document], settings: configuration.Config, max_bytes: int
    ) -> None:
        self._settings = settings
        self._max_bytes = max_bytes
        self._data = {each.name: each.text for each in documents}
        self._datasets = {
            each.name: load_dataset(each.value) for each in documents if each.role == "dataset"
        }
        self._rubrics = {
            each.name: load_rubric(each.value) for each in documents if each.role == "rubric"
        }
        self._replays = {
            each.name: load_predictions(each.value)
            for each in documents
            if each.role == "predictions"
        }
        self._elsewhere: dict[str, Dataset] | None = None

    def problems(self) -> list[Problem]:
        """What is wrong in and between them; warnings too."""
        problems: list[Problem] = []
        wrong = set()
        for name, dataset in self._datasets.items():
            own = check_dataset(dataset, name)
            wrong.update([name] if own else [])
            problems += own + advise_dataset(dataset, name)
        for name, rubric in self._rubrics.items():
            problems += [*check_rubric(rubric, name), *advise_rubric(rubric, name)]
        for group in self._groups():
            own = check_replays(group)
            problems += own
            if not own:
                problems += self._fit(group, wrong)
        return place(problems, self._data)

    def _groups(self) -> list[Mapping[str, Predictions]]:
        """Replays that are one set: those that the configuration names together, else each."""
        configured = [
            name
            for name in self._replays
            if any(_same(name, other) for other in configuration.expand(self._settings.predictions))
        ]
        alone = [name for name in self._replays if name not in configured]
        sets = [configured, *([name] for name in alone)] if configured else [[n] for n in alone]
        return [{name: self._replays[name] for name in names} for names in sets]

    def _fit(self, group: Mapping[str, Predictions], wrong: set[str]) -> list[Problem]:
        name, predictions = next(iter(group.items()))
        homes = self._homes(predictions.dataset_version)
        if len(homes) != 1:
            return [_homeless(name, predictions.dataset_version, list(homes))]
        ((file, dataset),) = homes.items()
        return [] if file in wrong else check_fit(dataset, file, group)

    def _homes(self, version: str) -> dict[str, Dataset]:
        """The datasets of a version: in the commit, configured, or else in the repository."""
        known = {**self._configured(), **self._datasets}
        homes = {name: each for name, each in known.items() if each.version == version}
        if homes:
            return homes
        if self._elsewhere is None:
            self._elsewhere = self._opened(datasets_of_the_repository())
        return {name: each for name, each in self._elsewhere.items() if each.version == version}

    def _configured(self) -> dict[str, Dataset]:
        name = self._settings.dataset
        if name is None or any(_same(name, other) for other in self._datasets):
            return {}
        return self._opened([name])

    def _opened(self, names: Iterable[str]) -> dict[str, Dataset]:
        """The datasets among some files; one that is malformed is told when it is committed."""
        documents, _ = open_documents(
            [(name, "dataset") for name in names], max_bytes=self._max_bytes
        )
        self._data |= {each.name: each.text for each in documents}
        return {each.name: load_dataset(each.value) for each in documents}


def datasets_of_the_repository() -> list[str]:
    """The files in git's index that say they are a dataset; none outside a repository."""
    import subprocess  # noqa: PLC0415 (only where neither commit nor configuration has it)

    command = ["git", "grep", "--cached", "-z", "-l", "-F", "-e", "eval-dataset-", "--", ":/*.json"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return []
    return sorted(os.fsdecode(name) for name in done.stdout.split(b"\0") if name)


def _homeless(file: str, version: str, homes: list[str]) -> Problem:
    if homes:
        message = f"several datasets are version {shown(version)}: {listed(homes)}"
        hint = f"name the one that these replays were recorded on in {configuration.NAME}"
    else:
        message = f"no dataset of the repository is version {shown(version)}"
        hint = "add the dataset that these replays were recorded on, or correct the version"
    return Problem(Rule.DATASET_NOT_FOUND, message, hint, file, ("dataset_version",))


def _same(one: str, other: str) -> bool:
    """Whether two names are of one file."""
    return os.path.realpath(one) == os.path.realpath(other)
