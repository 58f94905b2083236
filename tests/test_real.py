"""Recorded agents through the command line, against what another evaluator decided on them.

`decisions.txt` beside each contract holds, for each candidate, that evaluator's verdict,
figures and reasons. Its figures are printed with three decimals, its confusion matrix as
[fn, fp, tn, tp], and its critical failures are counted. Everything is held to the printed
digits but the interval: it comes from resampling with another random stream, so each
bound may lie two steps of 1/n away.
"""

from __future__ import annotations

import ast
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Run

REAL = Path(__file__).parents[2] / "shared" / "real"
NAMES = ("agentdyn-github", "tau-airline")
pytestmark = pytest.mark.skipif(
    not REAL.is_dir(), reason="the recorded agents (../shared/real) are not on this machine"
)

LINE = re.compile(
    r"(?P<candidate>\S+) -> (?P<verdict>\w+) rc (?P<code>\d) \S+ \| n (?P<n>\d+)"
    r" pass (?P<before>\S+) -> (?P<after>\S+) delta (?P<delta>\S+) (?P<interval>\[[^]]*\])"
    r" cm (?P<matrix>\[[^]]*\]) P/R/F1 (?P<precision>\S+) (?P<recall>\S+) (?P<f1>\S+)"
    r" lat (?P<lat0>\S+) -> (?P<lat1>\S+) p95 (?P<p95>\S+)"
    r" crit fail (?P<crit0>\d+) -> (?P<crit1>\d+) (?P<slices>\{.*\})"
)
GATES = {
    "critical safety/privacy case failure(s)": "critical_case_failed",
    "critical slice": "critical_slice_min_pass_rate",
    "overall deterministic pass rate": "min_overall_pass_rate",
    "precision": "min_precision",
    "recall": "min_recall",
    "f1": "min_f1",
    "slice pass-rate gap": "max_slice_pass_rate_gap",
    "mean latency": "max_mean_latency_ms",
    "p95 latency": "max_p95_latency_ms",
    "mean cost": "max_mean_cost_usd",
    "paired bootstrap lower bound": "min_paired_delta_ci_low",
}
"""How the other evaluator's reasons begin, and which gate each is."""


@dataclass(frozen=True)
class Expected:
    folder: Path
    said: dict[str, str]
    gates: list[str]


def decisions() -> Iterator[Any]:
    for name in NAMES:
        path = REAL / name / "decisions.txt"
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        for line, reasons in zip(lines[::2], lines[1::2], strict=True):
            match = LINE.fullmatch(line)
            if match is None:
                raise ValueError(f"unread: {line}")
            gates = [
                next(gate for start, gate in GATES.items() if reason.startswith(start))
                for reason in ast.literal_eval(reasons.partition("reasons:")[2].strip())
            ]
            said = match.groupdict()
            yield pytest.param(Expected(path.parent, said, gates), id=said["candidate"])


def printed(text: str, value: float | None) -> bool:
    if text == "None" or value is None:
        return text == "None" and value is None
    return abs(float(text) - value) <= 0.0005 + 1e-9


@pytest.mark.parametrize("expected", list(decisions()))
def test_verdict_counts_and_reasons_are_those_of_the_other_evaluator(
    expected: Expected, contractlab: Callable[..., Run]
) -> None:
    folder, said = expected.folder, expected.said
    run = contractlab(
        "compare",
        *("--dataset", folder / "eval_dataset.json"),
        *("--rubric", folder / "eval_rubric.json"),
        *("--predictions", folder / "predictions.json"),
        *("--candidate", said["candidate"]),
        *("--format", "json"),
    )
    assert run.returncode == int(said["code"])
    report = json.loads(run.stdout)
    before, after = report["baseline_metrics"], report["candidate_metrics"]
    assert report["action"] == said["verdict"]
    failed = [gate["gate"] for gate in report["gates"] if not gate["held"]]
    assert failed == expected.gates
    assert after["case_count"] == int(said["n"])
    matrix = after["confusion_matrix"]
    assert [matrix[cell] for cell in ("fn", "fp", "tn", "tp")] == json.loads(said["matrix"])
    assert len(before["critical_failures"]) == int(said["crit0"])
    assert len(after["critical_failures"]) == int(said["crit1"])
    for name, value in (
        ("before", before["pass_rate"]),
        ("after", after["pass_rate"]),
        ("delta", report["comparison"]["paired_pass_rate_delta"]),
        ("precision", after["precision"]),
        ("recall", after["recall"]),
        ("f1", after["f1"]),
        ("lat0", before["mean_latency_ms"]),
        ("lat1", after["mean_latency_ms"]),
        ("p95", after["p95_latency_ms"]),
    ):
        assert printed(said[name], value), name
    slices = ast.literal_eval(said["slices"])
    assert slices.keys() == after["by_slice"].keys()
    for name, (count, rate) in slices.items():
        assert after["by_slice"][name]["count"] == count
        assert printed(str(rate), after["by_slice"][name]["pass_rate"])
    steps = 2 / int(said["n"]) + 0.0005
    for other, ours in zip(
        json.loads(said["interval"]),
        report["comparison"]["paired_bootstrap_interval"],
        strict=True,
    ):
        assert abs(other - ours) <= steps + 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_candidate_has_a_decision(name: str) -> None:
    replays = json.loads((REAL / name / "predictions.json").read_bytes())
    rubric = json.loads((REAL / name / "eval_rubric.json").read_bytes())
    recorded = {each["release_id"] for each in replays["releases"]}
    decided = {
        each.values[0].said["candidate"]
        for each in decisions()
        if each.values[0].folder.name == name
    }
    assert recorded - {rubric["baseline_release"]} == decided


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_contracts_have_no_problem(name: str, contractlab: Callable[..., Run]) -> None:
    files = [
        REAL / name / f"{each}.json" for each in ("eval_dataset", "eval_rubric", "predictions")
    ]
    assert contractlab("validate", *files, env=dict(os.environ)).returncode == 0
