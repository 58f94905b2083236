"""One spelling for a JSON value: the bytes of `json.dumps`, sorted, at orjson's speed.

`encode(value)` is `json.dumps(value, ensure_ascii=False, sort_keys=True,
separators=(",", ":"), allow_nan=False).encode()`. orjson differs from Python only in how it
spells floats outside 1e-4 to 1e16 (it writes 1e-5 as 0.00001), and it refuses integers beyond
64 bits, so those are spelled here.
"""

from __future__ import annotations

import codecs
import json
import re
from io import BytesIO
from itertools import chain, islice
from math import isfinite
from operator import is_
from typing import TYPE_CHECKING, Any

import orjson

from contractlab.batches import BATCH, in_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Joined = Callable[[bytes], bytes]
    """Some objects, spelled, as a function that joins them with what stands between two."""
    _Array = tuple[Iterator[Any], str]
    """The rows of an array, and a line break with the indentation of what holds it."""

_SORTED = orjson.OPT_SORT_KEYS
_REPORT = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_SMALL, _LARGE = 1e-4, 1e16
_INTEGERS = 2**63
ROWS = 64
"""Rows that are spelled in one call."""


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
    return encode(value) if _spelled_otherwise(data) else data


def encode_in_order(value: Any) -> bytes:
    """The same but for the members of objects, which keep their order: for people to read."""
    try:
        data = orjson.dumps(value)
    except TypeError:
        return dumps(_spell(value), 0)
    return dumps(_spell(value), 0) if _spelled_otherwise(data) else data


def _spelled_otherwise(data: bytes) -> bool:
    """Whether orjson may have spelled a float of this text as Python does not."""
    if b"0.0000" in data:
        return True
    # A pattern takes four times as long to say no as a search in simplified text does.
    return b"0e0" in data.translate(_DIGITS, b"-") and bool(_EXPONENT.search(data))


_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_EXPONENT = re.compile(rb"[0-9]e-?[0-9]+(?:[],}]|\Z)")


class Rows:
    """A long array of objects in a report, made while it is written."""

    def __init__(self, entries: Iterable[dict[str, Any] | Joined]) -> None:
        """Takes objects.

        Args:
            entries: one by one, each number in them one that `number` gave (or plainly 0 to
                1); or many at a time, one at least, as `table` spells them (`harmless`).
        """
        self.entries = entries


def encode_report(value: Any) -> bytes:
    r"""A JSON document for people and streams: ASCII, indented, sorted, ends in a newline.

    An object in an array is one line, so that a case can be searched for and compared.
    Nothing in it obeys: a runner that reads a log for commands finds neither `::` nor `##[`
    in it, spelled `:\u003a` and `#\u0023[`; a JSON parser reads the same value.

    Raises:
        ValueError: a number is not finite.
    """
    arrays: list[_Array] = []
    frame = harmless(dumps(_framed(value, "\n", arrays), _REPORT))
    out = BytesIO()  # holds the report once, where pieces to be joined would be as much again
    # Text, index of the array that follows, text, ...: JSON text never holds a NUL.
    parts: list[bytes] = frame.split(b"\0")
    out.write(parts[0])
    for index, text in zip(parts[1::2], parts[2::2], strict=True):
        _write(out, *arrays[int(index)])
        out.write(text)
    return out.getvalue()


def _framed(value: Any, newline: str, arrays: list[_Array]) -> Any:
    """The value with a mark for each array of objects, which is added to `arrays`.

    Args:
        value: any part of a report.
        newline: a line break and the indentation of what holds the value.
        arrays: those met so far.
    """
    if isinstance(value, dict):
        return {key: _framed(inner, f"{newline}  ", arrays) for key, inner in value.items()}
    if isinstance(value, Rows):
        rows = iter(value.entries)
    elif isinstance(value, list | tuple) and any(isinstance(each, dict) for each in value):
        rows = iter(spelled(value))
    else:
        return _spell(value)
    first = next(rows, None)
    if first is None:
        return []
    arrays.append((chain((first,), rows), newline))
    return orjson.Fragment(b"\0%d\0" % (len(arrays) - 1))


def _write(out: BytesIO, rows: Iterator[Any], newline: str) -> None:
    """Writes an array, one row at least, a line each."""
    start = f"{newline}  ".encode()
    between = b"," + start
    before = b"[" + start
    # A row is gone before the next one is made, so that all are made in the same warm memory.
    for row in rows:
        out.write(before)
        if callable(row):
            out.write(row(between))
        else:
            out.write(harmless(_joined([row, *islice(rows, ROWS - 1)], between, _SORTED)))
        before = between
    out.write(newline.encode() + b"]")


def in_order(rows: list[dict[str, Any]]) -> Joined:
    """Objects of one maker, for `Rows`: members keep their order, numbers may be any."""

    def joined(between: bytes) -> bytes:
        try:
            text = _joined(rows, between, 0)
        except TypeError:  # an integer beyond 64 bits
            text = b""
        if not text or _spelled_otherwise(text):
            text = _joined([_spell(row) for row in rows], between, 0)
        return harmless(text)

    return joined


def _joined(rows: list[Any], between: bytes, option: int) -> bytes:
    """Some rows, spelled, with what stands between two."""
    # One call for all, where it shows in the result where a row begins: at its first key.
    if set(map(type, rows)) == {dict} and len(set(map(tuple, rows))) == 1 and rows[0]:
        first = min(rows[0]) if option else next(iter(rows[0]))
        begins = b"{%b:" % orjson.dumps(first)
        whole = dumps(rows, option)[1:-1]
        if whole.count(b"}," + begins) == len(rows) - 1:
            return whole.replace(b"}," + begins, b"}" + between + begins)
    return between.join([dumps(row, option) for row in rows])


def harmless(data: bytes) -> bytes:
    """JSON text as ASCII in which a runner finds no command."""
    if not data.isascii():
        data = data.decode().encode("ascii", _ESCAPES)
    data = data.replace(b"\x7f", b"\\u007f").replace(b"::", b":\\u003a")
    return data.replace(b"##[", b"#\\u0023[") if b"#" in data else data


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """The JSON escapes of what ASCII can't say: asked for a run of characters at a time."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


_ESCAPES = "contractlab.json"
codecs.register_error(_ESCAPES, _escaped)


def dumps(value: Any, option: int) -> bytes:
    """What orjson writes; a lone surrogate as its escape."""
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


def spelled(values: Sequence[Any]) -> Sequence[Any]:
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
        now = spelled(entries)
        left = iter(now)
        return values if now is entries else [list(islice(left, len(each))) for each in values]
    if kinds <= _NUMBERS and _all_plain(values):
        return values
    if kinds == {float}:
        return [value if _SMALL <= value < _LARGE else number(value) for value in values]
    now = list(map(_spell, values))
    return values if all(map(is_, now, values)) else now


_NO_NUMBERS = {str, bool, type(None)}
_NUMBERS = {int, float}


def _spelled_rows(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """The same of objects with one number of fields, a column at a time: loops run in C."""
    if len(rows) > BATCH:
        batches = list(in_batches(rows))
        now = list(map(_spelled_rows, batches))
        return rows if all(map(is_, now, batches)) else list(chain.from_iterable(now))
    columns = list(zip(*map(dict.values, rows), strict=True))
    after = list(map(spelled, columns))
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
        now = spelled(inner)
        return value if now is inner else dict(zip(value, now, strict=True))
    if kind is list or kind is tuple:
        return spelled(value)
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
