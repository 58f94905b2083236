"""Files to checked models: every problem of every file in one go, stage by stage.

The stages are text, shape, and what holds across records and files. A stage that finds
something stops the ones after it, so that one mistake is one problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from contractlab import files
from contractlab.advice import advise_both, advise_dataset, advise_rubric
from contractlab.clean import dataset_is_right
from contractlab.contract import SCHEMAS, kind_of, load_dataset, load_predictions, load_rubric
from contractlab.coverage import (
    check_fit,
    check_releases,
    check_replays,
    check_rubric,
    mixed_versions,
)
from contractlab.jsontext import parse
from contractlab.leakage import check_dataset
from contractlab.lines import header_of
from contractlab.model import Dataset
from contractlab.positions import place
from contractlab.problems import ContractError, Problem, Rule
from contractlab.progress import SILENT
from contractlab.words import listed, nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contractlab.model import Predictions, Rubric
    from contractlab.positions import Lines
    from contractlab.progress import Progress

ROLES = ("dataset", "rubric", "predictions")
_ARTICLE = {"dataset": "a dataset", "rubric": "a rubric", "predictions": "predictions"}


class Document(NamedTuple):
    """One contract file whose shape is right."""

    name: str
    data: bytes
    value: Any
    role: str
    """`dataset`, `rubric` or `predictions`."""
    lines: Lines | None = None
    """Where entries stand, where it is JSON Lines."""
    digest: str | None = None
    """Of a version 2 contract, whose value is its model."""

    @property
    def text(self) -> bytes | Lines:
        """What problems are placed in."""
        return self.lines or self.data


class Contracts(NamedTuple):
    """Everything that a comparison needs, checked."""

    documents: tuple[Document, ...]
    """Dataset, rubric, then the replays in the order they were given."""
    dataset: Dataset
    rubric: Rubric
    replays: dict[str, Predictions]
    """By file name."""

    def without_values(self) -> Contracts:
        """The same without the decoded texts, once nothing looks at them any more."""
        return self._replace(documents=tuple(each._replace(value=None) for each in self.documents))


def open_document(
    name: str, *, role: str | None = None, max_bytes: int = files.DEFAULT_MAX_BYTES
) -> Document:
    """Reads one contract and checks its shape.

    Args:
        name: the file.
        role: what it must be; None takes any contract.
        max_bytes: size cap.

    Raises:
        ContractError: with every problem of its text or its shape, placed.
    """
    data = files.read(name, max_bytes=max_bytes)
    first = header_of(data)
    if first is not None:
        return _lines(name, data, first, role)
    value = parse(data, file=name)
    kind = kind_of(value)
    found = role_of(kind)
    if kind is None and role is not None:
        kind, found = f"eval-{role}-v1", role  # its schema tells what is wrong with the version
    if kind is None or (role is not None and found != role):
        problem = _not_a_contract(name, value, found, role)
        raise ContractError(place([problem], {name: data}))
    if kind.endswith("-v2"):
        from contractlab.intake_v2 import open_value  # noqa: PLC0415 (version 1 does without)

        model, digest = open_value(name, data, value)
        return Document(name, data, model, str(found), digest=digest)
    problems = files.checker(SCHEMAS[kind]).check(value, name)
    if problems:
        raise ContractError(place(problems, {name: data}))
    return Document(name, data, value, str(found))


def _lines(name: str, data: bytes, first: bytes, role: str | None) -> Document:
    from contractlab.intake_v2 import open_lines  # noqa: PLC0415 (version 1 does without)

    model, digest, lines = open_lines(name, data, first)
    found = "dataset" if isinstance(model, Dataset) else "predictions"
    if role not in (None, found):
        raise ContractError([_not_a_contract(name, {}, found, role)])
    return Document(name, data, model, found, lines, digest)


def role_of(kind: str | None) -> str | None:
    """The role of a `schema_version`, such as `dataset` for `eval-dataset-v1`."""
    return next((role for role in ROLES if kind and kind.startswith(f"eval-{role}-")), None)


def _not_a_contract(name: str, value: object, found: str | None, role: str | None) -> Problem:
    if found is not None:
        message = f"holds {_ARTICLE[found]}, not {_ARTICLE[role]}" if role else ""
        hint = f"name a {role} file here"
        return Problem(Rule.UNKNOWN_CONTRACT, message, hint, name)
    hint = f"a contract names one of {', '.join(SCHEMAS)} there"
    if not isinstance(value, dict):
        return Problem(
            Rule.WRONG_TYPE, f"the document is {shown(value)}, not an object", hint, name
        )
    if "schema_version" not in value:
        meant = nearest("schema_version", value)
        if meant is None:
            message = 'the document has no "schema_version"'
            return Problem(Rule.UNKNOWN_CONTRACT, message, hint, name)
        message = f'the document has {shown(meant)}, and no "schema_version"'
        rename = 'is it meant to be "schema_version"?'
        return Problem(Rule.UNKNOWN_CONTRACT, message, rename, name, (meant,), on_key=True)
    version = value["schema_version"]
    meant = None
    # A version of another release is no misspelling of one of this one's.
    if isinstance(version, str) and not (role_of(version) and version[-1].isdecimal()):
        meant = nearest(version, SCHEMAS)
    return Problem(
        Rule.UNKNOWN_CONTRACT,
        f'"schema_version" {shown(version)} is not one that this release knows',
        f"is it meant to be {shown(meant)}?" if meant else hint,
        name,
        ("schema_version",),
    )


def open_documents(
    wanted: Sequence[tuple[str, str | None]],
    *,
    max_bytes: int = files.DEFAULT_MAX_BYTES,
    progress: Progress = SILENT,
) -> tuple[list[Document], list[Problem]]:
    """Each file (name, role) that can be opened, and the problems of those that can't."""
    documents: list[Document] = []
    problems: list[Problem] = []
    for index, (name, role) in enumerate(wanted):
        progress.step("reading", index / len(wanted))
        try:
            documents.append(open_document(name, role=role, max_bytes=max_bytes))
        except ContractError as error:
            problems += error.problems
    return documents, problems


