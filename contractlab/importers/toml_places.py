"""Where a key of a TOML file stands: `tomllib` does not say."""

from __future__ import annotations

import re

from contractlab.problems import Position

_KEY = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_KEYS = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_HEADER = re.compile(rf"^[ \t]*\[{{1,2}}[ \t]*({_KEYS})[ \t]*\]", re.MULTILINE)
_ENTRY = re.compile(rf"(?:^|[{{,])[ \t]*({_KEYS})[ \t]*=")
_ONE = re.compile(_KEY)
_MOST_EXCERPT = 160


def find(text: str, path: tuple[str, ...]) -> Position | None:
    """The place of a key, or of the nearest table around it that stands somewhere."""
    best, place = 0, None
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        if header is not None:
            table = _names(header[1])
            found = [(header.start(1), table)]
        else:
            found = _entries(line, table)
        for column, full in found:
            if full == path[: len(full)] and len(full) > best:
                best = len(full)
                place = Position(number, column + 1, line.rstrip("\r")[:_MOST_EXCERPT], column + 1)
    return place


def _entries(line: str, table: tuple[str, ...]) -> list[tuple[int, tuple[str, ...]]]:
    """The keys that a line sets, those of an inline table too, each with its column."""
    found: list[tuple[int, tuple[str, ...]]] = []
    outer: tuple[str, ...] = ()
    for match in _ENTRY.finditer(line):
        names = _names(match[1])
        first = not found
        full = (*table, *names) if first else (*table, *outer, *names)
        found.append((match.start(1), full))
        # `a = { b = 1, c = 2 }`: what follows in braces is inside of what they open for.
        opened = line[match.end() :].lstrip().startswith("{")
        if opened:
            outer = (*outer, *names)
    return found


def _names(keys: str) -> tuple[str, ...]:
    return tuple(each[0].strip("\"'") for each in _ONE.finditer(keys))
