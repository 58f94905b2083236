"""The evidence of another run, of contracts of version 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.action.runner import gate_inputs
from tests.action.test_evidence import HOSTILE, comment_of, judge
from tests.action.test_gate_v2 import write_contracts

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.action.runner import Runner


def evidence_of(runner: Runner, *failing: str, lines: bool = False) -> dict[str, Any]:
    """The report of a run, as another run downloads it, and the comment of that run."""
    write_contracts(runner, *failing, lines=lines)
    step = runner.step("gate", gate_inputs())
    value: Any = json.loads(Path(step.outputs["report-json"]).read_bytes())
    assert value["schema_version"] == "eval-report-v2"
    return dict(value)


@pytest.mark.parametrize(
    ("failing", "decision"), [((), "PASS"), (("c2",), "BLOCK"), (("c1", "c2"), "BLOCK")], ids=str
)
@pytest.mark.parametrize("lines", [False, True], ids=["json", "lines"])
def test_evidence_is_judged_again_and_says_where_it_is_from(
    runner: Runner, failing: tuple[str, ...], decision: str, lines: bool
) -> None:
    evidence = evidence_of(runner, *failing, lines=lines)
    step = judge(runner, evidence)
    assert step.outputs["decision"] == decision
    assert step.outputs["evidence-sha256"] == evidence["evidence_sha256"]
    for text in (comment_of(step), step.summary):
        assert decision in text.splitlines()[0]
        assert "code from `forker/agent`" in text
        assert "judged again here" in text
        assert all(f"`{case_id}`" in text for case_id in failing)
    assert step.commands == []


def test_the_report_that_is_written_is_the_evidence_itself(runner: Runner) -> None:
    evidence = evidence_of(runner, "c1")
    step = judge(runner, evidence)
    assert json.loads(Path(step.outputs["report-json"]).read_bytes()) == evidence


def verdict(value: dict[str, Any]) -> None:
    value["action"] = "PASS"


def figure(value: dict[str, Any]) -> None:
    value["candidate"]["pass_rate"] = 1.0


def reason(value: dict[str, Any]) -> None:
    value["reasons"] = [HOSTILE]


def behaviour(value: dict[str, Any]) -> None:
    value["cases"][0]["candidate"]["trials"][0]["outcomes"]["done"] = True


def expectation(value: dict[str, Any]) -> None:
    value["cases"][0]["expect"] = {"outcomes": {"done": False}}


def gates(value: dict[str, Any]) -> None:
    value["rubric"]["gates"] = []


def case_left_out(value: dict[str, Any]) -> None:
    del value["cases"][0]


def case_twice(value: dict[str, Any]) -> None:
    value["cases"].append(value["cases"][1])


def field(value: dict[str, Any]) -> None:
    value["markdown"] = HOSTILE


def version(value: dict[str, Any]) -> None:
    value["schema_version"] = "eval-report-v1"


@pytest.mark.parametrize(
    "tamper",
    [verdict, figure, reason, behaviour, expectation, gates, case_left_out, case_twice, field,
     version],
)  # fmt: skip
def test_tampered_evidence_is_an_error_and_none_of_it_is_posted(
    runner: Runner, tamper: Callable[[dict[str, Any]], None]
) -> None:
    value = evidence_of(runner, "c1")
    tamper(value)
    step = judge(runner, value)
    text = comment_of(step)
    assert step.outputs["decision"] == "ERROR"
    assert step.outputs["primary-reason"].startswith(("CL2", "CL313"))
    assert "The evidence of that run is missing or cannot be used." in text
    assert "judged again here" not in text
    assert "<img" not in text
    assert "](http://x)" not in text


def test_a_pattern_that_cannot_be_compiled_is_an_error(runner: Runner) -> None:
    value = evidence_of(runner)
    value["cases"][0]["expect"] = {"answer": {"matches": "("}}
    assert judge(runner, value).outputs["primary-reason"] == "CL313"
