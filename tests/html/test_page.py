from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from contractlab.compare import exact
from contractlab.problems import Position, Problem, Rule
from contractlab.render import numbers
from contractlab.render.html import render_html
from contractlab.render.report import LIMITATIONS
from contractlab.render.tables import metric_rows, slice_rows
from contractlab.stats import PairedCounts, newcombe
from tests import builders
from tests.html.pages import Page, page
from tests.render import judgements

JUDGEMENTS = {
    "pass": judgements.passes,
    "review": judgements.needs_review,
    "block": judgements.blocks,
    "undefined": judgements.undefined,
}
every = pytest.mark.parametrize("name", JUDGEMENTS)


@every
def test_the_same_judgement_gives_the_same_page(name: str) -> None:
    judgement = JUDGEMENTS[name]()
    assert render_html(judgement) == render_html(JUDGEMENTS[name]())
    assert render_html(judgement) == render_html(judgement)


@every
def test_each_tag_is_closed_and_each_link_leads_to_a_place_on_the_page(name: str) -> None:
    found = page(JUDGEMENTS[name]())
    assert found.unbalanced == []
    assert {link[1:] for link in found.links} <= found.anchors
    assert all(link.startswith("#") for link in found.links)


@every
def test_nothing_on_the_page_names_another_host_or_file(name: str) -> None:
    text = render_html(JUDGEMENTS[name]())
    assert not re.search(r"(?i)\b(?:src|srcset|href)=\"(?!#)|url\(|@import|https?:", text)


