from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from contractlab.jsontext import parse
from contractlab.outputs import rendered
from contractlab.problems import ContractError, Problem, Rule
from contractlab.reload import judgement_from_report, read_report
from contractlab.render.report import render_json
from tests.machine.judgements import REAL, blocked, judgements, real

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from contractlab.judge import Judgement

    Edit = Callable[[Any], object]

FORMATS = ("json", "junit", "sarif", "markdown", "html", "text")
WARNED = [Problem(Rule.SMALL_SET, "few cases", "add some", "rubric.json", ("bootstrap",))]


def _value(judgement: Judgement) -> Any:
    return parse(render_json(judgement))


@settings(max_examples=100)
@given(judgements())
def test_a_report_reloads_to_the_judgement_that_made_it(judgement: Judgement) -> None:
    again = judgement_from_report(_value(judgement))
    assert again == judgement
    for format_ in ("json", "junit", "sarif", "markdown", "text"):
        assert rendered(again, format_) == rendered(judgement, format_)


@pytest.mark.skipif(not REAL.is_dir(), reason="the recorded agents are not beside the repository")
@pytest.mark.parametrize(
    ("folder", "candidate"),
    [
        ("agentdyn-github", "gpt-5-mini-2025-08-07"),
        ("agentdyn-github", "gpt-4o-mini-2024-07-18"),
        ("agentdyn-github", "gpt-4o-2024-08-06-transformers_pi_detector"),
        ("tau-airline", ""),
    ],
)
def test_every_format_of_a_real_report_is_as_rendered_directly(folder: str, candidate: str) -> None:
    judgement = real(folder, candidate or _other_release(folder))
    again = judgement_from_report(_value(judgement))
    for format_ in FORMATS:
        assert rendered(again, format_) == rendered(judgement, format_)


def _other_release(folder: str) -> str:
    predictions: Any = parse((REAL / folder / "predictions.json").read_bytes())
    rubric: Any = parse((REAL / folder / "eval_rubric.json").read_bytes())
    ids = [each["release_id"] for each in predictions["releases"]]
    return str(next(id_ for id_ in ids if id_ != rubric["baseline_release"]))


