"""JSON Schema as a matcher: local, without recursion, in linear time, numbers as decimals."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend

from contractlab.regex import searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

_REFUSED = {
    "$ref": "references could recurse, or ask the network",
    "$dynamicRef": "references could recurse, or ask the network",
    "patternProperties": "list the properties instead",
    "unevaluatedItems": "use items",
    "unevaluatedProperties": "use additionalProperties",
}
_MEMBERS = ("properties", "$defs", "dependentSchemas")
"""Keywords whose members are named by the author: a property may be called `$ref`."""


def _pattern(_validator: Any, pattern: str, value: object, _schema: Any) -> Iterator[Any]:
    if isinstance(value, str) and not searcher(pattern)(value):
        yield ValidationError(f"does not match {pattern}")


def _multiple_of(_validator: Any, step: float, value: object, _schema: Any) -> Iterator[Any]:
    # As decimals: jsonschema divides doubles, in which 0.3 is no multiple of 0.1.
    if type(value) in (int, float) and Fraction(repr(value)) % Fraction(repr(step)):
        yield ValidationError(f"is no multiple of {step}")


def _unique_items(_validator: Any, wanted: bool, value: object, _schema: Any) -> Iterator[Any]:
    # jsonschema compares every pair of objects.
    if wanted and isinstance(value, list) and len(set(map(_key, value))) < len(value):
        yield ValidationError("has an entry twice")


def _key(value: Any) -> Hashable:
    """Equal for equal JSON values only: 1 and 1.0 are one, 1 and true are not."""
    if isinstance(value, dict):
        return frozenset((name, _key(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return tuple(map(_key, value))
    return isinstance(value, bool), value


_Linear: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {"pattern": _pattern, "multipleOf": _multiple_of, "uniqueItems": _unique_items},
)


def accepts(schema: Any, *, texts_are_json: bool = False) -> Callable[[Any], bool]:
    """Whether a value fits the schema.

    Args:
        schema: as the contract has it.
        texts_are_json: a text that is JSON is taken as what it says, and only as that.

    Raises:
        ValueError: it is no schema, or uses what could recurse or take long.
    """
    for keyword, pattern in _keywords(schema):
        if keyword in _REFUSED:
            raise ValueError(f"{keyword} is not taken here: {_REFUSED[keyword]}")
        if keyword == "pattern" and isinstance(pattern, str):
            searcher(pattern)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"is no JSON Schema: {error.message}") from error
    fits = _Linear(schema).is_valid

    def accepted(value: Any) -> bool:
        try:
            return bool(fits(_said(value) if texts_are_json else value))
        except (ArithmeticError, ValueError):  # a number in the text that no double holds
            return False

    return accepted


def _said(value: Any) -> Any:
    """What a text that is JSON says; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return value


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _keywords(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, list):
        for each in schema:
            yield from _keywords(each)
    elif isinstance(schema, dict):
        for keyword, of in schema.items():
            yield keyword, of
            if keyword in ("const", "enum", "default", "examples"):
                continue
            inner = of.values() if keyword in _MEMBERS and isinstance(of, dict) else [of]
            for each in inner:
                yield from _keywords(each)
