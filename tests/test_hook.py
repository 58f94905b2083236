from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from contractlab import quick
from contractlab.hook import check
from contractlab.options import HookOptions
from contractlab.problems import Rule
from contractlab.sniff import is_contract
from tests.builders import case, dataset, predictions, release, rubric, write
from tests.v2 import builders as v2

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
VALIDATE = next(hook for hook in MANIFEST if hook["id"] == "contractlab-validate")
MOST = HookOptions().max_bytes

NAMES = {
    "dataset.json": True,
    "contracts/eval/rubric.v1.json": True,
    "runs/a b ü 語.json": True,
    "DATASET.JSON": True,
    "-x.json": True,
    "a/b/.json": True,
    "my-package.json": True,
    "node_modules.json": True,
    "runs/composer.json.json": True,
    "dataset.jsonl": True,
    "runs/candidate-42.JSONL": True,
    "runs/candidate.jsonl.gz": False,
    "runs/jsonl": False,
    "node_modules/a/dataset.jsonl": False,
    "dataset.json5": False,
    "dataset.jsonc": False,
    "dataset.json.bak": False,
    "dataset_json": False,
    "json": False,
    "dataset.yaml": False,
    "package.json": False,
    "web/package.json": False,
    "package-lock.json": False,
    "composer.json": False,
    "tsconfig.json": False,
    "tsconfig.build.json": False,
    "jsconfig.json": False,
    "node_modules/a/dataset.json": False,
    "web/node_modules/a/dataset.json": False,
    ".vscode/settings.json": False,
}


@pytest.mark.parametrize(("name", "wanted"), NAMES.items(), ids=NAMES)
def test_the_pattern_takes_names_of_contracts_and_leaves_other_tools_files(
    name: str, wanted: bool
) -> None:
    # As pre-commit does it: search, not match.
    found = re.search(VALIDATE["files"], name) and not re.search(VALIDATE["exclude"], name)
    assert bool(found) is wanted


def test_the_hooks_see_all_files_in_one_process_and_a_file_name_is_never_an_option() -> None:
    assert all(hook["require_serial"] is True for hook in MANIFEST)
    assert VALIDATE["args"] == ["--"]


# ── which files are contracts ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "says_so"),
    [
        (b'{"schema_version": "eval-dataset-v1"}', True),
        (b'{"schema_version"\n:\t"eval-rubric-v9"', True),
        (b'{"schema_version":"eval-predictions-v1", broken', True),
        ('{"schema_version": "eval-dataset-v1"}'.encode("utf-16"), True),
        (b'{"a": "' + b"x" * 200_000 + b'", "schema_version": "eval-dataset-v1"}', True),
        (b'{"schema_version": 3}', False),
        (b'{"schema_version": "eval-report-v1"}', False),
        (b'{"version": "eval-dataset-v1"}', False),
        (b'{"schema_version", "eval-dataset-v1"}', False),
        (b'{"x": "schema_version : eval-dataset-v1"}', False),
        (b"", False),
        (b'{"schema_version": "eval-dataset-v2"}\n{"id": "c1"}\n', True),
        (b'{"dataset_version":"1","schema_version":"eval_predictions_v2"}\r\n{}\r\n', True),
        (b'{"schema_version": "eval-dataset-v2",}\n{"id": "c1"}\n', True),
        (b'{\n "schema_version": "eval-rubric-v2"\n}\n', True),
        (b'{"run": {"schema_version": "eval-dataset-v2"}}\n{}\n', False),
        (b'{"run": 1}\n{"schema_version": "eval-dataset-v2"}\n', False),
    ],
)
def test_a_contract_is_known_by_its_schema_version(
    tmp_path: Path, text: bytes, says_so: bool
) -> None:
    assert is_contract(write(tmp_path / "file.json", text)) is says_so


def test_what_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    assert not is_contract(str(tmp_path))
    assert not is_contract(str(tmp_path / "missing.json"))


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os = pytest.importorskip("posix", reason="FIFOs are POSIX's")
    os.mkfifo(tmp_path / "fifo.json")
    assert not is_contract(str(tmp_path / "fifo.json"))


# ── which dataset a replay belongs to ──────────────────────────────────────────────────────


def codes(*names: str, config: str | None = None) -> list[str]:
    found = check(names, config=config, max_bytes=MOST)
    return [each.rule.code for each in found if not each.rule.warns]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with nothing in it, and the current folder."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stage(folder: Path) -> None:
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)


def test_a_replay_is_held_against_the_dataset_of_the_same_commit(folder: Path) -> None:
    write(folder / "dataset.json", dataset(case("c1"), case("c2")))
    write(folder / "run.json", predictions(release("a", dataset(case("c1")))))
    assert codes("dataset.json", "run.json") == [Rule.MISSING_RECORD.code]


def test_a_replay_is_held_against_the_one_dataset_of_the_repository(folder: Path) -> None:
    (folder / "deep").mkdir()
    write(folder / "deep" / "dataset.json", dataset(case("c1"), case("c2")))
    write(folder / "run.json", predictions(release("a", dataset(case("c1")))))
    stage(folder)
    assert codes("run.json") == [Rule.MISSING_RECORD.code]


