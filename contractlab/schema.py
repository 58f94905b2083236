"""A JSON value against a published JSON Schema: quickly yes, or slowly every reason why not.

A schema is compiled once into plain functions that only answer yes or no, for a whole
column of values at a time (all ids of all cases, all latencies of all records), so that
the loops run in C. Where one says no, the smallest parts that fail are handed to
`jsonschema`, which says why; so a contract that is right never pays for importing it.

Two things are stricter here than in JSON Schema, which cannot say them: an integer is
written as one (2000.0 is not), and a number fits a finite double (1e999 does not).

Alternatives (`anyOf`) are told apart before they are tested, by JSON type and, among
objects, by the fields that only one of them requires. So a value has one alternative that it
is meant to be, and what is wrong with it is told in that one's words.
"""

from __future__ import annotations

import sys
from itertools import chain
from operator import itemgetter

from contractlab.limits import MAX_DEPTH, MOST_PROBLEMS

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
    __slots__ = ("by_type", "entries", "items", "ok", "properties", "schema")

    def __init__(
        self,
        schema: Schema,
        ok: Test,
        items: Node | None,
        properties: Mapping[str, Node],
        entries: Node | None = None,
        *,
        by_type: Mapping[type, tuple[Node, ...]] | None = None,
    ) -> None:
        self.schema = schema
        self.ok = ok
        self.items = items
        self.properties = properties
        self.entries = entries  # what every value of an object with free keys is
        self.by_type = by_type  # the alternatives that a value of a type can be

    def meant(self, value: object) -> Node | None:
        """The alternative that a value is meant to be; None where there are none of its type."""
        of_type = (self.by_type or {}).get(type(value), ())
        if len(of_type) < 2 or not isinstance(value, dict):
            return of_type[0] if of_type else None
        for each in of_type:
            if all(name in value for name in each.schema["required"]):
                return each
        return max(of_type, key=lambda each: _likeness(each.schema, value))


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

    def all_ok(self, values: list[Any]) -> bool:
        """Whether each of the values is; many at once cost less than one by one."""
        return self._node.ok(values)

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

    def lines(self, field: str) -> tuple[Checker, Checker]:
        """The checks of this contract as JSON Lines: the header, and one entry of `field`."""
        root = self._root
        header = {
            **root,
            "required": [name for name in root["required"] if name != field],
            "properties": {
                name: inner for name, inner in root["properties"].items() if name != field
            },
        }
        entry = {"$defs": root["$defs"], **root["properties"][field]["items"]}
        return Checker(header), Checker(entry)

    def _compile(self, schema: Schema) -> Node:
        if "$ref" in schema:
            reference = schema["$ref"]
            if reference not in self._compiled:
                self._compiled[reference] = self._compile(self._resolve(reference))
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            if rest.keys() <= _SAYS_NOTHING:
                return self._compiled[reference]
            raise ValueError(f"keywords beside $ref are not compiled: {sorted(rest)}")
        if "anyOf" in schema:
            return _any_of(schema, [self._compile(each) for each in schema["anyOf"]])
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
    meant = node.meant(value)
    if meant is not None:
        yield from _failing(meant, value, path)
        return
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
    if node.by_type:
        return False  # its type is none of theirs
    if node.entries:
        return _map(node.schema, _ANYTHING)([value])
    schema = {key: inner for key, inner in node.schema.items() if key != "items"}
    return _test(schema, None, dict.fromkeys(node.properties, _ANYTHING))([value])


_ANYTHING = Node({}, lambda _values: True, None, {})


def _any_of(schema: Schema, nodes: list[Node]) -> Node:
    objects = [each.schema for each in nodes if "properties" in each.schema]
    for each in objects:
        own = set(each["required"])
        if len(objects) > 1 and (
            not own or any(own & other["properties"].keys() for other in objects if other != each)
        ):
            raise ValueError(f"alternatives that no required field tells apart: {sorted(own)}")
    kinds = [kind for each in nodes if each.schema not in objects for kind in _types(each.schema)]
    if len(kinds) != len(set(kinds)) or (objects and dict in kinds):
        raise ValueError("alternatives that no type tells apart")
    by_type: dict[type, tuple[Node, ...]] = {}
    for alternative in nodes:
        for kind in _types(alternative.schema):
            by_type[kind] = (*by_type.get(kind, ()), alternative)

    def test(values: list[Any]) -> bool:
        found = set(map(type, values))
        if not found <= by_type.keys():
            return False
        for kind in found:
            column = [value for value in values if type(value) is kind]
            of_type = by_type[kind]
            if len(of_type) == 1:
                if not of_type[0].ok(column):
                    return False
                continue
            meant = [node.meant(value) for value in column]
            for one in of_type:
                if not one.ok([v for v, its in zip(column, meant, strict=True) if its is one]):
                    return False
        return True

    node = Node(schema, test, None, {}, by_type=by_type)
    return node


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def _types(schema: Schema) -> list[type]:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return [each for kind in kinds for each in _PYTHON_TYPES[kind]]


def _likeness(schema: Schema, value: dict[str, Any]) -> int:
    """How many of a value's fields are this schema's own, or misspelt ones of it."""
    from difflib import get_close_matches  # noqa: PLC0415 (only once something is wrong)

    return sum(bool(get_close_matches(str(name), schema["properties"], 1)) for name in value)


def _test(schema: Schema, items: Node | None, properties: Mapping[str, Node]) -> Test:
    unknown = schema.keys() - _KEYWORDS - _SAYS_NOTHING
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
    required = schema.get("required", ())
    if schema.get("additionalProperties", True) or not properties.keys() >= set(required):
        raise ValueError("only objects that name every property that they may have are compiled")
    columns = [(itemgetter(name), properties[name].ok) for name in required]
    optional = [(name, node.ok) for name, node in properties.items() if name not in required]

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


def _map(schema: Schema, entries: Node) -> Test:
    """Objects with any keys, whose values are all alike."""
    unknown = schema.keys() - {"type", "additionalProperties"} - _SAYS_NOTHING
    if schema.get("type") == ["object", "null"]:
        return _or_null(_map({**schema, "type": "object"}, entries))
    if unknown or schema.get("type") != "object":
        raise ValueError(f"an object with free keys has no more keywords: {sorted(unknown)}")
    return lambda values: (
        set(map(type, values)) <= {dict}
        and entries.ok(list(chain.from_iterable(map(dict.values, values))))
    )


_KEYWORDS = {
    "$ref", "const", "enum", "type", "pattern", "maxLength", "minimum", "maximum",
    "items", "minItems", "maxItems", "uniqueItems", "properties", "required",
    "additionalProperties", "anyOf",
}  # fmt: skip