def _set(*path: str | int, to: Any) -> Edit:
    def edit(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        assert value[path[-1]] != to
        value[path[-1]] = to

    return edit


EDITS: dict[str, tuple[Edit, tuple[str | int, ...]]] = {
    "verdict": (_set("action", to="PASS"), ("action",)),
    "primary reason": (_set("primary_reason", to="every gate holds"), ("primary_reason",)),
    "a reason left out": (lambda value: value["reasons"].pop(), ("reasons",)),
    "a gate that is said to hold": (_set("gates", 0, "held", to=True), ("gates", 0, "held")),
    "an observed value": (_set("gates", 2, "observed", to=1.0), ("gates", 2, "observed")),
    "a count": (
        _set("comparison", "counts", "regressed", to=0),
        ("comparison", "counts", "regressed"),
    ),
    "the regressed cases": (_set("comparison", "regressed", to=[]), ("comparison", "regressed")),
    "the interval": (
        _set("comparison", "paired_bootstrap_interval", 0, to=0.5),
        ("comparison", "paired_bootstrap_interval", 0),
    ),
    "a metric": (_set("candidate_metrics", "recall", to=0.9), ("candidate_metrics", "recall")),
    "a slice": (
        _set("candidate_metrics", "by_slice", "privacy", "passed", to=2),
        ("candidate_metrics", "by_slice", "privacy", "passed"),
    ),
    "a check": (
        _set("candidate_metrics", "case_results", 0, "checks", "tool_correct", to=True),
        ("candidate_metrics", "case_results", 0, "checks", "tool_correct"),
    ),
    "critical in one place only": (
        _set("baseline_metrics", "case_results", 0, "critical", to=False),
        ("baseline_metrics", "case_results", 0, "critical"),
    ),
    "a flip": (_set("cases", 0, "flip", to="both"), ("cases", 0, "flip")),
    "fingerprint": (_set("evidence_fingerprint", to="0" * 16), ("evidence_fingerprint",)),
    "digest format": (_set("evidence_digest_format", to="other"), ("evidence_digest_format",)),
    "evaluator": (_set("evaluator_version", to="other-gate-v9"), ("evaluator_version",)),
    "candidate is baseline": (
        _set("candidate_release", to="baseline"),
        ("candidate_release",),
    ),
    "inputs in another order": (lambda value: value["inputs"].reverse(), ("inputs",)),
    "a case twice": (_set("cases", 1, "case_id", to="leak"), ("cases", 1, "case_id")),
    "results in another order": (
        lambda value: value["candidate_metrics"]["case_results"].reverse(),
        ("candidate_metrics", "case_results"),
    ),
    "gates in another order": (
        lambda value: value["rubric"]["gates"].reverse(),
        ("rubric", "gates"),
    ),
    "a gate made milder": (
        _set("rubric", "gates", 0, "verdict", to="REVIEW"),
        ("rubric", "gates"),
    ),
    "a limit out of range": (
        _set("rubric", "gates", 1, "threshold", to=80),
        ("rubric", "gates", 1, "threshold"),
    ),
    "a limit lowered": (
        _set("rubric", "gates", 1, "threshold", to=0.1),
        ("gates", 2, "threshold"),
    ),
    "a warning that does not exist": (
        _set("warnings", 0, "code", to="CL499"),
        ("warnings", 0, "code"),
    ),
    "a warning by another name": (_set("warnings", 0, "name", to="x"), ("warnings", 0, "name")),
    "a place in a file that was no input": (
        _set("places", "candidate_file", to="elsewhere.json"),
        ("places", "candidate_file"),
    ),
    "a failed case without a place": (
        lambda value: value["places"]["cases"].pop(),
        ("places", "cases"),
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_report_that_disagrees_with_itself_is_refused_at_the_place(name: str) -> None:
    edit, path = EDITS[name]
    value = _value(blocked(warnings=WARNED))
    edit(value)
    with pytest.raises(ContractError) as caught:
        judgement_from_report(value, "report.json")
    assert {each.rule for each in caught.value.problems} == {Rule.INCONSISTENT_REPORT}
    assert path in [each.path for each in caught.value.problems]
    assert all(each.file == "report.json" and each.hint for each in caught.value.problems)


@pytest.mark.parametrize(
    ("side", "field", "to"),
    [("candidate", "tool", "search"), ("baseline", "label", "negative")],
)
def test_a_behaviour_made_better_or_worse_is_refused(side: str, field: str, to: str) -> None:
    value = _value(blocked())
    value["cases"][0][side][field] = to
    with pytest.raises(ContractError) as caught:
        judgement_from_report(value)
    assert {each.rule for each in caught.value.problems} == {Rule.INCONSISTENT_REPORT}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"action": "PASS"}, 'the document has no "schema_version", so it is no report'),
        ([], 'the document has no "schema_version", so it is no report'),
        ({"schema_version": "eval-report-v9"}, '"schema_version" "eval-report-v9" is no report'),
        ({"schema_version": None}, '"schema_version" null is no report'),
        ({"schema_version": "eval-dataset-v2"}, "holds a dataset, not a report"),
        ({"schema_version": "eval-predictions-v1"}, "holds predictions, not a report"),
    ],
)
def test_what_is_no_report_is_one_problem(value: Any, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        judgement_from_report(value, "report.json")
    (problem,) = caught.value.problems
    assert (problem.rule, problem.file) == (Rule.UNKNOWN_CONTRACT, "report.json")
    assert problem.message.startswith(message)
    assert "--report-json" in problem.hint


def test_sentences_about_every_verdict_may_be_worded_otherwise() -> None:
    judgement = blocked()
    value = _value(judgement)
    value["limitations"] = ["An older release said it so."]
    assert judgement_from_report(value) == judgement


def test_a_whole_number_may_have_lost_its_fraction_on_the_way() -> None:
    value = _value(blocked())
    assert value["cases"][0]["baseline"]["latency_ms"] == 100.0
    value["cases"][0]["baseline"]["latency_ms"] = 100
    value["candidate_metrics"]["slice_pass_rate_gap"] = 0
    assert judgement_from_report(value).decision.verdict == "BLOCK"


def test_the_report_is_not_changed_by_reading_it() -> None:
    value = _value(blocked())
    before = copy.deepcopy(value)
    judgement_from_report(value)
    assert value == before


def test_the_problems_of_a_file_have_line_and_column(tmp_path: Path) -> None:
    name = tmp_path / "report.json"
    name.write_bytes(render_json(blocked()).replace(b'"action": "BLOCK"', b'"action": "PASS"'))
    with pytest.raises(ContractError) as caught:
        read_report(str(name))
    (problem,) = caught.value.problems
    assert problem.position is not None
    assert (problem.position.line, problem.position.column) == (2, 13)


def test_a_report_without_places_renders_everywhere() -> None:
    value = _value(blocked())
    value["places"] = None
    judgement = judgement_from_report(value)
    assert judgement.places is None
    for format_ in FORMATS:
        assert rendered(judgement, format_)
