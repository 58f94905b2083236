"""JSON Lines: a header object on line 1, one entry a line after it, read in one pass.

Entries are checked in batches, turned into the model and forgotten, so that a file needs
memory for its bytes and its model, and never for all its JSON values at once.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from contractlab.canonical import encode_quickly
from contractlab.jsontext import parse
from contractlab.limits import MOST_PROBLEMS
from contractlab.positions import Lines, place
from contractlab.problems import ContractError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contractlab.schema import Checker

_BATCH = 1024
_HEADER = re.compile(rb'\s*\{.*"eval-(?:dataset|predictions)-v2".*\}\s*\Z')


def header_of(data: bytes) -> bytes | None:
    """The first line of a version 2 contract in JSON Lines; None where the text is none."""
    end = data.find(b"\n")
    first = data if end < 0 else data[:end]
    if not _HEADER.match(first) or b'"schema_version"' not in first:
        return None
    if end >= 0 and data[end:].strip():
        return first
    # One line alone is a whole document, unless its entries are missing.
    return None if b'"cases"' in first or b'"records"' in first else first


@dataclass(frozen=True, slots=True)
class Entries:
    """How the entries of one file are read."""

    file: str
    field: str
    """What they are in the one document that the lines stand for, such as `records`."""
    checker: Checker
    """Of one entry."""
    load: Callable[[Any, int], Any]
    """An entry and its index to the model."""
    update: Callable[[bytes], object]
    """Takes the canonical bytes of each entry, such as a hash does."""

    def read(self, data: bytes) -> tuple[list[Any], Lines]:
        """Every entry after the header, checked and loaded, and where each stands.

        Raises:
            ContractError: with every problem of the lines' texts and shapes, placed.
        """
        starts, numbers = array("q", [0]), array("q", [1])
        lines = Lines(data, self.field, starts, numbers)
        models: list[Any] = []
        problems: list[Problem] = []
        batch: list[Any] = []
        for number, start, line in _lines(data):
            try:
                value = parse(line, file=self.file)
            except ContractError as error:
                problems += [_moved(problem, number) for problem in error.problems]
                continue
            starts.append(start)
            numbers.append(number)
            batch.append(value)
            if len(batch) == _BATCH:
                problems += self._take(batch, lines, models)
                batch.clear()
            if len(problems) >= MOST_PROBLEMS:
                break
        problems += self._take(batch, lines, models)
        if problems:
            raise ContractError(sorted(problems, key=_line)[:MOST_PROBLEMS])
        return models, lines

    def _take(self, batch: list[Any], lines: Lines, models: list[Any]) -> list[Problem]:
        first = len(lines.starts) - 1 - len(batch)
        if self.checker.all_ok(batch):
            for index, value in enumerate(batch, first):
                self.update(b"," + encode_quickly(value))
                models.append(self.load(value, index))
            return []
        problems = [
            replace(problem, path=(self.field, index, *problem.path))
            for index, value in enumerate(batch, first)
            for problem in self.checker.check(value, self.file)
        ]
        return place(problems, {self.file: lines})


def _lines(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Number, start and bytes of each line after the first that is not blank."""
    start = data.find(b"\n") + 1
    number = 1
    while 0 < start < len(data):
        number += 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end]
        if line and not line.isspace():
            yield number, start, line
        start = end + 1


def _moved(problem: Problem, line: int) -> Problem:
    at = problem.position
    return (
        problem
        if at is None
        else replace(
            problem,
            position=replace(at, line=line),
            related=tuple(
                each
                if each.position is None
                else replace(each, position=replace(each.position, line=line))
                for each in problem.related
            ),
        )
    )


def _line(problem: Problem) -> tuple[int, int]:
    return (problem.position.line, problem.position.column) if problem.position else (0, 0)
