"""The report in a real Chromium: filters, keyboard, accessibility, width, print."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from contractlab.render.behaviour import check_flips, drifted
from tests import builders
from tests.html.test_confusion import labelled
from tests.render import judgements, judgements_v2
from tests.v2.builders import case, rubric

if TYPE_CHECKING:
    from contractlab.compare import Pair
    from contractlab.judge import Judgement
    from tests.v2.builders import Value

pytestmark = pytest.mark.once

_LONG = ("W" * 512, "x" * 511, "word " * 100, "返" * 300, "a/" * 250)


def mixed() -> Judgement:
    """130 cases in three slices with every outcome, check and kind of change, and a drift."""
    ways: list[Any] = [
        ({}, {}),
        ({}, {"actions": ["look"]}),
        ({}, {"tool": "other", "actions": ["refund_order"]}),
        ({"evidence_present": False}, {}),
        ({"predicted_label": "negative"}, {"predicted_label": "negative"}),
        ({}, {}),
        ({}, {"predicted_label": "negative", "evidence_present": False}),
    ]
    cases = [
        builders.case(
            f"case-{number:03}",
            slice="abc"[number % 3],
            critical=number % 5 == 0,
            family_id=f"family-{number // 2}",
            expected_label="positive" if number % 7 != 4 else "negative",
        )
        for number in range(130)
    ]
    before, after = (
        {each["id"]: ways[index % 7][side] for index, each in enumerate(cases)} for side in (0, 1)
    )
    for number in range(4, 130, 7):
        before[f"case-{number:03}"] = after[f"case-{number:03}"] = {"predicted_label": "positive"}
    return judgements.judgement(*cases, baseline=before, candidate=after, min_overall_pass_rate=0.9)


def of_two_classes() -> Judgement:
    return labelled(2, none=False)


def of_twelve_classes() -> Judgement:
    return labelled(12)


def several_ways() -> Judgement:
    """A case with alternatives, one without a call, and trials that only one release has."""
    ways = [{"mode": "exact", "calls": [{"name": name}]} for name in ("a", "b")]
    cases = [
        case("ways", tags=["x", "y"], risk="other", expect={"tools": {"any_of": ways}}),
        case("none", input="Hello?", expect={"tools": {"mode": "none"}}),
        case("trials", expect={"label": "a", "answer": {"contains": ["b"]}}),
    ]
    before: list[Value] = [
        {"case_id": "ways", "calls": [{"name": "b"}]},
        {"case_id": "none", "calls": []},
        {"case_id": "trials", "trial": 1, "label": "a", "answer": "b"},
    ]
    after: list[Value] = [
        {"case_id": "ways", "calls": [{"name": "a"}, {"name": "c", "ok": False}]},
        {"case_id": "none", "calls": [{"name": "a", "arguments": {"x": [1]}}]},
        {"case_id": "trials", "trial": 1, "label": "a", "answer": "c"},
        {"case_id": "trials", "trial": 2, "status": "error"},
    ]
    gate = {"metric": "pass_rate", "at_least": 0.5, "else": "BLOCK"}
    return judgements_v2.judgement(cases, before, after, rubric(gate, pass_requires=["label"]))


def long_calls(number: int) -> Judgement:
    """Cases of which each second fails, with calls that are too long to show them all."""
    cases = [
        case(f"case-{at:04}", expect={"tools": {"mode": "any_order", "calls": [{"name": "a"}] * 8}})
        for at in range(number)
    ]
    records = [
        {
            "case_id": of["id"],
            "calls": [
                {"name": "ab"[at % 2], "arguments": dict.fromkeys("wxyz", f"{at}-{place} " * 20)}
                for place in range(8)
            ],
        }
        for at, of in enumerate(cases)
    ]
    gate = {"metric": "pass_rate", "at_least": 0.5, "else": "BLOCK"}
    return judgements_v2.judgement(cases, records, records, rubric(gate))


def count(page: Any) -> int:
    return int(page.inner_text("#count").split(" of ")[0].replace(",", ""))


def listed(page: Any) -> list[str]:
    """The ids of the cases on the screen."""
    found: list[str] = page.locator("#explorer .id").all_inner_texts()
    return found


def _ids(judgement: Judgement, wanted: Wanted) -> set[str]:
    return {pair.baseline.case.id for pair in judgement.comparison.pairs if wanted(pair)}


Wanted = Callable[["Pair"], bool]


def _of_flip(flip: str) -> Wanted:
    return lambda pair: pair.flip == flip


def _of_slice(name: str) -> Wanted:
    return lambda pair: pair.baseline.case.slice == name


def _failing(check: str) -> Wanted:
    return lambda pair: not pair.candidate.checks[check]


def _flipping(check: str) -> Wanted:
    return lambda pair: check in [each.name for each in check_flips(pair)]


def _check(page: Any, judgement: Judgement, wanted: Wanted) -> None:
    ids = _ids(judgement, wanted)
    assert count(page) == len(ids)
    assert set(listed(page)) <= ids
    assert len(listed(page)) == min(len(ids), 50)


def test_each_filter_leaves_the_cases_that_the_judgement_says(opened: Callable[..., Any]) -> None:
    judgement = mixed()
    page = opened(judgement)
    _check(page, judgement, lambda pair: True)
    for flip in ("both", "improved", "regressed", "neither"):
        page.select_option("#flip", flip)
        _check(page, judgement, _of_flip(flip))
    page.select_option("#flip", "drift")
    _check(page, judgement, drifted)
    page.click("#reset")
    for name in judgement.candidate.by_slice:
        page.select_option("#slice", name)
        _check(page, judgement, _of_slice(name))
    page.select_option("#slice", "")
    for name in judgement.candidate.results[0].checks:
        page.select_option("#check", f"fails:{name}")
        _check(page, judgement, _failing(name))
        page.select_option("#check", f"flips:{name}")
        _check(page, judgement, _flipping(name))
    page.select_option("#check", "")
    page.check("#critical")
    _check(page, judgement, lambda pair: pair.baseline.case.critical)
    page.select_option("#flip", "regressed")
    page.select_option("#slice", "a")
    _check(
        page,
        judgement,
        lambda pair: (
            pair.baseline.case.critical
            and pair.flip == "regressed"
            and pair.baseline.case.slice == "a"
        ),
    )
    page.click("#reset")
    _check(page, judgement, lambda pair: True)


def test_each_filter_leaves_the_cases_of_a_version_2_judgement(opened: Callable[..., Any]) -> None:
    judgement = judgements_v2.blocks()
    page = opened(judgement)
    for flip in ("both", "improved", "regressed", "neither"):
        page.select_option("#flip", flip)
        _check(page, judgement, _of_flip(flip))
    page.select_option("#flip", "drift")
    _check(page, judgement, drifted)
    page.select_option("#flip", "flaky")
    _check(page, judgement, lambda pair: pair.candidate.flaky)
    page.click("#reset")
    page.select_option("#tag", "attack")
    _check(page, judgement, lambda pair: "attack" in pair.baseline.case.tags)
    page.click("#reset")
    for name in ("label", "tools", "answer", "outcomes"):
        for kind, wanted in (("fails", _failing), ("flips", _flipping)):
            page.select_option("#check", f"{kind}:{name}")
            _check(page, judgement, _having(name, wanted(name)))


def _having(check: str, wanted: Wanted) -> Wanted:
    return lambda pair: check in pair.candidate.checks and wanted(pair)


def test_links_lead_to_flaky_cases_and_to_those_that_fail_a_check(
    opened: Callable[..., Any],
) -> None:
    judgement = judgements_v2.blocks()
    page = opened(judgement)
    page.click("#trials a")
    _check(page, judgement, lambda pair: pair.candidate.flaky)
    page.click("#checks a >> text=label")
    _check(page, judgement, _having("label", _failing("label")))
    for flip in ("regressed", "improved", "both"):
        page.click(f"#outcomes a[data-filter='flip={flip}']")
        _check(page, judgement, _of_flip(flip))


def test_without_tags_and_trials_nothing_asks_for_them(opened: Callable[..., Any]) -> None:
    page = opened(mixed())
    assert not page.is_visible("#tag")
    assert page.locator("#flip option[value='flaky']").count() == 0


def test_where_there_is_no_room_a_case_is_listed_with_its_outcome(
    opened: Callable[..., Any],
) -> None:
    page = opened(long_calls(1000))
    assert "there was room for the outcome only" in page.inner_text("#cases")
    assert page.inner_text("#count") == "1,000 of 1,000 cases"
    page.select_option("#check", "fails:tools")
    assert count(page) == 500
    page.click("#reset")
    while page.is_enabled("#next"):
        page.click("#next")
    last = page.locator("#explorer details").last
    last.locator("summary").click()
    last.locator(".facts").wait_for()
    assert "had no room here; the JSON report has it" in last.inner_text()
    assert re.search(r"check tools\s+holds\s+holds", last.inner_text())


@pytest.mark.parametrize(
    "words", ["case-01", "CASE-012 ", "family-6", "What about", "look", "no such"]
)
def test_the_search_looks_into_ids_families_inputs_and_behaviour(
    opened: Callable[..., Any], words: str
) -> None:
    judgement = mixed()
    page = opened(judgement)
    page.fill("#q", words)
    needle = words.strip().lower()

    def wanted(pair: Pair) -> bool:
        case = pair.baseline.case
        texts = [case.id, case.family_id, case.input, *pair.candidate.record.actions]
        return any(needle in text.lower() for text in texts)

    _check(page, judgement, wanted)


def test_a_cell_of_the_flip_matrix_leads_to_its_cases_and_back_undoes_it(
    opened: Callable[..., Any],
) -> None:
    judgement = mixed()
    page = opened(judgement)
    for flip in ("regressed", "improved", "neither", "both"):
        page.click(f".flips a.{flip}")
        assert page.input_value("#flip") == flip
        _check(page, judgement, _of_flip(flip))
    page.go_back()
    assert page.input_value("#flip") == "neither"


def test_slices_and_checks_lead_to_their_cases_whatever_their_name(
    opened: Callable[..., Any],
) -> None:
    name = "a&b=c#d <é> +%20"
    judgement = judgements.judgement(builders.case("one", slice=name), builders.case("two"))
    page = opened(judgement)
    page.click(f"#slices a >> text={name}")
    assert listed(page) == ["one"]
    page.click("#checks a >> text=tool_correct")
    assert count(page) == 0
    assert page.input_value("#slice") == ""


def test_an_address_with_filters_opens_filtered(opened: Callable[..., Any]) -> None:
    judgement = mixed()
    page = opened(judgement, hash_=f"#flip=regressed&check={quote('fails:tool_correct')}")
    _check(
        page,
        judgement,
        lambda pair: pair.flip == "regressed" and not pair.candidate.checks["tool_correct"],
    )
    unknown = opened(judgement, hash_="#flip=nonsense&slice=constructor&check=x")
    assert count(unknown) == 130


def test_every_case_is_on_one_of_the_pages(opened: Callable[..., Any]) -> None:
    judgement = mixed()
    page = opened(judgement)
    seen = listed(page)
    while page.is_enabled("#next"):
        page.click("#next")
        seen += listed(page)
    assert sorted(seen) == sorted(_ids(judgement, lambda pair: True))
    assert page.inner_text("#page") == "Page 3 of 3"
    page.click("#previous")
    assert listed(page) == seen[50:100]


def test_the_script_shows_a_case_as_the_page_does_without_it(opened: Callable[..., Any]) -> None:
    for judgement in (
        mixed(),
        judgements.blocks(),
        judgements.hostile(),
        judgements_v2.blocks(),
        judgements_v2.hostile(),
        several_ways(),
    ):
        page = opened(judgement)
        page.evaluate("document.querySelectorAll('#explorer summary').forEach((e) => e.click())")
        page.wait_for_function(
            "[...document.querySelectorAll('#explorer details')].every((e) => e.children[1])"
        )
        script = page.evaluate(
            "[...document.querySelectorAll('#explorer details')].map((e) => e.innerHTML)"
        )
        static = page.evaluate(
            "[...document.querySelectorAll('#static details')].map((e) => e.innerHTML)"
        )
        assert len(script) == min(50, len(judgement.comparison.pairs))
        assert script == static[: len(script)]


def test_without_script_the_cases_open_and_links_lead_to_their_group(
    opened: Callable[..., Any],
) -> None:
    page = opened(judgements.blocks(), script=False)
    assert not page.is_visible("#filters")
    page.click(".flips a.regressed")
    assert page.url.endswith("#cases-regressed")
    first = page.locator("#static details").first
    first.locator("summary").click()
    assert first.locator(".facts").is_visible()
    assert page.locator("#static details").count() == 10


def test_the_keyboard_alone_filters_opens_and_turns_pages(opened: Callable[..., Any]) -> None:
    page = opened(mixed())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "cases"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("case-0")
    page.wait_for_function("location.hash === '#q=case-0'")  # a busy browser lags behind the keys
    assert count(page) == 100
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.input_value("#flip") == "regressed"
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.is_checked("#critical")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert count(page) == 130
    assert page.evaluate("document.activeElement.id") == "q"
    page.focus("#explorer summary")
    page.keyboard.press("Enter")
    page.locator("#explorer .facts").first.wait_for()
    page.focus("#next")
    page.keyboard.press("Enter")
    assert page.inner_text("#page") == "Page 2 of 3"
    assert "page 2" in page.inner_text("#count")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize(
    "make",
    [
        judgements.passes,
        judgements.needs_review,
        mixed,
        judgements_v2.blocks,
        judgements_v2.too_small,
        judgements_v2.passes,
        lambda: judgements_v2.hostile(_LONG),
        of_two_classes,
        of_twelve_classes,
    ],
    ids=["pass", "review", "mixed", "v2-block", "v2-review", "v2-pass", "v2-long", "2", "12"],
)
def test_axe_finds_no_fault(
    opened: Callable[..., Any], axe: str, make: Callable[[], Judgement], width: int, scheme: str
) -> None:
    page = opened(make(), width=width, scheme=scheme)
    page.locator("#explorer summary").first.click()
    page.locator("#explorer .facts").first.wait_for()
    page.evaluate(axe)
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    faults = [
        (each["impact"], each["id"], [node["html"][:200] for node in each["nodes"]][:5])
        for each in result["violations"]
    ]
    assert faults == []
    assert len(result["passes"]) > 20


@pytest.mark.parametrize("width", [1280, 400, 375, 320])
@pytest.mark.parametrize(
    "make",
    [
        judgements.blocks,
        judgements.needs_review,
        mixed,
        lambda: judgements.hostile(_LONG),
        judgements_v2.blocks,
        lambda: judgements_v2.hostile(_LONG),
        of_twelve_classes,
    ],
    ids=["block", "review", "mixed", "long", "v2", "v2-long", "v2-classes"],
)
def test_the_page_never_scrolls_sideways(
    opened: Callable[..., Any], make: Callable[[], Judgement], width: int
) -> None:
    page = opened(make(), width=width)
    page.evaluate("document.querySelectorAll('#explorer summary').forEach((e) => e.click())")
    page.locator("#explorer .facts").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_on_a_phone_only_a_matrix_of_many_classes_scrolls_in_itself(
    opened: Callable[..., Any],
) -> None:
    page = opened(of_twelve_classes(), width=375)
    cut = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth)"
        ".map((e) => e.querySelector('table').className)"
    )
    assert cut == ["classes", "classes"]
    first = page.locator(".classes tbody th").first
    page.evaluate("document.querySelector('.scroll:has(.classes)').scrollLeft = 200")
    assert first.bounding_box()["x"] == pytest.approx(12, abs=1)  # its row is still named


@pytest.mark.parametrize("make", [judgements.blocks, judgements_v2.blocks], ids=["v1", "v2"])
def test_the_first_screen_tells_the_verdict_its_reasons_and_what_got_worse(
    opened: Callable[..., Any], make: Callable[[], Judgement]
) -> None:
    page = opened(make(), width=1280, height=900)
    for selector in ("h1", "#reasons table", "#worse .worse", "#outcomes table"):
        box = page.locator(selector).bounding_box()
        assert box["y"] + box["height"] <= 900, selector


@pytest.mark.parametrize("make", [mixed, judgements_v2.blocks], ids=["v1", "v2"])
def test_print_leaves_the_controls_out_and_keeps_the_cases(
    opened: Callable[..., Any], make: Callable[[], Judgement]
) -> None:
    page = opened(make(), scheme="dark")
    page.emulate_media(media="print")
    assert not page.is_visible("#filters")
    assert not page.is_visible("#next")
    assert page.locator("#explorer details").first.is_visible()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_ten_thousand_cases_filter_in_the_browser(opened: Callable[..., Any]) -> None:
    judgement = judgements.many(10_000, 500)
    page = opened(judgement)
    assert page.inner_text("#count") == "10,000 of 10,000 cases"
    page.select_option("#flip", "regressed")
    page.check("#critical")
    assert count(page) == 50
    page.click("#reset")
    page.fill("#q", "case-0999")
    assert sorted(listed(page)) == [f"case-0999{last}" for last in range(10)]
