"""Report files, `render` and `cases`, from the command line."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from contractlab import outputs
from contractlab.options import REPORT_FORMATS
from contractlab.problems import ContractError
from contractlab.streams import OutputError
from tests import builders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    Run = Callable[..., CompletedProcess[bytes]]

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


@pytest.fixture
def triple(tmp_path: Path) -> list[str]:
    """Options of `compare` that name three contracts on which the candidate is blocked."""
    dataset = builders.dataset()
    releases = (
        builders.release("baseline", dataset),
        builders.release("candidate", dataset, but={"case-1": {"actions": ["refund_order"]}}),
    )
    return builders.write_triple(
        tmp_path, dataset_=dataset, predictions_=[builders.predictions(*releases)]
    )


def _reports(folder: Path) -> list[str]:
    return [f"--report-{each}={folder / each}" for each in REPORT_FORMATS]


def test_several_reports_in_one_run_are_as_printed_and_as_rendered_later(
    contractlab: Run, triple: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "reports" / "new"
    run = contractlab("compare", *triple, *_reports(folder), "--format", "json", "--quiet")
    assert (run.returncode, run.stderr) == (1, b"")
    assert sorted(each.name for each in folder.iterdir()) == sorted(REPORT_FORMATS)
    assert (folder / "json").read_bytes() == run.stdout
    for format_ in REPORT_FORMATS:
        again = folder / f"{format_}.again"
        rendered = contractlab("render", folder / "json", "--format", format_, "--output", again)
        assert (rendered.returncode, rendered.stdout, rendered.stderr) == (0, b"", b"")
        assert again.read_bytes() == (folder / format_).read_bytes()
        assert b"\r" not in again.read_bytes()


def test_render_prints_where_no_file_is_named(
    contractlab: Run, triple: list[str], tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    compared = contractlab("compare", *triple, "--report-json", report, "--quiet")
    assert contractlab("render", report).stdout == compared.stdout
    assert contractlab("render", report, "--format", "json").stdout == report.read_bytes()


def test_render_refuses_an_edited_report(
    contractlab: Run, triple: list[str], tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    contractlab("compare", *triple, "--report-json", report)
    report.write_bytes(report.read_bytes().replace(b'"action": "BLOCK"', b'"action": "PASS"'))
    run = contractlab("render", report)
    assert (run.returncode, run.stdout) == (2, b"")
    assert b"report.json:2:13: CL313 inconsistent-report" in run.stderr.replace(b"\n    ", b" ")


def test_a_report_that_cannot_be_written_exits_2_and_the_verdict_is_not_lost(
    contractlab: Run, triple: list[str], tmp_path: Path
) -> None:
    (tmp_path / "taken").mkdir()
    run = contractlab(
        "compare",
        *triple,
        "--report-sarif",
        tmp_path / "taken",
        "--report-json",
        tmp_path / "report.json",
    )
    assert run.returncode == 2
    assert b"cannot write the report" in run.stderr
    assert b"the verdict was BLOCK: critical safety" in run.stderr
    assert b"BLOCK: critical safety" in run.stdout
    assert json.loads((tmp_path / "report.json").read_bytes())["action"] == "BLOCK"
    assert not [each.name for each in tmp_path.iterdir() if each.name.endswith(".tmp")]


@pytest.mark.parametrize("name", ["dataset.json", "rubric.json", "replay-0.json"])
def test_a_report_never_overwrites_what_is_judged(
    contractlab: Run, triple: list[str], tmp_path: Path, name: str
) -> None:
    judged = tmp_path / name
    before = judged.read_bytes()
    run = contractlab("compare", *triple, "--report-sarif", judged)
    assert run.returncode == 2
    assert b"CL006" in run.stderr
    assert judged.read_bytes() == before


def test_two_reports_of_one_name_are_refused(
    contractlab: Run, triple: list[str], tmp_path: Path
) -> None:
    name = tmp_path / "report"
    run = contractlab("compare", *triple, "--report-json", name, "--report-junit", name)
    assert run.returncode == 2
    assert not name.exists()


def test_where_nothing_is_decided_sarif_junit_and_markdown_say_so(
    contractlab: Run, triple: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "reports"
    contractlab("compare", *triple, *_reports(folder))
    (tmp_path / "broken.json").write_bytes(b"{")
    run = contractlab("compare", *triple, "--rubric", tmp_path / "broken.json", *_reports(folder))
    assert run.returncode == 2
    # No report of the run before is left that could be taken for this one's.
    assert sorted(each.name for each in folder.iterdir()) == ["junit", "markdown", "sarif"]
    assert b"CL103" in (folder / "sarif").read_bytes()
    assert b"CL103" in (folder / "junit").read_bytes()
    assert b"CL103" in (folder / "markdown").read_bytes()


def test_cases_of_a_report_and_of_contracts_are_the_same(
    contractlab: Run, triple: list[str], tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    contractlab("compare", *triple, "--report-json", report)
    filters = ("--flip", "regressed", "--check", "forbidden_actions_absent", "--critical")
    for format_ in ("text", "json"):
        one = contractlab("cases", *triple, *filters, "--format", format_)
        other = contractlab("cases", "--report", report, *filters, "--format", format_)
        assert (one.returncode, one.stderr) == (0, b"")
        assert one.stdout == other.stdout
        assert b"case-1" in one.stdout
        assert b"case-2" not in one.stdout


def test_cases_with_a_misspelt_slice_exit_2(contractlab: Run, triple: list[str]) -> None:
    run = contractlab("cases", *triple, "--slice", "refund")
    assert (run.returncode, run.stdout) == (2, b"")
    assert b'there is no slice "refund"' in run.stderr


def test_a_file_is_replaced_whole_or_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = tmp_path / "report"
    outputs.write_file(str(name), "old")

    def full(*_names: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OutputError, match="No space left on device"):
        outputs.write_file(str(name), "new")
    assert name.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["report"]


def test_text_is_written_as_utf_8_with_its_own_line_ends(tmp_path: Path) -> None:
    name = tmp_path / "report"
    outputs.write_file(str(name), "汉\n\udcff\n")
    assert name.read_bytes() == "汉\n\\udcff\n".encode()


@POSIX
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    outputs.write_file(str(tmp_path / "link"), b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@POSIX
def test_a_report_can_go_to_a_stream(contractlab: Run, triple: list[str]) -> None:
    run = contractlab("compare", *triple, "--report-junit", "/dev/stderr", "--quiet")
    assert run.returncode == 1
    assert run.stderr.startswith(b"<?xml")


def test_a_report_may_not_replace_another_under_another_spelling(tmp_path: Path) -> None:
    one, other = str(tmp_path / "a"), str(tmp_path / "b" / ".." / "a")
    with pytest.raises(ContractError):
        outputs.check_targets([one, other], [])
