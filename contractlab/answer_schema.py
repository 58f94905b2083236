"""JSON Schema as a matcher: local, without recursion, its patterns in linear time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend

from contractlab.regex import searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


_Linear: Any = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]


def accepts(schema: Any) -> Callable[[Any], bool]:
    """Whether a value fits the schema; a text that is JSON is taken as what it says.

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
        if isinstance(value, str):
            try:
                return bool(fits(json.loads(value)) or fits(value))
            except (ValueError, RecursionError):
                pass
        return bool(fits(value))

    return accepted


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
