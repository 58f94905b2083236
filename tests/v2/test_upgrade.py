"""Version 1 contracts judged as version 2: the same verdict, gates, counts and words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contractlab import files
from contractlab.contract import GATES_V1, load_dataset, load_predictions, load_rubric
from contractlab.dataset_v2 import CaseLoader
from contractlab.dataset_v2 import load_dataset as load_dataset_v2
from contractlab.evidence import Evidence
from contractlab.front import run
from contractlab.judge import judge
from contractlab.judge_v2 import Inputs, judge_v2
from contractlab.model import Release
from contractlab.render.reasons import message
from contractlab.replay_v2 import load_record
from contractlab.rubric_v2 import check_gates
from contractlab.rubric_v2 import load_rubric as load_rubric_v2
from contractlab.upgrade import upgrade_dataset, upgrade_predictions, upgrade_rubric

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from contractlab.judge import Judgement

LABELS = st.sampled_from(["positive", "negative"])
TOOLS = st.sampled_from([None, "search", "refund"])
ACTIONS = st.lists(st.sampled_from(["search", "refund", "leak"]), unique=True, max_size=2)
RATES = st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0])
EVIDENCE = Evidence("0" * 64, ())


@st.composite
def triples(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """A version 1 dataset, rubric and predictions of two releases."""
    n = draw(st.integers(1, 12))
    cases = [
        {
            "id": f"case-{index}",
            "family_id": f"family-{draw(st.integers(0, 5))}",
            "split": "test",
            "slice": draw(st.sampled_from("ab")),
            "critical": draw(st.booleans()),
            "input": f"question {index}",
            "expected_label": draw(LABELS),
            "expected_tool": draw(TOOLS),
            "forbidden_actions": draw(ACTIONS),
            "requires_evidence": draw(st.booleans()),
        }
        for index in range(n)
    ]
    releases = [
        {
            "release_id": name,
            "records": [
                {
                    "case_id": case["id"],
                    **(
                        {"predicted_label": case["expected_label"], "tool": case["expected_tool"],
                         "actions": [], "evidence_present": True}
                        if draw(st.booleans())
                        else {"predicted_label": draw(LABELS), "tool": draw(TOOLS),
                              "actions": draw(ACTIONS), "evidence_present": draw(st.booleans())}
                    ),
                    "latency_ms": draw(st.sampled_from([10.0, 250.5, 3000.0])),
                    "estimated_cost_usd": draw(st.sampled_from([0.0, 0.001, 0.2])),
                }
                for case in cases
            ],
        }
        for name in ("baseline", "candidate")
    ]  # fmt: skip
    limits = {
        name: draw(
            st.sampled_from([0.0, 250.5, 1000.0]) if name.endswith(("_ms", "_usd")) else RATES
        )
        for name, *_ in GATES_V1
    }
    rubric = {
        "schema_version": "eval-rubric-v1",
        "rubric_version": "gates-1",
        "positive_label": "positive",
        "baseline_release": "baseline",
        "eval_split": "test",
        "gates": limits,
        "bootstrap": {"samples": 200, "seed": 7, "confidence": 0.9},
    }
    dataset = {"schema_version": "eval-dataset-v1", "dataset_version": "cases-1",
               "frozen_test": True, "cases": cases}  # fmt: skip
    predictions = {"schema_version": "eval-predictions-v1", "prediction_set_version": "replays-1",
                   "dataset_version": "cases-1", "releases": releases}  # fmt: skip
    return dataset, rubric, predictions


def judged_v1(dataset: Any, rubric: Any, predictions: Any) -> Judgement:
    releases = load_predictions(predictions).releases
    return judge(
        load_dataset(dataset),
        load_rubric(rubric),
        baseline=releases[0],
        candidate=releases[1],
        predictions_version="replays-1",
        evidence=EVIDENCE,
    )


def judged_v2(dataset: Any, rubric: Any, replays: list[Any]) -> Judgement:
    for value in (dataset, rubric, *replays):
        schema = value["schema_version"].removeprefix("eval-")
        assert files.checker(schema).check(value) == []
    assert check_gates(rubric, "") == []
    loader = CaseLoader("")
    cases = [loader.load(case, index) for index, case in enumerate(dataset["cases"])]
    assert loader.problems == []
    baseline, candidate = (
        Release(each["release"]["release_id"], tuple(map(load_record, each["records"])))
        for each in replays
    )
    inputs = Inputs(load_dataset_v2(dataset, cases), load_rubric_v2(rubric), baseline, candidate)
    return judge_v2(inputs, predictions_version="replays-1", evidence=EVIDENCE)


@given(triples())
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_an_upgraded_triple_is_judged_as_before(triple: tuple[Any, Any, Any]) -> None:
    dataset, rubric, predictions = triple
    before = judged_v1(dataset, rubric, predictions)
    after = judged_v2(
        upgrade_dataset(dataset),
        upgrade_rubric(rubric),
        [value for _, value in upgrade_predictions(predictions)],
    )
    assert after.decision.verdict == before.decision.verdict
    assert after.comparison.counts == before.comparison.counts
    assert after.comparison.bootstrap.interval == before.comparison.bootstrap.interval
    assert [
        (gate.name, gate.verdict, gate.held, gate.observed, gate.threshold, gate.case_ids)
        for gate in after.decision.gates
    ] == [
        (gate.name, gate.verdict, gate.held, gate.observed, gate.threshold, gate.case_ids)
        for gate in before.decision.gates
    ]
    for old, new in zip(before.decision.reasons, after.decision.reasons, strict=True):
        assert message(new).replace(' of class "positive"', "") == message(old)
    for name, each in before.candidate.by_slice.items():
        assert after.candidate.by_slice[name] == each


@given(triples())
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
def test_every_case_passes_or_fails_as_before(triple: tuple[Any, Any, Any]) -> None:
    dataset, rubric, predictions = triple
    before = judged_v1(dataset, rubric, predictions)
    after = judged_v2(
        upgrade_dataset(dataset),
        upgrade_rubric(rubric),
        [value for _, value in upgrade_predictions(predictions)],
    )
    assert [each.passed for each in after.candidate.results] == [
        each.passed for each in before.candidate.results
    ]


def test_the_command_writes_what_compare_takes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    case = {
        "id": "a", "family_id": "a", "split": "test", "slice": "s", "critical": False,
        "input": "x", "expected_label": "positive", "expected_tool": None,
        "forbidden_actions": [], "requires_evidence": False,
    }  # fmt: skip
    cases = [case, {**case, "id": "b", "family_id": "b", "split": "train", "input": "y"},
             {**case, "id": "c", "family_id": "c", "split": "development",
              "input": "z"}]  # fmt: skip
    record: dict[str, Any] = {
              "case_id": "a", "predicted_label": "positive", "tool": None, "actions": [],
              "evidence_present": False, "latency_ms": 1, "estimated_cost_usd": 0}  # fmt: skip
    contracts = {
        "dataset": {"schema_version": "eval-dataset-v1", "dataset_version": "d",
                    "frozen_test": True, "cases": cases},
        "rubric": {
            "schema_version": "eval-rubric-v1", "rubric_version": "r",
            "positive_label": "positive", "baseline_release": "one/../two",
            "eval_split": "test",
            "gates": {name: 0.0 if bound == "at_least" else 9.0 for name, _, bound, _ in GATES_V1}
            | {"max_slice_pass_rate_gap": 1.0},
            "bootstrap": {"samples": 200, "seed": 7, "confidence": 0.9},
        },
        "predictions": {
            "schema_version": "eval-predictions-v1", "prediction_set_version": "p",
            "dataset_version": "d",
            "releases": [{"release_id": id_, "records": [record]} for id_ in ("one/../two", "b")],
        },
    }  # fmt: skip
    names = []
    for name, value in contracts.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
        names.append(str(tmp_path / f"{name}.json"))
    out = tmp_path / "v2"
    assert run(["upgrade", *names, "-o", str(out)]) == 0
    written = capfd.readouterr().out.split()
    assert {str(out / "dataset.json"), str(out / "rubric.json")} < set(written)
    replays = sorted(out.glob("predictions.*.json"))
    assert len(replays) == 2
    assert all(each.parent == out for each in replays)
    options = [f"--dataset={out / 'dataset.json'}", f"--rubric={out / 'rubric.json'}"]
    options += [f"--predictions={each}" for each in replays]
    assert run(["compare", *options]) == 0
    assert run(["upgrade", *names, "-o", str(out)]) == 2
    assert "is there already" in capfd.readouterr().err
    assert run(["upgrade", *names, "-o", str(out), "--force"]) == 0
    assert run(["upgrade", str(out / "dataset.json"), "-o", str(tmp_path / "v3")]) == 2
