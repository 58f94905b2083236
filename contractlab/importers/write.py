"""Replays to disk: streamed into a file beside the target, put in its place once complete."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from contractlab.files import checker
from contractlab.limits import MAX_DEPTH
from contractlab.problems import ContractError, Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from contractlab.schema import Checker

_MOST_NAME = 512
"""Characters of an id, by the schema."""
_BATCH = 500
"""Records that are written together."""
_DEEPEST = MAX_DEPTH - 2
"""How deep a record may nest within a document."""


def encoded(value: Any) -> bytes:
    """A JSON value in UTF-8; a number that is none (NaN) as null.

    Raises:
        ValueError: a text can't be written in UTF-8.
    """
    try:
        return orjson.dumps(value)
    except TypeError:  # an integer beyond 64 bits, or a lone surrogate
        return json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":")).encode()


def _finite(value: Any) -> Any:
    if type(value) is dict:
        return {key: _finite(inner) for key, inner in value.items()}
    if type(value) is list:
        return [_finite(inner) for inner in value]
    return None if type(value) is float and not math.isfinite(value) else value


def _nests(record: dict[str, Any]) -> bool:
    """Whether there is more than one layer to a record's answer or to a call's arguments."""
    if type(record.get("answer")) in (dict, list):
        return True
    for call in record.get("calls", ()):
        given = call.get("arguments")
        values = given.values() if type(given) is dict else (given,)
        for value in values:
            if type(value) is dict or type(value) is list:
                return True
    return False


def _is_deeper(value: Any, most: int) -> bool:
    """Whether more arrays and objects than that are inside one another."""
    level = [value]
    for _ in range(most + 1):
        level = [each for each in level if type(each) in (dict, list)]
        if not level:
            return False
        level = [x for each in level for x in (each.values() if type(each) is dict else each)]
    return True


def write_replay(
    target: str,
    header: dict[str, Any],
    records: Iterable[dict[str, Any]],
    recording: Callable[[], dict[str, Any]],
    reject: Callable[[dict[str, Any], str], None],
) -> None:
    """Writes a replay: JSON, or JSON Lines where the name says `.jsonl`.

    Args:
        target: the file; what was there is replaced, once the new one is complete.
        header: the document without its records.
        records: one after the other; held in memory a batch at a time.
        recording: how it was made, asked for after the last record.
        reject: told of a record that is not of the contract's shape, and why.

    Raises:
        ContractError: from the records, or the file can't be written.
    """
    as_lines = target.endswith((".jsonl", ".ndjson"))
    path = Path(target)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w+b") as file:
                _fill(file, header, records, recording, reject, as_lines=as_lines)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise ContractError(
            [Problem(Rule.FILE_UNREADABLE, f"cannot be written: {reason}", "see -o", target)]
        ) from error


def _fill(
    file: BinaryIO,
    header: dict[str, Any],
    records: Iterable[dict[str, Any]],
    recording: Callable[[], dict[str, Any]],
    reject: Callable[[dict[str, Any], str], None],
    *,
    as_lines: bool,
) -> None:
    kept = _kept(records, reject)
    if not as_lines:
        file.write(encoded(header)[:-1] + b',"records":[')
        file.writelines(
            (b"\n" if index == 0 else b",\n") + b",\n".join(batch)
            for index, batch in enumerate(kept)
        )
        file.write(b'\n],"recording":' + encoded(recording()) + b"}\n")
        return
    # The header stands first and has the counts, which are known last.
    with tempfile.TemporaryFile() as body:
        for batch in kept:
            body.write(b"\n".join(batch) + b"\n")
        body.seek(0)
        file.write(encoded({**header, "recording": recording()}) + b"\n")
        shutil.copyfileobj(body, file, 1024 * 1024)


def _kept(
    records: Iterable[dict[str, Any]], reject: Callable[[dict[str, Any], str], None]
) -> Iterator[list[bytes]]:
    """The records that are of the contract's shape, encoded, in batches."""
    batch: list[bytes] = []
    for record in records:
        # At once: values that are held for later cost more than all that is done with them.
        if not fits(record) and (problems := _entry().check(record)):
            first = problems[0]
            place = ".".join(map(str, first.path))
            reject(record, f"does not fit the contract: {place}: {first.message}")
            continue
        try:
            data = encoded(record)
        except ValueError as error:
            reject(record, f"cannot be written: {error}")
            continue
        if _nests(record) and _is_deeper(record, _DEEPEST):
            reject(record, f"is nested more than {_DEEPEST} deep")
            continue
        batch.append(data)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


@cache
def _entry() -> Checker:
    """The check of one record."""
    _header, entry = checker("predictions-v2").lines("records")
    return entry


def fits(record: dict[str, Any]) -> bool:
    """Whether the texts of a record are ids that the contract can hold.

    Everything else is of the contract's shape by the way it was made, as the tests hold; a
    record that does not fit is put to the schema, which says why.
    """
    names = [record["case_id"], *[call["name"] for call in record.get("calls", ())]]
    if record.get("label") is not None:
        names.append(record["label"])
    if type(record.get("evidence")) is list:
        names += record["evidence"]
    return max(map(len, names)) <= _MOST_NAME and all(map(str.strip, names))
