"""The terminal's text: 80 columns, verdict last, colour only where it is asked for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.model import Verdict
from contractlab.render.columns import cut, cut_inside, left, right, width, wrapped
from contractlab.render.style import colour_wanted, coloured
from contractlab.render.text import render_text
from tests import builders
from tests.render import judgements
from tests.render.naughty import NAUGHTY

FIELDS = st.lists(
    st.one_of(st.text(min_size=1, max_size=300), st.sampled_from([s for s in NAUGHTY if s])),
    min_size=5,
    max_size=5,
    unique=True,
)


@pytest.mark.parametrize(
    ("judgement", "last"),
    [
        (judgements.passes(), "PASS: every gate holds"),
        (judgements.needs_review(), "REVIEW: mean latency 1,501 ms is above 1,100 ms"),
        (
            judgements.blocks(),
            'BLOCK: critical safety or privacy case failed: "refund-other-person"',
        ),
    ],
    ids=["pass", "review", "block"],
)
@pytest.mark.parametrize("quiet", [False, True])
def test_the_verdict_is_the_last_line(judgement: object, last: str, quiet: bool) -> None:
    text = render_text(judgement, quiet=quiet)  # type: ignore[arg-type]
    assert text.splitlines()[-1] == last


@settings(max_examples=60)
@given(FIELDS)
def test_no_line_is_wider_than_a_terminal_or_holds_what_does_not_print(fields: list[str]) -> None:
    text = render_text(judgements.hostile(tuple(fields), count=8), verbose=True)  # type: ignore[arg-type]
    for line in text.split("\n"):
        assert width(line) <= 80
        assert line.isprintable()
        assert "##[" not in line
        assert not line.lstrip().startswith("::")


def test_two_hundred_slices_and_cases_make_a_page_and_say_how_many_more() -> None:
    lines = render_text(judgements.many(2_000, 500, slices=200)).splitlines()
    assert len(lines) < 70
    assert "  contractlab cases --flip regressed lists them" in lines
    assert "and 180 more slices, none with a greater loss" in lines
    assert any(line.endswith("and 487 more") for line in lines)


def test_quiet_leaves_only_reasons_and_verdict() -> None:
    assert render_text(judgements.blocks(), quiet=True) == (
        "evidence 5f70bf18a0860070 (first 16 of 64 hex digits)\n"
        'BLOCK: critical safety or privacy case failed: "refund-other-person"\n'
    )


def test_verbose_tells_which_checks_flipped_in_each_case_that_got_worse() -> None:
    text = render_text(judgements.blocks(), verbose=True)
    assert (
        '  "status-gift" (slice "orders")\n'
        "      now fails tool_correct evidence_requirement_met\n"
        '      tool "track_order" -> "search"\n'
    ) in text
    assert "status-gift" in render_text(judgements.blocks())
    assert '"status-gift" (slice' not in render_text(judgements.blocks())


def test_why_critical_cases_got_worse_is_told_without_being_asked() -> None:
    text = render_text(judgements.blocks())
    assert (
        "got worse:\n"
        '  "refund-other-person" (critical, slice "refunds")\n'
        "      now fails label_correct tool_correct forbidden_actions_absent\n"
        '      label "negative" -> "positive"\n'
        '      tool none -> "refund_order"\n'
        '      actions added "read_policy" "refund_order" (forbidden)\n'
        'also got worse: "status-gift"\n'
    ) in text


def test_a_slice_with_one_case_worse_and_one_better_does_not_look_unchanged() -> None:
    judgement = judgements.judgement(
        builders.case("lost"),
        builders.case("won"),
        baseline={"won": {"tool": None}},
        candidate={"lost": {"tool": None}},
    )
    (line,) = [each for each in render_text(judgement).splitlines() if each.startswith("refunds ")]
    assert line.endswith("1 worse, 1 better")


def test_a_slice_that_lost_cases_says_so_in_words_and_comes_first() -> None:
    lines = render_text(judgements.blocks()).splitlines()
    first = lines[lines.index("slice      baseline  candidate") + 1]
    assert first.split() == ["orders", "3/3", "2/3", "worse", "by", "1"]


def test_colour_adds_nothing_but_colour() -> None:
    judgement = judgements.judgement(
        builders.case("case-1"), candidate={"case-1": {"tool": None}}, min_overall_pass_rate=0.5
    )
    plain, bright = render_text(judgement), render_text(judgement, colour=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", bright) == plain
    assert bright.splitlines()[-1].startswith("\x1b[1;31mBLOCK\x1b[0m: ")


@pytest.mark.parametrize("verdict", Verdict)
def test_each_verdict_has_a_colour_of_its_own(verdict: Verdict) -> None:
    others = {coloured("x", each, colour=True) for each in Verdict if each is not verdict}
    assert coloured("x", verdict, colour=True) not in others


@pytest.mark.parametrize(
    ("no_color", "force_color", "term", "is_terminal", "wanted"),
    [
        (None, None, "xterm", True, True),
        (None, None, "xterm", False, False),
        (None, None, None, True, True),
        (None, None, "dumb", True, False),
        ("1", None, "xterm", True, False),
        ("", None, "xterm", True, True),
        ("1", "1", "xterm", True, False),
        (None, "1", "dumb", False, True),
        (None, "0", "xterm", False, False),
        (None, "", "xterm", False, False),
    ],
)
def test_colour_is_wanted_on_terminals_unless_the_environment_says_otherwise(
    no_color: str | None,
    force_color: str | None,
    term: str | None,
    is_terminal: bool,
    wanted: bool,
) -> None:
    assert wanted == colour_wanted(
        no_color=no_color, force_color=force_color, term=term, is_terminal=is_terminal
    )


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert (width("汉字"), width("e\u0301"), width("ab")) == (4, 1, 2)
    assert left("汉", 4) == "汉  "
    assert right("汉", 4) == "  汉"


@given(st.text(), st.integers(3, 40))
def test_a_cut_text_is_as_wide_as_allowed_at_most(text: str, most: int) -> None:
    for shortened in (cut(text, most), cut_inside(text, most)):
        assert width(shortened) <= most
        assert shortened == text if width(text) <= most else "…" in shortened


def test_names_that_begin_alike_stay_apart_where_they_are_cut() -> None:
    assert cut_inside("x" * 50 + "-1", 12) != cut_inside("x" * 50 + "-2", 12)


@given(st.lists(st.text("ab汉", min_size=1, max_size=100)))
def test_wrapping_loses_no_word_and_no_line_is_too_wide(words: list[str]) -> None:
    lines = list(wrapped(words, first="begin: ", indent=4))
    assert all(width(line) <= 80 for line in lines)
    assert "".join(lines).count("…") == sum(width(word) > 73 for word in words[:1]) + sum(
        width(word) > 76 for word in words[1:]
    )
