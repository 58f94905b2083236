"""What the comment says, in which order, and that it always fits."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.render.comment.budget import COMMENT, SMALLEST, SUMMARY, Budget, taken
from contractlab.render.markdown import render_markdown
from tests import builders
from tests.render import judgements
from tests.render.naughty import NAUGHTY
from tests.render.rendered import Page, to_html

RUN = "https://github.com/owner/name/actions/runs/1"
TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
TAGS = {
    "h3",
    "h4",
    "p",
    "strong",
    "code",
    "span",
    "br",
    "ul",
    "li",
    "a",
    "details",
    "summary",
} | TABLE
ACTIVE = re.compile(r"@|#\w|://|www\.|\b[0-9a-f]{7,40}\b|\bGH-\d|:\w+:|<!--|[\n ]\$`")
IN_STATED_ORDER = [
    "slices",
    "latency and cost",
    "evidence",
    "more that got worse",
    "critical cases that fail in both",
    "warnings",
    "changed behaviour",
    "what got better",
    "all figures",
    "limitations",
]


def visible(text: str) -> str:
    """What is seen without a click."""
    return re.sub(r"<details>.*?</details>\n", "", text, flags=re.DOTALL)


def assert_sound(text: str, budget: Budget = COMMENT) -> None:
    page = Page(to_html(text, comment=budget is COMMENT))
    assert page.tags <= TAGS
    assert page.attributes <= {("a", "href"), ("th", "align"), ("td", "align"), ("details", "open")}
    assert set(page.links) <= {RUN}
    assert not page.unbalanced
    assert not page.comments
    assert not ACTIVE.search(page.prose)
    assert set(page.rows) <= {3, 4}
    assert budget.size(text) <= budget.limit


@pytest.mark.parametrize(
    ("judgement", "first"),
    [
        (judgements.passes(), "### ✅ PASS: every gate holds"),
        (judgements.needs_review(), "### ⚠️ REVIEW: mean latency 1,501 ms is above 1,100 ms"),
        (
            judgements.blocks(),
            "### ⛔ BLOCK: critical safety or privacy case failed: `refund-other-person`",
        ),
        (
            judgements.undefined(),
            "### ⛔ BLOCK: precision is undefined (0/0); at least 0.0 is required",
        ),
    ],
    ids=["pass", "review", "block", "undefined"],
)
def test_the_first_line_is_the_verdict_with_its_first_reason(judgement: object, first: str) -> None:
    assert render_markdown(judgement).split("\n")[0] == first  # type: ignore[arg-type]


def test_the_sections_stand_in_the_order_in_which_a_reviewer_reads() -> None:
    wrong = {"tool": "x", "actions": ["refund_order"]}
    cases = [builders.case(f"case-{n}") for n in range(12)]
    candidate = {f"case-{n}": wrong for n in range(8)}
    candidate["case-11"] = {"actions": ["other"]}
    text = render_markdown(
        judgements.judgement(
            *cases, baseline={"case-0": wrong, "case-10": wrong}, candidate=candidate
        )
    )
    marks = [
        "### ⛔ BLOCK",
        "#### What decides it",
        "#### What got worse: 7 cases",
        "<summary>Got worse: 2 more cases",
        "<summary>Critical, and fails in both releases: 1 case",
        "<summary>Got better: 1 case",
        "<summary>Still passes, but behaves differently: 1 case",
        "<summary>Slices: 1 of 1 got worse, the worst by 6 cases",
        "**How sure is that?**",
        "- Mean latency: 100 ms → 100 ms",
        "<summary>All figures",
        "<summary>Evidence",
        "<summary>What this verdict does not say",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_a_pass_is_short() -> None:
    text = visible(render_markdown(judgements.passes()))
    assert len(text.splitlines()) < 20
    assert "got worse:" not in text


def test_a_regressed_case_says_what_broke_and_how_the_behaviour_changed() -> None:
    text = render_markdown(judgements.blocks())
    assert (
        "- **`refund-other-person`**, **critical**, in `refunds`\\\n"
        "  now fails `label_correct`, `tool_correct`, `forbidden_actions_absent`:"
        " label `negative` → `positive`; tool none → `refund_order`;"
        " actions added: `refund_order` (forbidden), `read_policy`\n"
        "- **`status-gift`**, in `orders`\\\n"
        "  now fails `tool_correct`, `evidence_requirement_met`: tool `track_order` → `search`;"
        " actions removed: `track_order`, `ask_customer`; evidence lost\n"
    ) in text


def test_critical_cases_come_first_among_those_that_got_worse() -> None:
    cases = [builders.case(f"case-{n}", critical=n == 9) for n in range(10)]
    candidate = {f"case-{n}": {"tool": None} for n in range(10)}
    text = render_markdown(judgements.judgement(*cases, candidate=candidate))
    items = re.findall(r"- \*\*`(case-\d)`", text)
    assert items == ["case-9", *(f"case-{n}" for n in range(9))]


def test_a_forbidden_action_is_named_however_many_there_are() -> None:
    actions = [*(f"step-{n}" for n in range(50)), "refund_order"]
    candidate = {"case-1": {"actions": actions}}
    text = render_markdown(judgements.judgement(builders.case("case-1"), candidate=candidate))
    assert "actions added: `refund_order` (forbidden), `step-0`, `step-1` and 48 more" in text


def test_a_critical_case_that_fails_as_before_is_seen_without_a_click() -> None:
    text = visible(render_markdown(judgements.fails_as_before()))
    assert "fails `forbidden_actions_absent`: `refund_order` (forbidden)" in text


def test_undefined_reads_as_such_and_nothing_is_minus_zero() -> None:
    text = render_markdown(judgements.undefined())
    assert "| precision ≥\u00a00.0 (BLOCK) | **n/a (0/0)** | n/a (0/0) |" in text
    assert not re.search(r"-0\.0+\b(?!\d)|nan|None", text)


def test_a_rate_just_below_one_never_reads_as_one() -> None:
    cases = [builders.case(f"case-{n}", critical=False) for n in range(10_000)]
    text = render_markdown(
        judgements.judgement(
            *cases, candidate={"case-1": {"tool": None}}, min_overall_pass_rate=1.0
        )
    )
    assert "| overall pass rate ≥\u00a01.0 (BLOCK) | **0.999** | 1.000 |" in text


def test_the_uncertainty_is_one_sentence_with_what_the_set_could_have_missed() -> None:
    assert (
        "2 of 10 got worse, 2 better; 95 % interval of the difference [-40.0, +40.0] points;"
        " this set could have missed a regression of up to 37.3 points."
    ) in render_markdown(judgements.blocks())


def test_long_lists_say_how_many_more_there_are_and_where() -> None:
    text = render_markdown(judgements.many(10_000, 500), details_url=RUN)
    assert "Got worse: 495 more cases" in text
    assert f"455 more cases in [the whole report]({RUN})." in text
    assert COMMENT.size(text) < 25_000


def test_without_an_address_the_rest_is_in_the_json_report() -> None:
    assert "455 more cases in the JSON report." in render_markdown(judgements.many(1_000, 500))


def test_a_summary_shows_more_of_a_list_than_a_comment() -> None:
    judgement = judgements.many(1_000, 500)
    comment, summary = render_markdown(judgement), render_markdown(judgement, budget=SUMMARY)
    assert (comment.count("(forbidden)"), summary.count("(forbidden)")) == (45, 200)


@pytest.mark.parametrize("budget", [COMMENT, SUMMARY], ids=["comment", "summary"])
@pytest.mark.parametrize("char", ["x", "<", "@", "\u202e", "汉", "😀"], ids=ascii)
def test_names_as_long_as_they_get_still_fit(budget: Budget, char: str) -> None:
    texts = tuple(char * 500 + mark for mark in "abcde")
    judgement = judgements.hostile(texts, count=400)  # type: ignore[arg-type]
    text = render_markdown(judgement, budget=budget, details_url=RUN)
    assert_sound(text, budget)
    assert "What decides it" in text
    assert "What got worse" in text
    assert "How sure is that?" in text


@pytest.mark.parametrize("limit", range(SMALLEST, 70_000, 2_500))
def test_sections_are_left_out_whole_and_in_the_stated_order(limit: int) -> None:
    budget = replace(COMMENT, limit=limit)
    texts = tuple("<" * 100 + mark for mark in "abcde")
    text = render_markdown(
        judgements.hostile(texts, count=100),  # type: ignore[arg-type]
        budget=budget,
        details_url=RUN,
    )
    assert_sound(text, budget)
    note = re.search(r"^Left out for length: (.*)\. All of it is in \[", text, re.MULTILINE)
    left = note[1].split(", ") if note else []
    assert left == IN_STATED_ORDER[len(IN_STATED_ORDER) - len(left) :]
    assert ("<summary>Evidence" in text) == ("evidence" not in left)


def test_what_is_cut_is_never_made() -> None:
    made = []

    def item(number: int) -> str:
        made.append(number)
        return "x" * 10

    assert len(taken(map(item, range(1_000)), most=5, room=1_000, budget=COMMENT)) == 5
    assert len(made) == 5
    assert len(taken(map(item, range(1_000)), most=500, room=25, budget=COMMENT)) == 2
    assert len(made) == 8


FIELDS = st.lists(
    st.one_of(st.text(min_size=1, max_size=300), st.sampled_from([s for s in NAUGHTY if s])),
    min_size=5,
    max_size=5,
    unique=True,
)


@settings(max_examples=60)
@given(FIELDS)
def test_any_text_in_any_field_leaves_the_report_sound(fields: list[str]) -> None:
    judgement = judgements.hostile(tuple(fields), count=8)  # type: ignore[arg-type]
    for budget in (COMMENT, SUMMARY):
        assert_sound(render_markdown(judgement, budget=budget, details_url=RUN), budget)


def test_an_address_cannot_end_its_link() -> None:
    text = render_markdown(judgements.many(1_000, 500), details_url=f"{RUN}) <img src=x> [x](y")
    page = Page(to_html(text))
    assert len(set(page.links)) == 1
    assert "img" not in page.tags
