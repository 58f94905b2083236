"""One spelling for a JSON value: the bytes of `json.dumps`, sorted, at orjson's speed.

`encode(value)` is `json.dumps(value, ensure_ascii=False, sort_keys=True,
separators=(",", ":"), allow_nan=False).encode()`. orjson differs from Python only in how it
spells floats outside 1e-4 to 1e16 (it writes 1e-5 as 0.00001), and it refuses integers beyond
64 bits, so those are spelled here.
"""

from __future__ import annotations

import json
import re
from itertools import chain, islice
from math import isfinite
from operator import is_
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

_SORTED = orjson.OPT_SORT_KEYS
_REPORT = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_SMALL, _LARGE = 1e-4, 1e16
_INTEGERS = 2**63
_BATCH = 1024
"""Objects of an array that are looked at, or lines of a report that are joined, at a time."""


def encode(value: Any) -> bytes:
    """The canonical UTF-8 bytes of a JSON value.

    Raises:
        ValueError: a number is not finite, or a string has a lone surrogate.
    """
    try:
        return orjson.dumps(_spell(value), option=_SORTED)
    except TypeError:  # a lone surrogate
        text = json.dumps(
            value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
        )
        return text.encode()


def encode_quickly(value: Any) -> bytes:
    """The same bytes as `encode`, at a tenth of the cost: floats are sought in the result.

    A float that orjson spells differently shows there as four zeros after its point or as an
    exponent; where a text looks like that, `encode` costs its time and gives the same.
    """
    try:
        data = orjson.dumps(value, option=_SORTED)
    except TypeError:
        return encode(value)
    if b"0.0000" in data or (any(map(data.__contains__, _EXPONENTS)) and _FLOAT.search(data)):
        return encode(value)
    return data


_EXPONENTS = (b"e-", *(f"e{digit}".encode() for digit in range(1, 10)))
_FLOAT = re.compile(rb"[0-9]e-?[0-9]+(?:[],}]|\Z)")


def key_of(value: Any) -> bytes:
    """Bytes that are equal for equal values only; not a spelling to keep."""
    try:
        return orjson.dumps(value, option=_SORTED)
    except TypeError:
        return encode(value)


class Rows:
    """A long array of objects in a report, made one by one while it is written."""

    def __init__(self, entries: Iterable[dict[str, Any] | orjson.Fragment]) -> None:
        """Takes objects in which each number is one that `number` gave (or plainly 0 to 1)."""
        self.entries = entries


class Prefixed:
    """Objects that are alike but for their first key: what is alike is spelled once."""

    def __init__(self, key: str) -> None:
        """Takes the key that sorts before all others."""
        self._start = b'{"%s":' % key.encode()
        self._rests: dict[Hashable, bytes] = {}

    def row(
        self, value: str, alike: Hashable, rest: Callable[[], dict[str, Any]]
    ) -> orjson.Fragment:
        """One object.

        Args:
            value: of the first key.
            alike: equal for objects whose other fields are equal.
            rest: the other fields; asked for once for those that are alike.
        """
        known = self._rests.get(alike)
        if known is None:
            known = self._rests[alike] = b"," + _dumps(rest(), _SORTED)[1:]
        return orjson.Fragment(self._start + orjson.dumps(value) + known)


def encode_report(value: Any) -> bytes:
    r"""A JSON document for people and streams: ASCII, indented, sorted, ends in a newline.

    An object in an array is one line, so that a case can be searched for and compared.
    Nothing in it obeys: a runner that reads a log for commands finds neither `::` nor `##[`
    in it, spelled `:\u003a` and `#\u0023[`; a JSON parser reads the same value.

    Raises:
        ValueError: a number is not finite.
    """
    arrays: list[list[bytes]] = []
    frame = _harmless(_dumps(_framed(value, "\n", arrays), _REPORT))
    # Text, index of the array that follows, text, ...: JSON text never holds a NUL.
    parts: list[bytes] = frame.split(b"\0")
    whole = parts[:1]
    for index, text in zip(parts[1::2], parts[2::2], strict=True):
        whole += arrays[int(index)]
        whole.append(text)
    return b"".join(whole)


def _framed(value: Any, newline: str, arrays: list[list[bytes]]) -> Any:
    """The value with a mark for each array of objects, whose lines are added to `arrays`.

    Args:
        value: any part of a report.
        newline: a line break and the indentation of what holds the value.
        arrays: the text of the arrays met so far, in pieces.
    """
    if isinstance(value, dict):
        return {key: _framed(inner, f"{newline}  ", arrays) for key, inner in value.items()}
    if isinstance(value, Rows):
        rows = value.entries
    elif isinstance(value, list | tuple) and any(isinstance(each, dict) for each in value):
        rows = _spelled(value)
    else:
        return _spell(value)
    pieces = _lines(iter(rows), newline)
    if not pieces:
        return []
    arrays.append(pieces)
    return orjson.Fragment(b"\0%d\0" % (len(arrays) - 1))


