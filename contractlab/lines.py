"""JSON Lines: a header object on line 1, one entry a line after it, read in one pass.

Entries are checked in batches, turned into the model and forgotten, so that a file needs
memory for its bytes and its model, and never for all its JSON values at once.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import jiter

from contractlab.canonical import encode_quickly
from contractlab.jsontext import STRICT, parse
from contractlab.limits import MOST_PROBLEMS
from contractlab.positions import Lines, place
from contractlab.problems import ContractError, Path, Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contractlab.schema import Checker

_BATCH = 128
"""Entries that are decoded, checked, hashed and loaded before the next ones: what they take stays
in the processor's cache, which is worth a third of the time."""
# Texts that repeat are interned when the model is made, so only keys are worth remembering here.
_decode: Callable[[bytes], Any] = partial(jiter.from_json, cache_mode="keys", **STRICT)
_SOMETHING = re.compile(rb"\S")
_KIND = re.compile(rb'"schema_version"\s*:\s*"eval-(?:dataset|predictions)-v2"')


def header_of(data: bytes) -> bytes | None:
    """The first line of a version 2 contract in JSON Lines; None where the text is none."""
    end = data.find(b"\n")
    if end < 0 or not _SOMETHING.search(data, end):
        return None  # a whole document on one line, or one that lacks its entries
    first = data[:end]
    is_object = first.lstrip().startswith(b"{") and first.rstrip().endswith(b"}")
    return first if is_object and _KIND.search(first) else None


class Entries(NamedTuple):
    """How the entries of one file are read."""

    file: str
    field: str
    """What they are in the one document that the lines stand for, such as `records`."""
    checker: Checker
    """Of one entry."""
    load: Callable[[list[Any], int], list[Any]]
    """Entries, and the index of the first, to the model."""
    update: Callable[[bytes], object]
    """Takes the canonical bytes of the entries, each after a comma, such as a hash does."""

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
                value = _decode(line)
            except ValueError:
                problems += self._refused(line, number)
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

    def _refused(self, line: bytes, number: int) -> list[Problem]:
        try:
            parse(line, file=self.file)
        except ContractError as error:
            return [_moved(problem, number) for problem in error.problems]
        return []

    def _take(self, batch: list[Any], lines: Lines, models: list[Any]) -> list[Problem]:
        first = len(lines.starts) - 1 - len(batch)
        if self.checker.all_ok(batch):
            if batch:
                self.update(b"," + encode_quickly(batch)[1:-1])
                models += self.load(batch, first)
            return []
        problems = [
            problem
            for index, value in enumerate(batch, first)
            for problem in self._wrong(value, (self.field, index))
        ]
        return place(problems, {self.file: lines})

    def _wrong(self, value: Any, path: Path) -> list[Problem]:
        if isinstance(value, dict) and "schema_version" in value:
            return [
                Problem(
                    Rule.UNKNOWN_FIELD,
                    f"a header stands again among the {self.field}",
                    "one contract a file: delete the line, or split the file here",
                    self.file,
                    (*path, "schema_version"),
                    on_key=True,
                )
            ]
        return self.checker.check(value, self.file, path)


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
        elif more := _SOMETHING.search(data, end):
            # Past all blank lines at once.
            number += data.count(b"\n", start, more.start()) - 1
            end = data.rfind(b"\n", start, more.start())
        else:
            return
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
