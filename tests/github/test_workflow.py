from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.github.workflow import (
    Annotation,
    annotation_commands,
    command,
    escape_data,
    escape_property,
    fit_summary,
    neutralise,
    new_token,
    output_entry,
    relative_file,
    stop_commands,
    written_out,
)

TOKEN = "0123456789abcdef0123456789abcdef"
PIECES = [
    *("::", ":", "##[", "#", "[", "]", "%", "0A", "error", "stop-commands", "add-mask", "x", "😀"),
    *("\n", "\r", " ", "\t", "\u00a0", "\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\ud800"),
]
hostile = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
SUMMARY_LINES = ["text é", "<details>", "</details>", "```", "````json", "~~~", "", "| a |"]


def commands_read(printed: str) -> list[str]:
    """The command names that the runner would see, as ActionCommand.cs reads lines."""
    names = []
    for line in re.split(r"\r\n|\r|\n", printed):
        lead = line.lstrip()
        if lead.startswith("::") and "::" in lead[2:]:
            names.append(re.split("::| ", lead[2:], maxsplit=1)[0])
        elif match := re.search(r"##\[([^\] ]*)[^\]]*\]", line):
            names.append(match[1])
    return names


def unescaped(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


@given(hostile)
def test_no_neutralised_text_is_a_command(text: str) -> None:
    assert commands_read(neutralise(text)) == []
    neutralise(text).encode()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("::error::x", ": :error: :x"),
        ("a:::b", "a: : :b"),
        ("x ##[add-mask]y", "x ## [add-mask]y"),
        ("12:30 std::vector", "12:30 std: :vector"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\r\nb\rc", "a\nb\\rc"),
        ("\u202eevil\u200b\U000e0041", "\\u202eevil\\u200b\\U000e0041"),
        ("plain ü 😀\ttab", "plain ü 😀\ttab"),
    ],
)
def test_untrusted_text_stays_readable(text: str, seen: str) -> None:
    assert neutralise(text) == seen


@given(hostile)
def test_between_stop_and_resume_nothing_is_a_command(text: str) -> None:
    assert commands_read(stop_commands(text, token=TOKEN)) == ["stop-commands", TOKEN]


def test_the_stop_wrapper_ends_each_line() -> None:
    wrapped = f"::stop-commands::{TOKEN}\nx\n::{TOKEN}::\n"
    assert stop_commands("x", token=TOKEN) == stop_commands("x\n", token=TOKEN) == wrapped


@pytest.mark.parametrize("token", ["", "short", TOKEN + "\n", f"{TOKEN} x"])
def test_a_token_that_could_be_guessed_or_cut_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="16 or more"):
        stop_commands("x", token=token)


def test_a_text_that_holds_the_token_is_refused() -> None:
    with pytest.raises(ValueError, match="does not hold"):
        stop_commands(f"x {TOKEN}", token=TOKEN)
    with pytest.raises(ValueError, match="does not hold"):
        output_entry("decision", f"x\n{TOKEN}\nother=1", token=TOKEN)


def test_tokens_are_new_each_time() -> None:
    assert len({new_token() for _ in range(100)}) == 100
    assert output_entry("decision", "PASS", token=new_token())


def test_an_output_of_several_lines_is_one_entry() -> None:
    entry = output_entry("report-json", "a\nforged=1", token=TOKEN)
    assert entry == f"report-json<<{TOKEN}\na\nforged=1\n{TOKEN}\n"


@pytest.mark.parametrize("name", ["", "a b", "a=b", "a<<b", "a\nb", "1a", "ä"])
def test_what_is_no_output_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no output name"):
        output_entry(name, "x", token=TOKEN)


@given(hostile)
def test_escaped_text_is_one_line_and_is_read_back_as_it_was(text: str) -> None:
    for escape in (escape_data, escape_property):
        assert "\n" not in escape(text)
        assert "\r" not in escape(text)
        assert unescaped(escape(text)) == text
    assert not {":", ","} & set(escape_property(text))


def test_an_annotation_names_file_line_column_and_title() -> None:
    annotation = Annotation(
        level="error",
        message='family "a,b" is in train\nand test: 100%',
        title="CL301: family, leakage",
        file="/work space/run/data,1.json",
        line=41,
        column=20,
    )
    assert command(annotation, workspace="/work space/run") == (
        "::error file=data%2C1.json,line=41,col=20,title=CL301%3A family%2C leakage"
        '::family "a,b" is in train%0Aand test: 100%25'
    )


