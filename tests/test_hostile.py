"""Hostile files and names: exit 2, a message, no traceback, bounded; nothing raw on a stream."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contractlab import files, front
from contractlab.problems import ContractError
from tests import builders
from tests.builders import case, predictions, release, rubric, write, write_triple

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Run

posix = pytest.mark.skipif(os.name == "nt", reason="such files exist on POSIX systems only")


def deep(folder: Path) -> str:
    return write(folder / "x.json", b"[" * 100_000)


def deep_contract(folder: Path) -> str:
    text = '{"schema_version": "eval-dataset-v1", "cases": ' + "[" * 70 + "]" * 70 + "}"
    return write(folder / "x.json", text)


def long_integer(folder: Path) -> str:
    return write(folder / "x.json", b'{"a": ' + b"1" * 5000 + b"}")


def long_literal(folder: Path) -> str:
    return write(folder / "x.json", b'{"a": ' + b"9" * 10_000_000 + b"}")


def long_string(folder: Path) -> str:
    return write(folder / "x.json", b'{"schema_version": "' + b"x" * 10_000_000 + b'"}')


def long_key(folder: Path) -> str:
    return write(
        folder / "x.json", b'{"schema_version": "eval-rubric-v1", "' + b"k" * 10_000_000 + b'": 1}'
    )


def infinite(folder: Path) -> str:
    return write(folder / "x.json", b'{"schema_version": "eval-rubric-v1", "gates": 1e999}')


def utf_16(folder: Path) -> str:
    return write(folder / "x.json", "{}".encode("utf-16"))


def truncated(folder: Path) -> str:
    return write(folder / "x.json", b'{"schema_version": "eval-dataset-v1", "cases": [{"id": "a')


def empty(folder: Path) -> str:
    return write(folder / "x.json", b"")


def sparse(folder: Path) -> str:
    with (folder / "x.json").open("wb") as file:
        file.truncate(4 * 1024**3)
    return str(folder / "x.json")


def directory(folder: Path) -> str:
    return str(folder)


def missing(folder: Path) -> str:
    return str(folder / "none.json")


def nul_in_name(folder: Path) -> str:
    return str(folder / "none.json") + "/x" * 3000


def fifo(folder: Path) -> str:
    os.mkfifo(folder / "x.json")
    return str(folder / "x.json")


def device(_folder: Path) -> str:
    return "/dev/zero"


def symlink_loop(folder: Path) -> str:
    (folder / "x.json").symlink_to(folder / "x.json")
    return str(folder / "x.json")


def link_to_device(folder: Path) -> str:
    (folder / "x.json").symlink_to("/dev/zero")
    return str(folder / "x.json")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (deep, "CL107"),
        (deep_contract, "CL107"),
        (long_integer, "CL108"),
        (long_literal, "CL108"),
        (long_string, "CL"),
        (long_key, "CL203"),
        (infinite, "CL105"),
        (utf_16, "CL101"),
        (truncated, "CL103"),
        (empty, "CL103"),
        (sparse, "CL003"),
        (directory, "CL00"),
        (missing, "CL001"),
        (nul_in_name, "CL004"),
        pytest.param(fifo, "CL002", marks=posix),
        pytest.param(device, "CL002", marks=posix),
        pytest.param(link_to_device, "CL002", marks=posix),
        pytest.param(symlink_loop, "CL004", marks=posix),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_hostile_file_is_2_with_a_short_message(
    contractlab: Callable[..., Run], tmp_path: Path, make: Callable[[Path], str], code: str
) -> None:
    name = make(tmp_path)
    for arguments in (
        ["validate", name],
        ["compare", f"--dataset={name}", f"--rubric={name}", f"--predictions={name}"],
    ):
        run = contractlab(*arguments)
        assert run.returncode == 2
        assert run.stdout == b""
        assert code.encode() in run.stderr
        assert b"Traceback" not in run.stderr
        assert b"fault of contractlab" not in run.stderr
        assert len(run.stderr) < 40_000


@posix
def test_a_socket_is_refused_by_its_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket has little room
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("x.json")
        with pytest.raises(ContractError) as caught:
            files.read("x.json")
    assert caught.value.problems[0].rule.code == "CL002"


def test_a_file_that_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    name = write(tmp_path / "x.json", "{}")
    monkeypatch.setattr(os, "open", denied)  # a mode of 0 would not keep root out
    with pytest.raises(ContractError) as caught:
        files.read(name)
    (problem,) = caught.value.problems
    assert (problem.rule.code, problem.message) == ("CL004", "cannot be read: Permission denied")


def test_a_name_with_a_nul_is_told() -> None:
    with pytest.raises(ContractError) as caught:
        files.read("a\0b")
    assert caught.value.problems[0].rule.code == "CL004"


def test_a_file_that_grows_while_it_is_read_stays_under_the_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = write(tmp_path / "x.json", b"x" * 100)
    real = os.stat

    def small(path: Any, *rest: Any, **more: Any) -> os.stat_result:
        seen = list(real(path, *rest, **more))
        seen[6] = 1
        return os.stat_result(seen)

    monkeypatch.setattr(os, "stat", small)
    with pytest.raises(ContractError) as caught:
        files.read(name, max_bytes=50)
    assert caught.value.problems[0].rule.code == "CL003"


def test_the_cap_can_be_lifted_beyond_all_memory(tmp_path: Path) -> None:
    name = write(tmp_path / "x.json", b"{}")
    assert files.read(name, max_bytes=10**18) == b"{}"
    assert files.read(name, max_bytes=2) == b"{}"
    with pytest.raises(ContractError):
        files.read(name, max_bytes=1)


def test_200_mb_of_objects_are_refused_by_their_size_or_their_second_object(
    contractlab: Callable[..., Run], tmp_path: Path
) -> None:
    name = str(tmp_path / "x.json")
    with Path(name).open("wb") as file:
        file.writelines(b"{}," * 350_000 for _ in range(200))
    assert b"CL003" in contractlab("validate", name).stderr
    lifted = contractlab("validate", name, "--max-bytes=1000000000")
    assert lifted.returncode == 2
    assert b"CL103" in lifted.stderr
    assert b":1:3:" in lifted.stderr
    Path(name).unlink()


NASTY = [
    "a\nb", "\x1b[31mred", "\x1b]0;title\x07", "\u202egpj", "\x9b31m", "a\u2028b",
    "::error::x", "a ##[error]x", "::add-mask::x", "x\r::error file=a::b", "\x85::warning::",
]  # fmt: skip


@pytest.fixture
def here(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Run]:
    """The command line in this process, for the many runs below."""

    def run(*arguments: str) -> Run:
        code = front.run(arguments)
        told = capsysbinary.readouterr()
        return subprocess.CompletedProcess(arguments, code, told.out, told.err)

    return run


def harmless(run: Run) -> bool:
    """Whether both streams hold plain lines: nothing that moves, hides or commands."""
    for stream in (run.stdout, run.stderr):
        text = stream.decode("utf-8")
        if "##[" in text or "Traceback" in text or "\r" in text:
            return False
        # In Markdown, a no-break space stands between a number and its unit.
        for line in text.replace("\u00a0", " ").split("\n"):
            if not line.isprintable() or line.lstrip().startswith("::") or "::error" in line:
                return False
    return True


@pytest.mark.parametrize("text", NASTY, ids=ascii)
@pytest.mark.parametrize(
    "place", ["id", "family_id", "slice", "input", "expected_tool", "key", "label", "version"]
)
def test_untrusted_text_in_a_dataset_reaches_no_stream_raw(
    here: Callable[..., Run], tmp_path: Path, place: str, text: str
) -> None:
    first = {**case("a", family_id="f"), "slice": "s"}
    match place:
        case "key":
            first[text] = 1
        case "label":
            first["expected_label"] = text
        case "version":
            pass
        case _:
            first[place] = text
    of = builders.dataset(first, case("b", slice="other"))
    if place == "version":
        of["dataset_version"] = text
    name = write(tmp_path / "d.json", of)
    assert harmless(here("validate", name))
    assert harmless(here("validate", name, "--format=json"))


@pytest.mark.parametrize("text", ["::error::x", "a ##[error]x", "##[group]", "a::b"])
@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_names_that_are_allowed_and_would_command_a_runner_are_escaped_in_reports(
    here: Callable[..., Run], tmp_path: Path, format_: str, text: str
) -> None:
    of = builders.dataset(
        case(f"{text}1", slice=text, input="\x1b[31m ::error:: ##[x] \u2028", expected_tool=text),
        case("b", family_id=text),
        dataset_version=text,
    )
    replay = predictions(
        release(f"base{text}", of),
        release(text, of, but={f"{text}1": {"tool": None, "actions": [f"did {text}"]}}),
        dataset_version=text,
        prediction_set_version=text,
    )
    arguments = write_triple(
        tmp_path,
        dataset_=of,
        rubric_=rubric(baseline_release=f"base{text}", rubric_version=text),
        predictions_=[replay],
    )
    run = here("compare", *arguments, f"--format={format_}")
    assert run.returncode == 1
    assert harmless(run)


@pytest.mark.parametrize("text", NASTY, ids=ascii)
@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", "{}"],
        ["validate", "--config", "{}"],
        ["validate", "--format", "{}"],
        ["compare", "--candidate", "{}", "--format", "{}"],
        ["compare", "--{}"],
        ["compare", "--max-bytes", "{}"],
        ["explain", "{}"],
        ["{}"],
    ],
    ids=" ".join,
)
def test_untrusted_arguments_reach_no_stream_raw(
    here: Callable[..., Run], arguments: list[str], text: str
) -> None:
    run = here(*[each.format(text) for each in arguments])
    assert run.returncode == 2
    assert harmless(run)


@posix
@pytest.mark.parametrize("text", ["a\nb", "\x1b[31m", "::error::x", "##[error]", "x:", "\udcff"],
                         ids=ascii)  # fmt: skip
def test_a_hostile_file_name_reaches_no_stream_raw(
    here: Callable[..., Run], tmp_path: Path, text: str
) -> None:
    if sys.platform == "darwin" and text == "\udcff":
        pytest.skip("file names are UTF-8 here")
    folder = tmp_path / text
    folder.mkdir()
    of = builders.dataset()
    arguments = write_triple(folder, dataset_=of)
    (folder / "replay-0.json").rename(folder / text)
    arguments[2] = f"--predictions={folder / text}"
    for format_ in ("text", "json", "markdown"):
        run = here("compare", *arguments, f"--format={format_}")
        assert run.returncode == 0, run.stderr
        assert harmless(run)
    write(folder / text, "{")
    for format_ in ("text", "json"):
        run = here("validate", str(folder / text), f"--format={format_}")
        assert run.returncode == 2
        assert harmless(run)
