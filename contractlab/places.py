"""Where failed cases stand: the line of each in the dataset, and of its record in the replay.

Found with a byte search for the key that names them, whose n-th hit is the n-th entry: in a
contract whose shape is right that key stands nowhere else, and an unescaped quote ends a
string. Where the hits are not those entries (a key can be written with an escape), the walk
of `positions` finds them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from contractlab.positions import Lines, find
from contractlab.problems import Path, Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from contractlab.model import Dataset, Predictions, Record

    Text = bytes | Lines
    """A JSON text, or JSON Lines."""


class CasePlace(NamedTuple):
    """Where one failed case stands: its id in the dataset, its id in the candidate's record."""

    dataset: Position
    candidate: Position


class Places(NamedTuple):
    """Where the cases stand that a candidate failed."""

    dataset_file: str
    candidate_file: str
    """The replay that holds the candidate's records."""
    cases: Mapping[str, CasePlace]
    """By case id, in dataset order."""


def find_places(
    failed: Iterable[str],
    *,
    dataset: Dataset,
    dataset_file: tuple[str, Text],
    replay: Predictions,
    replay_file: tuple[str, Text],
    release: str,
    told: Mapping[str, Record] | None = None,
) -> Places:
    """The places of failed cases.

    Args:
        failed: ids of test cases, in dataset order.
        dataset: checked.
        dataset_file: its file's name and text.
        replay: checked, with the release.
        replay_file: likewise.
        release: the candidate.
        told: by case id, which of a case's records it is; needed where there are several trials.
    """
    wanted = dict.fromkeys(failed)
    cases = [(at, case.id) for at, case in enumerate(dataset.cases) if case.id in wanted]
    number = next(at for at, each in enumerate(replay.releases) if each.id == release)
    before = sum(len(each.records) for each in replay.releases[:number])
    records = [
        (before + at, record.case_id)
        for at, record in enumerate(replay.releases[number].records)
        if record.case_id in wanted and (told is None or told[record.case_id] is record)
    ]
    in_dataset = _places(
        dataset_file[1],
        _Entries("id", len(dataset.cases), cases),
        lambda at: ("cases", at, "id"),
    )
    in_replay = _places(
        replay_file[1],
        _Entries("case_id", sum(len(each.records) for each in replay.releases), records),
        lambda at: (*replay.at_records(number), at - before, "case_id"),
    )
    return Places(
        dataset_file[0],
        replay_file[0],
        {id_: CasePlace(in_dataset[id_], in_replay[id_]) for id_ in wanted},
    )


class _Entries(NamedTuple):
    """The entries of one kind in a contract, each named by a string."""

    key: str
    """The key that holds the name."""
    total: int
    """Entries in the file."""
    wanted: Sequence[tuple[int, str]]
    """Place among all entries, and name, in file order."""


def _places(text: Text, entries: _Entries, path: Callable[[int], Path]) -> dict[str, Position]:
    """The place of each wanted name; `path` says where an entry's name stands in the value."""
    if not entries.wanted:
        return {}
    data = text.data if isinstance(text, Lines) else text
    offsets = _offsets(data, entries)
    if offsets is not None:
        positions = _positions(data, offsets)
    else:
        paths = [path(at) for at, _ in entries.wanted]
        found = find(text, [(each, False) for each in paths])
        positions = [Position(found[each, False].line, found[each, False].column) for each in paths]
    return {name: place for (_, name), place in zip(entries.wanted, positions, strict=True)}


def _offsets(data: bytes, entries: _Entries) -> list[int] | None:
    """Where the wanted names begin, in bytes; None where the search cannot tell."""
    ends = [hit.end() for hit in re.finditer(b'"%b"' % re.escape(entries.key.encode()), data)]
    if len(ends) != entries.total:
        return None
    offsets = []
    for at, name in entries.wanted:
        match = _NAME.match(data, ends[at])
        if match is None or not _spells(match[1], name):
            return None
        offsets.append(match.start(1) - 1)
    return offsets


_NAME = re.compile(rb'[ \t\r\n]*:[ \t\r\n]*"((?:[^"\\]|\\.)*)"')


def _spells(inner: bytes, name: str) -> bool:
    return inner == name.encode() or (b"\\" in inner and json.loads(b'"%b"' % inner) == name)


def _positions(data: bytes, offsets: Iterable[int]) -> list[Position]:
    """The places of byte offsets that rise."""
    places = []
    line, column, at = 1, 1, 0
    for offset in offsets:
        lines = data.count(b"\n", at, offset)
        if lines:
            line, column = line + lines, 1
            at = data.rfind(b"\n", at, offset) + 1
        column += len(data[at:offset].decode())
        places.append(Position(line, column))
        at = offset
    return places
