from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contractlab.action.gate import ANNOTATIONS_EACH
from tests.action.runner import SHA, Runner, gate_inputs
from tests.builders import case, dataset, predictions, release, rubric, write

NASTY = "::error::x\n##[group]@everyone <!-- contractlab:report --> #1 `|` \x1b[31m\u202e"


def replay(of: dict[str, Any], **candidate: Any) -> dict[str, Any]:
    return predictions(release("baseline", of), release("candidate", of, **candidate))


@pytest.mark.parametrize(
    ("decision", "reason", "gates"),
    [
        ("PASS", "", {}),
        ("REVIEW", "max_mean_latency_ms", {"max_mean_latency_ms": 1}),
        ("BLOCK", "min_overall_pass_rate", {"min_overall_pass_rate": 1.0}),
    ],
)
def test_a_decision_is_told_in_outputs_files_and_summary_and_fails_no_step(
    runner: Runner, decision: str, reason: str, gates: dict[str, float]
) -> None:
    of = dataset(case("c1"), case("c2", critical=False, expected_label="negative"))
    wrong = {"c2": {"tool": None}} if decision == "BLOCK" else {}
    runner.contracts(dataset_=of, rubric_=rubric(**gates), predictions_=[replay(of, but=wrong)])
    step = runner.step("gate", gate_inputs())
    assert step.code == 0
    assert (step.outputs["decision"], step.outputs["primary-reason"]) == (decision, reason)
    report = json.loads(Path(step.outputs["report-json"]).read_bytes())
    assert report["action"] == decision
    assert report["evidence_sha256"] == step.outputs["evidence-sha256"]
    assert Path(step.outputs["report-markdown"]).read_text(encoding="utf-8") == step.summary
    assert decision in step.summary.splitlines()[0]


def test_reports_are_below_runner_temp_and_nothing_is_in_the_checkout(runner: Runner) -> None:
    runner.contracts()
    before = sorted(runner.workspace.rglob("*"))
    step = runner.step("gate", gate_inputs())
    assert Path(step.outputs["folder"]).parent == runner.folder / "temp"
    assert sorted(runner.workspace.rglob("*")) == before


def test_two_uses_in_one_job_keep_reports_apart(runner: Runner) -> None:
    runner.contracts()
    folders = {runner.step("gate", gate_inputs()).outputs["folder"] for _ in range(2)}
    assert len(folders) == 2


def test_a_malformed_contract_is_an_error_with_its_place_and_no_digest(runner: Runner) -> None:
    runner.contracts(dataset_='{\n  "schema_version": "eval-dataset-v1",\n  oops\n}')
    step = runner.step("gate", gate_inputs())
    assert (step.outputs["decision"], step.outputs["primary-reason"]) == ("ERROR", "CL103")
    assert step.outputs["evidence-sha256"] == ""
    (command,) = step.commands
    assert command.startswith("::error file=dataset.json,line=3,col=3,title=CL103 json-syntax::")
    assert f"/blob/{SHA}/dataset.json#L3" in step.summary
    report = json.loads(Path(step.outputs["report-json"]).read_bytes())
    assert report["action"] == "ERROR"
    assert report["problems"][0]["line"] == 3


def test_an_input_that_is_none_of_those_allowed_is_an_error(runner: Runner) -> None:
    runner.contracts()
    step = runner.step("gate", gate_inputs(fail_on="blok"))
    assert (step.outputs["decision"], step.outputs["primary-reason"]) == ("ERROR", "CL006")
    assert "The workflow has to be mended first." in step.summary


def test_a_working_directory_is_where_names_start_and_links_lead(runner: Runner) -> None:
    folder = runner.workspace / "agents" / "my agent"
    folder.mkdir(parents=True)
    write(folder / "dataset.json", b"{")
    inputs = gate_inputs(working_directory="agents/my agent", rubric="r", predictions="p")
    step = runner.step("gate", inputs)
    assert any("file=agents/my agent/dataset.json,line=1" in each for each in step.commands)
    assert f"/blob/{SHA}/agents/my%20agent/dataset.json#L1" in step.summary


def test_a_working_directory_that_is_not_there_is_an_error(runner: Runner) -> None:
    step = runner.step("gate", {"working-directory": "nowhere"})
    assert step.outputs["decision"] == "ERROR"


def test_the_configuration_of_the_working_directory_is_read(runner: Runner) -> None:
    runner.contracts()
    names = 'dataset = "dataset.json"\nrubric = "rubric.json"\npredictions = "replay-0.json"\n'
    (runner.workspace / "contractlab.toml").write_text(names, encoding="utf-8")
    assert runner.step("gate").outputs["decision"] == "PASS"