def _lines(rows: Iterator[Any], newline: str) -> list[bytes]:
    start = f"{newline}  ".encode()
    between = b"," + start
    pieces: list[bytes] = []
    # A row is gone before the next one is made, so that all are made in the same warm memory.
    while lines := [_dumps(row, _SORTED) for row in islice(rows, _BATCH)]:
        pieces += (between if pieces else b"[" + start), _harmless(between.join(lines))
    return [*pieces, newline.encode() + b"]"] if pieces else []


def _harmless(data: bytes) -> bytes:
    if not data.isascii():
        data = _NOT_ASCII.sub(_escaped, data.decode()).encode("ascii")
    data = data.replace(b"\x7f", b"\\u007f").replace(b"::", b":\\u003a")
    return data.replace(b"##[", b"#\\u0023[") if b"#" in data else data


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def _dumps(value: Any, option: int) -> bytes:
    try:
        return orjson.dumps(value, option=option)
    except TypeError:  # a lone surrogate: part of a file name that is not UTF-8
        return orjson.dumps(_surrogates_spelled(value), option=option)


def _surrogates_spelled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _surrogates_spelled(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_surrogates_spelled(inner) for inner in value]
    return orjson.Fragment(json.dumps(value)) if isinstance(value, str) else value


def _spelled(values: Sequence[Any]) -> Sequence[Any]:
    """The values with each number that orjson spells differently as a ready-made fragment.

    What needs no change is the same object, the sequence too.
    """
    kinds = set(map(type, values))
    if kinds <= _NO_NUMBERS:
        return values
    if kinds == {dict} and len(set(map(len, values))) == 1:
        return _spelled_rows(values)
    if kinds == {list}:
        entries = list(chain.from_iterable(values))
        spelled = _spelled(entries)
        left = iter(spelled)
        return values if spelled is entries else [list(islice(left, len(each))) for each in values]
    if kinds <= _NUMBERS and _all_plain(values):
        return values
    spelled = list(map(_spell, values))
    return values if all(map(is_, spelled, values)) else spelled


_NO_NUMBERS = {str, bool, type(None)}
_NUMBERS = {int, float}


def _spelled_rows(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """The same of objects with one number of fields, a column at a time: loops run in C."""
    if len(rows) > _BATCH:
        batches = [rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH)]
        spelled = list(map(_spelled_rows, batches))
        return rows if all(map(is_, spelled, batches)) else list(chain.from_iterable(spelled))
    columns = list(zip(*map(dict.values, rows), strict=True))
    after = list(map(_spelled, columns))
    changed = {
        index
        for old, new in zip(columns, after, strict=True)
        if old is not new
        for index, (one, other) in enumerate(zip(old, new, strict=True))
        if one is not other
    }
    if not changed:
        return rows
    return [
        dict(zip(row, [column[index] for column in after], strict=True))
        if index in changed
        else row
        for index, row in enumerate(rows)
    ]


def _all_plain(numbers: Sequence[float]) -> bool:
    """Whether orjson spells them all as Python does; perhaps no where there is a zero."""
    if int in set(map(type, numbers)) and max(map(abs, numbers)) >= _INTEGERS:
        return False
    # The smallest and the largest may pass by a NaN; a sum does not.
    return min(numbers) >= _SMALL and max(numbers) < _LARGE and isfinite(sum(numbers))


def _spell(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        inner = list(value.values())
        spelled = _spelled(inner)
        return value if spelled is inner else dict(zip(value, spelled, strict=True))
    if kind is list or kind is tuple:
        return _spelled(value)
    return number(value) if kind in _NUMBERS else value


def number(value: float | None) -> Any:
    """The number, or the fragment that spells it as Python does where orjson would not.

    Raises:
        ValueError: it is not finite.
    """
    if value is None or (_SMALL <= value < _LARGE and type(value) is float):
        return value
    if type(value) is float:
        if not isfinite(value):
            raise ValueError(f"{value!r} is no JSON number")
        plain = value == 0 or _SMALL <= -value < _LARGE
    else:
        plain = -_INTEGERS <= value < _INTEGERS
    return value if plain else orjson.Fragment(repr(value))