@given(hostile, hostile, hostile)
def test_an_annotation_is_one_command_whatever_it_says(message: str, title: str, file: str) -> None:
    line = command(Annotation(level="warning", message=message, title=title, file=f"d/{file}"))
    assert commands_read(line) == ["warning"]
    line.encode()


@pytest.mark.parametrize("char", ["x", "%", "\n", "😀", "é", "\x1b"])
def test_a_long_annotation_is_cut_under_4096_units_and_between_escapes(char: str) -> None:
    long = char * 5_000
    line = command(Annotation(level="error", message=long, title=long, file=f"{long}.json"))
    assert 4_080 < len(line.encode("utf-16-le")) // 2 < 4_096
    assert line.endswith("…")
    assert not re.search(r"%(?!25|0A|0D|3A|2C)", line)
    assert "file=" not in line


def test_the_tenth_of_a_kind_says_how_many_more_there_are() -> None:
    many = [Annotation(level="error", message=f"e{number}") for number in range(12)]
    ten = [Annotation(level="warning", message=f"w{number}") for number in range(10)]
    nine = [Annotation(level="notice", message=f"n{number}") for number in range(9)]
    mixed = [one for triple in zip(many, ten, nine, strict=False) for one in triple]
    lines = annotation_commands([*mixed, *many[9:], *ten[9:]])
    assert lines[:10] == [f"::error::e{number}" for number in range(9)] + [
        "::error::3 more errors in the job summary"
    ]
    assert lines[10:20] == [f"::warning::w{number}" for number in range(9)] + [
        "::warning::1 more warning in the job summary"
    ]
    assert lines[20:] == [f"::notice::n{number}" for number in range(9)]


def test_nothing_to_say_is_no_command() -> None:
    assert annotation_commands([]) == []


@pytest.mark.parametrize(
    ("file", "workspace", "name"),
    [
        (PurePosixPath("/w/a/b c.json"), PurePosixPath("/w"), "a/b c.json"),
        (PurePosixPath("/other/b.json"), PurePosixPath("/w"), "/other/b.json"),
        (PurePosixPath("/ws/b.json"), PurePosixPath("/w"), "/ws/b.json"),
        (PurePosixPath("a/b.json"), PurePosixPath("/w"), "a/b.json"),
        (PureWindowsPath(r"D:\a\Repo\data\x.json"), PureWindowsPath(r"d:\A\repo"), "data/x.json"),
        (PureWindowsPath(r"data\x.json"), PureWindowsPath(r"D:\a"), "data/x.json"),
        (PurePosixPath("a/b.json"), None, "a/b.json"),
    ],
)
def test_a_file_is_named_from_the_workspace_with_forward_slashes(
    file: PurePosixPath | PureWindowsPath,
    workspace: PurePosixPath | PureWindowsPath | None,
    name: str,
) -> None:
    assert relative_file(file, workspace) == name


def test_hidden_characters_are_written_out_and_line_ends_kept() -> None:
    assert written_out("a\tb\r\nc\ud800\x00") == "a\tb\nc\\ud800\\x00"


def test_a_summary_that_fits_is_not_changed() -> None:
    text = "é" * 499_999
    assert fit_summary(text, note="cut") == text


def test_a_summary_that_is_too_large_keeps_whole_lines_and_says_so() -> None:
    text = "".join(f"line {number} é\n" for number in range(100_000))
    cut = fit_summary(text, note="The rest is in report.md.")
    assert 999_950 < len(cut.encode()) < 1_000_000
    body, _, note = cut.rpartition("\n\n")
    assert text.startswith(body + "\n")
    assert note == "The rest is in report.md.\n"


@given(
    st.lists(st.sampled_from(SUMMARY_LINES), max_size=60),
    st.integers(min_value=40, max_value=400),
)
def test_a_cut_summary_fits_and_leaves_nothing_open(lines: list[str], limit_bytes: int) -> None:
    cut = fit_summary("\n".join(lines), note="NOTE", limit_bytes=limit_bytes)
    assert len(cut.encode()) <= limit_bytes
    if not cut.endswith("\n\nNOTE\n") and cut != "\nNOTE\n":
        assert cut == "\n".join(lines)
        return
    fence, depth = "", 0
    for line in cut.splitlines():
        run = re.match(r"`{3,}|~{3,}", line)
        if run and (not fence or run[0].startswith(fence)):
            fence = "" if fence else run[0]
        elif not fence:
            depth = max(depth + (line == "<details>") - (line == "</details>"), 0)
    assert (fence, depth) == ("", 0)
