"""The repository's own dataset and replays: what each verdict is, and for which reasons."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tools.examples import ROOT, Run, run

if TYPE_CHECKING:
    from collections.abc import Callable

CANDIDATES = ("regression", "pass", "review", "privacy")


def compare(candidate: str, *options: str) -> Run:
    return run(
        (
            "compare",
            "--predictions=runs/baseline.json",
            f"--predictions=runs/candidate-{candidate}.json",
            "--quiet",
            *options,
        ),
        ROOT,
    )


@cache
def report(candidate: str) -> Any:
    return json.loads(compare(candidate, "--format=json").out)


def test_the_dataset_has_three_splits_and_six_test_cases_in_five_slices() -> None:
    cases = json.loads((ROOT / "fixtures/valid/dataset.json").read_bytes())["cases"]
    assert {case["split"] for case in cases} == {"train", "development", "test"}
    test = [case for case in cases if case["split"] == "test"]
    assert len(test) == 6
    assert len({case["slice"] for case in test}) == 5
    critical = {case["id"]: case["slice"] for case in test if case["critical"]}
    assert critical == {"test-safety-negative": "refunds", "test-privacy-neighbour": "privacy"}


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_the_baseline_passes_four_cases_of_six(candidate: str) -> None:
    metrics = report(candidate)["baseline_metrics"]
    assert metrics["pass_rate"] == pytest.approx(0.667, abs=0.0005)
    assert metrics["confusion_matrix"] == {"tp": 2, "fp": 1, "tn": 2, "fn": 1}


def test_the_passing_candidate_passes_with_the_interval_of_its_seed() -> None:
    found = report("pass")
    comparison = found["comparison"]
    assert found["action"] == "PASS"
    assert found["reasons"] == []
    assert found["candidate_metrics"]["pass_rate"] == 1.0
    assert found["candidate_metrics"]["p95_latency_ms"] == 1010
    assert (comparison["seed"], comparison["samples"], comparison["confidence"]) == (7, 2000, 0.95)
    assert comparison["paired_pass_rate_delta"] == pytest.approx(0.333, abs=0.0005)
    assert comparison["paired_bootstrap_interval"] == pytest.approx([0.0, 0.667], abs=0.0005)


def test_the_regression_meets_every_gate_of_the_rubric_and_is_blocked_for_one_action() -> None:
    found = report("regression")
    metrics = found["candidate_metrics"]
    assert found["action"] == "BLOCK"
    assert metrics["pass_rate"] == 5 / 6
    assert metrics["f1"] == 1.0
    assert metrics["critical_failures"] == ["test-safety-negative"]
    assert [gate["gate"] for gate in found["gates"] if not gate["held"]] == ["critical_case_failed"]
    case = next(case for case in found["cases"] if case["case_id"] == "test-safety-negative")
    assert "refund_order" in case["expected"]["forbidden_actions"]
    assert "refund_order" in case["candidate"]["actions"]
    assert "refund_order" not in case["baseline"]["actions"]


def test_the_review_candidate_is_only_too_slow() -> None:
    found = report("review")
    assert found["action"] == "REVIEW"
    assert [gate["gate"] for gate in found["gates"] if not gate["held"]] == ["max_p95_latency_ms"]
    assert found["candidate_metrics"]["pass_rate"] == 1.0


def test_a_privacy_failure_blocks_under_a_high_mean() -> None:
    found = report("privacy")
    assert found["action"] == "BLOCK"
    assert "test-privacy-neighbour" in found["primary_reason"]
    assert found["candidate_metrics"]["mean_score"] > 0.95
    assert found["candidate_metrics"]["f1"] == 1.0


@pytest.mark.parametrize(
    ("candidate", "code"), [("pass", 0), ("review", 1), ("regression", 1), ("privacy", 1)]
)
def test_the_exit_code_is_the_verdict(candidate: str, code: int) -> None:
    assert compare(candidate).code == code


@pytest.mark.parametrize(("candidate", "code"), [("review", 0), ("regression", 1)])
def test_fail_on_block_lets_review_exit_0(candidate: str, code: int) -> None:
    assert compare(candidate, "--fail-on=block").code == code


def test_compare_without_arguments_judges_the_regression(contractlab: Callable[..., Any]) -> None:
    process = contractlab("compare", cwd=ROOT)
    assert process.returncode == 1
    last = process.stdout.decode().splitlines()[-1]
    assert last == 'BLOCK: critical safety or privacy case failed: "test-safety-negative"'


def test_a_family_in_two_splits_exits_2_and_names_split_leakage(
    contractlab: Callable[..., Any],
) -> None:
    folder = ROOT / "fixtures/invalid/CL301-family-leakage"
    process = contractlab(
        "compare",
        f"--dataset={folder / 'rejected.json'}",
        "--rubric=fixtures/small/rubric.json",
        "--predictions=fixtures/small/predictions.json",
        cwd=ROOT,
    )
    assert process.returncode == 2
    assert process.stdout == b""
    assert "split leakage" in process.stderr.decode()


def test_every_run_is_a_replay_of_one_release() -> None:
    names = sorted(path.name for path in (ROOT / "runs").glob("*.json"))
    assert names == ["baseline.json", *sorted(f"candidate-{each}.json" for each in CANDIDATES)]
    releases = [
        release["release_id"]
        for name in names
        for release in json.loads((ROOT / "runs" / name).read_bytes())["releases"]
    ]
    assert len(set(releases)) == len(names)
