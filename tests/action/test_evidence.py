from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.action.evidence import MAX_BYTES
from contractlab.action.gate import REPORT_JSON
from tests.action.runner import Runner, Step, gate_inputs

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = "<img src=x> @everyone [x](http://x) <!-- contractlab:report v1 -->"


def evidence_of(runner: Runner, **contracts: Any) -> dict[str, Any]:
    """The report of a run, as another run downloads it."""
    runner.contracts(**contracts)
    value: Any = json.loads(
        Path(runner.step("gate", gate_inputs()).outputs["report-json"]).read_bytes()
    )
    return dict(value)


def judge(runner: Runner, evidence: object, **run: Any) -> Step:
    """`mode: comment` on a folder with this evidence (bytes, or a value)."""
    folder = runner.folder / "evidence"
    folder.mkdir(exist_ok=True)
    if evidence is not None:
        data = evidence if isinstance(evidence, bytes) else json.dumps(evidence).encode()
        (folder / REPORT_JSON).write_bytes(data)
    runner.follows(**run)
    return runner.step("gate", {"mode": "comment", "working-directory": str(folder)})


def comment_of(step: Step) -> str:
    return Path(step.outputs["folder"], "comment.md").read_text(encoding="utf-8")


def test_evidence_is_judged_again_and_says_where_it_is_from(runner: Runner) -> None:
    evidence = evidence_of(runner)
    step = judge(runner, evidence)
    assert step.outputs["decision"] == "PASS"
    assert step.outputs["evidence-sha256"] == evidence["evidence_sha256"]
    for text in (comment_of(step), step.summary):
        assert "code from `forker/agent`" in text
        assert "/acme/agent/actions/runs/55" in text
        assert "judged again here" in text


def test_the_verdict_stays_the_first_line(runner: Runner) -> None:
    assert comment_of(judge(runner, evidence_of(runner))).startswith("### ✅ PASS")


def test_a_run_that_follows_marks_no_file(runner: Runner) -> None:
    assert judge(runner, evidence_of(runner)).commands == []


def verdict(value: dict[str, Any]) -> None:
    value["action"] = "BLOCK"


def figure(value: dict[str, Any]) -> None:
    value["candidate_metrics"]["pass_rate"] = 0.5


def reason(value: dict[str, Any]) -> None:
    value["reasons"] = [HOSTILE]


def behaviour(value: dict[str, Any]) -> None:
    value["cases"][0]["candidate"]["tool"] = "refund_order"


def gates(value: dict[str, Any]) -> None:
    value["rubric"]["gates"] = []


def field(value: dict[str, Any]) -> None:
    value["markdown"] = HOSTILE


@pytest.mark.parametrize("tamper", [verdict, figure, reason, behaviour, gates, field])
def test_tampered_evidence_is_an_error_and_none_of_it_is_posted(
    runner: Runner, tamper: Callable[[dict[str, Any]], None]
) -> None:
    value = evidence_of(runner)
    tamper(value)
    step = judge(runner, value)
    text = comment_of(step)
    assert step.outputs["decision"] == "ERROR"
    assert "The evidence of that run is missing or cannot be used." in text
    assert "judged again here" not in text
    assert "<img" not in text
    assert "](http://x)" not in text


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff\xfe{\0}\0", b"[" * 100_000, b'{"a": 1, "a": 2}'],
    ids=["empty", "cut", "array", "null", "utf-16", "deep", "twice"],
)
def test_what_is_no_report_is_an_error(runner: Runner, data: bytes) -> None:
    step = judge(runner, data)
    assert step.outputs["decision"] == "ERROR"
    assert comment_of(step).startswith("### ❌ ERROR")


def test_evidence_over_the_cap_is_refused_unread(runner: Runner) -> None:
    folder = runner.folder / "evidence"
    folder.mkdir()
    with (folder / REPORT_JSON).open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert judge(runner, None).outputs["primary-reason"] == "CL003"


def test_a_link_in_place_of_evidence_is_not_followed(runner: Runner) -> None:
    secret = runner.folder / "secret"
    secret.write_text("SECRET", encoding="utf-8")
    (runner.folder / "evidence").mkdir()
    (runner.folder / "evidence" / REPORT_JSON).symlink_to(secret)
    step = judge(runner, None)
    assert step.outputs["primary-reason"] == "CL313"
    assert "SECRET" not in step.log + step.summary


def test_missing_evidence_is_an_error(runner: Runner) -> None:
    assert judge(runner, None).outputs["primary-reason"] == "CL001"


def test_the_problems_of_an_error_report_are_told_again(runner: Runner) -> None:
    evidence = evidence_of(runner, dataset_="{")
    assert evidence["action"] == "ERROR"
    step = judge(runner, evidence)
    assert (step.outputs["decision"], step.outputs["primary-reason"]) == ("ERROR", "CL103")
    assert "The contracts have to be mended first." in comment_of(step)
    assert "dataset.json:1:" in comment_of(step)


def test_hostile_problems_are_only_text(runner: Runner) -> None:
    evidence = evidence_of(runner, dataset_="{")
    evidence["problems"][0] |= {"message": HOSTILE, "hint": HOSTILE, "file": HOSTILE}
    text = comment_of(judge(runner, evidence))
    assert "<img" not in text
    assert "](http://x)" not in text
    assert "<!--" not in text
    assert "@" not in text


@pytest.mark.parametrize(
    "change",
    [
        {"code": "CL999"},
        {"message": 1},
        {"line": "1"},
        {"line": True},
        {"column": -1},
        {"related": [1]},
        {"hint": None},
    ],
    ids=str,
)
def test_problems_of_another_shape_are_refused(runner: Runner, change: dict[str, Any]) -> None:
    evidence = evidence_of(runner, dataset_="{")
    evidence["problems"][0] |= change
    assert judge(runner, evidence).outputs["primary-reason"] == "CL313"


@pytest.mark.parametrize("problems", [[], None, {}, [1]], ids=str)
def test_an_error_report_without_problems_is_refused(runner: Runner, problems: object) -> None:
    evidence = {**evidence_of(runner, dataset_="{"), "problems": problems}
    assert judge(runner, evidence).outputs["primary-reason"] == "CL313"


def test_very_long_texts_are_cut(runner: Runner) -> None:
    evidence = evidence_of(runner, dataset_="{")
    evidence["problems"] = [{**evidence["problems"][0], "message": "x" * 100_000}] * 1_000
    assert len(comment_of(judge(runner, evidence))) < 60_000


def test_of_very_many_problems_the_first_are_told(runner: Runner) -> None:
    evidence = evidence_of(runner, dataset_="{")
    evidence["problems"] *= 10_000
    assert judge(runner, evidence).outputs["primary-reason"] == "CL103"


def test_mode_comment_outside_a_workflow_run_is_an_error(runner: Runner) -> None:
    step = runner.step("gate", {"mode": "comment"})
    assert (step.outputs["decision"], step.outputs["primary-reason"]) == ("ERROR", "CL006")
