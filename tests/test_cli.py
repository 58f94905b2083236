"""The command line: exit codes, streams, and what is printed where."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contractlab import commands, front
from contractlab.commands import exit_code
from contractlab.contract import GATES_V1
from contractlab.decide import CRITICAL, UNDECIDED
from contractlab.explain import page
from contractlab.figures import METRICS, SUMMARIES, is_metric
from contractlab.glossary import BOUNDS, STANDING
from contractlab.glossary import METRICS as EXPLAINED
from contractlab.grade import CHECKS
from contractlab.model import Verdict
from contractlab.rubric_v2 import BOUNDS as GATE_BOUNDS
from contractlab.standing import COVERAGE, ERRORS, FLAKINESS, MINIMUM_CASES, MINIMUM_POWER
from tests.builders import case, dataset, predictions, release, rubric, write, write_triple

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Run

SET = dataset(case("a"), case("b", expected_label="negative", critical=False))
RELEASES = [
    release("baseline", SET),
    release("good", SET),
    release("slow", SET, latency_ms=1e12),
    release("bad", SET, but={"a": {"actions": ["refund_order"]}}),
]


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("contracts")
    return write_triple(folder, dataset_=SET, predictions_=[predictions(*RELEASES)])


@pytest.mark.parametrize(
    ("asked", "verdict", "code"),
    [
        ("--candidate=good", "PASS", 0),
        ("--candidate=slow", "REVIEW", 1),
        ("--candidate=bad", "BLOCK", 1),
        ("--candidate=slow --fail-on=review", "REVIEW", 1),
        ("--candidate=slow --fail-on=block", "REVIEW", 0),
        ("--candidate=bad --fail-on=block", "BLOCK", 1),
        ("--candidate=bad --fail-on=never", "BLOCK", 0),
    ],
)
def test_the_exit_code_is_the_verdicts(
    contractlab: Callable[..., Run], options: list[str], asked: str, verdict: str, code: int
) -> None:
    run = contractlab("compare", *options, *asked.split(), "--format=json")
    assert json.loads(run.stdout)["action"] == verdict
    assert run.returncode == code


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("fail_on", ["review", "block", "never"])
def test_a_milder_verdict_than_what_fails_exits_0(verdict: Verdict, fail_on: str) -> None:
    order = ["PASS", "REVIEW", "BLOCK", "NEVER"]
    fails = verdict != "PASS" and order.index(verdict) >= order.index(fail_on.upper())
    assert exit_code(verdict, fail_on) == int(fails)


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_only_the_judgement_is_on_stdout(
    contractlab: Callable[..., Run], options: list[str], format_: str
) -> None:
    run = contractlab("compare", *options, "--candidate=good", f"--format={format_}", "--quiet")
    assert run.returncode == 0
    assert run.stderr == b""
    assert b"PASS" in run.stdout
    if format_ == "json":
        json.loads(run.stdout)


def test_warnings_are_shown_on_stderr_and_change_no_exit_code_unless_strict(
    contractlab: Callable[..., Run], options: list[str]
) -> None:
    run = contractlab("compare", *options, "--candidate=good")
    assert (run.returncode, b"CL407" in run.stderr) == (0, True)
    strict = contractlab("compare", *options, "--candidate=good", "--strict")
    assert (strict.returncode, strict.stdout, b"CL407" in strict.stderr) == (2, b"", True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "--dataset"],
        ["compare", "--dataset=missing.json", "--rubric=r", "--predictions=p"],
        ["compare", "--colour=red"],
        ["compare", "--format=yaml"],
        ["compare", "--fail-on=maybe"],
        ["compare", "--max-bytes=0"],
        ["compare", "--max-bytes=x"],
        ["compare", "operand"],
        ["validate", "--format=markdown", "x"],
        ["validate", "missing.json"],
        ["validate", "--config=missing.toml"],
        ["explain", "CL999"],
        ["explain"],
        ["frobnicate"],
        ["--frobnicate"],
        [],
    ],
    ids=" ".join,
)
def test_a_mistake_in_the_command_line_is_2_with_a_message_and_no_traceback(
    contractlab: Callable[..., Run], tmp_path: Path, arguments: list[str]
) -> None:
    run = contractlab(*arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert b"Traceback" not in run.stderr
    assert run.stderr
    assert b"\\n" not in run.stderr


def test_without_arguments_the_help_is_on_stderr(contractlab: Callable[..., Run]) -> None:
    run = contractlab()
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr == contractlab("--help").stdout


@pytest.mark.parametrize(
    ("spelled", "means"),
    [
        (["-h"], ["--help"]),
        (["help"], ["--help"]),
        (["help", "compare"], ["compare", "--help"]),
        (["compare", "-h"], ["compare", "--help"]),
        (["--version"], ["version"]),
        (["-V"], ["version"]),
    ],
    ids=" ".join,
)
def test_help_and_version_have_the_usual_spellings(
    contractlab: Callable[..., Run], spelled: list[str], means: list[str]
) -> None:
    run = contractlab(*spelled)
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout == contractlab(*means).stdout


def test_the_list_of_commands_is_cut_nowhere(contractlab: Callable[..., Run]) -> None:
    assert b"..." not in contractlab("--help").stdout.split(b"Commands:")[1]


def test_files_that_a_shell_made_of_a_pattern_are_told_from_operands(
    contractlab: Callable[..., Run],
) -> None:
    run = contractlab("compare", "--predictions", "a.json", "b.json")
    assert run.returncode == 2
    assert b"give --predictions once a file, or quote the pattern" in run.stderr


def test_a_size_cap_that_is_no_number_is_told_in_our_own_words(
    contractlab: Callable[..., Run],
) -> None:
    run = contractlab("compare", "--max-bytes", "abc")
    assert b"abc is not a number of bytes, such as 67108864" in run.stderr


def test_under_strict_warnings_are_counted_as_problems(
    contractlab: Callable[..., Run], options: list[str]
) -> None:
    run = contractlab("compare", *options, "--candidate=good", "--strict")
    count = run.stderr.count(b": CL4")
    assert run.stderr.rstrip().endswith(b"nothing was decided: %d problems" % count)


def test_a_baseline_that_predictions_put_aside_is_told_where_it_was(
    contractlab: Callable[..., Run], tmp_path: Path
) -> None:
    write_triple(tmp_path, dataset_=SET, predictions_=[predictions(*RELEASES[:1])])
    write(tmp_path / "new.json", predictions(RELEASES[1]))
    write(
        tmp_path / "contractlab.toml",
        'dataset = "dataset.json"\nrubric = "rubric.json"\npredictions = "replay-*.json"\n',
    )
    run = contractlab("compare", "--predictions", "new.json", cwd=tmp_path)
    told = b" ".join(run.stderr.split())
    assert b"CL307" in told
    assert b"--predictions replaces the list of contractlab.toml" in told


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], b"no dataset, rubric or predictions named"),
        (["--dataset=d"], b"no rubric or predictions named"),
        (["--dataset=d", "--rubric=r"], b"no predictions named"),
    ],
    ids=["all", "two", "one"],
)
def test_what_is_not_named_is_listed_as_people_list_things(
    contractlab: Callable[..., Run], tmp_path: Path, given: list[str], message: bytes
) -> None:
    assert message in contractlab("compare", *given, cwd=tmp_path).stderr


def test_a_report_and_contracts_exclude_one_another(contractlab: Callable[..., Run]) -> None:
    run = contractlab("cases", "--report", "r.json", "--dataset", "d.json")
    assert run.returncode == 2
    assert b"--report and --dataset exclude one another" in run.stderr


def test_a_dataset_is_told_from_a_report_in_one_problem(
    contractlab: Callable[..., Run], tmp_path: Path
) -> None:
    run = contractlab("render", write(tmp_path / "cases.json", SET))
    assert run.returncode == 2
    assert b"holds a dataset, not a report" in b" ".join(run.stderr.split())
    assert run.stderr.rstrip().endswith(b"\n1 problem")


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("min_f1", 0, "A gate: Harmonic mean of precision and recall."),
        ("tool_correct", 0, "A check: the tool that was used"),
        ("critical", 0, "BLOCK"),
        ("pass_rate", 0, "Share of cases that pass."),
        ("not-worse-by", 0, "must show that it is no worse"),
        ("latency_ms.p95", 0, "in milliseconds"),
        ("outcome:refund given", 0, "outcome:NAME\n\nA metric (version 2)"),
        ("range", 0, "A matcher (version 2): A number within"),
        ("default-rubric", 0, "# The default rubric, and why"),
        ("no_regression", 2, "is it meant to be no_regression_at?"),
        ("CL998", 2, "metrics and bounds: pass_rate, "),
        ("famly-leakage", 2, "is it meant to be family-leakage (CL301)?"),
        ("CL999", 2, "\nCL301  family-leakage\n"),
    ],
)
def test_explain_knows_rules_gates_and_checks_and_what_is_nearly_one(
    contractlab: Callable[..., Run], name: str, code: int, told: str
) -> None:
    run = contractlab("explain", name)
    assert run.returncode == code
    assert told in (run.stderr if code else run.stdout).decode().replace("\r\n", "\n")


@pytest.mark.parametrize("name", [*CHECKS, CRITICAL, *(gate for gate, *_ in GATES_V1)])
def test_every_gate_and_check_has_an_explanation(name: str) -> None:
    assert page(name)


def test_every_metric_bound_and_standing_gate_of_version_2_has_an_explanation() -> None:
    named = {name: name.replace("NAME", "tools").replace("KIND", "input") for name in METRICS}
    measures = {"latency_ms", "cost_usd", "tokens.KIND"}
    spelled = [
        f"{name}.{summary}"
        for key, name in named.items()
        for summary in (SUMMARIES if key in measures else ())
    ] + [name for key, name in named.items() if key not in measures]
    assert all(map(is_metric, spelled))
    assert all(map(page, spelled))
    assert set(EXPLAINED) == set(METRICS)
    assert tuple(BOUNDS) == GATE_BOUNDS
    standing = (COVERAGE, ERRORS, FLAKINESS, MINIMUM_CASES, MINIMUM_POWER, CRITICAL, UNDECIDED)
    rules = ("none_may_fail", "none_newly_fails", "at_most_rate", "errors", "flakiness")
    assert all(map(page, [*standing, *rules, *STANDING, *GATE_BOUNDS]))


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["version"]])
def test_help_and_version_exit_0(contractlab: Callable[..., Run], arguments: list[str]) -> None:
    run = contractlab(*arguments)
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout


@pytest.mark.parametrize("mode", ["closed", "full"])
@pytest.mark.parametrize(
    "command", [["compare"], ["compare", "--format=json"], ["validate"], ["version"], ["--help"]],
    ids=" ".join,
)  # fmt: skip
def test_a_stdout_that_takes_nothing_is_2(
    contractlab: Callable[..., Run], options: list[str], command: list[str], mode: str
) -> None:
    arguments = list(command)
    if command[0] == "compare":
        arguments += [*options, "--candidate=good"]
    elif command[0] == "validate":
        arguments += [options[0].partition("=")[2]]
    if mode == "full":
        if not Path("/dev/full").exists():
            pytest.skip("this system has no /dev/full")
        with Path("/dev/full").open("wb") as full:
            run = contractlab(*arguments, stdout=full, stderr=subprocess.PIPE)
    else:
        if os.name == "nt":
            pytest.skip("a closed stdout cannot be handed to a child process here")
        run = contractlab(*arguments, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    assert run.returncode == 2
    assert b"Traceback" not in run.stderr


def test_a_closed_stderr_changes_no_exit_code(
    contractlab: Callable[..., Run], options: list[str]
) -> None:
    if os.name == "nt":
        pytest.skip("a closed stderr cannot be handed to a child process here")
    run = contractlab(
        "compare", *options, "--candidate=good",
        stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2),
    )  # fmt: skip
    assert run.returncode == 0
    assert b"PASS" in run.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", "utf-16"])
def test_any_encoding_of_stdout_works(
    tmp_path: Path, python_flags: list[str], encoding: str
) -> None:
    odd = "\u6c49\U0001f600\u00e9"
    of = dataset(case(odd), case("b"))
    replay = predictions(release("baseline", of), release(odd, of, but={odd: {"tool": None}}))
    arguments = write_triple(tmp_path, dataset_=of, predictions_=[replay])
    # Not isolated: -I would not read the variable.
    run = subprocess.run(
        [sys.executable, *python_flags, "-m", "contractlab", "compare", *arguments],
        env={**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 1
    assert "BLOCK" in run.stdout.decode(encoding)


@pytest.mark.parametrize("error", [RuntimeError("a\x1b\nb ::error:: ##[x]"), MemoryError(),
                                   RecursionError(), SystemExit(1), AssertionError()])  # fmt: skip
def test_a_crash_is_2_and_says_so_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    def crash(_options: Any) -> int:
        raise error

    monkeypatch.setattr(commands, "compare", crash)
    monkeypatch.delenv("CONTRACTLAB_DEBUG", raising=False)
    assert front.run(["compare"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "Traceback" not in told.err
    for line in told.err.splitlines():
        assert line.isprintable()
        assert "::" not in line
        assert "##[" not in line


def test_a_crash_inside_the_full_command_line_is_2_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_code: str) -> int:
        raise RuntimeError

    monkeypatch.setattr(commands, "explain", crash)
    assert front.run(["explain", "CL301"]) == 2


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_options: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "compare", interrupted)
    assert front.run(["compare"]) == 130


def test_main_exits_with_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr("os._exit", codes.append)
    front.main(["explain", "CL999"])
    assert codes == [2]


def test_validate_as_json_lists_problems_and_is_2(
    contractlab: Callable[..., Run], tmp_path: Path
) -> None:
    name = write(tmp_path / "d.json", '{\n "schema_version": "eval-dataset-v1",\n "a\\ud800": 1}')
    run = contractlab("validate", name, "--format=json")
    assert run.returncode == 2
    (problem,) = json.loads(run.stdout)["problems"]
    assert (problem["code"], problem["line"], problem["column"]) == ("CL106", 3, 4)
    assert (problem["file"], problem["warning"]) == (name, False)


def test_validate_of_right_contracts_is_0(
    contractlab: Callable[..., Run], options: list[str]
) -> None:
    names = [each.partition("=")[2] for each in options]
    run = contractlab("validate", *names)
    assert run.returncode == 0


def test_compare_needs_no_argument_beside_a_configuration(
    contractlab: Callable[..., Run], tmp_path: Path
) -> None:
    write_triple(tmp_path, dataset_=SET, predictions_=[predictions(*RELEASES[:2])])
    write(
        tmp_path / "contractlab.toml",
        'dataset = "dataset.json"\nrubric = "rubric.json"\npredictions = "replay-*.json"\n',
    )
    run = contractlab("compare", cwd=tmp_path)
    assert (run.returncode, run.stdout.splitlines()[-1][:5]) == (0, b"PASS:")


def test_without_a_candidate_the_choice_must_be_plain(
    contractlab: Callable[..., Run], options: list[str]
) -> None:
    run = contractlab("compare", *options)
    assert run.returncode == 2
    assert b"--candidate" in run.stderr
    assert all(name in run.stderr for name in (b"good", b"slow", b"bad"))


def test_another_baseline_than_the_rubrics_can_be_named(
    contractlab: Callable[..., Run], options: list[str]
) -> None:
    run = contractlab("compare", *options, "--baseline=bad", "--candidate=good", "--format=json")
    assert json.loads(run.stdout)["baseline_release"] == "bad"


def test_every_field_of_a_rubric_that_is_broken_stops_before_a_verdict(
    contractlab: Callable[..., Run], tmp_path: Path
) -> None:
    arguments = write_triple(tmp_path, rubric_=rubric(min_f1=True))
    run = contractlab("compare", *arguments)
    assert (run.returncode, run.stdout) == (2, b"")
    assert b"CL202" in run.stderr


@pytest.mark.parametrize("option", ["--dataset", "--rubric", "--candidate", "--baseline"])
def test_an_empty_option_is_not_taken_for_one_that_was_left_out(
    contractlab: Callable[..., Any], tmp_path: Path, option: str
) -> None:
    triple = write_triple(tmp_path)

    done = contractlab("compare", *triple, option, "")

    assert done.returncode == 2
    assert f"{option} is empty" in done.stderr.decode()


def test_a_file_that_is_named_by_a_role_has_to_be_what_it_is_called(
    contractlab: Callable[..., Any], tmp_path: Path
) -> None:
    write(tmp_path / "rubric.json", rubric())

    done = contractlab("validate", "--dataset", tmp_path / "rubric.json")

    assert done.returncode == 2
    assert "holds a rubric, not a dataset" in " ".join(done.stderr.decode().split())


def test_validate_says_that_replays_alone_were_not_held_against_a_dataset(
    contractlab: Callable[..., Any], tmp_path: Path
) -> None:
    triple = [option.partition("=")[2] for option in write_triple(tmp_path)]
    unchecked = b"no dataset named"

    assert unchecked in contractlab("validate", triple[-1]).stdout
    assert unchecked not in contractlab("validate", *triple).stdout
