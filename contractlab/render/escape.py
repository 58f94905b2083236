"""Untrusted text, made harmless: one function a medium, and every renderer goes through it."""

from __future__ import annotations

import re

_COMMANDS = re.compile(r"::|##\[")


def terminal(text: str) -> str:
    r"""Text that moves no cursor, hides nothing and commands no runner, on one line.

    Whatever does not print (controls, ESC, bidi, line separators, invisible characters,
    lone surrogates) is shown as its escape. The Actions runner obeys `##[` anywhere in a
    line and `::` at its start, so both are broken up by escaping a character of theirs.
    """
    if not text.isprintable():
        text = "".join(char if char.isprintable() else _visible(char) for char in text)
    return _COMMANDS.sub(
        lambda match: rf"{match[0][0]}\x{ord(match[0][1]):02x}{match[0][2:]}", text
    )


def _visible(char: str) -> str:
    code = ord(char)
    if char in "\n\r\t":
        return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}[char]
    if code < 0x100:
        return rf"\x{code:02x}"
    return rf"\u{code:04x}" if code < 0x10000 else rf"\U{code:08x}"
