"""Problems as text: place, code, message, line, way out; harmless, and within 80 columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.limits import MOST_PROBLEMS
from contractlab.positions import Text
from contractlab.problems import Problem, Related, Rule
from contractlab.render.columns import width
from contractlab.render.problems import render_problems, summary
from contractlab.words import listed, shown
from tests.test_escape import hostile

if TYPE_CHECKING:
    from contractlab.problems import Position


def at(text: str, offset: int) -> Position:
    return Text(text).position(offset)


def problem(message: str = "it is wrong", **other: object) -> Problem:
    return Problem(Rule.FAMILY_LEAKAGE, message, "mend it", "d.json", **other)  # type: ignore[arg-type]


def test_a_problem_reads_like_a_compilers() -> None:
    text = '{\n  "family_id": "late",\n  "family_id": "late"\n}'
    second, first = text.rindex('"late"'), text.index('"late"')
    found = problem(
        'family "late" is in train and in test (split leakage)',
        position=at(text, second),
        related=(Related("d.json", (), "first seen here, in train", at(text, first)),),
    )
    assert render_problems([found]).splitlines() == [
        'd.json:3:16: CL301 family-leakage: family "late" is in train and in test',
        "    (split leakage)",
        '    3 |   "family_id": "late"',
        "      |                ^",
        '    2 |   "family_id": "late",   first seen here, in train',
        "   help: mend it",
    ]


def test_a_summary_says_where_problems_were_cut() -> None:
    cut = [problem()] * MOST_PROBLEMS
    said = ", and perhaps more: 10,000 of a file are listed"
    assert summary(cut) == f"10,000 problems{said}"
    assert summary(cut[1:]) == "9,999 problems"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": 1}, "an object with 1 field"),
        ({}, "an object with 0 fields"),
        ([1], "an array with 1 entry"),
        ([1, 2], "an array with 2 entries"),
    ],
    ids=str,
)
def test_one_of_a_thing_is_singular(value: object, words: str) -> None:
    assert shown(value) == words


def test_a_related_place_in_another_file_names_the_file() -> None:
    related = (Related("other.json", (), "first here", at("[1]", 1)),)
    shown_ = render_problems([problem(position=at("[2]", 1), related=related)])
    assert "    1 | [1]   other.json: first here\n" in shown_


def test_a_problem_without_a_place_names_the_file_and_one_without_a_file_the_tool() -> None:
    assert render_problems([problem()]).startswith("d.json: CL301 ")
    nowhere = Problem(Rule.BAD_USAGE, "no candidate", "")
    assert render_problems([nowhere]) == "contractlab: CL006 bad-usage: no candidate\n"


def test_the_caret_stands_under_the_place_also_after_tabs_and_on_long_lines() -> None:
    for text in ("\t\tX", "a" * 70 + "X", "a" * 500 + "X" + "b" * 500, "X" + "b" * 300):
        line, caret = excerpt(text)
        assert line[caret.index("^")] == "X"
        assert len(line) <= 80


@pytest.mark.parametrize("text", ["退款X", "退款" * 40 + "X" + "退款" * 40, "e\u0301" * 9 + "X"])
def test_the_caret_counts_columns_where_characters_are_wide_or_combine(text: str) -> None:
    line, caret = excerpt(text)
    assert width(line.partition("X")[0]) == caret.index("^")
    assert width(line) <= 80


def excerpt(text: str) -> list[str]:
    return render_problems([problem(position=at(text, text.index("X")))]).splitlines()[1:3]


@given(
    st.lists(hostile, min_size=4, max_size=4),
    hostile.filter(bool),
    st.data(),
)
def test_no_untrusted_text_reaches_the_output_raw(
    parts: list[str], text: str, data: st.DataObject
) -> None:
    message, hint, file, note = parts
    place = at(text, data.draw(st.integers(0, len(text))))
    found = Problem(
        Rule.LOOK_ALIKE,
        message,
        hint,
        file,
        position=place,
        related=(Related(f"x{file}", (), note, place), Related(file, (), note, place)),
    )
    output = render_problems([found])
    assert "##[" not in output
    for line in output.splitlines():
        assert line.isprintable()
        assert not re.match(r"\s*::", line)
    assert output.count("\n") == len(output.splitlines())


def test_the_summary_counts_problems_and_warnings_apart() -> None:
    warning = Problem(Rule.SMALL_SET, "few")
    assert summary([problem()]) == "1 problem"
    assert summary([problem(), problem(), warning]) == "2 problems, 1 warning"
    assert summary([warning, warning]) == "0 problems, 2 warnings"
    assert summary([warning, problem()], strict=True) == "2 problems"


def test_values_in_messages_are_cut_and_say_so() -> None:
    assert shown("a" * 80) == f'"{"a" * 80}"'
    assert shown("a" * 81) == f'"{"a" * 80}"… (81 characters)'
    assert shown({"a": 1}) == "an object with 1 field"
    assert shown([1, 2]) == "an array with 2 entries"
    assert shown(10**4000) == "an integer of more than 80 digits"
    assert shown(True) == "true"
    assert listed([str(number) for number in range(23)]).endswith('"19" and 3 more')
