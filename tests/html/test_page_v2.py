"""The page of a version 2 judgement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.render import report_v2
from contractlab.render.html import MAX_BYTES, render_html
from tests.html.pages import page
from tests.render import judgements_v2

if TYPE_CHECKING:
    from collections.abc import Callable

    from contractlab.judge import Judgement

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


@every
def test_the_page_is_whole_the_same_and_alone(judged: Callable[[], Judgement]) -> None:
    text = render_html(judged())
    assert text == render_html(judged())
    found = page(judged())
    assert found.unbalanced == []
    assert {link[1:] for link in found.links} <= found.anchors
    assert not re.search(r"(?i)<[^>]*\b(?:src|srcset)=|url\(|@import", text)
    assert len(found.data["cases"]) == len(judged().comparison.pairs)


@pytest.mark.parametrize(
    "words",
    [
        "pass rate of slice “refunds”",
        "would need about 1,015 cases",
        "passes 2 of 3 trials, was 3 of 3 trials; fails label, outcomes, forbidden",
        "+refund_order(order_id=A-102, amount=129.95) (forbidden)",
        "model.snapshot",
        "m-2026-08-06",
        "42 ok, 3 timeout",
        "1: “status-6”",
        "3: “refund-late-0”",
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


FIELDS = st.lists(st.text(min_size=1, max_size=60), min_size=5, max_size=5, unique=True)


@settings(max_examples=20)
@given(FIELDS)
def test_any_text_in_any_field_leaves_the_page_whole(fields: list[str]) -> None:
    judgement = judgements_v2.hostile(fields)
    found = page(judgement)
    assert found.unbalanced == []
    assert found.tags.count("script") == 2
    assert len(found.data["cases"]) == len(judgement.comparison.pairs)


def test_the_page_stays_within_its_budget() -> None:
    judgement = judgements_v2.hostile(["<" * 400 + mark for mark in "abcde"], count=600)
    assert len(render_html(judgement).encode()) <= MAX_BYTES
