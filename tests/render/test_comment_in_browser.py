"""The comment as a reviewer sees it, in a real browser and GitHub's style."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from contractlab.render.comment.problems import render_problems_markdown
from contractlab.render.markdown import render_markdown
from tests.render import browser, judgements
from tests.render.test_goldens import JUDGEMENTS, PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Callable

    Measure = Callable[..., Any]

PHONE, DESKTOP = 400, 920
BLOB = "https://github.com/owner/name/blob/0123abcd"

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def measure(tmp_path_factory: pytest.TempPathFactory) -> Measure:
    chromium = browser.find_chromium()
    style = browser.find_style(tmp_path_factory.mktemp("style"))

    def measure(text: str, **other: Any) -> Any:
        return browser.measured(text, chromium=chromium, style=style, **other)

    return measure


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_the_table_that_decides_fits_a_phone(measure: Measure, name: str) -> None:
    found = measure(render_markdown(JUDGEMENTS[name]()), width=PHONE)
    deciding = [table for table in found["tables"] if table["first"].startswith("Gate")]
    assert len(deciding) == (name != "pass")
    assert all(table["overflow"] <= 0 for table in deciding)
    assert all(table["columns"] <= 4 for table in found["tables"])
    assert not found["outside"]
    assert found["page"] <= max(PHONE, 500)


@pytest.mark.parametrize("name", ["pass", "review", "block", "undefined", "500-regressions"])
def test_every_table_fits_a_phone_when_all_is_opened(measure: Measure, name: str) -> None:
    found = measure(render_markdown(JUDGEMENTS[name]()), width=PHONE, opened=True)
    assert len(found["tables"]) >= 2
    assert [table for table in found["tables"] if table["overflow"] > 0] == []
    assert not found["outside"]


def test_long_names_break_and_push_nothing_out(measure: Measure) -> None:
    texts = tuple(mark * 300 for mark in "abcde")
    text = render_markdown(judgements.hostile(texts, count=8))  # type: ignore[arg-type]
    found = measure(text, width=PHONE, opened=True)
    assert not found["outside"]
    assert found["page"] <= max(PHONE, 500)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_verdict_and_counts_are_on_the_first_screen(
    measure: Measure, width: int, theme: str
) -> None:
    found = measure(render_markdown(judgements.blocks()), width=width, theme=theme)
    assert found["height"] < 300


def test_nothing_is_loaded_whatever_the_names_are(measure: Measure) -> None:
    assert measure(render_markdown(judgements.hostile()), width=PHONE)["requests"] == 0


def test_a_contract_error_fits_a_phone(measure: Measure) -> None:
    found = measure(render_problems_markdown(PROBLEMS, blob_base=BLOB), width=PHONE)
    assert not found["outside"]
