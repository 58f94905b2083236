"""Files that are broken, copied, or meant to break an import: told by name and place."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from contractlab import cli
from contractlab.importers.registry import FORMATS
from tests.importers.build import TALK, file, lines, says

if TYPE_CHECKING:
    from typing import Any

CHAT = json.dumps({"case_id": "c", "messages": TALK}).encode()
OTHER = CHAT.replace(b'"c"', b'"d"', 1)


def run(*words: str) -> int:
    return cli.run(words)


def imported(folder: Path, *names: str, format_: str = "auto") -> dict[str, Any]:
    """The replay of some files, which has to be a valid one whose counts add up."""
    out = folder / "out.json"
    assert run("import", format_, *names, "--release", "r", "-o", str(out)) == 0
    replay: dict[str, Any] = json.loads(out.read_bytes())
    recording = replay["recording"]
    assert recording["read"] == len(replay["records"]) + sum(recording["skipped"].values())
    assert run("validate", str(out)) == 0
    return replay


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("raw.jsonl", b"\xef\xbb\xbf" + CHAT + b"\n" + OTHER + b"\n"),
        ("raw.jsonl", CHAT + b"\r\n" + OTHER + b"\r\n"),
        ("raw.jsonl", b"\n" + CHAT + b"\n\n" + OTHER),
        ("raw.log", CHAT + b"\n" + OTHER),
        ("raw.json", CHAT + OTHER),
        ("raw.json", json.dumps(json.loads(CHAT), indent=1).encode() + b"\n" + OTHER),
    ],
    ids=["byte order mark", "crlf", "empty lines", "any name", "no line between", "many lines"],
)
def test_values_one_after_the_other_are_read_however_they_are_set(
    tmp_path: Path, name: str, data: bytes
) -> None:
    (tmp_path / name).write_bytes(data)
    assert [each["case_id"] for each in imported(tmp_path, name)["records"]] == ["c", "d"]


def test_what_is_wrong_in_the_second_of_several_documents_has_its_own_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "raw.json").write_bytes(b'{\n "a": 1\n}\n{\n "b": [1,}\n}\n')
    assert run("import", "auto", "raw.json", "--release", "r", "-o", "out.json") == 2
    assert "raw.json:5:9: CL103" in capsys.readouterr().err


def test_numbers_that_json_does_not_have_are_null_beside_a_giant_too(tmp_path: Path) -> None:
    arguments = b'{"big": 123456789012345678901234567890, "none": NaN, "more": [Infinity]}'
    raw = b'{"case_id": "c", "cost_usd": NaN, "answer": "x", "calls": [{"name": "f", "arguments": '
    (tmp_path / "raw.jsonl").write_bytes(raw + arguments + b"}]}\n")
    (record,) = imported(tmp_path, "raw.jsonl")["records"]
    given = record["calls"][0]["arguments"]
    assert given == {"big": 123456789012345678901234567890, "none": None, "more": [None]}
    assert "cost_usd" not in record


def test_names_that_hold_what_cannot_be_seen_are_spelled_out(tmp_path: Path) -> None:
    called = {"function": {"name": "pay\u0007\n", "arguments": "{}"}}
    talk = [says("q", "user"), {"role": "assistant", "content": "x", "tool_calls": [called]}]
    raw = lines(tmp_path, [{"case_id": "a\nb", "messages": talk}])
    replay = imported(tmp_path, raw)
    (record,) = replay["records"]
    assert (record["case_id"], record["calls"][0]["name"]) == (r"a\nb", r"pay\x07\n")
    assert any("can't be seen" in note for note in replay["recording"]["notes"])


def test_a_value_that_nests_deeper_than_a_contract_is_skipped(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(80):
        deep = [deep]
    raw = lines(
        tmp_path, [{"case_id": "c", "answer": deep}, {"case_id": "d", "answer": "[[[[" * 99}]
    )
    replay = imported(tmp_path, raw)
    assert [each["case_id"] for each in replay["records"]] == ["d"]
    assert list(replay["recording"]["skipped"]) == ["is nested more than 62 deep"]


def test_arguments_that_are_broken_or_too_deep_json_stay_a_text(tmp_path: Path) -> None:
    for given in ('{"a": ', "[" * 100_000, '{"a": "\\ud800"}', '{"a": 1'):
        call = {"function": {"name": "f", "arguments": given}}
        talk = [says("q", "user"), {"role": "assistant", "content": "x", "tool_calls": [call]}]
        (record,) = imported(tmp_path, lines(tmp_path, [{"case_id": "c", "messages": talk}]))[
            "records"
        ]
        assert record["calls"][0]["arguments"] == given


def test_lines_of_other_formats_in_a_file_are_skipped_one_by_one(tmp_path: Path) -> None:
    stray = [{"user_task_id": "u", "utility": True}, [1, 2], "x", None, 7]
    replay = imported(tmp_path, lines(tmp_path, [json.loads(CHAT), *stray]))
    assert replay["recording"]["skipped"] == {"has no messages": 6}


def test_a_copy_of_a_file_is_left_out_and_said_so(tmp_path: Path) -> None:
    one = lines(tmp_path, [json.loads(CHAT)], "one.jsonl")
    (tmp_path / "copy.jsonl").write_bytes(Path(one).read_bytes())
    (tmp_path / "link.jsonl").symlink_to(one)
    replay = imported(tmp_path, one, "copy.jsonl", "link.jsonl")
    assert len(replay["records"]) == 1
    assert [each["file"] for each in replay["recording"]["sources"]] == [one]
    assert sum("has the bytes of" in note for note in replay["recording"]["notes"]) == 2


def test_a_run_that_stands_in_two_files_counts_once(tmp_path: Path) -> None:
    seen = {"id": "o", "type": "SPAN", "startTime": "2026-01-01T00:00:00Z"}
    trace = {"id": "t", "input": "q", "output": "a", "observations": [seen]}
    one = lines(tmp_path, [trace], "one.jsonl")
    other = lines(tmp_path, [trace, {**trace, "id": "u"}], "other.jsonl")
    replay = imported(tmp_path, one, other)
    assert [each["source"]["id"] for each in replay["records"]] == ["t", "u"]
    assert replay["recording"]["skipped"] == {"is a copy of a run that was read before it": 1}


def test_a_folder_is_no_file_and_a_pattern_finds_what_is_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    lines(tmp_path / "logs", [json.loads(CHAT)], "a.jsonl")
    lines(tmp_path / "logs" / "deep", [json.loads(OTHER)], "b.jsonl")
    assert run("import", "auto", "logs", "--release", "r", "-o", "out.json") == 2
    assert "a pattern such as 'logs/**/*.json'" in capsys.readouterr().err.replace("\n    ", " ")
    assert len(imported(tmp_path, "logs/**/*.jsonl")["records"]) == 2


def test_the_mapping_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = lines(tmp_path, [{"x": "c"}])
    (tmp_path / "m.toml").write_text('case_id = "$.x"\n', encoding="utf-8")
    words = ("import", "table", raw, "--release", "r", "--mapping", "m.toml", "-o", "m.toml")
    assert run(*words) == 2
    assert "the output is one of the files that are read" in capsys.readouterr().err


HOSTILE = {
    "nothing.json": b"",
    "mark.json": b"\xef\xbb\xbf",
    "cut.jsonl": CHAT + b"\n" + CHAT[:30],
    "utf-16.json": CHAT.decode().encode("utf-16"),
    "latin-1.jsonl": CHAT + b"\n" + b'{"case_id": "\xe9"}\n',
    "surrogate.jsonl": CHAT + b'\n{"case_id": "\\ud800"}\n',
    "digits.jsonl": b'{"case_id": ' + b"9" * 5000 + b"}\n",
    "deep.json": b"[" * 100_000 + b"]" * 100_000,
    "noise.bin": bytes(range(256)) * 9,
    "zip.json": b"PK\x03\x04 and no more",
    "packed.json": b"\x1f\x8b\x08 and no more",
    "cell.csv": b"case_id,answer\nc," + b"x" * 17_000_000 + b"\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_log_is_a_problem_that_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / name).write_bytes(HOSTILE[name])
    for format_ in ("auto", *FORMATS):
        assert run("import", format_, name, "--release", "r", "-o", "out.json") == 2
        error = capsys.readouterr().err
        assert error.startswith(name)
        assert "Traceback" not in error
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    assert run("import", "auto", "pipe.json", "--release", "r", "-o", "out.json") == 2
    assert "CL002" in capsys.readouterr().err


FOREIGN: dict[str, Any] = {
    "package": {"name": "x", "version": "1.0.0"},
    "schema": {"$schema": "x", "type": "object", "properties": {}},
    "tools": [{"type": "function", "function": {"description": "no name"}}],
    "runs of LangSmith": [{"id": "u", "run_type": "chain", "inputs": {}, "status": "success"}],
    "rows with an id": [{"id": "1", "input": "q", "output": "a"}],
    "a chat of people": [{"type": "message", "user": "U", "text": "hi"}],
    "a message of anyone": {"type": "message", "role": "x", "content": "hi"},
    "test results": {"results": [{"success": True, "name": "x"}]},
    "a dataset": {"schema_version": "eval-dataset-v2", "cases": []},
    "metrics": {"resourceMetrics": []},
    "models": {"data": [{"id": "1", "object": "model"}]},
    "simulations of something": {"simulations": {"a": 1}},
    "containers in containers": {"data": {"trace": {"data": {"trace": {}}}}},
}


@pytest.mark.parametrize("which", FOREIGN)
def test_auto_takes_no_file_for_what_it_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], which: str
) -> None:
    raw = file(tmp_path, FOREIGN[which])
    assert run("import", "auto", raw, "--release", "r", "-o", "out.json") == 2
    assert "CL007" in capsys.readouterr().err


def test_a_row_without_anything_but_its_case_says_so(tmp_path: Path) -> None:
    replay = imported(tmp_path, lines(tmp_path, [{"case_id": "c", "verdict": "good"}]))
    assert any("only its case is known" in note for note in replay["recording"]["notes"])
