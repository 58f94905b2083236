"""Where a value stands in a run: a small JSONPath, compiled once.

`$.a.b`, `$['a.b']`, `$.list[0]`, `$.list[-1]`, `$.list[*].id`, `$.list[?name == "x"].value`;
`@.` begins at what the importer itself found (`@.answer`, `@.source.file`). A path without
`$` or `@` is the name of a column or a member.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import jiter

if TYPE_CHECKING:
    from collections.abc import Iterable

_STEP = re.compile(
    r"""\.(?P<name>[^.\[\]'"\s]+)
    | \[ \s* (?P<index>-?\d{1,9}) \s* \]
    | \[ \s* (?P<every>\*) \s* \]
    | \[ \s* '(?P<single>[^']*)' \s* \]
    | \[ \s* "(?P<double>[^"]*)" \s* \]
    | \[ \s* \? \s* (?P<key>[\w.-]+) \s* == \s* (?P<value>"[^"]*"|'[^']*'|[\w.+-]+) \s* \]""",
    re.VERBOSE,
)


class PathOf:
    """A compiled path."""

    def __init__(self, written: str) -> None:
        """Compiles a path.

        Raises:
            ValueError: it is no path; with the part that is not understood.
        """
        self.written = written
        self.of_record = written.startswith("@")
        self._steps: list[tuple[str, Any]] = []
        if not written.startswith(("$", "@")):
            if not written.strip():
                raise ValueError("is empty")
            self._steps = [("name", written)]
            return
        at = 1
        while at < len(written):
            match = _STEP.match(written, at)
            if match is None:
                raise ValueError(f"{written[at : at + 40]!r} is not understood")
            self._steps.append(_step(match))
            at = match.end()

    def find(self, value: Any) -> list[Any]:
        """Every value that the path leads to, nulls left out."""
        found: list[Any] = [value]
        for kind, argument in self._steps:
            found = [inner for outer in found for inner in _taken(kind, argument, outer)]
            if not found:
                return found
        return [each for each in found if each is not None]


def _step(match: re.Match[str]) -> tuple[str, Any]:
    if match["index"] is not None:
        return "index", int(match["index"])
    if match["every"]:
        return "every", None
    if match["key"] is not None:
        value = match["value"]
        if value[0] in "\"'":
            return "where", (match["key"], value[1:-1])
        try:
            return "where", (match["key"], jiter.from_json(value.encode()))
        except ValueError:
            return "where", (match["key"], value)
    name = next(match[kind] for kind in ("name", "single", "double") if match[kind] is not None)
    return "name", name


def _taken(kind: str, argument: Any, value: Any) -> Iterable[Any]:
    if kind == "name":
        return (value[argument],) if type(value) is dict and argument in value else ()
    if kind == "index":
        inside = type(value) is list and -len(value) <= argument < len(value)
        return (value[argument],) if inside else ()
    if kind == "every":
        return value if type(value) is list else value.values() if type(value) is dict else ()
    key, wanted = argument
    listed = value if type(value) is list else ()
    return [each for each in listed if type(each) is dict and _is(each.get(key), wanted)]


def _is(found: Any, wanted: Any) -> bool:
    # true is not 1 here, though it is to Python.
    return bool((type(found) is bool) == (type(wanted) is bool) and found == wanted)
