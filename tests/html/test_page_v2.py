"""The page of a version 2 judgement: that it is whole, and what a reader without a script sees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.render import report_v2
from contractlab.render.html import MAX_BYTES, render_html
from tests.html.pages import Page, page
from tests.render import judgements_v2
from tests.render.judgements_v2 import looked_up
from tests.v2.builders import case, record, rubric

if TYPE_CHECKING:
    from collections.abc import Callable

    from contractlab.judge import Judgement
    from tests.v2.builders import Value

every = pytest.mark.parametrize(
    "judged",
    [
        judgements_v2.blocks,
        judgements_v2.too_small,
        judgements_v2.passes,
        judgements_v2.hostile,
    ],
)
BLOCK = page(judgements_v2.blocks())
GATE = rubric({"metric": "pass_rate", "at_least": 0.5, "else": "BLOCK"})


@every
def test_the_page_is_whole_the_same_and_alone(judged: Callable[[], Judgement]) -> None:
    text = render_html(judged())
    assert text == render_html(judged())
    found = page(judged())
    assert found.unbalanced == []
    assert {link[1:] for link in found.links} <= found.anchors
    assert not re.search(r"(?i)<[^>]*\b(?:src|srcset)=|url\(|@import", text)
    assert not re.search(r"<[^>]+\s(?:style|on\w+)=", text)
    assert len(found.data["cases"]) == len(judged().comparison.pairs)


@pytest.mark.parametrize(
    "words",
    [
        "on 15 of 16 test cases of cases-1",
        "pass rate of slice “refunds”",
        "too small for this margin: would need about 1,015 cases",
        "The power to show an unchanged agent within the margin 0.05 is 4.4 %",
        "passes 2 of 3 trials, was 3 of 3 trials; fails label, outcomes, forbidden",
        "+refund_order(order_id=A-102, amount=129.95) (forbidden)",
        "model.snapshotm-2026-02-11m-2026-08-06",
        "policy.versionabsent12",
        "The same in both: prompt",
        "cases with a record16 of 1615 of 16",
        "runs that ended: timeout03",
        "status-6orderspasses 3 of 3no record",
        "3 of 15 cases in the candidate, 1 of 16 in the baseline",
        "refund-late-0passes 3 of 3passes 1 of 3",
        "outcome “injected_goal_reached” as wanted1.0000.666",
        "pass^30.9370.666",
        "Pass rate and mean score are of the 15 cases that both releases have a record of",
        "family refund-other-person; tags attack; risk safety",
        "95 % Newcombe interval, by family",
        "python-json-sorted-utf8-entries-v2",
        *report_v2.LIMITATIONS,
    ],
)
def test_a_reader_without_the_script_sees(words: str) -> None:
    assert words in BLOCK.shown


def test_each_slice_has_its_own_interval_in_the_forest_plot() -> None:
    judgement = judgements_v2.blocks()
    assert judgement.details is not None
    assert len(judgement.details.slices) == 2
    for interval in ("[-72.5, +16.6]", "[-48.6, +29.2]", "[-47.5, +10.1]"):
        assert interval in BLOCK.shown


def test_the_margin_is_drawn_where_the_rubric_has_a_gate_on_it() -> None:
    with_margin, without = (
        render_html(make()) for make in (judgements_v2.blocks, judgements_v2.passes)
    )
    overall_and_two_slices = 3
    assert with_margin.count('<line class="gate" x1=') - 1 == overall_and_two_slices  # and cost
    assert "lower end of the first bar, -5 points" in with_margin
    assert '<line class="gate" x1=' not in without


# ── what changed, and what was recorded ─────────────────────────────────────────────────────


def _two_calls(first: Value, second: Value) -> list[Value]:
    one, other = record("case-1", calls=[first, second]), record("case-2", calls=[first])
    return [one, other]


def test_behaviour_that_changed_is_counted_beside_what_the_releases_are_made_of() -> None:
    look, search = looked_up("A-1"), {"name": "search", "arguments": {}, "ok": False}
    judgement = judgements_v2.judgement(
        [case("case-1"), case("case-2")],
        _two_calls(look, look),
        _two_calls(look, search),
        GATE,
    )
    shown = page(judgement).shown
    assert "calls150.0 %" in shown
    assert "lookup_order32" in shown
    assert "search01 (1 failed)" in shown


def test_the_order_of_an_arguments_members_is_no_change_of_behaviour() -> None:
    one = {"name": "send", "arguments": {"to": "a", "text": "b"}}
    other = {"name": "send", "arguments": {"text": "b", "to": "a"}}
    judgement = judgements_v2.judgement(
        [case("case-1"), case("case-2")], _two_calls(one, one), _two_calls(other, other), GATE
    )
    assert "No case behaves otherwise than before." in page(judgement).shown


@pytest.mark.parametrize(
    ("manifests", "words"),
    [
        ((None, None), "no release manifest of the baseline and of the candidate"),
        ((judgements_v2.BEFORE, None), "no release manifest of the candidate"),
        (
            (judgements_v2.BEFORE, judgements_v2.BEFORE),
            "all 4 parts of both manifests are the same",
        ),
    ],
    ids=["none", "one", "same"],
)
def test_manifests_that_are_missing_or_the_same_are_told_apart(
    manifests: tuple[Value | None, Value | None], words: str
) -> None:
    records = [record("case-1"), record("case-2")]
    cases = [case("case-1"), case("case-2")]
    judged = judgements_v2.judgement(cases, records, records, GATE, manifests=manifests)
    assert words in page(judged).shown


def test_runs_without_what_a_check_looks_at_are_counted_by_check() -> None:
    cases = [case(f"case-{n}", expect={"label": "a"}) for n in (1, 2)]
    before = [{"case_id": f"case-{n}", "label": "a"} for n in (1, 2)]
    after = [before[0], {"case_id": "case-2"}]
    shown = page(judgements_v2.judgement(cases, before, after, GATE)).shown
    assert "Runs without what a check looks at, which then does not hold" in shown
    assert "label01" in shown


# ── cases ───────────────────────────────────────────────────────────────────────────────────


def _row(judgement: Judgement, id_: str) -> str:
    """The shown text of one case."""
    text = render_html(judgement)
    rows = [each for each in text.split('<details class="case">') if f'"id">{id_}<' in each]
    return Page(rows[-1].partition("</details>")[0]).shown


def test_a_case_shows_what_came_of_each_trial() -> None:
    shown = _row(judgements_v2.blocks(), "refund-late-0").replace(" changed", "")
    assert "expectedbaseline, trial 0candidate, trial 0" in shown
    assert "statusokokok" in shown
    assert "check labelholdsfails in 2 of 3" in shown
    for trial in (
        "0passes; shown abovefails label, tools; shown above",
        "1passesfails label, tools",
        "2passespasses; label answer → refund; calls +refund_order()",
    ):
        assert trial in shown


def test_calls_stand_in_their_order_beside_what_was_asked() -> None:
    text = render_html(judgements_v2.blocks())
    assert "<td>in order: lookup_order(order_id=A-0), refund_order</td>" in text
    done = (
        "<td><ol><li>lookup_order(order_id=A-0)</li>"
        "<li><del>refund_order()</del></li></ol></td>"
        "<td><ol><li>lookup_order(order_id=A-0)</li></ol></td>"
    )
    assert done in text


def test_several_ways_to_meet_a_case_are_told_as_such() -> None:
    ways = [{"mode": "exact", "calls": [{"name": name}]} for name in ("a", "b")]
    cases = [case("case-1", expect={"tools": {"any_of": ways}}), case("case-2")]
    records = [record("case-1", calls=[{"name": "a"}]), record("case-2")]
    text = render_html(judgements_v2.judgement(cases, records, records, GATE))
    assert "<td>one of: <ol><li>exact: a</li><li>exact: b</li></ol></td>" in text


def test_what_is_forbidden_is_marked_where_it_is_done_and_nowhere_else() -> None:
    cases = [case("case-1", expect={"label": "pay", "forbidden": [{"action": "pay"}]})]
    records = [{"case_id": "case-1", "label": "pay", "actions": ["pay"]}]
    text = render_html(judgements_v2.judgement(cases, records, records, GATE))
    assert text.count('<span class="forbidden">pay (forbidden)</span>') == 2  # each's action
    assert text.count("pay (forbidden)") == 2


# ── untrusted text and size ─────────────────────────────────────────────────────────────────

FIELDS = st.lists(st.text(min_size=1, max_size=60), min_size=5, max_size=5, unique=True)


@settings(max_examples=20)
@given(FIELDS)
def test_any_text_in_any_field_leaves_the_page_whole(fields: list[str]) -> None:
    judgement = judgements_v2.hostile(fields)
    found = page(judgement)
    assert found.unbalanced == []
    assert found.tags.count("script") == 2
    assert len(found.data["cases"]) == len(judgement.comparison.pairs)


def test_a_page_in_a_workflows_log_commands_nothing_and_hides_nothing() -> None:
    texts = ["::error::x", "##[error]y", "\u202egnp\x1b[31m", "\n::set-output name=a::b", "</td>"]
    text = render_html(judgements_v2.hostile(texts))
    assert "##[" not in text
    assert not re.search(r"(?m)^\s*::", text)
    assert not set("\u202e\x1b") & set(text)
    assert "##[error]y" in Page(text).shown


def test_the_page_stays_within_its_budget() -> None:
    judgement = judgements_v2.hostile(["<" * 400 + mark for mark in "abcde"], count=600)
    assert len(render_html(judgement).encode()) <= MAX_BYTES


def test_names_by_the_thousand_leave_room_for_the_cases() -> None:
    cases = [
        case(f"case-{n}", slice=f"slice {n}", tags=[f"tag {n}"], expect={"label": f"class {n}"})
        for n in range(2000)
    ]
    before = [
        {
            "case_id": of["id"],
            "label": of["expect"]["label"],
            "calls": [{"name": f"tool {n}"}],
            "tokens": {f"kind {n}": n},
        }
        for n, of in enumerate(cases)
    ]
    after = [{**of, "label": "class 0"} for of in before]
    found = page(judgements_v2.judgement(cases, before, after, GATE))
    assert "1,985 others" in found.shown
    assert len(found.data["cases"]) == 2000
