"""A version 2 report, judged again from itself."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.choices import RENDER_FORMATS
from contractlab.jsontext import parse
from contractlab.outputs import rendered
from contractlab.problems import ContractError, Rule
from contractlab.reload import judgement_from_report, read_report
from tests.machine.judgements import TEXTS
from tests.render import judgements_v2
from tests.v2 import features
from tests.v2.builders import case, rubric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from contractlab.judge import Judgement
    from contractlab.problems import Path as JsonPath
    from contractlab.problems import Problem

    Edit = Callable[[Any], object]

MACHINE_FORMATS = ("json", "junit", "sarif", "markdown", "text")


def reported(judgement: Judgement) -> Any:
    data = rendered(judgement, "json")
    assert isinstance(data, bytes)
    return parse(data)


def same_in(formats: tuple[str, ...], judgement: Judgement) -> None:
    again = judgement_from_report(reported(judgement))
    for format_ in formats:
        assert rendered(again, format_) == rendered(judgement, format_), format_


# ── what comes out is what went in ──────────────────────────────────────────────────────────


@pytest.mark.parametrize("lines", [False, True], ids=["json", "lines"])
@pytest.mark.parametrize("feature", features.FEATURES)
def test_every_format_is_as_it_was_rendered_from_the_contracts(
    tmp_path: Path, feature: str, lines: bool
) -> None:
    of = features.FEATURES[feature]()
    same_in(RENDER_FORMATS, features.judged(tmp_path, of, lines=lines))


@pytest.mark.parametrize(
    "judged", [judgements_v2.blocks, judgements_v2.too_small, judgements_v2.passes]
)
def test_every_format_of_a_larger_judgement_too(judged: Callable[[], Judgement]) -> None:
    same_in(RENDER_FORMATS, judged())


@settings(max_examples=30)
@given(st.lists(TEXTS, min_size=5, max_size=5, unique=True))
def test_any_text_in_any_field_comes_back(fields: list[str]) -> None:
    same_in(MACHINE_FORMATS, judgements_v2.hostile(fields, level=0.5))


NAMES = st.sampled_from(["a", "b", "::", "##["])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-1e300, 1e300) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
RECORDS = st.fixed_dictionaries(
    {"outcomes": st.dictionaries(NAMES, st.none() | st.booleans())},
    optional={
        "status": st.sampled_from(["ok", "error", "timeout", "limit"]),
        "label": st.none() | NAMES,
        "calls": st.none() | st.lists(st.fixed_dictionaries({"name": NAMES}, optional={
            "arguments": VALUES, "ok": st.none() | st.booleans(), "turn": st.none() | st.just(3),
        }), max_size=3),
        "actions": st.none() | st.lists(NAMES, unique=True),
        "evidence": st.none() | st.booleans() | st.lists(NAMES),
        "answer": VALUES,
        "latency_ms": st.none() | st.floats(0, 1e308),
        "cost_usd": st.none() | st.floats(0, 1),
        "tokens": st.none() | st.dictionaries(NAMES, st.none() | st.integers(0, 2**70)),
    },
)  # fmt: skip
EXPECT = {
    "label": "a",
    "outcomes": {"a": True, "b": False},
    "tools": {"mode": "subset", "calls": [{"name": "b", "arguments": {"b": 1, "a": {"in": [2]}}}]},
    "forbidden": [{"name": "a", "arguments": {"b": {"equals": {}}}}, {"action": "::"}],
    "evidence": {"ids": ["a"]},
    "answer": {"not_in": [None, 1]},
}
CHECKS = st.lists(st.sampled_from(list(EXPECT)), min_size=1, unique=True)
GATES = (
    {"metric": "pass_rate", "slice": "*", "no_regression_at": 0.05, "else": "REVIEW"},
    {"metric": "outcome:a", "not_worse_by": 0.05, "else": "REVIEW"},
    {"metric": "check:answer", "at_least": 0.5, "else": "BLOCK"},
    {"metric": "latency_ms.p95", "at_most_times_baseline": 1.1, "else": "REVIEW"},
    {"metric": "tokens.a.mean", "at_most": 10, "else": "REVIEW"},
    {"metric": "f1", "class": "*", "at_least": 0.5, "else": "REVIEW"},
)


@settings(max_examples=60)
@given(st.data())
def test_whatever_was_recorded_comes_back(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    cases = [
        case(
            f"c{n}",
            slice=data.draw(NAMES),
            critical=data.draw(st.booleans()),
            expect={key: EXPECT[key] for key in data.draw(CHECKS)},
        )
        for n in range(count)
    ]
    sides = [
        [
            {**data.draw(RECORDS), "case_id": f"c{n}", "trial": trial}
            for n in range(count)
            if n == 0 or data.draw(st.booleans())
            for trial in data.draw(st.sets(st.integers(0, 3), min_size=1))
        ]
        for _ in range(2)
    ]
    gates = rubric(*GATES, comparison={"margin": 0.1}, coverage={"at_least": 0.1})
    same_in(MACHINE_FORMATS, judgements_v2.judgement(cases, sides[0], sides[1], gates))


def test_the_report_is_not_changed_by_reading_it(tmp_path: Path) -> None:
    value = reported(features.judged(tmp_path, features.partial()))
    before = copy.deepcopy(value)
    judgement_from_report(value)
    assert value == before


def test_a_report_without_places_renders_everywhere(tmp_path: Path) -> None:
    value = reported(features.judged(tmp_path, features.partial()))
    value["places"] = None
    judgement = judgement_from_report(value)
    assert judgement.places is None
    for format_ in RENDER_FORMATS:
        assert rendered(judgement, format_)


def test_another_order_of_keys_is_the_same_report(tmp_path: Path) -> None:
    value = reported(features.judged(tmp_path, features.matchers()))
    again = judgement_from_report(json.loads(json.dumps(value, sort_keys=True)))
    assert reported(again) == value


def test_a_whole_number_may_have_lost_its_fraction_on_the_way(tmp_path: Path) -> None:
    value = reported(features.judged(tmp_path, features.bounds()))
    trial = value["cases"][1]["baseline"]["trials"][0]
    assert trial["latency_ms"] == 10.0
    trial["latency_ms"] = 10
    assert judgement_from_report(value).decision.verdict == value["action"]


def test_sentences_about_every_verdict_may_be_worded_otherwise(tmp_path: Path) -> None:
    value = reported(features.judged(tmp_path, features.partial()))
    value["limitations"] = ["An older release said it so."]
    assert judgement_from_report(value).decision.verdict == value["action"]


# ── a report that was changed ───────────────────────────────────────────────────────────────


def refused(value: Any) -> list[Problem]:
    with pytest.raises(ContractError) as caught:
        judgement_from_report(value, "report.json")
    assert all(each.file == "report.json" for each in caught.value.problems)
    return caught.value.problems


def _set(*path: str | int, to: Any) -> Edit:
    def edit(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        assert value[path[-1]] != to
        value[path[-1]] = to

    return edit


def _again(field: str) -> Edit:
    return lambda value: value[field].append(copy.deepcopy(value[field][0]))


def _pop(*path: str | int) -> Edit:
    def edit(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        value.pop(path[-1])

    return edit


def _trial_again(value: Any) -> None:
    trials = value["cases"][0]["candidate"]["trials"]
    trials.append(copy.deepcopy(trials[0]))


TRIAL = ("cases", 0, "candidate", "trials", 0)
EDITS: dict[str, tuple[Edit, JsonPath]] = {
    "verdict": (_set("action", to="PASS"), ("action",)),
    "primary reason": (_set("primary_reason", to="every gate holds"), ("primary_reason",)),
    "a reason left out": (_pop("reasons", 0), ("reasons",)),
    "a gate that is said to hold": (_set("gates", 0, "held", to=True), ("gates", 0, "held")),
    "a gate left out": (_pop("gates", 3), ("gates",)),
    "a limit of a result": (_set("gates", 5, "threshold", to=0.1), ("gates", 5, "threshold")),
    "a limit of the rubric": (
        _set("rubric", "gates", 4, "at_most", to=0.75), ("gates", 27, "threshold"),
    ),
    "a gate of the rubric left out": (_pop("rubric", "gates", 0), ("gates",)),
    "another bound": (_set("gates", 5, "bound", to="at_most"), ("gates", 5, "bound")),
    "a flip": (_set("cases", 0, "flip", to="improved"), ("cases", 0, "flip")),
    "a check": (_set(*TRIAL, "checks", "label", to=True), (*TRIAL, "checks", "label")),
    "a trial that passed": (_set(*TRIAL, "passed", to=True), (*TRIAL, "passed")),
    "an interval": (
        _set("comparison", "interval", 0, to=0.5), ("comparison", "interval", 0),
    ),
    "a p-value": (_set("comparison", "p_worse", to=0.5), ("comparison", "p_worse")),
    "a slice": (
        _set("candidate", "by_slice", "s4", "passed", to=0.25),
        ("candidate", "by_slice", "s4", "passed"),
    ),
    "coverage": (_set("coverage", "compared", to=8), ("coverage", "compared")),
    "missing cases": (
        _set("coverage", "missing_in_candidate", to=[]), ("coverage", "missing_in_candidate"),
    ),
    "a case left out": (_pop("cases", 0), ("coverage", "cases")),
    "an unpaired case left out": (_pop("unpaired", 0), ("candidate", "cases")),
    "unpaired cases at other places": (
        _set("unpaired", 0, "place", to=1), ("unpaired", 0, "case_id"),
    ),
    "an unpaired case at a place that there is not": (
        _set("unpaired", 5, "place", to=2**70),
        ("unpaired", 5, "place"),
    ),
    "a case twice": (_again("cases"), ("cases", 3, "case_id")),
    "an unpaired case twice": (_again("unpaired"), ("unpaired", 0, "case_id")),
    "a case in both lists": (
        _set("unpaired", 0, "case_id", to="c2"), ("cases", 0, "case_id"),
    ),
    "a trial twice": (_trial_again, ("cases", 0, "candidate", "trials", 3, "trial")),
    "a trial left out": (
        _pop("cases", 0, "candidate", "trials", 1),
        ("candidate", "classes", "class-1", "fp"),
    ),
    "cases in another order": (lambda value: value["cases"].reverse(), ("places", "cases")),
    "split": (_set("split", to="train"), ("split",)),
    "the rubric's split": (_set("rubric", "split", to="train"), ("split",)),
    "rubric version": (_set("rubric_version", to="other"), ("rubric_version",)),
    "coverage not allowed": (_pop("rubric", "coverage"), ("unpaired",)),
    "fingerprint": (_set("evidence_fingerprint", to="0" * 16), ("evidence_fingerprint",)),
    "digest format": (_set("evidence_digest_format", to="other"), ("evidence_digest_format",)),
    "evaluator": (_set("evaluator_version", to="contractlab-gate-v1"), ("evaluator_version",)),
    "candidate is baseline": (
        _set("candidate", "release", to="baseline"), ("candidate", "release"),
    ),
    "inputs in another order": (lambda value: value["inputs"].reverse(), ("inputs",)),
    "a place in a file that was no input": (
        _set("places", "candidate_file", to="elsewhere.json"), ("places", "candidate_file"),
    ),
    "a failed case without a place": (_pop("places", "cases", 0), ("places", "cases")),
    "an expectation that expects nothing": (
        _set("cases", 1, "expect", to={}), ("cases", 1, "expect"),
    ),
    "an expectation of an unknown kind": (
        _set("cases", 1, "expect", to={"label": "x", "labels": "x"}),
        ("cases", 1, "expect", "labels"),
    ),
    "a pattern that cannot be compiled": (
        _set("unpaired", 2, "expect", to={"answer": {"matches": "("}}),
        ("unpaired", 2, "expect", "answer"),
    ),
    "a JSON Schema that refers": (
        _set("cases", 2, "expect", to={"answer": {"json_schema": {"$ref": "http://x"}}}),
        ("cases", 2, "expect", "answer"),
    ),
    "a rubric of version 1": (
        lambda value: value["rubric"].update(schema_version="eval-rubric-v1"),
        ("rubric", "schema_version"),
    ),
    "no rubric": (_set("rubric", to={}), ("rubric",)),
    "a metric that is none": (
        _set("rubric", "gates", 0, "metric", to="luck"), ("rubric", "gates", 0, "metric"),
    ),
    "a gate without a bound": (
        _pop("rubric", "gates", 0, "at_least"), ("rubric", "gates", 0),
    ),
    "a blank label": (_set(*TRIAL, "label", to=" "), (*TRIAL, "label")),
    "a case without a visible id": (_set("cases", 0, "case_id", to=" "), ("cases", 0, "id")),
    "actions that stand twice": (
        _set(*TRIAL, "actions", to=["a", "a"]), (*TRIAL, "actions", 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_a_report_that_disagrees_with_itself_is_refused_at_the_place(
    tmp_path: Path, name: str
) -> None:
    edit, path = EDITS[name]
    value = reported(features.judged(tmp_path, features.partial()))
    edit(value)
    problems = refused(value)
    assert {each.rule for each in problems} == {Rule.INCONSISTENT_REPORT}
    assert all(each.hint for each in problems)
    assert path in [each.path for each in problems]


RECORDED: dict[str, tuple[str, str, tuple[str | int, ...], Any]] = {
    "an outcome": ("outcomes", "c3", ("outcomes", "useful"), False),
    "a label": ("classes", "c3", ("label",), "refund"),
    "a call left out": ("endings", "c1", ("calls",), []),
    "a call that succeeded": ("matchers", "subset", ("calls", 1, "ok"), True),
    "an argument": ("matchers", "any_order", ("calls", 0, "arguments"), {"x": 1}),
    "an answer": ("matchers", "answer-2", ("answer",), {"z": "1"}),
    "an action": ("matchers", "forbidden", ("actions",), ["sing"]),
    "evidence": ("matchers", "forbidden", ("evidence",), ["e1", "e2"]),
    "a status": ("endings", "c2", ("status",), "ok"),
    "a latency": ("bounds", "c3", ("latency_ms",), 5),
    "tokens": ("bounds", "c3", ("tokens", "input"), 8),
}


@pytest.mark.parametrize("name", RECORDED)
def test_a_record_made_better_or_worse_is_refused(tmp_path: Path, name: str) -> None:
    feature, case_id, path, to = RECORDED[name]
    value = reported(features.judged(tmp_path, features.FEATURES[feature]()))
    (of,) = [each for each in value["cases"] if each["case_id"] == case_id]
    _set("candidate", "trials", 0, *path, to=to)(of)
    assert {each.rule for each in refused(value)} == {Rule.INCONSISTENT_REPORT}


EXPECTED: dict[str, tuple[str, str, tuple[str | int, ...], Any]] = {
    "a label": ("classes", "c3", ("expect", "label"), "refuse"),
    "an outcome's side": ("outcomes", "c0", ("expect", "outcomes", "harmed"), True),
    "a mode": ("matchers", "in_order", ("expect", "tools", "mode"), "exact"),
    "what is forbidden": ("matchers", "forbidden", ("expect", "forbidden"), [{"name": "x"}]),
    "a pattern": ("matchers", "answer-1", ("expect", "answer", "matches"), "^b"),
    "critical": ("endings", "c1", ("critical",), False),
    "a slice": ("bounds", "c1", ("slice",), "s2"),
    "a tag": ("bounds", "c2", ("tags",), []),
    "a family": ("trials", "c1", ("family_id",), "c2"),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_case_made_another_is_refused(tmp_path: Path, name: str) -> None:
    feature, case_id, path, to = EXPECTED[name]
    value = reported(features.judged(tmp_path, features.FEATURES[feature]()))
    (of,) = [each for each in value["cases"] if each["case_id"] == case_id]
    _set(*path, to=to)(of)
    assert {each.rule for each in refused(value)} == {Rule.INCONSISTENT_REPORT}


def test_the_problems_of_a_file_have_line_and_column(tmp_path: Path) -> None:
    judgement = features.judged(tmp_path, features.partial())
    data = rendered(judgement, "json")
    assert isinstance(data, bytes)
    name = tmp_path / "report.json"
    name.write_bytes(data.replace(b'"flip": "neither"', b'"flip": "both"').replace(
        b'"flip":"neither"', b'"flip":"both"', 1
    ))  # fmt: skip
    with pytest.raises(ContractError) as caught:
        read_report(str(name))
    (problem,) = caught.value.problems
    assert problem.position is not None
    line = name.read_text(encoding="utf-8").splitlines()[problem.position.line - 1]
    assert line[problem.position.column - 1 :].startswith('"both"')
    assert problem.position.excerpt
    assert problem.path[2:] == ("flip",)


# ── anything, anywhere ──────────────────────────────────────────────────────────────────────

RECORD_FIELDS = frozenset(
    ("trial", "status", "label", "outcomes", "calls", "actions", "evidence", "answer", "latency_ms",
     "cost_usd", "tokens")
)  # fmt: skip
CASE_FIELDS = frozenset(
    ("case_id", "family_id", "slice", "tags", "critical", "risk", "input", "expect", "place")
)


def is_data(path: JsonPath) -> bool:
    """Whether a field is what is judged, or the report's word for what is not in it."""
    match path:
        case ("cases" | "unpaired", int(), field, *_) if field in CASE_FIELDS:
            return True
        case ("cases" | "unpaired", int(), _, "trials", int(), field, *_):
            return field in RECORD_FIELDS
        case ("baseline" | "candidate", "manifest" | "release" | "records_of_other_splits", *_):
            return True
        case ("inputs", int(), field):
            return field != "role"
        case ("warnings", int(), field, *_):
            return field not in ("code", "name")
        case ("places", "cases", int(), field, *_):
            return field != "case_id"
    return path[0] in ("rubric", "dataset_version", "prediction_set_version", "limitations")


