from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from contractlab.action import main as program
from contractlab.action.console import Console
from contractlab.github.environment import RunnerFiles

if TYPE_CHECKING:
    from pathlib import Path


def test_the_log_is_utf_8_with_lf_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = io.BytesIO()
    console = io.TextIOWrapper(windows, encoding="cp1252", newline="\r\n")
    monkeypatch.setattr(sys, "stdout", console)
    Console(RunnerFiles()).untrusted("語 \udc80\n")
    Console(RunnerFiles()).notice("ü\n%")
    text = windows.getvalue().decode("utf-8")
    assert "語 " in text
    assert "::notice title=contractlab::ü%0A%25\n" in text
    assert "\r" not in text


def test_outputs_and_summary_are_utf_8_with_lf(tmp_path: Path) -> None:
    files = RunnerFiles(output=tmp_path / "output", summary=tmp_path / "summary")
    console = Console(files)
    console.outputs({"a": "ü"})
    console.summary("語\n", note="cut")
    assert "\nü\n".encode() in (tmp_path / "output").read_bytes()
    assert b"\r" not in (tmp_path / "output").read_bytes()
    assert (tmp_path / "summary").read_bytes() == "語\n".encode()


@pytest.mark.parametrize("argv", [[], ["nothing"], ["gate", "comment"], ["../verdict"]])
def test_a_step_that_there_is_not_fails(
    argv: list[str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert program.main(argv) == 1
    assert b"::error title=contractlab::Nothing was decided" in capsysbinary.readouterr().out


def test_a_crash_decides_nothing_and_commands_nothing(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    def crash(*_: object) -> int:
        raise RuntimeError("no\n::error::forged\n##[error]forged")

    monkeypatch.setattr("contractlab.action.verdict.run", crash)
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    assert program.main(["verdict"]) == 1
    said = capsysbinary.readouterr().out.decode()
    assert "\n::error::forged" not in said
    assert "##[error]" not in said
    assert not (tmp_path / "output").exists()
