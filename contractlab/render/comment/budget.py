"""How large a report may be, and what goes first where it is larger."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Budget:
    """What a medium takes."""

    limit: int
    """Most units of a whole report; at least `SMALLEST`."""
    encoding: str
    """The unit: `utf-16-le` counts UTF-16 units, `utf-8` bytes."""
    shown: int
    """Cases of a list that are seen at once."""
    folded: int
    """Further cases of a list, or all of a folded one."""
    rows: int
    """Rows of a table."""

    def size(self, text: str) -> int:
        """Units of a text."""
        return len(text.encode(self.encoding)) // (2 if self.encoding == "utf-16-le" else 1)


SMALLEST = 20_000
"""Units in which the verdict, a table that decides it and the closing lines always fit."""

# GitHub takes 65,536 UTF-16 units. What is left to 60,000 is for the marker line.
COMMENT = Budget(59_500, "utf-16-le", shown=5, folded=40, rows=20)
# GitHub drops a job summary of over 1 MiB whole, and all steps of a job add to it.
SUMMARY = Budget(990_000, "utf-8", shown=20, folded=180, rows=100)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report that is shown whole or not at all."""

    title: str
    """For the note on what was left out."""
    render: Callable[[], str]
    """Called once at most."""


def fitted(sections: Sequence[Section], room: int, budget: Budget) -> list[str | None]:
    """The texts of the sections that fit in the room.

    Args:
        sections: the most important first. From the first that does not fit on, none is
            rendered; what was left out is None.
        room: units.
        budget: counts them.
    """
    texts: list[str | None] = []
    for section in sections:
        text = section.render()
        room -= budget.size(text)
        if room < 0:
            break
        texts.append(text)
    return texts + [None] * (len(sections) - len(texts))


def taken(items: Iterable[str], *, most: int, room: int, budget: Budget) -> list[str]:
    """The first texts, so many and in so much room; what comes after is never made."""
    kept: list[str] = []
    for item in islice(items, most):
        room -= budget.size(item)
        if room < 0:
            break
        kept.append(item)
    return kept
