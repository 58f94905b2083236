"""A JSON value against a published JSON Schema: quickly yes, or slowly every reason why not.

A schema is compiled once into plain functions that only answer yes or no (see `kinds`).
Where one says no, the smallest parts that fail are handed to `jsonschema`, which says why;
so a contract that is right never pays for importing it.

Two things are stricter here than in JSON Schema, which cannot say them: an integer is
written as one (2000.0 is not), and a number fits a finite double (1e999 does not).

Alternatives (`anyOf`) are told apart before they are tested, by JSON type and, among
objects, by the fields that only one of them requires. So a value has one alternative that it
is meant to be, and what is wrong with it is told in that one's words.
"""

from __future__ import annotations

from contractlab.kinds import SAYS_NOTHING, map_of, test_of, types_of
from contractlab.limits import MOST_PROBLEMS

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from contractlab.kinds import Schema, Test
    from contractlab.problems import Path, Problem


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

    def check(self, value: object, file: str = "", path: Path = ()) -> list[Problem]:
        """Every problem of the value's shape, at most `MOST_PROBLEMS`, without positions.

        Args:
            value: a whole document, or a part of one.
            file: its name.
            path: where the part stands in it.
        """
        if self._node.ok([value]):
            return []
        # What only a no needs; shape imports jsonschema.
        from contractlab.diagnose import nested_too_deep  # noqa: PLC0415
        from contractlab.jsontext import too_deep  # noqa: PLC0415
        from contractlab.shape import Explainer  # noqa: PLC0415

        deep = too_deep(value)
        if deep is not None:
            return [nested_too_deep(file, (*path, *deep))]
        explainer = Explainer(self._root, file)
        problems: list[Problem] = []
        for node, part, at in _failing(self._node, value, path):
            problems += explainer.explain(node.schema, part, at)
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
            if rest.keys() <= SAYS_NOTHING:
                return self._compiled[reference]
            raise ValueError(f"keywords beside $ref are not compiled: {sorted(rest)}")
        if "anyOf" in schema:
            return _any_of(schema, [self._compile(each) for each in schema["anyOf"]])
        if isinstance(schema.get("additionalProperties"), dict):
            entries = self._compile(schema["additionalProperties"])
            return Node(schema, map_of(schema, entries.ok), None, {}, entries)
        items = self._compile(schema["items"]) if "items" in schema else None
        properties = {
            name: self._compile(inner) for name, inner in schema.get("properties", {}).items()
        }
        columns = {name: node.ok for name, node in properties.items()}
        test = test_of(schema, items.ok if items else None, columns)
        return Node(schema, test, items, properties)

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
        return map_of(node.schema, _anything)([value])
    schema = {key: inner for key, inner in node.schema.items() if key != "items"}
    return test_of(schema, None, dict.fromkeys(node.properties, _anything))([value])


def _anything(_values: list[Any]) -> bool:
    return True


def _any_of(schema: Schema, nodes: list[Node]) -> Node:
    objects = [each.schema for each in nodes if "properties" in each.schema]
    for each in objects:
        own = set(each["required"])
        if len(objects) > 1 and (
            not own or any(own & other["properties"].keys() for other in objects if other != each)
        ):
            raise ValueError(f"alternatives that no required field tells apart: {sorted(own)}")
    kinds = [kind for each in nodes if each.schema not in objects for kind in types_of(each.schema)]
    if len(kinds) != len(set(kinds)) or (objects and dict in kinds):
        raise ValueError("alternatives that no type tells apart")
    by_type: dict[type, tuple[Node, ...]] = {}
    for alternative in nodes:
        for kind in types_of(alternative.schema):
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


def _likeness(schema: Schema, value: dict[str, Any]) -> int:
    """How many of a value's fields are this schema's own, or misspelt ones of it."""
    from difflib import get_close_matches  # noqa: PLC0415 (only once something is wrong)

    return sum(bool(get_close_matches(str(name), schema["properties"], 1)) for name in value)
