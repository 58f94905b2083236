"""Problems as a compiler shows them: place, code, message, the line, the way out."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from contractlab.limits import MOST_PROBLEMS
from contractlab.render.columns import WIDTH, cut, width
from contractlab.render.escape import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.problems import Position, Problem

# A quoted value or a parenthesis stays on one line, so that it can be searched for.
_WORD = re.compile(r'\([^()]*\)\S*|"(?:[^"\\]|\\.)*"\S*|\S+')


def render_problems(problems: Sequence[Problem]) -> str:
    """Every problem in the order given, one block each."""
    return "".join(f"{line}\n" for problem in problems for line in _lines(problem))


def summary(problems: Sequence[Problem], *, strict: bool = False) -> str:
    """How many problems and warnings there are: `2 problems, 1 warning`."""
    warnings = sum(problem.rule.warns for problem in problems) if not strict else 0
    found = len(problems) - warnings
    parts = [f"{found:,} problem{'' if found == 1 else 's'}"]
    if warnings:
        parts.append(f"{warnings:,} warning{'' if warnings == 1 else 's'}")
    if found >= MOST_PROBLEMS and _cut(problems):
        parts.append(f"and perhaps more: {MOST_PROBLEMS:,} of a file are listed")
    return ", ".join(parts)


def _cut(problems: Sequence[Problem]) -> bool:
    """Whether there is a file of which only the first problems are here."""
    return max(Counter(problem.file for problem in problems).values()) >= MOST_PROBLEMS


def _lines(problem: Problem) -> Iterator[str]:
    rule = problem.rule
    yield from _wrapped(
        terminal(f"{place(problem)}: {rule.code} {rule.title}: {problem.message}"), indent=4
    )
    if problem.position is not None and problem.position.excerpt:
        yield from _excerpt(problem.position)
    for related in problem.related:
        if related.position is not None:
            yield from _note(related.position, terminal(related.note), related.file, problem.file)
    if problem.hint:
        yield from _wrapped(f"   help: {terminal(problem.hint)}", indent=9)


def place(problem: Problem) -> str:
    """`file:line:column`, as far as it is known; the tool's name where no file is to blame."""
    if not problem.file:
        return "contractlab"
    if problem.position is None:
        return terminal(problem.file)
    return terminal(f"{problem.file}:{problem.position.line}:{problem.position.column}")


def _excerpt(position: Position) -> Iterator[str]:
    gutter, text, caret = _fitted(position, room=WIDTH)
    yield f"{gutter}{text}"
    yield f"{' ' * (len(gutter) - 2)}| {' ' * caret}^"


def _note(position: Position, note: str, file: str, here: str) -> Iterator[str]:
    where = "" if file == here else f"{terminal(file)}: "
    gutter, text, _ = _fitted(position, room=WIDTH - 3 - width(where) - width(note))
    yield f"{gutter}{text}   {where}{note}"


def _fitted(position: Position, *, room: int) -> tuple[str, str, int]:
    """Gutter, the part of the line around the place that fits, and the columns before it."""
    gutter = f"{position.line:>5} | "
    room = max(room - len(gutter), 24)
    at = position.excerpt_column - 1
    before = terminal(position.excerpt[:at].replace("\t", " "))
    after = terminal(position.excerpt[at:].replace("\t", " "))
    keep = max(room // 2, room - width(after))
    if width(before) > keep:
        while width(before) >= keep:
            before = before[1:]
        before = f"…{before}"
    line = terminal(before + after)  # a command may begin in one part and end in the other
    return gutter, cut(line, room), width(before)


def _wrapped(text: str, *, indent: int) -> Iterator[str]:
    lead = text[: len(text) - len(text.lstrip())]
    line = ""
    for word in _WORD.findall(text):
        if line and width(lead) + width(line) + 1 + width(word) > WIDTH:
            yield lead + line
            lead, line = " " * indent, word
        else:
            line = f"{line} {word}" if line else word
    yield lead + line
