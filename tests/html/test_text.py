"""Whatever a text holds, it stays text: tags, attributes and JSON keep their shape."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contractlab.render.escape import html
from contractlab.render.html import render_html
from contractlab.unseen import visible
from tests.html.pages import Page, page
from tests.render import judgements

# Also lone surrogates, which a file's name may hold.
ANY_TEXT = st.text(st.characters(), min_size=1, max_size=40)
NASTY = st.sampled_from(
    [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "-->",
        "]]>",
        "</title></style></details></table>",
        "\" onmouseover=alert(1) x='",
        "&lt;b&gt;&#0;&amp;",
        "{}",
        "%s%(x)s{0}",
        "\u202etxt.exe\u2066",
        "a\u2028b\u2029c\u0000\x1b[31m\x7f\x85",
        "\\u003c/script\\u003e",
        "__proto__",
        "constructor",
        "👩\u200d👧 é e\u0301 ﷽",
        "\n\n\t\r",
    ]
)
TEXTS = st.lists(
    ANY_TEXT | NASTY | st.tuples(NASTY, ANY_TEXT).map("".join), min_size=5, max_size=5, unique=True
)
PLAIN = page(judgements.hostile(("one", "two", "three", "four", "five")))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
def test_any_text_in_any_field_leaves_tags_attributes_and_json_intact(texts: list[str]) -> None:
    one, two, three, four, five = texts
    judgement = judgements.hostile((one, two, three, four, five))
    found = page(judgement)
    assert found.unbalanced == []
    assert set(found.tags) <= set(PLAIN.tags) | {"del", "ins"}
    assert found.tags.count("script") == 2
    assert found.attributes <= PLAIN.attributes
    cases = [pair.baseline.case for pair in judgement.comparison.pairs]
    wanted = sorted(visible(case.id).replace("\r", "\n") for case in cases)
    assert sorted(found.ids[-len(cases) :]) == wanted
    assert sorted(row[0] for row in found.data["cases"]) == sorted(visible(c.id) for c in cases)
    assert sorted(row[4] for row in found.data["cases"]) == sorted(visible(c.input) for c in cases)


@given(ANY_TEXT | NASTY)
def test_the_parser_reads_back_what_is_visible_of_a_text(text: str) -> None:
    read = Page(f'<p id="{html(text)}">{html(text)}</p>')
    assert read.shown == visible(text)
    assert visible(text) in read.anchors
    assert read.tags == ["p"]


@given(ANY_TEXT)
def test_nothing_that_hides_or_reorders_stays_in_a_visible_text(text: str) -> None:
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", visible(text)
    )
    visible(text).encode()


@pytest.mark.parametrize(
    "text", ["مرحبا", "日本語\u3000です", "naïve é", "a b", "line\nline\tcell"]
)
def test_ordinary_text_of_any_script_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_no_tag_comment_or_entity_can_begin_inside_the_data() -> None:
    texts = ("</script><b>", "<!--", "&lt;", "]]>", "\u2028")
    text = render_html(judgements.hostile(texts))
    data = text.partition('id="data">')[2].partition("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(data)
    assert Page(text).data["cases"][0][0].startswith("</script><b>")
