"""The page's size, and what it says of cases that have no room."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.render.html import render_html
from contractlab.render.page.casebook import Casebook
from contractlab.render.page.island import island
from tests import builders
from tests.html.pages import Page, page
from tests.render import judgements

if TYPE_CHECKING:
    from contractlab.judge import Judgement

MEGABYTE = 1_000_000


def _many(count: int, *, input_: str = "", id_: str = "", **other: Any) -> Judgement:
    cases = [
        builders.case(
            f"case-{number:05}{id_}",
            input=f"{number} {input_}",
            slice=f"slice {number % 7}",
            **other,
        )
        for number in range(count)
    ]
    slow: dict[str, dict[str, Any]] = {
        each["id"]: {"latency_ms": 100 + index / 7, "estimated_cost_usd": index / 1e6}
        for index, each in enumerate(cases)
    }
    slow[cases[3]["id"]]["tool"] = "other"
    return judgements.judgement(*cases, candidate=slow)


@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"input_": "How long does a refund take? " * 5},
        {"input_": "返金にはどのくらいかかりますか。" * 100},
        {"input_": "<" * 500, "id_": "&" * 400},
        {"id_": "\x01" * 500, "forbidden_actions": ["<&>" * 300, "b"]},
    ],
    ids=["short", "prose", "three bytes a character", "markup", "escapes"],
)
def test_ten_thousand_cases_fit_into_two_megabytes_and_none_goes_missing_unsaid(
    shape: dict[str, Any],
) -> None:
    text = render_html(_many(10_000, **shape))
    assert len(text.encode()) < 2 * MEGABYTE
    found = Page(text)
    left_out = re.search(r"([\d,]+) cases had no room here", found.shown)
    told = int(left_out[1].replace(",", "")) if left_out else 0
    assert len(found.data["cases"]) + told == 10_000
    cut = re.search(r"([\d,]+) inputs are cut short here", found.shown)
    shortened = int(cut[1].replace(",", "")) if cut else 0
    assert sum(row[5] for row in found.data["cases"]) == shortened
    assert found.data["cases"][0][0].startswith("case-00003")


def test_cases_in_their_thousands_are_all_there_with_their_whole_input() -> None:
    found = page(_many(2_000, input_="How long does a refund take? " * 5))
    assert len(found.data["cases"]) == 2_000
    assert all(row[5] == 0 for row in found.data["cases"])
    assert "most concerning of 2,000 cases" in found.shown


@pytest.mark.parametrize("budget", [0, 500, 2_000, 10_000, 50_000, 10**9])
def test_the_data_keep_to_their_budget_whatever_it_is(budget: int) -> None:
    judgement = _many(60, input_="é" * 300)
    made = island(Casebook(judgement.comparison.pairs), budget)
    data = Page(f'<script id="data">{made.json}</script>').data
    assert len(made.json.encode()) <= budget + 500
    assert len(data["cases"]) + made.left_out == 60
    whole = [len(row) > 9 for row in data["cases"]]
    assert whole == sorted(whole, reverse=True)
    assert whole.count(False) == made.brief
    for table, places in (
        ("families", [row[1] for row in data["cases"]]),
        ("slices", [row[2] for row in data["cases"]]),
        ("tags", [row[6] for row in data["cases"]]),
        ("stories", [row[8] for row in data["cases"]]),
        (
            "lists",
            [row[9] for row in data["cases"] if len(row) > 9]
            + [place for row in data["stories"] if len(row) > 6 for place in row[6:8]],
        ),
        ("facts", [place for row in data["lists"] for place in row]),
    ):
        assert set(places) == set(range(len(data[table])))


def test_an_input_is_cut_only_once_the_worse_cases_have_theirs_whole() -> None:
    judgement = _many(60, input_="x" * 300)
    made = island(Casebook(judgement.comparison.pairs), 15_000)
    rows = Page(f'<script id="data">{made.json}</script>').data["cases"]
    assert made.left_out == 0
    cut = [row[5] for row in rows]
    assert 0 < made.shortened < 60
    assert cut == sorted(cut)
    assert all(row[4].endswith("…") for row in rows if row[5])


def test_cases_come_in_the_order_of_concern() -> None:
    book = Casebook(judgements.many(40, 3).comparison.pairs)
    entries = [book[place] for place in range(len(book))]
    flips = [entry.story.flip for entry in entries]
    assert flips == ["regressed"] * 3 + ["both"] * 37
    assert book.counts == {"regressed": 3, "neither": 0, "improved": 0, "both": 37}
    assert entries[0].case.critical
    assert not entries[1].case.critical
    drifted = [bool(entry.story.changed) for entry in entries[3:]]
    assert drifted == sorted(drifted, reverse=True)
    assert sum(drifted) == book.drifted > 0
