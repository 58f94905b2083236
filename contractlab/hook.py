"""The pre-commit hook: of the files in a commit, the contracts, each with the dataset it needs.

pre-commit sets unstaged changes aside before it calls, so what is on disk is what is
staged; which files the repository has is asked of git's index for the same reason.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from contractlab import config as configuration
from contractlab.crosscheck import check_models, models, only
from contractlab.intake import open_documents
from contractlab.positions import place
from contractlab.problems import Rule
from contractlab.sniff import CONFIG, find_config, is_contract
from contractlab.split import check_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contractlab.crosscheck import Home
    from contractlab.model import Dataset, Predictions
    from contractlab.positions import Lines
    from contractlab.problems import Problem


def check(names: Sequence[str], *, config: str | None, max_bytes: int) -> list[Problem]:
    """Every problem and warning of the contracts among some files, placed.

    Args:
        names: files of a commit; those that are no contract are left alone. What the
            configuration names is one, whatever it says of itself.
        config: a `contractlab.toml`; None looks for one.
        max_bytes: size cap of a contract.
    """
    found = config or find_config()
    settings = configuration.load(found) if found else configuration.Config()
    configured = configuration.roles(settings)
    called = {name: configured.get(os.path.realpath(name)) for name in names}
    contracts = {name: role for name, role in called.items() if role or is_contract(name)}
    contracts |= _partners(contracts, settings)
    documents, malformed = open_documents(list(contracts.items()), max_bytes=max_bytes)
    told = [each for each in malformed if contracts[each.file] or not _is_other_json(each)]
    given = models(documents)
    homes = _Homes(given.datasets, settings, max_bytes)
    problems = check_models(given, _sets(given.replays, settings), homes.home_of)
    for name, rubric in given.rubrics.items():
        problems += check_beside(rubric, name, homes.of_rubric(name))
    texts = {each.name: each.text for each in documents}
    return [*told, *place(problems, texts | homes.texts)]


def _is_other_json(problem: Problem) -> bool:
    """Whether a document only quotes a contract somewhere inside."""
    return problem.path == () and problem.rule in (Rule.UNKNOWN_CONTRACT, Rule.WRONG_TYPE)


def _partners(contracts: Iterable[str], settings: configuration.Config) -> dict[str, str]:
    """With the configured dataset, what else is configured: a change of one concerns the others."""
    configured = settings.dataset
    if configured is None or not any(_same(name, configured) for name in contracts):
        return {}
    others = dict.fromkeys(configuration.expand(settings.predictions), "predictions")
    if settings.rubric is not None:
        others[settings.rubric] = "rubric"
    return {
        name: role
        for name, role in others.items()
        if os.path.lexists(name) and not any(_same(name, other) for other in contracts)
    }


def _sets(
    replays: Mapping[str, Predictions], settings: configuration.Config
) -> list[Mapping[str, Predictions]]:
    """Replays that are one set: those that the configuration names together, else each."""
    named = configuration.expand(settings.predictions)
    together = [name for name in replays if any(_same(name, other) for other in named)]
    alone = [[name] for name in replays if name not in together]
    return [
        {name: replays[name] for name in names}
        for names in ([together, *alone] if together else alone)
    ]


class _Homes:
    """Where the replays of a commit find their dataset."""

    def __init__(
        self, committed: Mapping[str, Dataset], settings: configuration.Config, max_bytes: int
    ) -> None:
        self.texts: dict[str, bytes | Lines] = {}
        """Of the datasets that are not in the commit."""
        self._committed = committed
        self._settings = settings
        self._max_bytes = max_bytes

    @cached_property
    def _known(self) -> dict[str, Dataset]:
        named = self._settings.dataset
        if named is None or any(_same(name, named) for name in self._committed):
            return dict(self._committed)
        return {**self._opened([named]), **self._committed}

    @cached_property
    def _elsewhere(self) -> dict[str, Dataset]:
        return self._opened(datasets_of_the_repository())

    def home_of(self, file: str, version: str) -> Home:
        """The dataset of a version: in the commit, configured, or else in the repository."""
        return only(
            _of(version, self._known) or _of(version, self._elsewhere),
            file,
            version,
            none="add the dataset that these replays were recorded on, or correct the version",
            many=f"name the one that these replays were recorded on in {CONFIG}",
            among=" of the repository",
        )

    def of_rubric(self, file: str) -> Mapping[str, Dataset]:
        """The dataset of the configured rubric; for another one, those of the commit."""
        settings = self._settings
        if settings.rubric is None or settings.dataset is None or not _same(file, settings.rubric):
            return self._committed
        return {name: each for name, each in self._known.items() if _same(name, settings.dataset)}

    def _opened(self, names: Iterable[str]) -> dict[str, Dataset]:
        """The datasets among some files; one that is malformed is told when it is committed."""
        documents, _ = open_documents(
            [(name, "dataset") for name in names], max_bytes=self._max_bytes
        )
        self.texts |= {each.name: each.text for each in documents}
        return models(documents).datasets


def _of(version: str, datasets: Mapping[str, Dataset]) -> dict[str, Dataset]:
    return {name: each for name, each in datasets.items() if each.version == version}


def datasets_of_the_repository() -> list[str]:
    """The files in git's index that say they are a dataset; none outside a repository."""
    import subprocess  # noqa: PLC0415 (only where neither commit nor configuration has it)

    command = ["git", "grep", "--cached", "-z", "-l", "-F", "-e", "eval-dataset-", "--"]
    command += [":/*.json", ":/*.jsonl"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return []
    return sorted(os.fsdecode(name) for name in done.stdout.split(b"\0") if name)


def _same(one: str, other: str) -> bool:
    """Whether two names are of one file."""
    return os.path.realpath(one) == os.path.realpath(other)
