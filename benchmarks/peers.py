"""Other tools that do a part of the same work, each in an environment of its own.

They are given less to do than contractlab: the two gates get records that are graded
already, and check-jsonschema knows only what JSON Schema can say.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from benchmarks.data import passes

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = {
    "check-jsonschema": "check-jsonschema",
    "holdline": "holdline",
    "toolkit-eval": "toolkit-eval-harness",
}
"""The command of each peer, and the package that has it."""


def install(folder: Path, command: str) -> Path | None:
    """The peer's command, installed by name; None where it cannot be installed."""
    environment = folder / f"peer-{command}"
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    steps = [
        [sys.executable, "-m", "venv", str(environment)],
        [str(python), "-m", "pip", "install", "--quiet", PACKAGES[command]],
    ]
    for step in steps:
        done = subprocess.run(step, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f"{command} cannot be installed: {done.stderr.strip()[-200:]}", file=sys.stderr)
            return None
    return python.with_name(command)


def holdline(folder: Path, command: Path, cases: list[Any], predictions: Any) -> list[str]:
    """A command that compares both releases: two tables of case id and outcome."""
    files = []
    for release, outcomes in _outcomes(cases, predictions):
        files.append(folder / f"holdline-{release}.csv")
        with files[-1].open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("id", "passed"), *outcomes])
    return [str(command), "compare", *map(str, files), "--json"]


def toolkit_eval(folder: Path, command: Path, cases: list[Any], predictions: Any) -> list[str]:
    """A command that compares both releases' reports, made here with its own `run`."""
    suite = folder / "toolkit-eval-suite"
    suite.mkdir()
    meta = {"schema_version": 1, "name": "bench", "scoring": {"scorers": ["exact"]}}
    (suite / "suite.json").write_text(json.dumps(meta), encoding="utf-8")
    both = list(_outcomes(cases, predictions))
    lines = [{"id": id_, "input": "", "expected": 1, "tags": []} for id_, _ in both[0][1]]
    _write_lines(suite / "cases.jsonl", lines)
    reports = []
    for release, outcomes in both:
        records = folder / f"toolkit-eval-{release}.jsonl"
        _write_lines(records, [{"id": id_, "prediction": passed} for id_, passed in outcomes])
        reports.append(folder / f"toolkit-eval-{release}.json")
        run = ["run", "--suite", str(suite), "--predictions", str(records)]
        subprocess.run(
            [str(command), *run, "--out", str(reports[-1])], check=False, capture_output=True
        )
    return [
        *(str(command), "compare", "--baseline", str(reports[0]), "--candidate", str(reports[1])),
        *("--iterations", "2000", "--out", str(folder / "toolkit-eval-out.json")),
    ]


def _outcomes(cases: list[Any], predictions: Any) -> list[tuple[str, list[tuple[str, int]]]]:
    by_id = {case["id"]: case for case in cases}
    return [
        (
            release["release_id"],
            [
                (each["case_id"], passes(by_id[each["case_id"]], each))
                for each in release["records"]
            ],
        )
        for release in predictions["releases"]
    ]


def _write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
