from __future__ import annotations

import subprocess
import sys
from itertools import chain
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from contractlab import cli, commands, front, quick
from contractlab.choices import FAIL_ON, FORMATS, VALIDATE_FORMATS
from contractlab.options import CompareOptions, HookOptions, ValidateOptions

KINDS: dict[str, Any] = {
    "validate": ValidateOptions,
    "hook": HookOptions,
    "compare": CompareOptions,
}
VALUES = [
    *("a.json", "b c.json", "", "-", "-x", "--", "--strict", "=", "x=y", "é", "0", "1", "007"),
    *("1_000", "+5", "99999999999999999999", "１", "validate", "compare", "runs/*.json"),
    *FORMATS,
    *FAIL_ON,
]
NAMES = sorted({*chain(*front.VALUES.values()), *chain(*front.FLAGS.values())})

words = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(VALUES),
    st.builds("{}={}".format, st.sampled_from(NAMES), st.sampled_from(VALUES)),
    st.sampled_from(["--help", "--form", "--no-strict", "-q", "--quiet=1"]),
    st.text(max_size=4),
)
# Mostly pairs that make sense, or nearly every command line would be handed on unread.
pairs = st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES))
command_lines = st.builds(
    lambda command, groups: [command, *(word for group in groups for word in group)],
    st.sampled_from([*KINDS, "explain", ""]),
    st.lists(st.one_of(pairs, pairs, words.map(lambda word: (word,))), max_size=5),
)


class Captured:
    """Commands that keep their options instead of doing anything."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __call__(self, options: Any) -> int:
        self.calls.append(options)
        return 0


def by_typer(argv: list[str]) -> Any:
    captured = Captured()
    with pytest.MonkeyPatch.context() as patch:
        for command in KINDS:
            patch.setattr(commands, command, captured)
        code = cli.run(argv)
    assert code == 0, f"typer refuses {argv}"
    return captured.calls


@given(command_lines)
def test_what_is_read_plainly_typer_reads_the_same(argv: list[str]) -> None:
    plain = front.read_plainly(argv)
    if plain is not None:
        command, given_ = plain
        assert by_typer(argv) == [KINDS[command](**given_)]


@pytest.mark.parametrize(
    "argv",
    [
        ["validate", "a.json", "b.json", "--strict"],
        ["validate", "--format=json", "--max-bytes", "5", "a.json"],
        ["validate"],
        ["hook", "--", "--strict.json", "a.json"],
        ["compare", "--predictions", "a", "--predictions=b", "--fail-on", "block", "--quiet"],
        ["compare", "--dataset", "a=b", "--report-html", "page.html"],
    ],
    ids=" ".join,
)
def test_plain_command_lines_do_not_wait_for_typer(argv: list[str]) -> None:
    plain = front.read_plainly(argv)
    assert plain is not None
    assert by_typer(argv) == [KINDS[plain[0]](**plain[1])]


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["explain", "CL301"],
        ["--help"],
        ["validate", "--help"],
        ["validate", "--form", "json"],
        ["validate", "--format", "yaml"],
        ["validate", "--max-bytes", "0"],
        ["validate", "--max-bytes", "many"],
        ["compare", "a.json"],
        ["compare", "--dataset"],
        ["compare", "--dataset", "--strict"],
        ["compare", "--dataset", "a", "--dataset", "b"],
        ["compare", "--fail-on", "pass"],
    ],
    ids=" ".join,
)
def test_everything_else_is_handed_to_typer(argv: list[str]) -> None:
    assert front.read_plainly(argv) is None


@pytest.mark.parametrize("command", KINDS)
def test_both_parsers_know_the_same_options(command: str) -> None:
    parser = typer.main.get_command(cli.app).commands[command]  # type: ignore[attr-defined]
    known = {
        option: parameter.name
        for parameter in parser.params
        for option in parameter.opts
        if option.startswith("--") and option != "--help"
    }
    # What hooks do not use goes to typer: contracts named by their role.
    in_full = {"--dataset", "--rubric", "--predictions"} if command == "validate" else set()
    assert set(known) == {*front.VALUES[command], *front.FLAGS[command], *in_full}


def test_the_choices_of_each_command_are_typers() -> None:
    for format_ in {*FORMATS, *VALIDATE_FORMATS, "html"}:
        for command, formats in (("validate", VALIDATE_FORMATS), ("compare", FORMATS)):
            plain = front.read_plainly([command, "--format", format_])
            assert (plain is not None) == (format_ in formats)


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (RuntimeError("boom"), 2),
        (MemoryError(), 2),
        (RecursionError(), 2),
        (SystemExit(1), 2),
        (SystemExit("text"), 2),
        (SystemExit(0), 0),
        (KeyboardInterrupt(), 130),
    ],
    ids=repr,
)
def test_a_crash_is_never_a_verdict(
    raised: BaseException,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def crash(_given: object) -> int:
        raise raised

    monkeypatch.setattr(quick, "validate", crash)
    assert front.run(["validate", "a.json"]) == code
    assert "Traceback" not in capsys.readouterr().err


def test_what_a_crash_says_commands_no_runner_and_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def crash(_given: object) -> int:
        raise RuntimeError("\n::error::x ##[error] \x1b[31m \u202e \x9b")

    monkeypatch.setattr(quick, "validate", crash)
    assert front.run(["validate", "a.json"]) == 2
    said = capsys.readouterr().err
    assert said.isascii()
    assert "\x1b" not in said
    assert "::" not in said.partition("this is a fault")[2]
    assert "##[" not in said


def test_the_console_entry_exits_with_the_code() -> None:
    code = "from contractlab.front import main; main(['validate', 'there-is-no-such-file'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"CL001" in done.stderr
