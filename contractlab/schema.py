"""A JSON value against a published JSON Schema: quickly yes, or slowly every reason why not.

A schema is compiled once into plain functions that only answer yes or no, for a whole
column of values at a time (all ids of all cases, all latencies of all records), so that
the loops run in C. Where one says no, the smallest parts that fail are handed to
`jsonschema`, which says why; so a contract that is right never pays for importing it.

Two things are stricter here than in JSON Schema, which cannot say them: an integer is
written as one (2000.0 is not), and a number fits a finite double (1e999 does not).
"""

from __future__ import annotations

import sys
from itertools import chain
from operator import itemgetter

from contractlab.limits import MOST_PROBLEMS

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    from contractlab.problems import Path, Problem

    Schema: TypeAlias = dict[str, Any]
    Test: TypeAlias = Callable[[list[Any]], bool]
    """Whether every one of the values is right."""

_FINITE = sys.float_info.max
_SAYS_NOTHING = {"$schema", "$id", "$defs", "title", "description", "default", "examples"}


class Node:
    """A compiled schema: its test, and what it is made of."""

    # Not a dataclass: loading dataclasses takes longer than checking a thousand cases.
    __slots__ = ("entries", "items", "ok", "properties", "schema")

    def __init__(
        self,
        schema: Schema,
        ok: Test,
        items: Node | None,
        properties: Mapping[str, Node],
        entries: Node | None = None,
    ) -> None:
        self.schema = schema
        self.ok = ok
        self.items = items
        self.properties = properties
        self.entries = entries  # what every value of an object with free keys is


class Checker:
    """Checks values against one schema."""

    def __init__(self, schema: Schema) -> None:
        """Compiles a schema.

        Raises:
            ValueError: the schema uses a keyword that is not compiled here.
        """
        self._root = schema
        self._compiled: dict[str, Node] = {}
        self._node = self._compile(schema)

    def ok(self, value: object) -> bool:
        """Whether the value is what the schema (and the two stricter rules) asks for."""
        return self._node.ok([value])

    def check(self, value: object, file: str = "") -> list[Problem]:
        """Every problem of the value's shape, at most `MOST_PROBLEMS`, without positions."""
        if self._node.ok([value]):
            return []
        # What only a no needs; shape imports jsonschema.
        from contractlab.diagnose import nested_too_deep  # noqa: PLC0415
        from contractlab.jsontext import too_deep  # noqa: PLC0415
        from contractlab.shape import Explainer  # noqa: PLC0415

        deep = too_deep(value)
        if deep is not None:
            return [nested_too_deep(file, deep)]
        explainer = Explainer(self._root, file)
        problems: list[Problem] = []
        for node, part, path in _failing(self._node, value, ()):
            problems += explainer.explain(node.schema, part, path)
            if len(problems) >= MOST_PROBLEMS:
                return problems[:MOST_PROBLEMS]
        return problems

    def _compile(self, schema: Schema) -> Node:
        if "$ref" in schema:
            reference = schema["$ref"]
            if reference not in self._compiled:
                self._compiled[reference] = self._compile(self._resolve(reference))
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            if rest.keys() <= _SAYS_NOTHING:
                return self._compiled[reference]
            raise ValueError(f"keywords beside $ref are not compiled: {sorted(rest)}")
        if isinstance(schema.get("additionalProperties"), dict):
            entries = self._compile(schema["additionalProperties"])
            return Node(schema, _map(schema, entries), None, {}, entries)
        items = self._compile(schema["items"]) if "items" in schema else None
        properties = {
            name: self._compile(inner) for name, inner in schema.get("properties", {}).items()
        }
        return Node(schema, _test(schema, items, properties), items, properties)

    def _resolve(self, reference: str) -> Schema:
        found: Any = self._root
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]
        return found  # type: ignore[no-any-return]


def _failing(node: Node, value: object, path: Path) -> Iterator[tuple[Node, object, Path]]:
    """The smallest parts that fail, in file order of what holds them."""
    deeper = False
    if isinstance(value, list) and node.items is not None:
        ok = node.items.ok
        for index, item in enumerate(value):
            if not ok([item]):
                deeper = True
                yield from _failing(node.items, item, (*path, index))
    elif isinstance(value, dict):
        known = dict.fromkeys(value, node.entries) if node.entries else node.properties
        for name, inner in known.items():
            if name in value and not inner.ok([value[name]]):
                deeper = True
                yield from _failing(inner, value[name], (*path, name))
    if not deeper or not _shallow_ok(node, value):
        yield node, value, path


def _shallow_ok(node: Node, value: object) -> bool:
    """Whether the value is right when what it contains is left aside."""
    if node.entries:
        return _map(node.schema, _ANYTHING)([value])
    schema = {key: inner for key, inner in node.schema.items() if key != "items"}
    return _test(schema, None, dict.fromkeys(node.properties, _ANYTHING))([value])


_ANYTHING = Node({}, lambda _values: True, None, {})


def _test(schema: Schema, items: Node | None, properties: Mapping[str, Node]) -> Test:
    unknown = schema.keys() - _KEYWORDS - _SAYS_NOTHING
    if unknown:
        raise ValueError(f"keywords that are not compiled: {sorted(unknown)}")
    if "const" in schema or "enum" in schema:
        return _one_of(schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "string":
            return _string(schema)
        case "integer":
            return _number(schema, {int})
        case "number":
            return _number(schema, {int, float})
        case "boolean":
            return lambda values: set(map(type, values)) <= {bool}
        case "array":
            return _array(schema, items)
        case "object":
            return _object(schema, properties)
        case ["string", "integer"]:  # a step of a JSON path
            return lambda values: set(map(type, values)) <= {str, int}
        case [other, "null"]:
            return _or_null(_test({**schema, "type": other}, items, properties))
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


def _array(schema: Schema, items: Node | None) -> Test:
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
        if items is not None and not items.ok(entries):
            return False
        if not unique:
            return True
        if items is None:  # contents aside: only strings are held to be unique
            values = [[entry for entry in each if type(entry) is str] for each in values]
        # Entries are strings by now: the only kind of unique entries that a contract has.
        several = [each for each in values if len(each) > 1]
        return sum(map(len, map(set, several))) == sum(map(len, several))

    return test


def _object(schema: Schema, properties: Mapping[str, Node]) -> Test:
    if schema.get("additionalProperties", True) or set(schema["required"]) != properties.keys():
        raise ValueError("only objects with exactly their required properties are compiled")
    columns = [(itemgetter(name), node.ok) for name, node in properties.items()]

    def test(values: list[Any]) -> bool:
        if not (set(map(type, values)) <= {dict} and set(map(len, values)) <= {len(columns)}):
            return False
        try:
            return all(ok(list(map(get, values))) for get, ok in columns)
        except KeyError:
            return False

    return test


def _map(schema: Schema, entries: Node) -> Test:
    """Objects with any keys, whose values are all alike."""
    unknown = schema.keys() - {"type", "additionalProperties"} - _SAYS_NOTHING
    if unknown or schema.get("type") != "object":
        raise ValueError(f"an object with free keys has no more keywords: {sorted(unknown)}")
    return lambda values: (
        set(map(type, values)) <= {dict}
        and entries.ok(list(chain.from_iterable(map(dict.values, values))))
    )


_KEYWORDS = {
    "$ref", "const", "enum", "type", "pattern", "maxLength", "minimum", "maximum",
    "items", "minItems", "maxItems", "uniqueItems", "properties", "required",
    "additionalProperties",
}  # fmt: skip
