"""The report of a contract error."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.problems import Position, Problem, Related, Rule
from contractlab.render.comment.budget import COMMENT, SUMMARY
from contractlab.render.comment.problems import render_problems_markdown
from tests.render.naughty import NAUGHTY
from tests.render.rendered import Page, to_html

BLOB = "https://github.com/owner/name/blob/0123abcd"
TEXTS = st.one_of(st.text(), st.sampled_from(NAUGHTY))


def problem(file: str = "evals/dataset.json", **other: object) -> Problem:
    return Problem(
        Rule.FAMILY_LEAKAGE,
        'family "refund-late" is in train and in test',
        file=file,
        position=Position(41, 20),
        **other,  # type: ignore[arg-type]
    )


def test_the_first_line_says_that_nothing_was_judged_and_how_much_is_wrong() -> None:
    text = render_problems_markdown([problem(), problem()])
    assert text.startswith("### ❌ ERROR: nothing was judged (2 problems)\n\n")


def test_a_problem_links_to_its_file_and_line() -> None:
    page = Page(to_html(render_problems_markdown([problem()], blob_base=BLOB)))
    assert page.links == [f"{BLOB}/evals/dataset.json#L41"]
    assert page.code[0] == "evals/dataset.json:41:20"


def test_without_a_base_a_place_is_text() -> None:
    page = Page(to_html(render_problems_markdown([problem()])))
    assert not page.links
    assert page.code[0] == "evals/dataset.json:41:20"


@pytest.mark.parametrize(
    "file",
    ["/etc/passwd", "../outside.json", "a/../../b.json", "C:/x.json", "a\\b.json", "//host/x"],
)
def test_a_file_outside_of_the_folder_is_no_link(file: str) -> None:
    assert not Page(to_html(render_problems_markdown([problem(file)], blob_base=BLOB))).links


@pytest.mark.parametrize(
    ("file", "address"),
    [
        ("a b (2).json", "a%20b%20%282%29.json"),
        ("汉字.json", "%E6%B1%89%E5%AD%97.json"),
        ("a#b?c.json", "a%23b%3Fc.json"),
        ("](x) <b>.json", "%5D%28x%29%20%3Cb%3E.json"),
    ],
    ids=["space", "unicode", "fragment", "link"],
)
def test_a_link_carries_any_file_name(file: str, address: str) -> None:
    page = Page(to_html(render_problems_markdown([problem(file)], blob_base=BLOB)))
    assert page.links == [f"{BLOB}/{address}#L41"]


@given(st.lists(TEXTS, min_size=5, max_size=5))
def test_any_text_in_a_problem_leaves_the_report_sound(texts: list[str]) -> None:
    message, hint, file, note, other = texts
    related = (Related(other, (), note, Position(1, 1)),)
    each = Problem(Rule.SYNTAX, message, hint, file, position=Position(1, 2), related=related)
    page = Page(to_html(render_problems_markdown([each, each], blob_base=BLOB)))
    assert page.tags <= {"h3", "p", "strong", "ul", "li", "br", "code", "span", "a"}
    assert all(link.startswith(f"{BLOB}/") for link in page.links)
    assert not page.comments
    assert not re.search(r"@|#|://|www\.|[0-9a-f]{7}|:\w", page.prose)


@pytest.mark.parametrize("budget", [COMMENT, SUMMARY], ids=["comment", "summary"])
def test_many_problems_fit_and_say_how_many_more_there_are(budget: object) -> None:
    many = [problem(file="<" * 5_000, hint="@" * 5_000) for _ in range(3_000)]
    text = render_problems_markdown(many, budget=budget)  # type: ignore[arg-type]
    size = budget.size(text)  # type: ignore[attr-defined]
    assert size <= budget.limit  # type: ignore[attr-defined]
    shown = text.count("CL301")
    assert shown
    assert f"\n{3_000 - shown:,} more problems in the JSON report.\n" in text
