"""What the comment of a version 2 judgement says, in which order, and that it always fits."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.render.comment.budget import COMMENT, SMALLEST, SUMMARY, Budget
from contractlab.render.markdown import render_markdown
from tests.render import judgements_v2
from tests.render.naughty import NAUGHTY
from tests.render.test_markdown import RUN, assert_sound, visible

STATED_ORDER = [
    "slices",
    "what changed",
    "latency and cost",
    "evidence",
    "more that got worse",
    "critical cases that fail in both",
    "flaky cases",
    "cases without a record",
    "warnings",
    "changed behaviour",
    "what got better",
    "all figures",
    "limitations",
]
BLOCK = render_markdown(judgements_v2.blocks(), details_url=RUN)


@pytest.mark.parametrize(
    "words",
    [
        "`refund_order(order_id=A-102, amount=129.95)` (forbidden)",
        "passes 2 of 3, was 3 of 3; now fails `label`, `outcomes`, `forbidden`",
        "outcome `injected_goal_reached` `false` → `true`",
        "status `ok` → `timeout`",
        "Compared are 15 of 16 cases",
        "did not end well: 3 of 45 (3 `timeout`)",
        "would need about 1,015 cases",
    ],
)
def test_without_a_click_a_reader_sees(words: str) -> None:
    assert words in visible(BLOCK)


@pytest.mark.parametrize(
    "words",
    [
        "Flaky: 3 of 15 cases, 1 of 16 in the baseline",
        "What changed between the releases: 3 parts",
        "| `model.snapshot` | `m-2026-02-11` | `m-2026-08-06` |",
        "| `policy.version` | absent | `12` |",
        "No record of the candidate: `status-6`",
        "(`python-json-sorted-utf8-entries-v2`)",
    ],
)
def test_on_a_click_a_reader_sees(words: str) -> None:
    assert words in BLOCK


def test_an_answer_that_is_worded_anew_and_not_asked_for_is_no_change() -> None:
    cases = judgements_v2.support_cases()
    before = [judgements_v2.good(of) for of in cases]
    after = [judgements_v2.good(of) for of in cases]
    after[0]["answer"] = "Done!"  # a refund, whose answer no check looks at
    found = judgements_v2.judgement(cases, before, after, judgements_v2.GATES)
    assert "behaves differently" not in render_markdown(found)
    after[8]["answer"] = "Your parcel is on its way."
    found = judgements_v2.judgement(cases, before, after, judgements_v2.GATES)
    assert "behaves differently: 1 case" in render_markdown(found)


@pytest.mark.parametrize("budget", [COMMENT, SUMMARY], ids=["comment", "summary"])
@pytest.mark.parametrize("char", ["x", "<", "@", "\u202e", "汉"], ids=ascii)
def test_names_as_long_as_they_get_still_fit(budget: Budget, char: str) -> None:
    texts = [char * 500 + mark for mark in "abcde"]
    text = render_markdown(judgements_v2.hostile(texts, count=100), budget=budget, details_url=RUN)
    assert_sound(text, budget)
    assert "What decides it" in text
    assert "What got worse" in text
    assert "How sure is that?" in text


@pytest.mark.parametrize("limit", range(SMALLEST, 90_000, 10_000))
def test_sections_are_left_out_whole_and_in_the_stated_order(limit: int) -> None:
    judgement = judgements_v2.hostile(["<" * 100 + mark for mark in "abcde"], count=60)
    budget = replace(COMMENT, limit=limit)
    text = render_markdown(judgement, budget=budget, details_url=RUN)
    assert_sound(text, budget)
    note = re.search(r"^Left out for length: (.*)\. All of it is in \[", text, re.MULTILINE)
    left = note[1].split(", ") if note else []
    assert left == STATED_ORDER[len(STATED_ORDER) - len(left) :]
    assert ("<summary>Evidence" in text) == ("evidence" not in left)


FIELDS = st.lists(
    st.one_of(
        st.text(min_size=1, max_size=100),
        st.sampled_from([each for each in NAUGHTY if judgements_v2.in_a_contract(each)]),
    ),
    min_size=5,
    max_size=5,
    unique=True,
)


@settings(max_examples=25)
@given(FIELDS)
def test_any_text_in_any_field_leaves_the_report_sound(fields: list[str]) -> None:
    text = render_markdown(judgements_v2.hostile(fields), details_url=RUN)
    assert_sound(text)


def _with_commits(before: str, after: str) -> str:
    manifests = ({"code": {"commit": before}}, {"code": {"commit": after}})
    cases = judgements_v2.support_cases()
    records = [judgements_v2.good(of) for of in cases]
    judged = judgements_v2.judgement(
        cases, records, records, judgements_v2.GATES, manifests=manifests
    )
    return render_markdown(judged)


def test_a_commit_is_shown_as_far_as_it_tells_both_apart() -> None:
    one, other = "0123456789ab" + "c" * 28, "ba9876543210" + "c" * 28
    assert "| `0123456789ab…` | `ba9876543210…` |" in _with_commits(one, other)
    alike = f"{one[:-1]}d"
    assert f"| `{one}` | `{alike}` |" in _with_commits(one, alike)


def test_a_call_that_was_cut_does_not_count_what_is_left_of_it() -> None:
    cases = judgements_v2.support_cases()
    before = [judgements_v2.good(of) for of in cases]
    long = {"name": "send", "arguments": dict.fromkeys("abcdef", "text " * 40)}
    after = [{**before[0], "calls": [long]}, *before[1:]]
    text = render_markdown(judgements_v2.judgement(cases, before, after, judgements_v2.GATES))
    assert f"calls added: `send(a={'text ' * 10}tex…`" in text
    assert "characters" not in text


def test_a_gate_stands_beside_its_limit_and_the_baselines_value() -> None:
    text = BLOCK.replace("\u00a0", " ")
    assert "| recall of class `refund` ≥ 0.9 (BLOCK) | **0.833** | 0.916 |" in text
    assert "| overall pass rate ≥ 0.6: holds | 0.708 | 0.958 |" in text
