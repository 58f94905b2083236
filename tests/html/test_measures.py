"""Latency, cost and tokens on a version 2 page: what is measured, and what is not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.render.html import render_html
from tests.html.pages import Page, page
from tests.render import judgements_v2
from tests.v2.builders import case, record, rubric

if TYPE_CHECKING:
    from contractlab.judge import Judgement

GATE = {"metric": "pass_rate", "at_least": 0.5, "else": "BLOCK"}
LATENCY = {"latency_ms": 1200}


def measured(before: list[Any], after: list[Any], *gates: Any) -> Judgement:
    """One case a run, with these fields of each release's record."""
    names = [f"case-{number}" for number in range(len(before))]
    return judgements_v2.judgement(
        [case(name) for name in names],
        [record(name, **fields) for name, fields in zip(names, before, strict=True)],
        [record(name, **fields) for name, fields in zip(names, after, strict=True)],
        rubric(GATE, *gates),
    )


def section(judgement: Judgement) -> Page:
    """What the page has of latency, cost and tokens."""
    text = render_html(judgement).partition('<section id="distributions"')[2]
    return Page(f"<section{text.partition('</section>')[0]}</section>")


def test_what_neither_release_measured_is_said_once_and_not_drawn() -> None:
    found = section(measured([{}, {}], [{}, {}]))
    assert found.shown.count("Not measured in either release.") == 2  # latency, and cost
    assert "svg" not in found.tags
    assert "table" not in found.tags


def test_what_one_release_measured_is_drawn_alone_and_the_other_is_not_0() -> None:
    found = section(measured([LATENCY, LATENCY], [{}, {}]))
    assert "Not measured in the candidate." in found.shown
    assert "by latency, the baseline alone" in found.shown
    assert "baseline (dashed)" in found.shown
    assert "candidate (solid)" not in found.shown
    assert "mean1,200 msnot measured" in found.shown
    assert not re.search(r"\b0(?:\.0)? ms", found.shown)


def test_what_was_measured_on_some_runs_has_no_figure_and_says_on_how_many() -> None:
    found = section(measured([LATENCY, LATENCY, {}], [LATENCY, LATENCY, LATENCY]))
    assert "The baseline has no figure: it was measured on 2 of 3 runs" in found.shown
    assert "by latency, the candidate alone" in found.shown
    assert "meannot measured1,200 ms" in found.shown


def test_a_run_that_crashed_need_not_have_been_measured() -> None:
    crashed = {"status": "timeout", "outcomes": {}}
    found = section(measured([LATENCY, LATENCY], [LATENCY, crashed]))
    assert "both releases" in found.shown
    assert "no figure" not in found.shown


def test_a_gate_on_what_was_not_measured_is_in_the_table_all_the_same() -> None:
    gate = {"metric": "cost_usd.mean", "at_most": 0.5, "else": "REVIEW"}
    found = section(measured([{}, {}], [{}, {}], gate))
    assert "meannot measurednot measured≤ $0.5 REVIEW" in found.shown


@pytest.mark.parametrize(
    ("gate", "limit", "drawn"),
    [
        ({"metric": "latency_ms.p95", "at_most": 1300}, "≤ 1,300 ms", "p95 limit"),
        (
            {"metric": "latency_ms.mean", "at_most_times_baseline": 1.1},
            "≤ 1.1 × baseline",
            "mean limit",
        ),
        ({"metric": "latency_ms.p50", "at_most": 2000}, "≤ 2,000 ms", "median limit"),
    ],
    ids=["p95", "relative", "median"],
)
def test_a_limit_is_drawn_and_stands_beside_its_figure(gate: Any, limit: str, drawn: str) -> None:
    found = section(measured([LATENCY, LATENCY], [LATENCY, LATENCY], {**gate, "else": "REVIEW"}))
    assert limit in found.shown
    assert drawn in found.shown


def test_each_kind_of_token_has_its_chart_and_its_figures() -> None:
    tokens = [{"tokens": {"input": 800, "output": 90}}, {"tokens": {"input": 805, "output": 90}}]
    gate = {"metric": "tokens.input.mean", "at_most": 1500, "else": "REVIEW"}
    judgement = measured(tokens, tokens, gate)
    found = section(judgement)
    assert "Latency, cost and tokens" in found.shown
    assert "Input tokens: share of runs at or below, in tokens" in found.shown
    assert "mean802.5802.5≤ 1,500" in found.shown
    assert "largest9090" in found.shown
    assert "tokens" not in section(measured([LATENCY], [LATENCY])).shown


def test_a_kind_of_token_is_untrusted_text() -> None:
    tokens = [{"tokens": {"<script>\u202e": 1}}]
    found = page(measured(tokens, tokens))
    assert found.unbalanced == []
    assert found.tags.count("script") == 2
    assert "<script>\\u202e tokens" in found.shown


@pytest.mark.parametrize("value", [0, 5e-324, 1e-9, 1, 1e15, 1.7e308])
def test_any_latency_and_cost_can_be_drawn(value: float) -> None:
    fields = {"latency_ms": value, "cost_usd": value, "tokens": {"input": 0}}
    text = render_html(measured([LATENCY | {"cost_usd": 1}], [fields]))
    assert "nan" not in text.partition("</style>")[2].partition('id="data"')[0]
