"""Colour on a terminal: whether, and which. No colour says what words do not."""

from __future__ import annotations

from contractlab.model import Verdict

_CODES = {Verdict.PASS: "32", Verdict.REVIEW: "33", Verdict.BLOCK: "31"}


def colour_wanted(
    *, no_color: str | None, force_color: str | None, term: str | None, is_terminal: bool
) -> bool:
    """Whether a stream is to be coloured.

    Args:
        no_color: NO_COLOR, which wins where it is not empty (no-color.org).
        force_color: FORCE_COLOR; any value but none, empty and `0` asks for colour.
        term: TERM; `dumb` has none.
        is_terminal: whether the stream is one.
    """
    if no_color:
        return False
    if force_color and force_color != "0":
        return True
    return is_terminal and term != "dumb"


def coloured(text: str, verdict: Verdict, *, colour: bool) -> str:
    """Bold, in the verdict's colour; as it is without colour."""
    return f"\x1b[1;{_CODES[verdict]}m{text}\x1b[0m" if colour else text
