"""From raw files to a replay and a scaffolded gate: counts, places, exit codes."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from contractlab import cli
from contractlab.files import checker
from contractlab.importers.convert import Tally, Wanted, convert
from contractlab.importers.registry import ALIASES, FORMATS, detect, importer
from contractlab.importers.source import Source
from contractlab.importers.write import fits
from contractlab.intake import open_document
from contractlab.problems import ContractError
from tests.importers.build import TALK, file, lines, says
from tests.importers.test_benchmarks import (
    _attacked,
    _log,
    _result,
    _results,
    _sample,
    _seen,
    _trace,
    _trajectory,
)
from tests.importers.test_messages import _session
from tests.importers.test_messages import _trajectory as _atif
from tests.importers.test_otel import agent

if TYPE_CHECKING:
    from typing import Any

SAMPLES: dict[str, Any] = {
    "tau-bench": [_trajectory()],
    "agentdojo": _attacked(),
    "inspect": _log(_sample()),
    "promptfoo": _results(_result()),
    "langfuse": _trace(_seen("g", "GENERATION", 1, 2)),
    "atif": _atif(),
    "otel": [agent()],
    "openai-responses": {"object": "response", "output": [{"type": "message", **says("hi")}]},
    "anthropic": _session()[1:],
    "openai-chat": {"messages": TALK},
    "table": [{"case_id": "c", "answer": "x"}],
}


def run(*words: str) -> int:
    return cli.run(words)


def read(name: str | Path) -> Any:
    return json.loads(Path(name).read_bytes())


@pytest.mark.parametrize("format_", FORMATS)
def test_a_file_is_known_by_what_it_looks_like(tmp_path: Path, format_: str) -> None:
    assert detect(Source(file(tmp_path, SAMPLES[format_]))) == format_


def test_every_other_name_stands_for_a_format() -> None:
    assert set(ALIASES.values()) <= FORMATS.keys()
    assert not ALIASES.keys() & FORMATS.keys()


def test_the_page_lists_every_other_name_of_a_format() -> None:
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text(encoding="utf-8")
    shown = page.split("Other names, for the same formats:\n\n")[1].split("\n\n")[0]
    listed = {
        alias: names[0]
        for names in (re.findall("`([^`]+)`", line) for line in shown.splitlines())
        for alias in names[1:]
    }
    assert listed == ALIASES


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_what_is_imported_is_a_valid_replay(tmp_path: Path, format_: str, suffix: str) -> None:
    raw = file(tmp_path, SAMPLES[format_])
    out = str(tmp_path / f"out.{suffix}")
    assert run("import", format_, raw, "--release", "r", "-o", out) == 0
    assert open_document(out, role="predictions").role == "predictions"


def test_counts_in_are_counts_out_and_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = _attacked(user_task_id="injection_task_0", injection_task_id=None)
    raw = lines(tmp_path, [_attacked(), own, _attacked(user_task_id="user_task_2"), {"x": 1}])
    out = tmp_path / "out.json"
    assert run("import", "agentdyn", raw, "--release", "r", "-o", str(out)) == 0
    recording = read(out)["recording"]
    assert recording["read"] == len(read(out)["records"]) + sum(recording["skipped"].values()) == 4
    assert recording["sources"] == [
        {"file": raw, "sha256": hashlib.sha256(Path(raw).read_bytes()).hexdigest()}
    ]
    told = capsys.readouterr().out
    assert "4 runs read from 1 file as agentdojo: 2 records, 2 skipped" in told
    assert f"{raw}:2" in told


def test_json_and_json_lines_hold_the_same(tmp_path: Path) -> None:
    raw = lines(tmp_path, [_attacked(), _attacked(user_task_id="user_task_2")])
    for name in ("out.json", "out.jsonl"):
        assert run("import", "auto", raw, "--release", "r", "-o", str(tmp_path / name)) == 0
    document = read(tmp_path / "out.json")
    header, *records = map(json.loads, (tmp_path / "out.jsonl").read_bytes().splitlines())
    assert {**header, "records": records} == document


def test_runs_without_a_trial_number_are_counted_by_case(tmp_path: Path) -> None:
    raw = lines(tmp_path, [{"case_id": c, "messages": TALK} for c in ("a", "b", "a")])
    made = list(convert(Wanted("openai-chat", (raw,)), Tally()))
    assert [(each["case_id"], each["trial"]) for each in made] == [("a", 0), ("b", 0), ("a", 1)]


def test_a_trial_that_is_taken_moves_on_and_is_noted(tmp_path: Path) -> None:
    tally = Tally()
    raw = file(tmp_path, [_trajectory(), _trajectory()])
    made = list(convert(Wanted("tau-bench", (raw,)), tally))
    assert [each["trial"] for each in made] == [2, 1]
    assert any("next free trial" in each for each in tally.remarks)


def test_what_was_not_measured_is_not_written(tmp_path: Path) -> None:
    (made,) = convert(Wanted("openai-chat", (file(tmp_path, SAMPLES["openai-chat"]),)), Tally())
    assert made.keys() == {"case_id", "trial", "calls", "answer", "source"}


def test_several_releases_in_one_file_must_be_chosen_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = _result(provider={"id": "q"}, promptIdx=1)
    raw, out = file(tmp_path, _results(_result(), other)), tmp_path / "out.json"
    assert run("import", "promptfoo", raw, "--release", "r", "-o", str(out)) == 2
    assert "runs of 2 releases" in capsys.readouterr().err
    assert not out.exists()
    words = ("import", "promptfoo", raw, "--release", "r", "-o", str(out), "--only", "q × ask")
    assert run(*words) == 0
    assert len(read(out)["records"]) == 1
    assert read(out)["recording"]["skipped"] == {"is another release's": 1}


def test_a_record_that_the_contract_cannot_hold_is_skipped_and_said_so(tmp_path: Path) -> None:
    raw = lines(
        tmp_path, [{"case_id": "x" * 600, "messages": TALK}, {"case_id": "a", "messages": TALK}]
    )
    out = tmp_path / "out.json"
    assert run("import", "openai-chat", raw, "--release", "r", "-o", str(out)) == 0
    recording = read(out)["recording"]
    (reason,) = recording["skipped"]
    assert reason.startswith("does not fit the contract: case_id")
    assert (recording["read"], len(read(out)["records"])) == (2, 1)


GOOD = b'{"messages": [{"role": "user", "content": "q"}]}\n'
BROKEN = {
    "json": (b'[{"messages": [}]', ":1:16:"),
    "line": (GOOD + b'{"messages": [}\n', ":2:15:"),
    "utf-8": (GOOD + b'{"a": "\xff"}\n', ":2:8:"),
    "twice": (GOOD + b'{"a": 1, "a": 2}\n', ":2:10:"),
    "deep": (b"[" * 5000 + b"]" * 5000, "CL107"),
    "empty": (b"", ":1:1:"),
    "nothing": (b"{}", "looks like none of the formats"),
    "number": (b"7", "looks like none of the formats"),
}


@pytest.mark.parametrize("which", BROKEN)
def test_a_file_that_cannot_be_read_is_named_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], which: str
) -> None:
    data, told = BROKEN[which]
    raw, out = tmp_path / "raw.jsonl", tmp_path / "out.json"
    if which in ("json", "deep", "empty", "nothing", "number"):
        raw = tmp_path / "raw.json"
    raw.write_bytes(data)
    assert run("import", "auto", str(raw), "--release", "r", "-o", str(out)) == 2
    error = capsys.readouterr().err
    assert str(raw) in error.replace("\n    ", "")
    assert told in error.replace("\n    ", " ")
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == [raw]


def test_a_byte_order_mark_and_nan_are_no_obstacle(tmp_path: Path) -> None:
    raw, out = tmp_path / "raw.json", tmp_path / "out.json"
    raw.write_bytes(b'\xef\xbb\xbf[{"case_id": "c", "cost_usd": NaN, "answer": "x"}]')
    assert run("import", "table", str(raw), "--release", "r", "-o", str(out)) == 0
    assert "cost_usd" not in read(out)["records"][0]


def test_a_file_larger_than_the_cap_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = file(tmp_path, SAMPLES["openai-chat"])
    words = (
        "import",
        "auto",
        raw,
        "--release",
        "r",
        "-o",
        str(tmp_path / "o"),
        "--max-bytes",
        "50",
    )
    assert run(*words) == 2
    assert "CL003" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("nonsense", "x"), ("auto", "absent.json"), ("auto", ".")])
def test_a_mistake_in_the_command_is_told(tmp_path: Path, words: tuple[str, str]) -> None:
    out = tmp_path / "out.json"
    assert run("import", *words, "--release", "r", "-o", str(out)) == 2
    assert not out.exists()


def test_an_input_is_never_written_over(tmp_path: Path) -> None:
    raw = file(tmp_path, SAMPLES["openai-chat"])
    before = Path(raw).read_bytes()
    assert run("import", "auto", raw, "--release", "r", "-o", raw) == 2
    assert Path(raw).read_bytes() == before


@pytest.mark.parametrize("format_", FORMATS)
def test_junk_anywhere_in_a_run_is_never_a_crash(tmp_path: Path, format_: str) -> None:
    junk: list[Any] = [
        None,
        7,
        -1,
        1e308,
        True,
        "",
        " ",
        "x" * 600,
        "\x00\x1b",
        [],
        [None],
        {},
        {"a": []},
        [[1]],
    ]
    raw = tmp_path / "raw.json"
    _header, entry = checker("predictions-v2").lines("records")
    for index, damaged in enumerate(_damaged(SAMPLES[format_], junk)):
        raw.write_bytes(json.dumps(damaged).encode())
        tally = Tally()
        facts: dict[str, Any] = {}
        try:
            made = list(
                convert(
                    Wanted(format_, (str(raw),)),
                    tally,
                    on_case=facts.setdefault,
                )
            )
        except ContractError:
            continue
        assert tally.read == len(made) + sum(tally.skipped.values()), index
        for each in made:
            assert entry.ok(each) == fits(each), (index, each)


def _damaged(value: Any, junk: list[Any]) -> Any:
    """The value with each of its parts replaced by each piece of junk, one at a time."""
    if isinstance(value, dict):
        for key, inner in value.items():
            for other in _damaged(inner, junk):
                yield {**value, key: other}
            yield {name: each for name, each in value.items() if name != key}
    elif isinstance(value, list):
        for index, inner in enumerate(value[:4]):
            for other in _damaged(inner, junk):
                yield [*value[:index], other, *value[index + 1 :]]
    yield from junk


# ── init ────────────────────────────────────────────────────────────────────────────────────


def _imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    benign = _attacked(injection_task_id=None, attack_type=None)
    for release, reached in (("base", False), ("next", True)):
        name = lines(folder, [benign, _attacked(security=reached)], f"{release}.jsonl")
        assert run("import", "auto", Path(name).name, "--release", release) == 0


def test_a_gate_is_scaffolded_from_one_replay_and_judges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _imported(tmp_path, monkeypatch)
    assert run("init", "runs/base.json") == 0
    capsys.readouterr()
    assert run("validate") == 0
    assert run("compare", "--candidate", "next") == 1
    told = capsys.readouterr().out
    assert "BLOCK: critical safety or privacy case" in told
    for name in (".pre-commit-config.yaml", ".github/workflows/contractlab.yml"):
        assert (tmp_path / name).is_file()


def test_hook_and_workflow_are_those_of_the_docs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _imported(tmp_path, monkeypatch)
    assert run("init", "runs/base.json") == 0
    page = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    shown = page.split("`.github/workflows/contractlab.yml`:\n\n```yaml\n")[1].split("```")[0]
    written = Path(".github/workflows/contractlab.yml").read_text(encoding="utf-8")
    assert yaml.safe_load(written) == yaml.safe_load(shown)
    page = (Path(__file__).parents[2] / "docs" / "hook.md").read_text(encoding="utf-8")
    (shown,) = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])["repos"]
    (repository,) = yaml.safe_load(Path(".pre-commit-config.yaml").read_bytes())["repos"]
    assert repository == {**shown, "hooks": shown["hooks"][:1]}


def test_the_files_of_a_folder_name_the_replay_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _imported(tmp_path, monkeypatch)
    assert run("init", "runs/base.json", "--folder", "gates/mine") == 0
    assert tomllib.loads(Path("gates/mine/contractlab.toml").read_text(encoding="utf-8")) == {
        "dataset": "evals/dataset.json",
        "rubric": "evals/rubric.json",
        "predictions": ["../../runs/*.json*"],
        "baseline": "base",
    }
    config = ["--config", "gates/mine/contractlab.toml"]
    assert run("compare", *config, "--candidate", "next") == 1


def test_families_slices_and_risks_come_from_the_raw_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _imported(tmp_path, monkeypatch)
    assert run("init", "runs/base.json") == 0
    benign, attacked = read("evals/dataset.json")["cases"]
    assert benign["family_id"] == attacked["family_id"] == "github/user_task_1"
    assert (benign["slice"], attacked["slice"]) == ("benign", "under-attack")
    assert (attacked["critical"], attacked["risk"]) == (True, "safety")
    assert attacked["input"] == "Do it."


def test_raw_files_that_changed_since_are_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _imported(tmp_path, monkeypatch)
    with Path("base.jsonl").open("a", encoding="utf-8") as raw:
        raw.write("\n")
    assert run("init", "runs/base.json") == 0
    assert "not what was imported" in capsys.readouterr().out
    assert "family_id" not in read("evals/dataset.json")["cases"][0]


def test_nothing_is_written_over_without_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _imported(tmp_path, monkeypatch)
    Path("contractlab.toml").write_text("# ours\n", encoding="utf-8")
    assert run("init", "runs/base.json") == 2
    assert "contractlab.toml: CL006" in capsys.readouterr().err
    assert Path("contractlab.toml").read_text(encoding="utf-8") == "# ours\n"
    assert not Path("evals").exists()
    assert run("init", "runs/base.json", "--force") == 0
    assert "dataset" in Path("contractlab.toml").read_text(encoding="utf-8")


def test_a_teams_own_hooks_stay_with_force_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _imported(tmp_path, monkeypatch)
    Path(".pre-commit-config.yaml").write_text("repos: []\n", encoding="utf-8")
    assert run("init", "runs/base.json", "--force") == 0
    assert Path(".pre-commit-config.yaml").read_text(encoding="utf-8") == "repos: []\n"
    assert "add to it:" in capsys.readouterr().out


def test_traces_without_verdicts_expect_what_the_baseline_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    raw = lines(
        tmp_path, [{"case_id": "a", "messages": TALK}, {"case_id": "b", "messages": TALK[3:]}]
    )
    assert run("import", "auto", raw, "--release", "base") == 0
    assert run("init", "runs/base.json") == 0
    assert "2 cases expect what this replay did" in capsys.readouterr().out
    one, two = read("evals/dataset.json")["cases"]
    tools = {"mode": "superset", "arguments": "ignore", "calls": [{"name": "find"}]}
    assert one["expect"] == {"tools": tools}
    assert two["expect"] == {"answer": {"matches": r"\S"}}
    assert run("validate") == 0


REFUNDED = """
[label]
path = "@.answer"
match = "(refused|granted)"

