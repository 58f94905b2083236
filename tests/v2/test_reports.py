"""Every report of a version 2 comparison, as the commands write it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from contractlab.choices import RENDER_FORMATS
from contractlab.front import run
from contractlab.sniff import is_contract
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


@pytest.mark.parametrize(
    ("confidence", "words"), [(0.95, "95 %"), (0.9, "90 %"), (0.999, "99.9 %")]
)
def test_a_confidence_level_reads_as_the_rubric_wrote_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], confidence: float, words: str
) -> None:
    cases = support_cases()
    gates = {**GATES, "comparison": {**GATES["comparison"], "confidence": confidence}}
    replays = [predictions(name, *map(good, cases)) for name in ("baseline", "candidate")]
    names = [tmp_path / f"report.{format_}" for format_ in SHOWN]
    targets = [f"--report-{name.suffix[1:]}={name}" for name in names]
    run(["compare", *write_comparison(tmp_path, dataset(*cases), gates, *replays), *targets])
    texts = [capfd.readouterr().out, *(name.read_text(encoding="utf-8") for name in names)]
    levels = re.findall(r"([\d.]+ %) (?:Newcombe )?interval", "".join(texts))
    assert len(levels) > 10
    assert set(levels) == {words}


@pytest.mark.parametrize("format_", RENDER_FORMATS)
def test_the_report_alone_renders_to_the_same_bytes(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], format_: str
) -> None:
    names = {each: tmp_path / f"report.{each}" for each in SHOWN}
    targets = [f"--report-{each}={name}" for each, name in names.items()]
    assert run(["compare", *written(tmp_path), *targets]) == 1
    printed = capfdbinary.readouterr().out
    wanted = names[format_].read_bytes() if format_ in names else printed
    assert run(["render", str(names["json"]), f"--format={format_}"]) == 0
    assert capfdbinary.readouterr() == (wanted, b"")


def test_a_report_is_not_taken_for_a_contract(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    run(["compare", *written(tmp_path), f"--report-json={report}", "--quiet"])
    assert not is_contract(str(report))
    assert run(["hook", str(report)]) == 0


@pytest.mark.parametrize(
    "options",
    [[], ["--format=json"], ["--flip=regressed"], ["--check=tools"], ["--slice=orders"]],
    ids=" ".join,
)
def test_the_report_alone_lists_the_same_cases(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: list[str]
) -> None:
    report, contracts = tmp_path / "report.json", written(tmp_path)
    run(["compare", *contracts, f"--report-json={report}", "--quiet"])
    capfd.readouterr()
    assert run(["cases", *contracts, *options]) == 0
    wanted = capfd.readouterr().out
    assert wanted
    assert run(["cases", "--report", str(report), *options]) == 0
    assert capfd.readouterr() == (wanted, "")


@pytest.mark.parametrize("command", [["render"], ["cases", "--report"]], ids=" ".join)
def test_a_report_that_was_changed_is_refused_at_the_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: list[str]
) -> None:
    report = tmp_path / "report.json"
    run(["compare", *written(tmp_path), f"--report-json={report}", "--quiet"])
    text = report.read_text(encoding="utf-8")
    assert '"action": "BLOCK"' in text
    report.write_text(text.replace('"action": "BLOCK"', '"action": "PASS"'), encoding="utf-8")
    capfd.readouterr()
    assert run([*command, str(report)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    told = " ".join(err.split())
    assert "report.json:2:13: CL313 inconsistent-report" in told
    assert 'action is "PASS"; judged again it is "BLOCK"' in told


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
