"""Tables, folds and the words around them. What goes in is Markdown already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers
from contractlab.render.escape import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = 60
"""Characters of a name in a table, which is read on a phone."""


def name(text: str) -> str:
    """A name from a contract, short enough for a table or a sentence."""
    return markdown(text, _NAME)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> str:
    """A table whose first columns, so many, are words and whose others are numbers."""
    rule = ["---" if at < words else "---:" for at in range(len(head))]
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
    return f"\n{numbers.counted(count, f'more {noun}')} in {where}.\n"


def unbroken(text: str) -> str:
    """A short text that stays on one line."""
    return text.replace(" ", "\u00a0")