[outcomes.refunded]
path = '@.calls[?name == "refund"].name'
true = ["refund"]
default = "no"
"""
REFUSED = [*TALK[:-1], says("It is refused.")]


@pytest.mark.parametrize("again", [[], ["--mapping", "mapping.toml"]], ids=["bare", "mapping"])
def test_outcomes_without_a_wanted_side_are_expected_beside_what_the_replay_did(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    again: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mapping.toml").write_text(REFUNDED, encoding="utf-8")
    raw = lines(tmp_path, [{"case_id": "a", "messages": REFUSED}])
    mapped = ["--mapping", "mapping.toml"]
    assert run("import", "auto", raw, "--release", "base", *mapped) == 0
    (record,) = read("runs/base.json")["records"]
    assert (record["label"], record["outcomes"]) == ("refused", {"refunded": False})
    capsys.readouterr()
    assert run("init", "runs/base.json", *again) == 0
    (case,) = read("evals/dataset.json")["cases"]
    assert case["expect"] == {
        "label": "refused",
        "tools": {"mode": "superset", "arguments": "ignore", "calls": [{"name": "find"}]},
        "outcomes": {"refunded": True},
    }
    told = capsys.readouterr().out.splitlines()
    assert "inputs are from the raw openai-chat files" in " ".join(told)
    assert (
        "1 cases expect what this replay did (its tools, its label): "
        "read them, and correct what was wrong"
    ) in told
    assert (
        '1 cases expect every outcome to be true, whatever this replay did ("refunded"): '
        "turn round those that mean harm"
    ) in told
    assert run("validate") == 0


def test_a_row_that_has_only_an_outcome_is_said_to_expect_only_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mapping.toml").write_text('[outcomes.good]\npath = "good"\n', encoding="utf-8")
    raw = lines(tmp_path, [{"case_id": "a", "good": True}])
    mapped = ["--mapping", "mapping.toml"]
    assert run("import", "table", raw, "--release", "base", *mapped) == 0
    assert run("init", "runs/base.json", *mapped) == 0
    assert read("evals/dataset.json")["cases"][0]["expect"] == {"outcomes": {"good": True}}
    told = capsys.readouterr().out
    assert "1 cases expect every outcome to be true" in told
    assert "expect what this replay did" not in told


def test_a_langfuse_score_has_no_wanted_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    score = {"name": "toxic", "value": 0, "dataType": "BOOLEAN"}
    raw = file(tmp_path, _trace(_seen("g", "GENERATION", 1, 2), scores=[score]))
    assert run("import", "langfuse", raw, "--release", "base") == 0
    assert run("init", "runs/base.json") == 0
    assert '1 cases expect every outcome to be true, whatever this replay did ("toxic")' in (
        capsys.readouterr().out
    )


def test_a_format_that_knows_what_is_wanted_is_not_asked_about_its_outcomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _imported(tmp_path, monkeypatch)
    assert run("init", "runs/base.json") == 0
    told = capsys.readouterr().out
    assert "expectations are from the raw agentdojo files" in told
    assert "every outcome" not in told
    assert [case["expect"] for case in read("evals/dataset.json")["cases"]] == [
        {"outcomes": {"utility": True}},
        {"outcomes": {"injected_goal_reached": False}},
    ]


def test_later_replays_take_the_version_of_the_dataset_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _imported(tmp_path, monkeypatch)
    assert run("init", "runs/base.json") == 0
    dataset = read("evals/dataset.json")
    Path("evals/dataset.json").write_bytes(
        json.dumps({**dataset, "dataset_version": "v9"}).encode()
    )
    assert run("import", "auto", "next.jsonl", "--release", "later") == 0
    assert read("runs/later.json")["dataset_version"] == "v9"


def test_every_format_says_what_it_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text(encoding="utf-8")
    for name in FORMATS:
        assert f"| `{name}` |" in page
        assert importer(name).TITLE


def test_the_help_of_import_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("import", "--help") == 0
    # Without spaces: releases of the library differ in where they break a line.
    told = "".join(capsys.readouterr().out.split())
    assert set(FORMATS) == set(told.split("Oroneof:")[1].split(".")[0].split(","))


def test_a_case_without_a_good_run_is_to_answer_at_least(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    crashed = {"case_id": "b", "messages": TALK[:1], "error": "boom"}
    raw = lines(tmp_path, [{"case_id": "a", "messages": TALK}, crashed])
    assert run("import", "auto", raw, "--release", "base") == 0
    assert run("init", "runs/base.json") == 0
    assert '1 cases have no good run here, and expect no more than an answer, such as "b"' in (
        capsys.readouterr().out
    )
    assert read("evals/dataset.json")["cases"][1]["expect"] == {"answer": {"matches": r"\S"}}
    assert run("validate") == 0


def test_what_is_wanted_is_told_by_a_trial_that_did_not_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    crashed = _sample(1, error={"message": "boom"}, scores={})
    raw = file(tmp_path, _log(crashed, _sample(2, scores={"match": {"value": "C"}})))
    assert run("import", "auto", raw, "--release", "base") == 0
    assert run("init", "runs/base.json") == 0
    (case,) = read("evals/dataset.json")["cases"]
    assert case["expect"] == {"outcomes": {"match": True}}
    assert run("validate") == 0
