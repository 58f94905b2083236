"""Confusion matrices and classes on the page."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from contractlab.render import numbers
from contractlab.render.html import render_html
from tests.html.pages import Page, page
from tests.render import judgements, judgements_v2
from tests.v2.builders import case, rubric

if TYPE_CHECKING:
    from contractlab.judge import Judgement
    from contractlab.metrics import ConfusionMatrix
    from tests.v2.builders import Value

GATE = rubric({"metric": "pass_rate", "at_least": 0, "else": "BLOCK"})


def labelled(
    classes: int, *, none: bool = True, gates: Value = GATE, count: int = 300
) -> Judgement:
    """Cases of so many classes, most of them told right; with runs without a label or not."""
    draw = random.Random(classes)
    names = [f"class {number:02}" for number in range(classes)]
    cases = [
        case(f"case-{number}", expect={"label": names[number % classes]}) for number in range(count)
    ]

    def records() -> list[Value]:
        found = []
        for of in cases:
            label = of["expect"]["label"]
            if draw.random() < 0.2:
                label = draw.choice([*names, None] if none else names)
            found.append({"case_id": of["id"], "label": label})
        return found

    return judgements_v2.judgement(cases, records(), records(), gates)


def _matrices(judgement: Judgement) -> list[tuple[list[str], dict[str, list[str]]]]:
    """Column headings, and cells by row heading, of each matrix on the page."""
    found = []
    for table in re.findall(
        r"<table class=\"(?:classes|matrix)\">.*?</table>", render_html(judgement)
    ):
        head, _, body = table.partition("<tbody>")
        heads = [Page(each).shown for each in re.findall(r"<th scope=\"col\">.*?</th>", head)]
        rows = {}
        for row in re.findall(r"<tr>.*?</tr>", body):
            name, *cells = re.findall(r"<t[hd].*?</t[hd]>", row)
            counts = [re.sub(r"<span class=\"note\">.*", "", cell) for cell in cells]
            rows[Page(name).shown] = [Page(cell).shown.strip() for cell in counts]
        found.append((heads, rows))
    return found


@pytest.mark.parametrize("none", [True, False], ids=["with none", "all labelled"])
@pytest.mark.parametrize("classes", [2, 3, 12])
def test_every_count_stands_in_the_row_and_column_of_its_labels(classes: int, none: bool) -> None:
    judgement = labelled(classes, none=none)
    details = judgement.details
    assert details is not None
    matrices = _matrices(judgement)
    assert len(matrices) == 2
    for (heads, rows), side in zip(matrices, (details.baseline, details.candidate), strict=True):
        bare = [head.removeprefix("predicted ") for head in heads]
        assert len(bare) == classes + none
        assert ("none" in bare) is none
        assert len(rows) == classes
        for name, cells in rows.items():
            expected = name.removeprefix("expected ")
            for predicted, count in zip(bare, cells, strict=True):
                pair = (expected, "" if predicted == "none" else predicted)
                assert count == numbers.count(side.labels.get(pair, 0))


def test_classes_beyond_the_most_frequent_are_counted_together_and_none_is_lost() -> None:
    judgement = labelled(40)
    details = judgement.details
    assert details is not None
    for (heads, rows), side in zip(
        _matrices(judgement), (details.baseline, details.candidate), strict=True
    ):
        assert heads[-1] == "25 others"
        assert heads[-2] == "none"
        assert len(heads) == 17
        assert list(rows)[-1] == "25 others"
        total = sum(int(cell) for cells in rows.values() for cell in cells)
        assert total == sum(side.labels.values())


def _figures(of: ConfusionMatrix) -> tuple[str, str, str]:
    return numbers.rate(of.precision), numbers.rate(of.recall), numbers.rate(of.f1)


def test_each_class_has_its_precision_recall_and_f1_of_both_releases() -> None:
    judgement = labelled(12)
    details = judgement.details
    assert details is not None
    shown = page(judgement).shown
    for name, one in details.baseline.classes.items():
        other = details.candidate.classes[name]
        pairs = zip(_figures(one), _figures(other), strict=True)
        cells = "".join(f"{before} → {after}" for before, after in pairs)
        assert f"{name}{one.tp + one.fn}{cells}" in shown
    macro = (
        f"{numbers.rate(details.baseline.macro_f1)} → {numbers.rate(details.candidate.macro_f1)}"
    )
    assert macro in shown.partition("macro: mean over classes")[2]


def test_a_class_that_nobody_predicts_has_no_precision_and_counts_as_0_in_the_mean() -> None:
    cases = [case(f"case-{number}", expect={"label": "ab"[number % 2]}) for number in range(4)]
    records = [{"case_id": of["id"], "label": "a"} for of in cases]
    shown = page(judgements_v2.judgement(cases, records, records, GATE)).shown
    undefined = f"{numbers.UNDEFINED} → {numbers.UNDEFINED}"
    assert f"b2{undefined}0.000 → 0.000{undefined}" in shown
    assert "0/0 as 00.250 → 0.2500.500 → 0.5000.333 → 0.333" in shown


def test_a_class_whose_gate_fails_is_marked_where_it_fails() -> None:
    gates = rubric({"metric": "recall", "class": "class 01", "at_least": 1, "else": "BLOCK"})
    text = render_html(labelled(3, gates=gates))
    row = next(each for each in text.split("<tr>") if '"row">class 01</th>' in each and "→" in each)
    cells = row.split("<td>")
    assert "BLOCK" in cells[3]
    assert "BLOCK" not in cells[1] + cells[2] + cells[4]


def test_without_labels_there_is_no_matrix() -> None:
    cases = [case("case-1"), case("case-2")]
    records = [{"case_id": of["id"], "outcomes": {"done": True}} for of in cases]
    found = page(judgements_v2.judgement(cases, records, records, GATE))
    assert "confusion" not in found.anchors
    assert "confusion matrix" not in found.shown


def test_version_1s_cells_say_what_they_are() -> None:
    (_, before), (_, after) = _matrices(judgements.blocks())
    assert before == {"expected positive": ["5", "1"], "expected negative": ["1", "3"]}
    assert after == {"expected positive": ["6", "0"], "expected negative": ["1", "3"]}
    shown = page(judgements.blocks()).shown
    assert "6 true positive0 false negative" in shown
    assert "1 false positive3 true negative" in shown
