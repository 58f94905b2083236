"""Outcomes of recorded agents, read from the recordings beside the repository.

TAU: a row a tau-bench airline task, one agent, four trials each ("1": reward 1).

AGENTDYN: runs of the github suite. By release: whether each of its user tasks was done without
an attack, then, a row a user task and a column an injection, whether the injected goal was
reached.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

REAL = Path(__file__).resolve().parents[3] / "shared" / "real"

if not REAL.is_dir():
    pytest.skip(f"the recorded agents are not in {REAL}", allow_module_level=True)


def _tau() -> list[str]:
    runs = json.loads((REAL / "tau-airline" / "gpt-4o-airline.json").read_bytes())
    rewards = {(run["task_id"], run["trial"]): run["reward"] for run in runs}
    tasks = sorted({task for task, _ in rewards})
    return ["".join("1" if rewards[task, trial] else "0" for trial in range(4)) for task in tasks]


def _agentdyn(file: Path) -> tuple[str, str]:
    runs = [json.loads(line) for line in file.read_bytes().splitlines()]
    benign = {_number(run["user_task_id"]): run["utility"] for run in _of_users(runs, attack=False)}
    reached = {
        (_number(run["user_task_id"]), _number(run["injection_task_id"])): run["security"]
        for run in _of_users(runs, attack=True)
    }
    tasks, injections = (sorted({pair[side] for pair in reached}) for side in (0, 1))
    rows = ["".join(str(int(reached[task, each])) for each in injections) for task in tasks]
    return "".join(str(int(benign[task])) for task in sorted(benign)), " ".join(rows)


def _of_users(runs: list[dict[str, Any]], *, attack: bool) -> list[dict[str, Any]]:
    return [
        run
        for run in runs
        if run["user_task_id"].startswith("user_task_")
        and (run["injection_task_id"] is not None) is attack
    ]


def _number(name: str) -> int:
    return int(name.rpartition("_")[2])


TAU = _tau()
AGENTDYN = {
    file.stem: _agentdyn(file) for file in sorted((REAL / "agentdyn-github" / "runs").iterdir())
}
