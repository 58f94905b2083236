"""Version 2 contracts from bytes to the model: one document, or JSON Lines."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from contractlab import files
from contractlab.batches import in_batches
from contractlab.canonical import encode, encode_quickly
from contractlab.contract import SCHEMAS
from contractlab.dataset_v2 import CaseLoader, load_dataset
from contractlab.jsontext import parse
from contractlab.lines import Entries
from contractlab.manifest import check_manifest
from contractlab.model import Dataset, Predictions, Rubric
from contractlab.names import Named, check_readable
from contractlab.positions import place
from contractlab.problems import ContractError, Problem
from contractlab.replay_v2 import load_records, load_release
from contractlab.rubric_v2 import check_gates, load_rubric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from contractlab.positions import Lines

    Model = Dataset | Rubric | Predictions

ENTRIES: Mapping[str, str] = {"eval-dataset-v2": "cases", "eval-predictions-v2": "records"}
"""What stands on the lines after the first where a contract is JSON Lines."""


def open_value(name: str, data: bytes, value: Any) -> tuple[Model, str]:
    """The model of a version 2 document whose text is right, and its digest.

    Raises:
        ContractError: with every problem of its shape, placed.
    """
    kind = value["schema_version"]
    problems = files.checker(SCHEMAS[kind]).check(value, name)
    if problems:
        raise ContractError(place(problems, {name: data}))
    state = sha256(b"[")
    field = ENTRIES.get(kind)
    state.update(encode({key: of for key, of in value.items() if key != field}))
    loader = CaseLoader(name)
    load = _loader(kind, loader)
    entries: list[Any] = []
    for some in in_batches(value[field]) if field else ():
        state.update(b"," + encode_quickly(some)[1:-1])
        entries += load(some, len(entries))
    model, problems = _model(name, kind, value, entries, loader)
    if problems:
        raise ContractError(place(problems, {name: data}))
    state.update(b"]")
    return model, state.hexdigest()


def open_lines(name: str, data: bytes, first: bytes) -> tuple[Model, str, Lines]:
    """The model of a version 2 contract in JSON Lines, its digest, and where entries stand.

    Raises:
        ContractError: with every problem of its text or its shape, placed.
    """
    header: Any = parse(first, file=name)
    kind = header.get("schema_version")
    field = ENTRIES.get(kind, "records")
    of_header, of_entry = files.checker(SCHEMAS.get(kind, "predictions-v2")).lines(field)
    problems = of_header.check(header, name)
    if problems:
        raise ContractError(place(problems, {name: first}))
    state = sha256(b"[")
    state.update(encode(header))
    loader = CaseLoader(name)
    entries, lines = Entries(name, field, of_entry, _loader(kind, loader), state.update).read(data)
    model, problems = _model(name, kind, header, entries, loader)
    if problems:
        raise ContractError(place(problems, {name: lines}))
    state.update(b"]")
    return model, state.hexdigest(), lines


def _loader(kind: str, cases: CaseLoader) -> Callable[[Sequence[Any], int], list[Any]]:
    """What turns entries, the first of which has an index, into the model."""
    if kind == "eval-dataset-v2":
        return cases.load_all
    return lambda values, _first: load_records(values)


def _model(
    name: str, kind: str, header: Any, entries: list[Any], cases: CaseLoader
) -> tuple[Model, list[Problem]]:
    match kind:
        case "eval-dataset-v2":
            return load_dataset(header, entries, cases.names), cases.problems
        case "eval-predictions-v2":
            release = load_release(header, entries)
            version = header.get("prediction_set_version", release.id)
            model = Predictions(version, header["dataset_version"], (release,), one_release=True)
            return model, [*check_manifest(release.manifest or {}, name), *_format(header, name)]
        case _:
            problems = check_gates(header, name)
            return (_NO_RUBRIC if problems else load_rubric(header)), problems


def _format(header: Any, name: str) -> list[Problem]:
    recording = header.get("recording", {})
    path = ("recording", "format")
    found = [Named(recording["format"], name, path)] if "format" in recording else []
    return check_readable("format", found)


_NO_RUBRIC = Rubric("", "", "", "", (), 0, 0, 0.5)
