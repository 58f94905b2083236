"""Checked version 2 replays to the model, a column at a time."""

from __future__ import annotations

from itertools import chain, islice, repeat
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from contractlab.batches import rows_of
from contractlab.model import Call, Record, Release, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


def load_record(value: Any) -> Record:
    """The model of a record that `predictions-v2` accepts."""
    return load_records([value])[0]


def load_records(values: Sequence[Any]) -> list[Record]:
    """The models of records that `predictions-v2` accepts, a column at a time."""
    column = _columns(values)
    label, evidence, actions = column("label"), column("evidence"), column("actions")
    runs = rows_of(
        Run,
        column("trial", 0),
        map(intern, column("status", "ok")),
        [_recorded(sides) if sides else _NO_OUTCOMES for sides in column("outcomes")],
        _called(column("calls")),
        [names is not None for names in actions],
        [tuple(ids) if type(ids) is list else None for ids in evidence],
        column("answer"),
        [None if counts is None else _recorded(counts) for counts in column("tokens")],
    )
    records = rows_of(
        Record,
        column("case_id"),
        [None if name is None else intern(name) for name in label],
        repeat(None),
        [tuple(map(intern, names)) if names else () for names in actions],
        [None if shown is None else bool(shown) for shown in evidence],
        column("latency_ms"),
        column("cost_usd"),
        runs,
    )
    return list(records)


def _columns(values: Iterable[Any]) -> Callable[..., list[Any]]:
    """What objects have under a name, or a default."""
    gets = [value.get for value in values]
    return lambda name, default=None: [get(name, default) for get in gets]


def _recorded(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those that are not null."""
    if None not in values.values():
        return values
    return {name: value for name, value in values.items() if value is not None}


_NO_OUTCOMES: Mapping[str, bool] = MappingProxyType({})


def _called(lists: Sequence[Any]) -> list[tuple[Call, ...] | None]:
    """The calls of each record; None where none were recorded."""
    column = _columns(chain.from_iterable(filter(None, lists)))
    calls = rows_of(
        Call,
        map(intern, column("name")),
        column("arguments"),
        [ok is not False for ok in column("ok")],
        column("turn"),
    )
    return [None if each is None else tuple(islice(calls, len(each))) for each in lists]


def load_release(header: Any, records: list[Record]) -> Release:
    """The model of a replay whose records are loaded."""
    release = header["release"]
    return Release(release["release_id"], tuple(records), release.get("manifest"))