def leaves(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in members:
        if isinstance(inner, dict | list) and inner:
            yield from leaves(inner, (*path, step))
        else:
            yield (*path, step), inner


def put(value: Any, path: JsonPath, to: Any) -> None:
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = to


def other(leaf: Any) -> Any:
    """A value of the same kind that is not the same."""
    match leaf:
        case bool():
            return not leaf
        case int() | float():
            return leaf * 2 if leaf >= 1 else leaf + 0.5
        case str():
            return f"{leaf}x"
        case None:
            return 0.25
        case list():
            return ["x"]
    return {"x": 1}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Reports as text, from which a test takes one of its own."""
    made = [features.trials, features.partial, features.endings, features.classes, features.bounds]
    return [
        json.dumps(reported(features.judged(tmp_path_factory.mktemp("report"), each())))
        for each in made
    ]


@settings(max_examples=150)
@given(data=st.data())
def test_no_figure_can_be_another(reports: list[str], data: st.DataObject) -> None:
    value = json.loads(data.draw(st.sampled_from(reports)))
    figures = [each for each in leaves(value) if not is_data(each[0])]
    path, leaf = data.draw(st.sampled_from(figures))
    put(value, path, other(leaf))
    refused(value)


WRONG = [None, True, -1, 0, 1.5, 1e308, 2**70, "", "x", "test", [], ["a", "a"], {}, {"a": 1}]


@settings(max_examples=300)
@given(data=st.data())
def test_whatever_is_changed_is_refused_or_is_what_is_judged(
    reports: list[str], data: st.DataObject
) -> None:
    value = json.loads(data.draw(st.sampled_from(reports)))
    for _ in range(data.draw(st.integers(1, 3))):
        path, _leaf = data.draw(st.sampled_from(list(leaves(value))))
        depth = data.draw(st.integers(1, len(path)))
        put(value, path[:depth], data.draw(st.sampled_from(WRONG)))
    try:
        again = judgement_from_report(value)
    except ContractError:
        return
    assert {**reported(again), "limitations": value["limitations"]} == value
