"""Untrusted text on a terminal or in a runner's log: one line that obeys no one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contractlab.render.escape import terminal

hostile = st.text(
    st.one_of(
        st.sampled_from(":#[]\n\r\t\x1b\x07\x9b\x85\u2028\u2029\u202e\u2066\u200b\ufeff\\ab"),
        st.characters(),
    ),
    max_size=20,
)


@given(st.one_of(hostile, st.text(st.characters(categories=["Cs", "Cc", "Cf", "Zl", "Zp"]))))
@example(":::")
@example("::::")
@example("###[[")
@example("##[##[")
@example("\ud800")
def test_nothing_that_moves_a_cursor_or_commands_a_runner_is_left(text: str) -> None:
    shown = terminal(text)
    assert shown.isprintable()
    assert "::" not in shown
    assert "##[" not in shown
    assert "\n" not in shown


@given(hostile)
def test_what_was_escaped_stays_as_it_is(text: str) -> None:
    assert terminal(terminal(text)) == terminal(text)


@given(st.text(st.characters(categories=["L", "N"])))
def test_plain_words_of_any_script_stay_as_they_are(text: str) -> None:
    assert terminal(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", r"a\nb"),
        ("a\tb", r"a\tb"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202e", r"\u202e"),
        ("\U000e0041", r"\U000e0041"),
        ("\udc80", r"\udc80"),
        ("::error::x", r":\x3aerror:\x3ax"),
        ("##[error]", r"#\x23[error]"),
        ("a:b #[c] #", "a:b #[c] #"),
    ],
    ids=ascii,
)
def test_the_escape_shows_which_character_it_was(text: str, expected: str) -> None:
    assert terminal(text) == expected
