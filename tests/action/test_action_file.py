from __future__ import annotations

import re

import pytest

from contractlab.action.inputs import COMMENTS, DEFAULT_FAIL_ON, MODES, Inputs, variable
from contractlab.action.main import STEPS
from contractlab.github.posted import STATUSES
from tests.action.documents import (
    ACTION_FILE,
    ROOT,
    WORKFLOWS,
    action,
    examples,
    load,
    scripts,
    table,
    uses,
)

INPUTS = [
    "dataset",
    "rubric",
    "predictions",
    "candidate",
    "baseline",
    "config",
    "fail-on",
    "comment",
    "comment-id",
    "summary",
    "annotations",
    "python-path",
    "github-token",
    "working-directory",
    "mode",
]
OUTPUTS = [
    "decision",
    "exit-code",
    "primary-reason",
    "evidence-sha256",
    "report-json",
    "report-markdown",
    "comment-url",
    "comment-status",
]
STEP = {step["id"]: step for step in action()["runs"]["steps"]}


def test_inputs_and_outputs_are_the_promised_ones() -> None:
    assert list(action()["inputs"]) == INPUTS
    assert list(action()["outputs"]) == OUTPUTS


def test_the_docs_list_every_input_with_its_default_and_meaning() -> None:
    rows = []
    for name, each in action()["inputs"].items():
        default = each.get("default", "")
        shown = "the job's token" if "github.token" in default else f"`{default}`" * bool(default)
        rows.append([f"`{name}`", shown, each["description"]])
    assert table("Inputs") == rows


def test_the_docs_list_every_output_with_its_meaning() -> None:
    rows = [[f"`{name}`", each["description"]] for name, each in action()["outputs"].items()]
    assert table("Outputs") == rows


def test_every_input_reaches_the_gate_but_the_token_and_the_interpreter() -> None:
    forwarded = {
        variable(name): f"${{{{ inputs.{name} }}}}"
        for name in INPUTS
        if name not in ("github-token", "python-path")
    }
    assert {**STEP["gate"]["env"]} == {
        "CL_PYTHON": "${{ steps.setup.outputs.python }}",
        **forwarded,
    }
    assert STEP["setup"]["env"] == {"CL_PYTHON_PATH": "${{ inputs.python-path }}"}


def test_only_the_comment_step_gets_the_token() -> None:
    text = ACTION_FILE.read_text(encoding="utf-8")
    assert [id_ for id_, step in STEP.items() if "token" in str(step["env"])] == ["comment"]
    assert text.count("github.token") == 1
    assert text.count("inputs.github-token") == 1


def test_every_forwarded_variable_is_of_an_input_or_an_earlier_step() -> None:
    seen: list[str] = []
    for id_, step in STEP.items():
        for name, value in step["env"].items():
            match = re.fullmatch(r"\$\{\{ (inputs|steps\.(\w+)\.outputs)\.([\w-]+) \}\}", value)
            assert match, value
            if match[1] == "inputs":
                assert name == variable(match[3])
            else:
                assert match[2] in seen
                assert name == variable(match[3])
        seen.append(id_)


def test_defaults_of_the_file_are_the_codes() -> None:
    defaults = {name: each.get("default", "") for name, each in action()["inputs"].items()}
    ours = Inputs()
    assert defaults["mode"] == ours.mode == MODES[0]
    assert defaults["fail-on"] == ours.fail_on == DEFAULT_FAIL_ON
    assert defaults["comment"] == ours.comment == COMMENTS[0]
    assert defaults["comment-id"] == ours.comment_id
    assert defaults["working-directory"] == ours.working_directory
    assert (defaults["summary"], defaults["annotations"]) == ("true", "true")


def test_the_docs_name_every_comment_status() -> None:
    named = re.findall(r"`(\w+)`", " ".join(row[0] for row in table("The comment")))
    assert named == list(STATUSES)


def test_steps_are_the_programs_and_only_the_last_can_fail_the_job() -> None:
    assert tuple(STEP) == STEPS
    assert [id_ for id_, step in STEP.items() if "continue-on-error" not in step] == ["verdict"]
    assert STEP["verdict"]["if"] == "${{ !cancelled() }}"


@pytest.mark.parametrize("id_", STEPS)
def test_no_expression_stands_in_a_script_and_every_python_is_isolated(id_: str) -> None:
    script = STEP[id_]["run"]
    assert "${{" not in script
    assert STEP[id_]["shell"] == "bash"
    started = re.findall(r'"\$(?:CL_PYTHON|python)" (-.*)', script)
    assert started
    assert [line for line in started if not line.startswith("-I ")] == []
    assert "GITHUB_ENV" not in script
    assert "GITHUB_PATH" not in script


def test_nothing_external_is_used_by_the_action() -> None:
    assert [step for step in STEP.values() if "uses" in step] == []


ALL = [path.read_text(encoding="utf-8") for path in WORKFLOWS] + examples()


@pytest.mark.parametrize("text", ALL, ids=range(len(ALL)))
def test_workflows_pin_by_commit_and_grant_by_job(text: str) -> None:
    document = load(text)
    assert document["permissions"] == {}
    for job in document["jobs"].values():
        assert set(job["permissions"].values()) <= {"read", "write"}
        assert job["permissions"].get("contents") in ("read", None)
    for each in uses(document):
        assert each == "./" or re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", each), each
    for _, script in scripts(document):
        assert "${{" not in script
    assert "pull_request_target" not in document["on"]


@pytest.mark.parametrize("text", ALL, ids=range(len(ALL)))
def test_one_action_is_pinned_to_one_commit_everywhere(text: str) -> None:
    pins = {each.split("@")[0]: each for other in ALL for each in uses(load(other)) if "@" in each}
    assert [
        each for each in uses(load(text)) if "@" in each and each != pins[each.split("@")[0]]
    ] == []


def test_examples_ask_for_inputs_that_there_are() -> None:
    for text in examples():
        for job in load(text)["jobs"].values():
            for step in job["steps"]:
                if step.get("uses", "").startswith("OWNER/contractlab@"):
                    assert set(step.get("with", {})) <= set(INPUTS)


def test_the_second_workflow_checks_nothing_out() -> None:
    (text,) = [each for each in examples() if "workflow_run:" in each]
    assert not [each for each in uses(load(text)) if each.startswith("actions/checkout")]
    first = next(each for each in examples() if "upload-artifact" in each)
    assert load(first)["name"] in load(text)["on"]["workflow_run"]["workflows"]


def test_what_the_action_needs_is_in_the_repository() -> None:
    for name in ("requirements-action.lock", "contractlab/action/launch.py", "schemas"):
        assert (ROOT / name).exists()
