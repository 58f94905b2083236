"""Text in the columns of a terminal, where a character is none, one or two of them wide."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH = 80


def width(text: str) -> int:
    """Columns of a text that prints."""
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def cut(text: str, most: int) -> str:
    """The text in at most so many columns; `…` at its end where it was longer."""
    if width(text) <= most:
        return text
    kept, room = [], most - 1
    for char in text:
        room -= _width(char)
        if room < 0:
            break
        kept.append(char)
    return f"{''.join(kept)}…"


def cut_inside(text: str, most: int) -> str:
    """As `cut`, but names that begin alike stay apart: the last third is of their end."""
    if width(text) <= most:
        return text
    tail, room = "", most // 3
    while room >= _width(text[-len(tail) - 1]):
        tail = text[len(text) - len(tail) - 1 :]
        room -= _width(tail[0])
    return cut(text, most - width(tail)) + tail


def cut_apart(one: str, other: str, most: int) -> tuple[str, str]:
    """Two texts in so many characters each, cut so that where they first differ is seen.

    A text in quotes keeps the closing one. For names and JSON, not for columns: wide characters
    count as one.
    """
    pairs = zip(one, other, strict=False)
    shorter = min(len(one), len(other))
    at = next((index for index, (each, to) in enumerate(pairs) if each != to), shorter)
    return _seen_at(one, at, most), _seen_at(other, at, most)


def _seen_at(text: str, at: int, most: int) -> str:
    if len(text) <= most:
        return text
    quote = '"' if text[0] == text[-1] == '"' else ""
    head, room = most // 3, most - most // 3
    if at < most - 8:  # a few characters behind the difference are seen too
        return f"{text[:most]}…{quote}"
    start = min(at - room // 4, len(text) - room)
    end = start + room
    return f"{text[:head]}…{text[start:end]}" + (f"…{quote}" if end < len(text) else "")


def left(text: str, columns: int) -> str:
    """The text, filled up on its right."""
    return text + " " * (columns - width(text))


def right(text: str, columns: int) -> str:
    """The text, filled up on its left."""
    return " " * (columns - width(text)) + text


def wrapped(words: Sequence[str], *, first: str = "", indent: int = 2) -> Iterator[str]:
    """Lines of at most `WIDTH` columns; a word that fits in none is cut.

    Args:
        words: kept whole, also where there is a space in one.
        first: how the first line begins.
        indent: spaces before the other lines.
    """
    line, empty = first, True
    for word in words:
        if not empty and width(line) + 1 + width(word) > WIDTH:
            yield line
            line, empty = " " * indent, True
        line += cut(word, WIDTH - width(line)) if empty else f" {word}"
        empty = False
    yield line
