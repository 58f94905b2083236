"""What a release is made of, as `import` writes it into the replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from contractlab import cli
from contractlab.intake import open_document
from contractlab.limits import MAX_DEPTH
from tests.importers.build import TALK, file, lines

if TYPE_CHECKING:
    from typing import Any

MADE_OF = {"model": {"version": "2026-01-15"}}
OLDER = {"model": {"version": "2025-11-02"}}
KEPT = "kept the manifest of the replay that was there"


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines(tmp_path, [{"case_id": "a", "messages": TALK}])


def _import(out: str, *more: str, release: str = "agent-1") -> int:
    words = ("import", "openai-chat", "raw.jsonl", "--release", release, "-o", out)
    return cli.run([*words, *more])


def _header(out: str) -> dict[str, Any]:
    data = Path(out).read_bytes()
    header: dict[str, Any] = json.loads(data.splitlines()[0] if out.endswith("l") else data)
    return header


def _add(out: str, manifest: Any) -> None:
    """Adds a manifest as a person does."""
    text = Path(out).read_text(encoding="utf-8")
    before = '"release":{"release_id":"agent-1"'
    assert before in text
    added = f'{before}, "manifest": {json.dumps(manifest)}'
    Path(out).write_text(text.replace(before, added), encoding="utf-8")


@pytest.mark.parametrize("out", ["out.json", "out.jsonl"])
def test_a_manifest_that_is_named_is_the_releases(tmp_path: Path, out: str) -> None:
    made_of = file(tmp_path, MADE_OF, "made-of.json")
    assert _import(out, "--manifest", made_of) == 0
    assert _header(out)["release"] == {"release_id": "agent-1", "manifest": MADE_OF}


@pytest.mark.parametrize("out", ["out.json", "out.jsonl"])
def test_a_manifest_that_was_added_by_hand_is_kept_and_a_line_says_so(
    out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _import(out) == 0
    _add(out, OLDER)
    assert KEPT not in capsys.readouterr().out
    assert _import(out) == 0
    assert KEPT in capsys.readouterr().out.splitlines()
    assert _header(out)["release"]["manifest"] == OLDER


def test_a_manifest_that_is_named_replaces_the_one_that_was_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _import("out.json") == 0
    _add("out.json", OLDER)
    assert _import("out.json", "--manifest", file(tmp_path, MADE_OF, "made-of.json")) == 0
    assert KEPT not in capsys.readouterr().out
    assert _header("out.json")["release"]["manifest"] == MADE_OF


def test_the_manifest_of_another_release_is_not_taken_over(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _import("out.json") == 0
    _add("out.json", OLDER)
    assert _import("out.json", release="agent-2") == 0
    assert KEPT not in capsys.readouterr().out
    assert _header("out.json")["release"] == {"release_id": "agent-2"}


@pytest.mark.parametrize(
    "there",
    [
        b'{"manifest"',
        b'["manifest"]',
        b'{"schema_version": "eval-predictions-v2", "release": "manifest", "manifest": 1}',
        b'{"schema_version": "eval-predictions-v2", "release": {"release_id": "agent-1", '
        b'"manifest": {"model": 1}}}',
        b'{"schema_version": "other", "release": {"release_id": "agent-1", "manifest": {}}}',
    ],
    ids=["no JSON", "a list", "no release", "no manifest", "no replay"],
)
def test_a_file_that_is_no_replay_is_written_over_and_gives_no_manifest(there: bytes) -> None:
    Path("out.json").write_bytes(there)
    assert _import("out.json") == 0
    assert _header("out.json")["release"] == {"release_id": "agent-1"}


def _nested(deep: int) -> str:
    """A manifest of so many arrays and objects inside one another."""
    lists = deep - 2
    return f'{{"model": {{"version": 1, "x": {"[" * lists}{"]" * lists}}}}}'


def test_a_manifest_may_be_as_deep_as_a_replay_can_hold() -> None:
    Path("made-of.json").write_text(_nested(MAX_DEPTH - 2), encoding="utf-8")
    assert _import("out.json", "--manifest", "made-of.json") == 0
    assert open_document("out.json", role="predictions").role == "predictions"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n "model": {"version": "latest"}\n}', "made-of.json:2:23: CL314"),
        ('{\n "model": {}\n}', "made-of.json:2:11: CL314"),
        ('{\n "model": "m-1"\n}', "made-of.json:2:11: CL202"),
        ("[]", "made-of.json:1:1: CL202"),
        ("{", "made-of.json:1:2: CL1"),
        (_nested(MAX_DEPTH - 1), f"nested more than {MAX_DEPTH} deep"),
    ],
    ids=["moving", "bare", "no object", "a list", "no JSON", "deep"],
)
def test_a_manifest_that_a_replay_may_not_have_is_placed_and_nothing_is_written(
    text: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("made-of.json").write_text(text, encoding="utf-8")
    assert _import("out.json", "--manifest", "made-of.json") == 2
    assert told in capsys.readouterr().err
    assert not Path("out.json").exists()


def test_the_replay_is_not_written_over_the_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made_of = file(tmp_path, MADE_OF, "made-of.json")
    assert _import(made_of, "--manifest", made_of) == 2
    assert "the output is one of the files that are read" in capsys.readouterr().err