def open_contracts(
    dataset: str,
    rubric: str,
    predictions: Sequence[str],
    *,
    max_bytes: int = files.DEFAULT_MAX_BYTES,
    progress: Progress = SILENT,
) -> Contracts:
    """Reads and checks the three contracts of a comparison, one by one and together.

    Raises:
        ContractError: with every problem of the stage that found some, placed.
    """
    wanted = [(dataset, "dataset"), (rubric, "rubric")]
    wanted += [(name, "predictions") for name in dict.fromkeys(predictions)]
    documents, problems = open_documents(wanted, max_bytes=max_bytes, progress=progress)
    if problems:
        raise ContractError(problems)
    raise_if(_mixed(documents), documents)
    progress.step("checking")
    contracts = Contracts(
        tuple(documents),
        load_dataset(documents[0].value),
        load_rubric(documents[1].value),
        {document.name: load_predictions(document.value) for document in documents[2:]},
    )
    check_together(contracts)
    return contracts


def _mixed(documents: Sequence[Document]) -> list[Problem]:
    """Contracts of another version than the dataset's."""
    version = 1 if documents[0].digest is None else 2
    return [
        mixed_versions(each.name, version)
        for each in documents
        if (each.digest is None) != (version == 1)
    ]


def check_together(contracts: Contracts) -> None:
    """Raises what is wrong across the records of each file, or else between the files."""
    dataset, replays = contracts.dataset, contracts.replays
    dataset_file, rubric_file = (each.name for each in contracts.documents[:2])
    problems = [
        *_of_dataset(contracts.documents[0], dataset),
        *check_rubric(contracts.rubric, rubric_file),
        *check_replays(replays),
    ]
    raise_if(problems or check_fit(dataset, dataset_file, replays), contracts.documents)


def _of_dataset(document: Document, dataset: Dataset) -> list[Problem]:
    if kind_of(document.value) == "eval-dataset-v1" and dataset_is_right(document.value):
        return []
    return check_dataset(dataset, document.name)


def choose_releases(
    contracts: Contracts, *, baseline: str | None, candidate: str | None
) -> tuple[str, str]:
    """The two releases to compare: baseline, candidate.

    Args:
        contracts: checked.
        baseline: None takes the rubric's.
        candidate: None takes the one release that is not the baseline, where it is one.

    Raises:
        ContractError: one is not recorded, both are one, or the choice is not plain.
    """
    baseline = baseline or contracts.rubric.baseline_release
    recorded = [release.id for each in contracts.replays.values() for release in each.releases]
    others = [id_ for id_ in recorded if id_ != baseline]
    # A baseline that is not recorded is told first: with it, every other release is a choice.
    chosen = candidate or (others[0] if len(others) == 1 else None)
    raise_if(
        check_releases(
            contracts.rubric,
            contracts.documents[1].name,
            contracts.replays,
            baseline=baseline,
            candidate=chosen,
        ),
        contracts.documents,
    )
    if chosen is None:
        raise ContractError([_no_choice(others)])
    return baseline, chosen


def _no_choice(others: list[str]) -> Problem:
    if others:
        message = "no candidate is named, and several releases are recorded"
        return Problem(Rule.BAD_USAGE, message, f"--candidate with one of: {listed(others)}")
    return Problem(
        Rule.BAD_USAGE,
        "no candidate is named, and only the baseline is recorded",
        "add the candidate's replay with --predictions",
    )


def raise_if(problems: list[Problem], documents: Iterable[Document]) -> None:
    """Raises the problems, placed, where there are any."""
    if problems:
        raise ContractError(place(problems, {each.name: each.text for each in documents}))


def advise(contracts: Contracts) -> list[Problem]:
    """Warnings about the contracts of a comparison, placed."""
    dataset_file, rubric_file = (each.name for each in contracts.documents[:2])
    warnings = [
        *advise_dataset(contracts.dataset, dataset_file),
        *advise_rubric(contracts.rubric, rubric_file),
        *advise_both(contracts.dataset, contracts.rubric, rubric_file),
    ]
    return place(warnings, {each.name: each.text for each in contracts.documents})
