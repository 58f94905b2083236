"""No string from a contract does anything in Markdown but stand there."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contractlab.render.escape import MOST, markdown, markdown_prose
from contractlab.unseen import seen
from tests.render.naughty import NAUGHTY
from tests.render.rendered import Page, to_html

PARTS = st.sampled_from(
    [*"`|\\<>&@#$*_~[]()!-: \n\t", "::", "##[", "<!--", "-->", "a", "É", "\u202e"]
)
TEXTS = st.one_of(st.text(), st.lists(PARTS).map("".join), st.sampled_from(NAUGHTY))


def document(text: str) -> str:
    """The string wherever a report puts one: heading, prose, list, table, fold, last line."""
    code = markdown(text)
    return (
        f"### X: {code}, {code} and more\n\n**Do not {code}.** Baseline {code} passes.\n\n"
        f"- **{code}**, in {code}\\\n  tool {code} → {code}; x\n- {code}\n\n"
        f"| a | b | c |\n| --- | ---: | ---: |\n| {code} | {code} | 1 |\n"
        f"| x {code} (y) | 2 | 3 |\n\n"
        f"<details>\n<summary>x</summary>\n\n- {code}\n\n{code}\n\n</details>\n\n{code}\n"
    )


EXPECTED = Page(to_html(document("x")))
NOTE = re.compile(r"… \(cut; [0-9,]+ characters\)")


def assert_inert(text: str) -> None:
    for comment in (True, False):
        page = Page(to_html(document(text), comment=comment))
        assert page.tags <= EXPECTED.tags | {"span"}
        assert page.attributes <= EXPECTED.attributes
        assert not page.links
        assert not page.comments
        assert not page.unbalanced
        assert page.rows == [3, 3, 3]
        assert NOTE.sub("", page.prose).replace("(empty)", "") == EXPECTED.prose
        if text:
            assert len(page.code) == len(EXPECTED.code)
            assert set(page.code) == {seen(text[: MOST + 1])[: len(page.code[0])]}


@pytest.mark.parametrize("text", NAUGHTY, ids=lambda text: ascii(text)[:40])
def test_a_naughty_string_is_text_in_code_and_nothing_else(text: str) -> None:
    assert_inert(text)


@given(TEXTS)
def test_any_string_is_text_in_code_and_nothing_else(text: str) -> None:
    assert_inert(text)


@given(TEXTS)
def test_the_raw_markdown_holds_no_comment_no_line_end_and_no_runner_command(text: str) -> None:
    code = markdown(text)
    assert not re.search(r"<!--|-->|[\n\r\x1b]|::|##\[|\|", code)
    assert code.isprintable()


@given(TEXTS)
def test_a_string_in_raw_html_by_mistake_still_holds_no_tag(text: str) -> None:
    page = Page(f"<div>{markdown(text)}</div>")
    assert page.tags <= {"div", "code", "span"}
    assert not page.unbalanced


@given(st.text())
def test_a_long_string_is_cut_and_says_so(text: str) -> None:
    long = text + "x" * (MOST + 1)
    assert f"… (cut; {len(long):,} characters)" in markdown(long)
    assert len(markdown(long).encode("utf-16-le")) // 2 < MOST * 18 + 60


def test_an_ordinary_id_stays_readable_in_the_raw_text() -> None:
    assert markdown("user_task_4/injection-7.b (v2)") == "`user_task_4/injection-7.b (v2)`"


def test_what_cannot_be_seen_is_shown_as_its_escape() -> None:
    assert seen("a\u202eb\u3164\x1b\n") == r"a\u202eb\u3164\x1b\n"


def test_a_message_keeps_its_words_and_shows_its_values_as_code() -> None:
    message = 'family "refund-late" is in train and in test'
    assert markdown_prose(message) == 'family `"refund-late"` is in train and in test'


def test_a_message_shows_field_names_as_code() -> None:
    assert markdown_prose("gate min_f1 = 0.0 can never fire") == (
        "gate `min_f1` = 0.0 can never fire"
    )


@given(st.lists(TEXTS).map('x "a" '.join))
@example("    code")
@example("1. item")
@example("- item")
@example("1) item")
@example("x me@example.com")
def test_any_message_links_and_mentions_nothing(text: str) -> None:
    html = to_html(f"- {markdown_prose(text)}\n")
    page = Page(html)
    assert html.count("<li>") == 1
    assert page.tags <= {"ul", "li", "code", "span"}
    assert not page.comments
    assert not re.search(r"@|#|://|www\.|[0-9a-fA-F]{7}|[A-Za-z]-\d|:\w|[*_`<>$]", page.prose)