def test_a_replay_without_a_dataset_or_with_two_says_so(folder: Path) -> None:
    write(folder / "run.json", predictions())
    stage(folder)
    (problem,) = check(["run.json"], config=None, max_bytes=MOST)
    assert (problem.rule, problem.file) == (Rule.DATASET_NOT_FOUND, "run.json")
    assert problem.position
    for name in ("one.json", "two.json"):
        write(folder / name, dataset())
    stage(folder)
    (problem,) = check(["run.json"], config=None, max_bytes=MOST)
    assert '"one.json", "two.json"' in problem.message


@pytest.mark.parametrize("spelled", ["json", "jsonl"])
def test_version_2_is_held_against_its_dataset_in_either_spelling(
    folder: Path, spelled: str
) -> None:
    cases, replay = v2.dataset(), v2.predictions("a", v2.record("case-9"))
    as_text = {"json": lambda value, _: value, "jsonl": v2.as_lines}[spelled]
    write(folder / f"dataset.{spelled}", as_text(cases, "cases"))
    write(folder / f"run.{spelled}", as_text(replay, "records"))
    stage(folder)
    (problem,) = check([f"run.{spelled}"], config=None, max_bytes=MOST)
    assert (problem.rule, problem.file) == (Rule.UNKNOWN_CASE, f"run.{spelled}")
    assert problem.position is not None
    assert problem.position.line == (2 if spelled == "jsonl" else 1)
    write(folder / f"run.{spelled}", as_text(v2.predictions("a"), "records"))
    assert codes(f"run.{spelled}", f"dataset.{spelled}") == []


def test_a_replay_of_the_other_version_than_its_dataset_is_refused(folder: Path) -> None:
    write(folder / "dataset.json", dataset(dataset_version="cases-1"))
    write(folder / "run.jsonl", v2.as_lines(v2.predictions("a"), "records"))
    stage(folder)
    assert codes("run.jsonl") == [Rule.MIXED_VERSIONS.code]


def test_a_rubric_of_the_other_version_than_the_dataset_of_the_commit_is_refused(
    folder: Path,
) -> None:
    write(folder / "dataset.jsonl", v2.as_lines(v2.dataset(), "cases"))
    write(folder / "rubric.json", rubric())
    assert codes("dataset.jsonl", "rubric.json") == [Rule.MIXED_VERSIONS.code]
    write(folder / "rubric.json", v2.rubric())
    assert codes("dataset.jsonl", "rubric.json") == []


def test_with_the_configured_dataset_the_configured_rubric_is_checked(folder: Path) -> None:
    write(folder / "dataset.json", v2.dataset())
    write(folder / "rubric.json", rubric())
    text = 'dataset = "dataset.json"\nrubric = "rubric.json"\n'
    (folder / "contractlab.toml").write_text(text, encoding="utf-8")
    assert codes("dataset.json") == [Rule.MIXED_VERSIONS.code]
    assert codes("rubric.json") == [Rule.MIXED_VERSIONS.code]
    write(folder / "rubric.json", v2.rubric(split="train"))
    assert codes("rubric.json") == [Rule.ABSENT_SPLIT.code]
    # Another agent's dataset says nothing about it.
    write(folder / "rubric.json", v2.rubric())
    write(folder / "other.json", dataset())
    assert codes("rubric.json", "other.json") == []


def test_the_line_of_what_is_wrong_in_json_lines_is_named(folder: Path) -> None:
    lines = v2.as_lines(v2.dataset(v2.case("c1"), v2.case("c1")), "cases")
    write(folder / "dataset.jsonl", lines)
    (problem,) = check(["dataset.jsonl"], config=None, max_bytes=MOST)
    assert problem.position is not None
    assert (problem.rule, problem.position.line) == (Rule.DUPLICATE_ID, 3)


def test_raw_traces_in_json_lines_are_left_alone(folder: Path) -> None:
    run = {"messages": [], "read": {"schema_version": "eval-dataset-v2", "cases": []}}
    write(folder / "traces.jsonl", f"{json.dumps(run)}\n{json.dumps(run)}\n".encode())
    assert codes("traces.jsonl") == []


def test_the_configuration_settles_which_dataset(folder: Path) -> None:
    for name in ("one.json", "two.json"):
        write(folder / name, dataset())
    write(folder / "run.json", predictions())
    (folder / "contractlab.toml").write_text('dataset = "two.json"\n', encoding="utf-8")
    stage(folder)
    assert codes("run.json") == []


def test_with_the_configured_dataset_the_configured_replays_are_checked(folder: Path) -> None:
    write(folder / "dataset.json", dataset(case("c1"), case("c2")))
    write(folder / "run.json", predictions(release("a", dataset(case("c1")))))
    text = 'dataset = "dataset.json"\npredictions = "*n.json"\n'
    (folder / "contractlab.toml").write_text(text, encoding="utf-8")
    assert codes("dataset.json") == [Rule.MISSING_RECORD.code]
    assert quick.hook({"files": ("dataset.json",)}) is None


