"""One spelling for a JSON value: the bytes of `json.dumps`, sorted, at orjson's speed.

`encode(value)` is `json.dumps(value, ensure_ascii=False, sort_keys=True,
separators=(",", ":"), allow_nan=False).encode()`. orjson differs from Python only in how it
spells floats outside 1e-4 to 1e16 (it writes 1e-5 as 0.00001), so those are spelled here,
and in integers beyond 64 bits, which Python encodes.
"""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

_SORTED = orjson.OPT_SORT_KEYS
_SMALL, _LARGE = 1e-4, 1e16


def encode(value: Any) -> bytes:
    """The canonical UTF-8 bytes of a JSON value.

    Raises:
        ValueError: a number is not finite, or a string has a lone surrogate.
    """
    try:
        return orjson.dumps(_spelled(value), option=_SORTED)
    except TypeError:  # an integer beyond 64 bits, or a lone surrogate
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


def encode_report(value: Any) -> bytes:
    r"""A JSON document for people and streams: ASCII, indented, sorted, ends in a newline.

    Nothing in it obeys: a runner that reads a log for commands finds neither `::` nor `##[`
    in it, spelled `:\u003a` and `#\u0023[`; a JSON parser reads the same value.
    """
    data = orjson.dumps(_spelled(value), option=_SORTED | orjson.OPT_INDENT_2)
    if not data.isascii():
        data = _NOT_ASCII.sub(_escaped, data.decode()).encode("ascii")
    return (
        data.replace(b"\x7f", b"\\u007f").replace(b"::", b":\\u003a").replace(b"##[", b"#\\u0023[")
        + b"\n"
    )


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def _spelled(value: Any) -> Any:
    """The value with every float that orjson spells differently as a ready-made fragment.

    What needs no change is the same object, so a value without such floats costs a look.
    """
    kind = type(value)
    if kind is float:
        size = abs(value)
        if _SMALL <= size < _LARGE or size == 0:
            return value
        if size - size != 0:  # infinite or NaN
            raise ValueError(f"{value!r} is no JSON number")
        return orjson.Fragment(repr(value))
    if kind is dict:
        changed = {}
        for key, inner in value.items():
            if type(inner) in _CONTAINERS:
                spelled = _spelled(inner)
                if spelled is not inner:
                    changed[key] = spelled
        return {**value, **changed} if changed else value
    if kind is list:
        if _CONTAINERS.isdisjoint(map(type, value)):
            return value
        spelled_items = [_spelled(inner) for inner in value]
        return value if all(map(_same, spelled_items, value)) else spelled_items
    return value


_CONTAINERS = {float, dict, list}


def _same(one: object, other: object) -> bool:
    return one is other
