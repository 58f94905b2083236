"""A schema without alternatives as one function: whether each value of a column is right.

A column is every value that stands at one place (all ids of all cases, all latencies of all
records), so that the loops run in C.
"""

from __future__ import annotations

import sys
from itertools import chain
from operator import itemgetter

from contractlab.limits import MAX_DEPTH

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    Schema: TypeAlias = dict[str, Any]
    Test: TypeAlias = Callable[[list[Any]], bool]
    """Whether every one of the values is right."""

SAYS_NOTHING = {"$schema", "$id", "$defs", "title", "description", "default", "examples"}
_KEYWORDS = {
    "$ref", "const", "enum", "type", "pattern", "maxLength", "minimum", "maximum",
    "items", "minItems", "maxItems", "uniqueItems", "properties", "required",
    "additionalProperties", "anyOf",
}  # fmt: skip

_FINITE = sys.float_info.max
_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def types_of(schema: Schema) -> list[type]:
    """The Python types of the values that a schema takes."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return [each for kind in kinds for each in _PYTHON_TYPES[kind]]


def test_of(schema: Schema, items: Test | None, properties: Mapping[str, Test]) -> Test:
    """The test of a schema.

    Args:
        schema: one without alternatives and references.
        items: the test of an array's entries.
        properties: the tests of an object's.

    Raises:
        ValueError: the schema says something that is not compiled.
    """
    unknown = schema.keys() - _KEYWORDS - SAYS_NOTHING
    if unknown:
        raise ValueError(f"keywords that are not compiled: {sorted(unknown)}")
    if "const" in schema or "enum" in schema:
        return _one_of(schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    match kind:
        case None:
            return _free
        case "string":
            return _string(schema)
        case "integer" | "number":
            return _number(schema, set(_PYTHON_TYPES[kind]))
        case "boolean" | "null":
            types = set(_PYTHON_TYPES[kind])
            return lambda values: set(map(type, values)) <= types
        case "array":
            return _array(schema, items)
        case "object":
            return _object(schema, properties)
        case ["string", "integer"]:  # a step of a JSON path
            return lambda values: set(map(type, values)) <= {str, int}
        case [other, "null"]:
            return _or_null(test_of({**schema, "type": other}, items, properties))
        case other:
            raise ValueError(f"a schema of type {other!r} is not compiled")


def _one_of(allowed: list[Any]) -> Test:
    # Types beside values, because True equals 1 in Python and not in JSON.
    types, choices = {type(value) for value in allowed}, set(allowed)
    return lambda values: set(map(type, values)) <= types and set(values) <= choices


def _or_null(test: Test) -> Test:
    return lambda values: test([value for value in values if value is not None])


def _string(schema: Schema) -> Test:
    longest = schema.get("maxLength", sys.maxsize)
    match schema.get("pattern"):
        case None:
            right: Callable[[str], object] | None = None
        case r"\S":
            right = str.strip  # says the same as the pattern, three times as fast
        case pattern:
            import re  # noqa: PLC0415 (none of the contracts' schemas comes here)

            right = re.compile(pattern).search

    def test(values: list[Any]) -> bool:
        return (
            set(map(type, values)) <= {str}
            and max(map(len, values), default=0) <= longest
            and (right is None or all(map(right, values)))
        )

    return test


def _number(schema: Schema, types: set[type]) -> Test:
    least, most = schema.get("minimum", -_FINITE), schema.get("maximum", _FINITE)
    return lambda values: (
        set(map(type, values)) <= types
        and min(values, default=least) >= least
        and max(values, default=most) <= most
    )


def _array(schema: Schema, items: Test | None) -> Test:
    fewest, most = schema.get("minItems", 0), schema.get("maxItems", sys.maxsize)
    unique = schema.get("uniqueItems", False)

    def test(values: list[Any]) -> bool:
        if not set(map(type, values)) <= {list}:
            return False
        if min(map(len, values), default=fewest) < fewest:
            return False
        if max(map(len, values), default=0) > most:
            return False
        entries = list(chain.from_iterable(values))
        if items is not None and not items(entries):
            return False
        if not unique:
            return True
        if items is None:  # contents aside: only strings are held to be unique
            values = [[entry for entry in each if type(entry) is str] for each in values]
        # Entries are strings by now: the only kind of unique entries that a contract has.
        several = [each for each in values if len(each) > 1]
        return sum(map(len, map(set, several))) == sum(map(len, several))

    return test


def _object(schema: Schema, properties: Mapping[str, Test]) -> Test:
    required = schema.get("required", ())
    if schema.get("additionalProperties", True) or not properties.keys() >= set(required):
        raise ValueError("only objects that name every property that they may have are compiled")
    columns = [(itemgetter(name), properties[name]) for name in required]
    optional = [(name, ok) for name, ok in properties.items() if name not in required]

    def required_ok(values: list[Any]) -> bool:
        try:
            return all(ok(list(map(get, values))) for get, ok in columns)
        except KeyError:
            return False

    if not optional:
        return lambda values: (
            set(map(type, values)) <= {dict}
            and set(map(len, values)) <= {len(columns)}
            and required_ok(values)
        )
    return lambda values: (
        set(map(type, values)) <= {dict}
        and set(chain.from_iterable(values)) <= properties.keys()
        and required_ok(values)
        and all(ok([each[name] for each in values if name in each]) for name, ok in optional)
    )


_PLAIN = {str, bool, type(None)}


def _free(values: list[Any]) -> bool:
    """Any JSON value, as long as its numbers fit a finite double and it is not too deep."""
    level = values
    for _ in range(MAX_DEPTH):
        deeper: list[Any] = []
        for value in level:
            kind = type(value)
            if kind in _PLAIN:
                continue
            if kind is dict:
                deeper += value.values()
            elif kind is list:
                deeper += value
            elif not -_FINITE <= value <= _FINITE:
                return False
        if not deeper:
            return True
        level = deeper
    return False


def map_of(schema: Schema, entries: Test) -> Test:
    """Objects with any keys, whose values are all alike."""
    unknown = schema.keys() - {"type", "additionalProperties"} - SAYS_NOTHING
    if schema.get("type") == ["object", "null"]:
        return _or_null(map_of({**schema, "type": "object"}, entries))
    if unknown or schema.get("type") != "object":
        raise ValueError(f"an object with free keys has no more keywords: {sorted(unknown)}")
    return lambda values: (
        set(map(type, values)) <= {dict}
        and entries(list(chain.from_iterable(map(dict.values, values))))
    )