def test_other_json_costs_and_says_nothing(folder: Path) -> None:
    write(folder / "package.json", b'{"name": ')
    write(folder / "quotes.json", {"example": {"schema_version": "eval-dataset-v1"}})
    assert codes("package.json", "quotes.json", "gone.json") == []


# ── the command ────────────────────────────────────────────────────────────────────────────


def test_all_well_is_silent(folder: Path, contractlab: Callable[..., Any]) -> None:
    write(folder / "dataset.json", dataset())
    write(folder / "run.json", predictions())
    write(folder / "other.json", b"{")
    done = contractlab("hook", "--", "dataset.json", "run.json", "other.json", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_no_file_is_silent(folder: Path, contractlab: Callable[..., Any]) -> None:
    done = contractlab("hook", "--", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_is_wrong_is_told_as_a_compiler_does_in_80_columns(
    folder: Path, contractlab: Callable[..., Any]
) -> None:
    family = {"family_id": "one family with a name of some length", "split": "train"}
    wrong = dataset(case("c1", family_id=family["family_id"]), case("c0", **family), case("c2"))
    write(folder / "a dataset ü.json", json.dumps(wrong, indent=2, ensure_ascii=False))
    done = contractlab("hook", "--", "a dataset ü.json", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    lines = done.stderr.decode().splitlines()
    assert re.match(r"a dataset ü\.json:\d+:\d+: CL301 family-leakage: ", lines[0])
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [([], 0, True), (["--strict"], 2, True), (["--quiet"], 0, False)],
    ids=["plain", "strict", "quiet"],
)
def test_warnings_refuse_only_under_strict(
    folder: Path, contractlab: Callable[..., Any], options: list[str], code: int, told: bool
) -> None:
    write(folder / "rubric.json", rubric())
    done = contractlab("hook", *options, "--", "rubric.json", cwd=folder)
    assert (done.returncode, bool(done.stderr)) == (code, told)


@pytest.mark.parametrize("name", ["--strict", "-x.json", "--config=x.json", "--help"])
def test_after_the_dashes_every_word_is_a_file(
    folder: Path, contractlab: Callable[..., Any], name: str
) -> None:
    write(folder / name, b'{"schema_version": "eval-dataset-v1"')
    done = contractlab("hook", "--", name, cwd=folder)
    assert done.returncode == 2
    assert b"CL103" in done.stderr


def test_a_file_over_the_cap_is_refused(folder: Path, contractlab: Callable[..., Any]) -> None:
    write(folder / "dataset.json", dataset())
    done = contractlab("hook", "--max-bytes=10", "--", "dataset.json", cwd=folder)
    assert (done.returncode, b"CL003" in done.stderr) == (2, True)


def test_a_configuration_that_is_wrong_is_told(
    folder: Path, contractlab: Callable[..., Any]
) -> None:
    write(folder / "dataset.json", dataset())
    (folder / "contractlab.toml").write_text("dataset = 3\n", encoding="utf-8")
    done = contractlab("hook", "--", "dataset.json", cwd=folder)
    assert (done.returncode, b"CL005" in done.stderr) == (2, True)


def test_the_repositorys_own_contracts_pass() -> None:
    names = [*ROOT.glob("fixtures/valid/*.json"), *ROOT.glob("runs/*.json")]
    assert names
    assert codes(*map(str, names), config=str(ROOT / "contractlab.toml")) == []


@pytest.mark.parametrize(
    "name", sorted(each.name for each in (ROOT / "fixtures/invalid").glob("*"))
)
def test_no_hurry_hides_what_the_long_way_tells(name: str) -> None:
    files = [str(path) for path in (ROOT / "fixtures" / "invalid" / name).glob("*.json")]
    config = str(ROOT / "contractlab.toml")
    told = check(files, config=config, max_bytes=MOST)
    assert quick.hook({"files": tuple(files), "config": config}) in ((None,) if told else (0, None))


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        pytest.param({"schema_version": "eval_dataset_v1"}, "CL205", id="mistyped"),
        pytest.param({"schema_version": None}, "CL201", id="absent"),
    ],
)
def test_a_configured_file_is_checked_whatever_it_says_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: dict[str, str | None], code: str
) -> None:
    value = {key: each for key, each in {**dataset(), **spoil}.items() if each is not None}
    write(tmp_path / "cases.json", value)
    (tmp_path / "contractlab.toml").write_text('dataset = "cases.json"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    problems = check(["cases.json"], config=None, max_bytes=1 << 20)

    assert [problem.rule.code for problem in problems] == [code]


@pytest.mark.parametrize(
    "head",
    ['"schema_version": "eval_dataset_v1"', '"schema-version": "eval-dataset-v1"'],
)
def test_a_misspelled_schema_version_does_not_turn_the_check_off(tmp_path: Path, head: str) -> None:
    (tmp_path / "cases.json").write_text("{" + head + "}", encoding="utf-8")

    problems = check([str(tmp_path / "cases.json")], config=None, max_bytes=1 << 20)

    assert [problem.rule.code for problem in problems] == ["CL007"]
