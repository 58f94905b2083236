"""What can't be seen in a text, and how it is spelled instead."""

from __future__ import annotations

import re
from unicodedata import category

_HIDING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

# No character yet, and to be ignored if it becomes one.
_IGNORED = re.compile("[\u2065\U000e0000-\U000e007f]")

# Printable to Python, yet nothing to see: fillers, the braille blank, variation selectors and
# other ignorable marks. (Unicode 17, Default_Ignorable_Code_Point; the rest does not print.)
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f"
    "\U000e0100-\U000e01ef]"
)


def seen(text: str) -> str:
    """The text with whatever can't be seen as its escape, and nothing else changed."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else _escape(char) for char in text)
    return _BLANK.sub(lambda match: _escape(match[0]), text)


def visible(text: str) -> str:
    r"""Text in which what hides or reorders other text is shown as its escape.

    Controls, bidi and other format characters, line separators and lone surrogates. A
    newline and a tab stay: they lay out a text and hide nothing.
    """
    if text.isprintable():
        return text
    return "".join(_escape(char) if _hides(char) else char for char in text)


def _hides(char: str) -> bool:
    if char.isprintable() or char in "\n\t":
        return False
    return category(char) in _HIDING or _IGNORED.match(char) is not None


def _escape(char: str) -> str:
    code = ord(char)
    if char in "\n\r\t":
        return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}[char]
    if code < 0x100:
        return rf"\x{code:02x}"
    return rf"\u{code:04x}" if code < 0x10000 else rf"\U{code:08x}"