@every
def test_the_policy_allows_the_two_inline_texts_by_their_hash_and_nothing_else(name: str) -> None:
    text = render_html(JUDGEMENTS[name]())
    sources = dict(each.split(" ", 1) for each in Page(text).policy.split("; "))
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert style is not None
    assert script is not None
    hashes = [
        f"'sha256-{b64encode(sha256(found[1].encode()).digest()).decode()}'"
        for found in (style, script)
    ]
    assert sources == {
        "default-src": "'none'",
        "style-src": hashes[0],
        "script-src": hashes[1],
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not re.search(r"<[^>]+\s(?:style|on\w+)=", text)


@every
def test_verdict_reasons_and_what_got_worse_come_before_everything_else(name: str) -> None:
    judgement = JUDGEMENTS[name]()
    shown = page(judgement).shown
    first = shown[: shown.index("Difference and its uncertainty")]
    assert first.index(str(judgement.decision.verdict)) < first.index("Why")
    for gate in judgement.decision.reasons:
        assert str(gate.verdict) in first
    for id_ in judgement.comparison.ids("regressed"):
        assert id_ in first


@every
def test_each_case_can_be_read_without_the_script(name: str) -> None:
    judgement = JUDGEMENTS[name]()
    found = page(judgement)
    cases = [pair.baseline.case for pair in judgement.comparison.pairs]
    assert sorted(found.ids[-len(cases) :]) == sorted(case.id for case in cases)
    for case in cases:
        assert case.input in found.shown


@every
def test_each_figure_of_the_shared_tables_is_on_the_page(name: str) -> None:
    judgement = JUDGEMENTS[name]()
    shown = page(judgement).shown
    for row in metric_rows(judgement):
        assert f"{row.label}{row.baseline}{row.candidate}" in shown
    for each in slice_rows(judgement):
        passed = f"{each.baseline_passed} of {each.count}{each.candidate_passed} of {each.count}"
        assert f"{each.name}{passed}" in shown


def test_the_forest_plot_has_each_slice_with_newcombes_interval_of_its_own_counts() -> None:
    judgement = judgements.blocks()
    shown = page(judgement).shown
    for name in judgement.candidate.by_slice:
        flips = [p.flip for p in judgement.comparison.pairs if p.baseline.case.slice == name]
        counts = PairedCounts(
            *(flips.count(each) for each in ("both", "improved", "regressed", "neither"))
        )
        interval = newcombe(counts, exact(judgement.rubric.confidence))
        ends = f"[{numbers.points(interval.low)}, {numbers.points(interval.high)}]"
        cases = f"{counts.n} case{'' if counts.n == 1 else 's'}, Newcombe"
        assert f"{name} {cases}{numbers.points(counts.delta)}{ends}" in shown


def test_the_interval_by_family_is_there_where_a_family_has_several_cases() -> None:
    cases = [builders.case(f"case-{number}", family_id="one") for number in range(3)]
    other = builders.case("other")
    assert "2 families, resampled by family" in page(judgements.judgement(*cases, other)).shown
    assert "families, resampled by family" not in page(judgements.passes()).shown


def test_the_gates_limit_is_drawn_in_each_line_of_the_forest_plot_where_it_is_near() -> None:
    cases = [builders.case(f"case-{number}", slice=f"slice {number % 2}") for number in range(90)]

    def drawn(limit: float) -> tuple[int, bool]:
        text = render_html(judgements.judgement(*cases, min_paired_delta_ci_low=limit))
        return text.count('<line class="gate" x1='), "lies outside this axis" in text

    bootstrap_newcombe_and_two_slices = 4
    assert drawn(-0.05) == (bootstrap_newcombe_and_two_slices, False)
    assert drawn(-1.0) == (0, True)


def test_limits_far_beyond_all_latencies_are_named_beside_the_chart() -> None:
    cases = [builders.case("one"), builders.case("two")]
    near = judgements.judgement(*cases, max_mean_latency_ms=150, max_p95_latency_ms=180)
    far = judgements.judgement(*cases, max_mean_latency_ms=150, max_p95_latency_ms=90_000)
    assert "Right of the axis: p95 limit" not in page(near).shown
    assert "Right of the axis: p95 limit 90,000 ms" in page(far).shown


def test_a_long_tail_makes_the_axis_logarithmic() -> None:
    cases = [builders.case(f"case-{number}") for number in range(5)]
    slow = {"case-0": {"latency_ms": 100_000}}
    assert "in ms, logarithmic axis" in page(judgements.judgement(*cases, candidate=slow)).shown
    assert "in ms, logarithmic axis" not in page(judgements.judgement(*cases)).shown


@pytest.mark.parametrize("value", [0, 5e-324, 1e-9, 1, 1e15, 1.7e308])
def test_any_latency_and_cost_can_be_drawn(value: float) -> None:
    cases = [builders.case("one"), builders.case("two")]
    but = {"one": {"latency_ms": value, "estimated_cost_usd": value}}
    text = render_html(judgements.judgement(*cases, candidate=but))
    assert "nan" not in text.partition("</style>")[2].partition('id="data"')[0]


def test_undefined_reads_as_such() -> None:
    assert numbers.UNDEFINED in page(judgements.undefined()).shown


def test_warnings_evidence_and_limitations_are_told() -> None:
    warning = Problem(
        Rule.SMALL_SET, "10 test cases are few", "add cases", "r.json", (), False, Position(3, 5)
    )
    judgement = judgements.judgement(*judgements.support_cases(), warnings=(warning,))
    shown = page(judgement).shown
    assert "CL407 10 test cases are few r.json:3:5. add cases" in shown
    assert judgement.evidence.sha256 in shown
    for file in judgement.evidence.inputs:
        assert file.name in shown
        assert file.sha256 in shown
    for sentence in LIMITATIONS:
        assert sentence in shown


def test_a_row_tells_what_changed_and_marks_what_only_one_release_did() -> None:
    text = render_html(judgements.blocks())
    row = text[text.index('<details class="case"') :]
    row = row[: row.index("</details>")]
    assert "refund-other-person" in row
    assert "label negative → positive" in row
    assert "<del>negative</del>" in row
    assert "<ins>refund_order</ins>" in row  # the tool
    assert '<ins class="forbidden">refund_order (forbidden)</ins>' in row  # the action
    assert '<span class="failed">fails</span>' in row


def test_what_got_worse_names_a_forbidden_action_as_such() -> None:
    text = render_html(judgements.blocks())
    worse = text[text.index('<ul class="worse">') :]
    worse = worse[: worse.index("</ul>")]
    assert "actions +refund_order (forbidden) +read_policy" in worse


def test_a_forbidden_action_is_marked_for_the_case_that_forbids_it_alone() -> None:
    done = {"actions": ["search"]}
    judgement = judgements.judgement(
        builders.case("forbids", forbidden_actions=["search"]),
        builders.case("allows", forbidden_actions=[]),
        baseline={"allows": done},
        candidate={"forbids": done, "allows": done},
    )
    marked = {
        row.split('<span class="id">')[1].split("<")[0]: "search (forbidden)"
        in row.split("</details>")[0]
        for row in render_html(judgement).split('<details class="case">')[1:]
    }
    assert marked == {"forbids": True, "allows": False}
