"""Tables, folds and the words around them. What goes in is Markdown already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers
from contractlab.render.escape import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.bootstrap import Interval

_NAME = 60
"""Characters of a name in a table, which is read on a phone."""


def name(text: str) -> str:
    """A name from a contract, short enough for a table or a sentence."""
    return markdown(text, _NAME)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is words and whose others are numbers."""
    rule = ["---", *("---:" for _ in head[1:])]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *rows))


def folded(title: str, body: str, *, opened: bool = False) -> str:
    """A part that opens on a click.

    Args:
        title: HTML, in which Markdown means nothing; so no name from a contract.
        body: Markdown, which the empty lines around it make to be read as such.
        opened: no click is needed.
    """
    details = "<details open>" if opened else "<details>"
    return f"{details}\n<summary>{title}</summary>\n\n{body.rstrip()}\n\n</details>\n"


def left_out(count: int, noun: str, where: str) -> str:
    """How many more there are and where; empty where there are none."""
    if count <= 0:
        return ""
    return f"\n{number(count, f'more {noun}')} in {where}.\n"


def number(count: int, noun: str) -> str:
    """`1 case`, `2,000 cases`."""
    return f"{numbers.count(count)} {noun}{'' if count == 1 else 's'}"


def interval(bounds: Interval) -> str:
    """An interval of a difference, in percentage points; both bounds on the worse side."""
    return f"[{numbers.points(bounds.low)}, {numbers.points(bounds.high)}]"


def unbroken(text: str) -> str:
    """A short text that stays on one line."""
    return text.replace(" ", "\u00a0")
