"""The gate of the Action on contracts of version 2."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.action.runner import gate_inputs
from tests.v2 import builders as v2

if TYPE_CHECKING:
    from tests.action.runner import Runner

CASES = [v2.case("c1", critical=True, risk="safety"), v2.case("c2"), v2.case("c3")]
GATE = {"metric": "pass_rate", "at_least": 0.9, "else": "BLOCK"}


def write_contracts(runner: Runner, *failing: str, lines: bool = False) -> None:
    """A baseline that passes everything, and a candidate that fails these cases."""
    folder = runner.workspace
    cases, gates = v2.dataset(*CASES), v2.rubric(GATE)
    replays = [
        v2.predictions(name, *(v2.record(f"c{at}", done=f"c{at}" not in bad) for at in (1, 2, 3)))
        for name, bad in (("baseline", ()), ("candidate", failing))
    ]
    v2.write(folder / "rubric.json", json.dumps(gates, indent=1).encode())
    if lines:
        v2.write(folder / "dataset.json", v2.as_lines(cases, "cases"))
    else:
        v2.write(folder / "dataset.json", json.dumps(cases, indent=1).encode())
    for index, replay in enumerate(replays):
        text = v2.as_lines(replay, "records") if lines else json.dumps(replay, indent=1).encode()
        v2.write(folder / f"replay-{index}.json", text)


@pytest.mark.parametrize(
    ("failing", "decision", "reason"),
    [
        ((), "PASS", ""),
        (("c2",), "BLOCK", "pass_rate.at_least"),
        (("c1", "c2"), "BLOCK", "critical_case_failed"),
    ],
    ids=["pass", "gate", "critical"],
)
@pytest.mark.parametrize("lines", [False, True], ids=["json", "lines"])
def test_a_decision_is_told_in_outputs_files_summary_and_log(
    runner: Runner, failing: tuple[str, ...], decision: str, reason: str, lines: bool
) -> None:
    write_contracts(runner, *failing, lines=lines)
    step = runner.step("gate", gate_inputs())
    assert step.code == 0
    assert (step.outputs["decision"], step.outputs["primary-reason"]) == (decision, reason)
    report: Any = json.loads(Path(step.outputs["report-json"]).read_bytes())
    assert (report["schema_version"], report["action"]) == ("eval-report-v2", decision)
    assert report["evidence_sha256"] == step.outputs["evidence-sha256"]
    assert Path(step.outputs["report-markdown"]).read_text(encoding="utf-8") == step.summary
    assert decision in step.summary.splitlines()[0]
    # The terminal's report of this version, not of the other one.
    assert "candidate  candidate (3 of 3 cases)" in step.log


@pytest.mark.parametrize("lines", [False, True], ids=["json", "lines"])
def test_failed_cases_and_gates_are_marked_where_they_stand(runner: Runner, lines: bool) -> None:
    write_contracts(runner, "c1", "c2", lines=lines)
    step = runner.step("gate", gate_inputs())
    marked = [each.split("::")[1] for each in step.commands if "title=CL4" not in each]
    assert [each.split(" ")[0] for each in marked] == ["error", "error", "warning"]
    expected = [("replay-1.json", '"c1"'), ("rubric.json", "{"), ("replay-1.json", '"c2"')]
    for remark, (name, there) in zip(marked, expected, strict=True):
        place = re.search(r"file=([^,]+),line=(\d+)", remark)
        assert place is not None
        assert place[1] == name
        text = (runner.workspace / name).read_text(encoding="utf-8").splitlines()
        assert there in text[int(place[2]) - 1]


def test_of_several_trials_the_one_that_failed_is_marked(runner: Runner) -> None:
    write_contracts(runner)
    replay = v2.predictions(
        "candidate",
        v2.record("c1", trial=0),
        v2.record("c1", trial=1, done=False),
        *(v2.record(id_) for id_ in ("c2", "c3")),
    )
    v2.write(runner.workspace / "replay-1.json", v2.as_lines(replay, "records"))
    step = runner.step("gate", gate_inputs())
    assert any("file=replay-1.json,line=3," in each for each in step.commands)


def test_the_configuration_names_a_version_2_gate(runner: Runner) -> None:
    write_contracts(runner, "c2")
    names = (
        'dataset = "dataset.json"\nrubric = "rubric.json"\npredictions = ["replay-*.json"]\n'
        'candidate = "candidate"\n'
    )
    (runner.workspace / "contractlab.toml").write_text(names, encoding="utf-8")
    assert runner.step("gate").outputs["decision"] == "BLOCK"


def test_a_malformed_record_is_an_error_at_its_line(runner: Runner) -> None:
    write_contracts(runner, lines=True)
    path = runner.workspace / "replay-1.json"
    path.write_bytes(path.read_bytes() + b'{"case_id": 3}\n')
    step = runner.step("gate", gate_inputs())
    assert (step.outputs["decision"], step.outputs["primary-reason"]) == ("ERROR", "CL202")
    assert any("file=replay-1.json,line=5," in each for each in step.commands)