def test_without_inputs_and_configuration_nothing_is_judged(runner: Runner) -> None:
    assert runner.step("gate").outputs["decision"] == "ERROR"


def test_summary_and_annotations_can_be_off(runner: Runner) -> None:
    runner.contracts(dataset_="{")
    step = runner.step("gate", gate_inputs(summary="false", annotations="false"))
    assert (step.summary, step.commands) == ("", [])


def test_failed_cases_and_gates_are_marked_where_they_stand(runner: Runner) -> None:
    of = dataset(case("c1"), case("c2", critical=False, expected_label="negative"))
    wrong = {"c1": {"actions": ["refund_order"]}, "c2": {"tool": None}}
    runner.contracts(
        dataset_=json.dumps(of, indent=1),
        rubric_=json.dumps(rubric(min_overall_pass_rate=0.5), indent=1),
        predictions_=[json.dumps(replay(of, but=wrong), indent=1)],
    )
    step = runner.step("gate", gate_inputs())
    marked = [
        each.split("::")[1].split(",title=") for each in step.commands if "title=CL4" not in each
    ]
    levels = [(place.split(" ")[0], place.split("file=")[1].split(",")[0]) for place, _ in marked]
    assert levels == [
        ("error", "replay-0.json"),
        ("error", "rubric.json"),
        ("warning", "replay-0.json"),
    ]
    # The case's own line, and the limit's.
    line = int(marked[0][0].split("line=")[1].split(",")[0])
    text = (runner.workspace / "replay-0.json").read_text(encoding="utf-8").splitlines()
    assert '"c1"' in text[line - 1]


def test_a_thousand_problems_are_marked_up_to_what_a_runner_shows(runner: Runner) -> None:
    of = dataset(*(case(f"c{at}", slice=" ") for at in range(1000)))
    runner.contracts(dataset_=of)
    step = runner.step("gate", gate_inputs())
    errors = [each for each in step.commands if each.startswith("::error")]
    assert len(errors) == ANNOTATIONS_EACH + 1
    assert errors[-1].endswith(f"{1000 - ANNOTATIONS_EACH} more errors in the job summary")
    assert all(len(each.encode("utf-16-le")) // 2 < 4096 for each in errors)


def test_untrusted_text_commands_no_runner_and_marks_up_nothing(runner: Runner) -> None:
    id_ = "case ::error::x ##[group] @everyone <b> #1 `|` ![x](http://x)"
    of = dataset(case(id_), case("c2", expected_label="negative"))
    runner.contracts(dataset_=of, predictions_=[replay(of, but={id_: {"tool": None}})])
    step = runner.step("gate", gate_inputs())
    assert step.outputs["decision"] == "BLOCK"
    assert {each.split(" ")[0] for each in step.commands} == {"::error", "::warning"}
    assert "<b>" not in step.summary
    assert "![x]" not in step.summary
    assert "##[" not in step.log


def test_a_release_named_like_a_command_ends_no_output(runner: Runner) -> None:
    runner.contracts()
    step = runner.step("gate", gate_inputs(candidate=NASTY))
    assert step.outputs["decision"] == "ERROR"
    assert all(each.startswith("::error") for each in step.commands)
    assert len(step.commands) == 1


def test_the_file_names_of_an_outsider_are_only_names(runner: Runner) -> None:
    name = "$(touch PWNED) `id` %0A::error::x.json"
    runner.contracts()
    step = runner.step("gate", gate_inputs(dataset=name))
    assert step.outputs["primary-reason"] == "CL001"
    assert len(step.commands) == 1


def test_thousands_of_failed_cases_stay_below_what_github_keeps(runner: Runner) -> None:
    names = [f"case {at} {'語' * 40}" for at in range(3_000)]
    of = dataset(*(case(name, critical=False) for name in names))
    runner.contracts(dataset_=of, predictions_=[replay(of, tool=None)])
    step = runner.step("gate", gate_inputs())
    comment = Path(step.outputs["folder"], "comment.md").read_text(encoding="utf-8")
    assert len(comment.encode("utf-16-le")) // 2 < 59_900
    assert len(step.summary.encode()) < 1_000_000
    for text in (comment, step.summary):
        assert text.count("<details>") == text.count("</details>")


def test_an_event_that_is_no_json_is_an_error_and_no_crash(runner: Runner) -> None:
    runner.contracts()
    Path(runner.variables["GITHUB_EVENT_PATH"]).write_bytes(b"{")
    assert runner.step("gate", gate_inputs()).outputs["decision"] == "ERROR"
