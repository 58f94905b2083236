"""The benchmark's data is what it says; nothing is timed here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks.agents import ATTACKED_EVERY, write_runs
from benchmarks.data import dataset, passes, replays, write_contracts
from contractlab import files, front
from contractlab.clean import dataset_is_right

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_judgement_counts_what_the_data_was_made_of(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    made = write_contracts(tmp_path, 50)
    argv = [
        *("compare", "--dataset", str(made.dataset), "--rubric", str(made.rubric)),
        *("--predictions", str(made.predictions), "--format", "json"),
    ]
    assert front.run(argv) in (0, 1)
    report = json.loads(capfdbinary.readouterr().out)
    assert report["comparison"]["counts"] == made.counts.flips
    for release in ("baseline", "candidate"):
        found = report[f"{release}_metrics"]["confusion_matrix"]
        assert found == made.counts.confusion[release]


def test_both_datasets_are_clean() -> None:
    for value in (dataset(50), dataset(300, splits=False)):
        assert files.checker("dataset-v1").ok(value)
        assert dataset_is_right(value)


def test_releases_agree_mostly_and_are_recorded_in_orders_of_their_own() -> None:
    cases = dataset(400)["cases"]
    predictions, counts = replays(cases)
    before, after = (each["records"] for each in predictions["releases"])
    order = [[record["case_id"] for record in records] for records in (before, after)]
    assert order[0] != order[1]
    assert sorted(order[0]) == sorted(order[1])
    assert sorted(order[0]) not in order
    assert counts.flips["both"] > 0.8 * 400
    assert counts.flips["improved"] > 0
    assert counts.flips["regressed"] > 0


def test_families_have_several_cases_and_both_outcomes_occur() -> None:
    cases = dataset(400)["cases"]
    families = [case["family_id"] for case in cases]
    assert len(set(families)) < len(families) / 2
    predictions, _ = replays(cases)
    by_id = {case["id"]: case for case in cases}
    records = predictions["releases"][0]["records"]
    assert {passes(by_id[record["case_id"]], record) for record in records} == {0, 1}


def test_raw_runs_are_as_long_as_recorded_ones_and_all_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = write_runs(tmp_path / "runs.jsonl", 60, "agent-1", mistakes=0.25)
    assert 4_000 < runs.stat().st_size / 60 < 8_000
    replay = tmp_path / "replay.jsonl"
    argv = ["import", "agentdojo", str(runs), "--release", "agent-1", "-o", str(replay)]
    assert front.run(argv) == 0
    assert "60 records, 0 skipped" in capsys.readouterr().out
    records = [json.loads(line) for line in replay.read_text(encoding="utf-8").splitlines()[1:]]
    attacked = [each for each in records if "injected_goal_reached" in each["outcomes"]]
    assert len(attacked) == 60 / ATTACKED_EVERY
    assert 0 < sum(each["outcomes"]["injected_goal_reached"] for each in attacked) < 20
    assert all(3 <= len(each["calls"]) <= 5 for each in records)
    assert 40 <= sum(each["outcomes"]["utility"] for each in records) < 60
