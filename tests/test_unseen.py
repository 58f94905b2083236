"""What can't be seen: one definition for reports and for a runner's log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.unseen import seen, visible


@pytest.mark.parametrize(
    ("char", "escape"),
    [
        ("\r", r"\r"),
        ("\x1b", r"\x1b"),
        ("\x9b", r"\x9b"),
        ("\u00ad", r"\xad"),
        ("\u202e", r"\u202e"),
        ("\u2028", r"\u2028"),
        ("\u2065", r"\u2065"),
        ("\ufeff", r"\ufeff"),
        ("\ud800", r"\ud800"),
        ("\U000e0000", r"\U000e0000"),
        ("\U000e0041", r"\U000e0041"),
    ],
    ids=ascii,
)
def test_what_hides_is_spelled_everywhere(char: str, escape: str) -> None:
    assert visible(f"a{char}b") == seen(f"a{char}b") == f"a{escape}b"


@pytest.mark.parametrize(
    ("char", "escape"),
    [("\n", r"\n"), ("\t", r"\t"), ("\ufe0f", r"\ufe0f"), ("\u3164", r"\u3164")],
    ids=ascii,
)
def test_what_lays_out_a_text_or_is_blank_is_spelled_on_one_line_only(
    char: str, escape: str
) -> None:
    assert visible(f"a{char}b") == f"a{char}b"
    assert seen(f"a{char}b") == f"a{escape}b"


@given(st.text(st.characters(codec=None)))
def test_a_seen_text_prints_and_stays(text: str) -> None:
    assert seen(text).isprintable()
    assert seen(seen(text)) == seen(text)
    assert visible(visible(text)) == visible(text)
