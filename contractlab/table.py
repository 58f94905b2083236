"""JSON objects of one shape, spelled a column at a time.

A call of orjson takes longer than the few bytes of a field, so a whole column is one call,
and what repeats in it is spelled once. The bytes are those that `canonical` writes for the
same objects, which a property test holds.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import orjson

from contractlab.canonical import dumps, harmless, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from contractlab.canonical import Joined

    Columns = dict[str, "Iterable[bytes] | Columns"]
    """The spelled values of each field, one an object; or the columns of an inner object."""


def objects(columns: Columns, rest: Iterable[bytes] | None = None) -> Joined:
    """The objects, keys sorted; as many as the shortest column has values.

    Args:
        columns: the fields, one at least.
        rest: spelled members that sort after all fields, such as `"y":1,"z":2`.

    Returns:
        a function that joins them with what stands between two.
    """
    parts: list[Iterable[bytes]] = []
    text = b""
    for part in _flat(columns) if rest is None else (*_flat(columns, b","), rest, b"}"):
        if isinstance(part, bytes):
            text += part
        else:
            parts += repeat(text), part
            text = b""

    def joined(between: bytes) -> bytes:
        rows = zip(*parts, repeat(text + between))
        return b"".join(chain.from_iterable(rows))[: -len(between)]

    return joined


def _flat(columns: Columns, end: bytes = b"}") -> Iterator[bytes | Iterable[bytes]]:
    """The pieces of one object in order: what is the same in all, and columns."""
    before = b"{"
    for key in sorted(columns):
        yield b"%b%b:" % (before, harmless(dumps(key, 0)))
        column = columns[key]
        if isinstance(column, dict):
            yield from _flat(column)
        else:
            yield column
        before = b","
    yield end


def each(values: Sequence[str]) -> list[bytes]:
    """Each text as JSON."""
    # A line break inside a text is escaped, so those here are the ones between the values.
    column = harmless(dumps(values, orjson.OPT_INDENT_2))
    return column[4:-2].split(b",\n  ") if values else []


def numbers(values: Sequence[float | None]) -> list[bytes]:
    """Each number as Python's `json` spells it, or `null`.

    Raises:
        ValueError: one is not finite.
    """
    return dumps(spelled(values), 0)[1:-1].split(b",") if values else []


class Kinds:
    """Columns of values of few kinds, each of which is spelled once."""

    def __init__(self, value: Callable[[Any], Any] | None = None, *, members: bool = False) -> None:
        """Knows no kind yet.

        Args:
            value: what is spelled for one of a kind, without numbers that `number` would
                change; None: the value itself.
            members: whether objects are spelled without their braces, as a `rest`.
        """
        self._value = value
        self._members = members
        self._known: dict[Hashable, bytes] = {}

    def column(self, values: Sequence[Any], keys: Sequence[Hashable] | None = None) -> list[bytes]:
        """The values, spelled.

        Args:
            values: of one type (True is 1), in this and every other column of these kinds.
            keys: equal for those that are spelled alike; None: the values themselves.
        """
        keys = values if keys is None else keys
        known = self._known
        found = list(map(known.get, keys))
        if None in found:
            if len(known) > _MOST_KINDS:
                known.clear()
            for key, value in zip(keys, values, strict=True):
                if key not in known:
                    known[key] = self._spelled(value)
            found = list(map(known.get, keys))
        return found  # type: ignore[return-value]  # no key is missing by now

    def _spelled(self, value: Any) -> bytes:
        shown = value if self._value is None else self._value(value)
        data = harmless(dumps(shown, orjson.OPT_SORT_KEYS))
        return data[1:-1] if self._members else data


_MOST_KINDS = 10_000
"""Kinds that are remembered before those of the next batch are added."""
