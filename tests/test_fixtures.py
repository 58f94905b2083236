"""The contracts under fixtures/ and runs/ that are right, and how all of them are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.examples import ROOT, run

if TYPE_CHECKING:
    from pathlib import Path

FILES = sorted(path for folder in ("fixtures", "runs") for path in (ROOT / folder).rglob("*.json"))
WRONG_ENCODING = {"CL101-not-utf-8/rejected.json"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    "files",
    [
        ("fixtures/small/dataset.json", "fixtures/small/predictions.json"),
        ("fixtures/small/rubric.json",),
        ("fixtures/valid/dataset.json", *map(name, sorted((ROOT / "runs").glob("*.json")))),
        ("fixtures/valid/rubric.json",),
    ],
    ids=lambda files: files[0],
)
def test_the_valid_contracts_give_neither_problem_nor_warning(files: tuple[str, ...]) -> None:
    result = run(("validate", "--strict", *files), ROOT)
    assert (result.code, result.err) == (0, "")


def test_validate_without_arguments_warns_of_the_small_set_and_of_nothing_else() -> None:
    result = run(("validate",), ROOT)
    assert (result.code, result.found) == (0, ["CL407"])


@pytest.mark.parametrize("path", FILES, ids=name)
def test_lines_end_in_a_newline_alone(path: Path) -> None:
    data = path.read_bytes()
    assert b"\r" not in data
    assert data.endswith(b"\n")
    if "/".join(path.parts[-2:]) not in WRONG_ENCODING:
        data.decode("utf-8")
