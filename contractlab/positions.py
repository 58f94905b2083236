"""Where values stand in a JSON text: walked only once something is wrong.

The walk skips what it does not look for with the standard library's C scanner, so that
finding a handful of places in a large file costs about as much as decoding it once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from json.decoder import (  # type: ignore[attr-defined]  # undocumented, and there since 2.6
    JSONDecoder,
    scanstring,
)
from typing import TYPE_CHECKING

from contractlab.problems import Path, Position, Problem, Related

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_EXCERPT = 160
"""Code points of a long line that are shown around a place."""

_BLOCK = 4096
"""Code points whose lines are counted each time that a place among them is asked for."""

_SPACES = frozenset(" \t\n\r")
_SPACE = re.compile(r"[ \t\n\r]*")


class Text:
    """A text in which the line and column of an offset are found.

    A list of all line starts would outweigh the text where it is nothing but line breaks, so
    only one start in every block is kept.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [0]
        """Line breaks before each block."""
        self._starts = [0]
        """Where the line begins that each block begins in."""
        for at in range(0, len(text), _BLOCK):
            end = at + _BLOCK
            self._lines.append(self._lines[-1] + text.count("\n", at, end))
            self._starts.append(text.rfind("\n", at, end) + 1 or self._starts[-1])

    def position(self, offset: int) -> Position:
        """The place of a character by its offset (0 to the text's length)."""
        block = offset // _BLOCK
        line = self._lines[block] + self.text.count("\n", block * _BLOCK, offset) + 1
        start = self.text.rfind("\n", block * _BLOCK, offset) + 1 or self._starts[block]
        end = self.text.find("\n", offset, offset + _EXCERPT)
        if end < 0:
            end = min(len(self.text), offset + _EXCERPT)
        first = start
        if end - start > _EXCERPT:
            first = max(start, min(offset - _EXCERPT // 2, end - _EXCERPT))
        excerpt = self.text[first : min(end, first + _EXCERPT)].rstrip("\r")
        return Position(line, offset - start + 1, excerpt, offset - first + 1)


def members(
    text: str, start: int, skip: Callable[[str, int], int]
) -> Iterator[tuple[str | int, int, int]]:
    """The members of the object or array that begins at `start`, in order.

    Yields `(key or index, offset of the key or value, offset of the value)`. The text is
    valid JSON; `skip(text, offset)` is where the value at that offset ends.
    """
    is_object = text[start] == "{"
    at = _past_space(text, start + 1)
    index = 0
    while text[at] not in "}]":
        key: str | int = index
        key_at = value_at = at
        if is_object:
            key, end = scanstring(text, at + 1, True)
            value_at = _past_space(text, _past_space(text, end) + 1)
        yield key, key_at, value_at
        at = skip(text, value_at)
        if text[at] != ",":
            at = _past_space(text, at)
        if text[at] == ",":
            at = _past_space(text, at + 1)
        index += 1


def _past_space(text: str, offset: int) -> int:
    if text[offset : offset + 1] not in _SPACES:
        return offset
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def _skipper() -> Callable[[str, int], int]:
    # Pairs are dropped at once, so that a skipped subtree never piles up in memory.
    decoder = JSONDecoder(
        object_pairs_hook=lambda _pairs: None, parse_int=lambda _digits: 0, parse_float=lambda _d: 0
    )
    scan = decoder.scan_once  # type: ignore[attr-defined]  # the C scanner
    return lambda text, offset: scan(text, offset)[1]


@dataclass(frozen=True, slots=True)
class Lines:
    """A JSON Lines text: a header, then the entries of one of its fields, one a line."""

    data: bytes
    field: str
    """What the entries are in the document that the lines stand for, such as `records`."""
    starts: Sequence[int]
    """Where each value begins in bytes, the header's first."""
    numbers: Sequence[int]
    """The line that each value is on, from 1."""

    def line(self, index: int) -> bytes:
        """A line: 0 is the header, 1 the first entry."""
        start = self.starts[index]
        end = self.data.find(b"\n", start)
        return self.data[start : end if end >= 0 else len(self.data)]

    def find(self, wanted: Iterable[tuple[Path, bool]]) -> dict[tuple[Path, bool], Position]:
        """Positions of `(path, on_key)` pairs, paths as in the one document."""
        found: dict[tuple[Path, bool], Position] = {}
        by_line: dict[int, list[tuple[Path, bool]]] = {}
        for path, on_key in wanted:
            index = 0
            if len(path) > 1 and path[0] == self.field and isinstance(path[1], int):
                index = path[1] + 1
            by_line.setdefault(index, []).append((path, on_key))
        for index, pairs in by_line.items():
            inner = {(path[2:] if index else path, on_key) for path, on_key in pairs}
            places = find(self.line(index), inner)
            for path, on_key in pairs:
                at = places[path[2:] if index else path, on_key]
                found[path, on_key] = replace(at, line=self.numbers[index])
        return found


def find(
    data: bytes | Lines, wanted: Iterable[tuple[Path, bool]]
) -> dict[tuple[Path, bool], Position]:
    """Positions of `(path, on_key)` pairs in a valid UTF-8 JSON text, walked once.

    A path that does not exist gets the place of its deepest ancestor that does.
    """
    if isinstance(data, Lines):
        return data.find(wanted)
    text = Text(data.decode("utf-8"))
    tree: dict[str | int, dict[str | int, object]] = {}
    for path, _ in wanted:
        node: dict[str | int, object] = tree  # type: ignore[assignment]
        for step in path:
            node = node.setdefault(step, {})  # type: ignore[assignment]
    offsets: dict[tuple[Path, bool], int] = {}
    skip = _skipper()
    work: list[tuple[Path, int, dict[str | int, object]]] = [
        ((), _past_space(text.text, 0), tree)  # type: ignore[list-item]
    ]
    offsets[(), True] = offsets[(), False] = work[0][1]
    while work:
        path, start, branch = work.pop()
        if not branch or text.text[start] not in "{[":
            continue
        left = len(branch)
        for key, key_at, value_at in members(text.text, start, skip):
            if key in branch and ((*path, key), True) not in offsets:
                offsets[(*path, key), True] = key_at
                offsets[(*path, key), False] = value_at
                work.append(((*path, key), value_at, branch[key]))  # type: ignore[arg-type]
                left -= 1
                if not left:
                    break
    return {want: text.position(_deepest(offsets, *want)) for want in wanted}


def _deepest(offsets: Mapping[tuple[Path, bool], int], path: Path, on_key: bool) -> int:
    if (path, on_key) in offsets:
        return offsets[path, on_key]
    while (path, False) not in offsets:
        path = path[:-1]
    return offsets[path, False]


def place(problems: list[Problem], texts: Mapping[str, bytes | Lines]) -> list[Problem]:
    """The same problems with positions, sorted by file (in the order of `texts`) and place.

    Args:
        problems: with or without positions.
        texts: the bytes of each file that problems speak of, each valid JSON where a
            problem without a position names it. A file that is not here stays unplaced.
    """
    wanted: dict[str, set[tuple[Path, bool]]] = {}
    for problem in problems:
        if problem.position is None:
            wanted.setdefault(problem.file, set()).add((problem.path, problem.on_key))
        for related in problem.related:
            if related.position is None:
                wanted.setdefault(related.file, set()).add((related.path, False))
    found = {file: find(texts[file], paths) for file, paths in wanted.items() if file in texts}

    def placed_related(related: Related) -> Related:
        position = found.get(related.file, {}).get((related.path, False))
        return related if position is None else replace(related, position=position)

    placed = [
        replace(
            problem,
            position=problem.position
            or found.get(problem.file, {}).get((problem.path, problem.on_key)),
            related=tuple(placed_related(related) for related in problem.related),
        )
        for problem in problems
    ]
    order = {file: index for index, file in enumerate(texts)}
    return sorted(placed, key=lambda problem: _order(problem, order))


def _order(problem: Problem, files: Mapping[str, int]) -> tuple[int, str, int, int, str, str]:
    position = problem.position or Position(0, 0)
    return (
        files.get(problem.file, -1),
        problem.file,
        position.line,
        position.column,
        problem.rule.code,
        problem.message,
    )
