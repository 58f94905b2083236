"""Every report of a version 2 comparison, as the commands write it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from contractlab.front import run
from tests.render.judgements_v2 import GATES, good, support_cases
from tests.v2.builders import case, dataset, predictions, write_comparison

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path) -> list[str]:
    cases = [*support_cases(), case("train-1", split="train")]
    judged = cases[:-1]
    before = predictions("baseline", *(good(of) for of in judged))
    wrong = {**good(judged[0]), "label": "answer", "calls": []}
    after = predictions("candidate", wrong, *(good(of) for of in judged[1:]))
    return write_comparison(folder, dataset(*cases), GATES, before, after)


SHOWN = {
    "json": '"schema_version": "eval-report-v2"',
    "markdown": "#### What got worse: 1 case",
    "junit": "<testsuites>",
    "sarif": '"failed-case"',
    "html": "<!doctype html>",
}


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_every_format_shows_the_comparison(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], format_: str
) -> None:
    assert run(["compare", *written(tmp_path), f"--format={format_}"]) == 1
    out = capfd.readouterr().out
    assert "refund-late-0" in out
    assert SHOWN.get(format_, "evidence") in out


def test_every_report_file_is_written(tmp_path: Path) -> None:
    names = {format_: tmp_path / f"report.{format_}" for format_ in SHOWN}
    targets = [f"--report-{format_}={name}" for format_, name in names.items()]
    assert run(["compare", *written(tmp_path), *targets, "--quiet"]) == 1
    for format_, name in names.items():
        text = name.read_text(encoding="utf-8")
        assert "refund-late-0" in text
        assert SHOWN[format_] in text


@pytest.mark.parametrize("command", [["render", "--format=markdown"], ["cases", "--report"]])
def test_a_version_2_report_is_refused_with_the_way_out(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: list[str]
) -> None:
    report = tmp_path / "report.json"
    run(["compare", *written(tmp_path), f"--report-json={report}", "--quiet"])
    capfd.readouterr()
    assert run([*command, str(report)]) == 2
    err = capfd.readouterr().err
    assert "version 2 report" in err
    assert "name the contracts instead" in err


def test_cases_are_listed_by_a_check_that_only_some_have(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = written(tmp_path)
    assert run(["cases", *options, "--check=tools"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("regressed  refund-late-0  refunds\n")
    assert 'tools: none, expected "in order: lookup_order(order_id=A-0), refund_order"' in out
    assert out.endswith("1 of 16 cases\n")
    assert run(["cases", *options, "--flip=regressed", "--format=json"]) == 0
    (found,) = json.loads(capfd.readouterr().out)["cases"]
    assert found["case_id"] == "refund-late-0"
    assert found["candidate"]["trials"][0]["checks"] == {"label": False, "tools": False}
    assert run(["cases", *options, "--check=tool_correct"]) == 2
    assert '"label"' in capfd.readouterr().err
