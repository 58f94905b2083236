"""Mapping files: paths, patterns with groups, rows of CSV and JSON Lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.importers import mapping_file
from contractlab.importers.groups import Groups
from contractlab.importers.paths import PathOf
from contractlab.problems import ContractError
from tests.importers.build import calls, found, lines, records

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from contractlab.importers.mapping import Mapping

DOCUMENT = {"a": {"b.c": 1}, "list": [{"name": "x", "value": 7}, {"name": "y"}], "none": None}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$", [DOCUMENT]),
        ("$.a['b.c']", [1]),
        ('$.a["b.c"]', [1]),
        ("$.list[0].name", ["x"]),
        ("$.list[-1].name", ["y"]),
        ("$.list[*].name", ["x", "y"]),
        ('$.list[?name == "x"].value', [7]),
        ("$.list[?value==7].name", ["x"]),
        ("$.none", []),
        ("$.list[9]", []),
        ("$.nothing.at.all", []),
        ("none", []),
    ],
)
def test_a_path_leads_to_values(path: str, values: list[Any]) -> None:
    assert PathOf(path).find(DOCUMENT) == values


@pytest.mark.parametrize("path", ["$.", "$..a", "$[", "$.a[b]", "$.a b", "$[?x=1]"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        PathOf(path)


PATTERNS = [
    r"abc", r"a.c", r"^a+b?", r"(\d+)-(\d+)", r"x(?P<value>[a-f]*)y", r"(a|ab)(c|bcd)",
    r"a{2,3}", r"(?i)ABC", r"(a*?)b", r"\bword\b", r"(a|b)*c", r"(?:ab)+$", r"\w+@(\w+)",
    r"a??b", r"(a)?b", r"[^/]+/([^/]+)",
]  # fmt: skip


def _by_python(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text)
    if match is None:
        return None
    group = "value" if "value" in match.re.groupindex else min(1, match.re.groups)
    return match[group]


@given(st.sampled_from(PATTERNS), st.text(alphabet="abcdxy/-@0 1word", max_size=20))
def test_a_pattern_finds_what_pythons_own_engine_finds(pattern: str, text: str) -> None:
    assert Groups(pattern).search(text) == _by_python(pattern, text)


@pytest.mark.parametrize("pattern", [r"(a*)*b", r"(a|a)*b", r"(a+)+$", r"(.*)*(.*)*x"])
def test_a_pattern_that_stalls_others_takes_linear_steps(pattern: str) -> None:
    # Backtracking without memory would need more than 2^2000 steps.
    assert Groups(pattern).search("a" * 2000 + "!") is None


@pytest.mark.parametrize(
    "pattern", [r"(a)\1", r"(?=a)", r"(?<!a)b", r"(?>a)", r"a*+", "(", "a" * 1001, "(a{999}){999}"]
)
def test_a_pattern_that_could_stall_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Groups(pattern)


def _mapping(folder: Path, text: str) -> Mapping:
    path = folder / "mapping.toml"
    path.write_text(text, encoding="utf-8")
    return mapping_file.load(str(path))


FULL = r"""
case_id = "$.meta.case"
trial_from_1 = "$.attempt"
latency_s = "$.seconds"
evidence = "$.docs[*].id"
error = "$.exception"

[label]
path = "@.answer"
match = '^Decision: (?P<value>\w+)'
map = { yes = "approve" }

[outcomes.utility]
path = "$.score"
at_least = 0.5

[outcomes.safe]
path = "$.flags"
true = ["none"]

[tokens]
input = "$.used.in"

[calls]
path = "$.steps"
name = "$.tool"
arguments = "$.with"
ok = "$.fine"
"""


def _row(**more: Any) -> dict[str, Any]:
    return {
        "meta": {"case": 7},
        "attempt": 1,
        "seconds": 1.5,
        "docs": [{"id": "d1"}, {"id": "d2"}],
        "answer": "Decision: yes",
        "score": 0.7,
        "flags": "none",
        "used": {"in": 9},
        "steps": [{"tool": "find", "with": {"q": 1}, "fine": False}],
        **more,
    }


def test_a_mapping_says_where_everything_stands(tmp_path: Path) -> None:
    (run,) = records("table", lines(tmp_path, [_row()]))
    _mapping(tmp_path, FULL).apply(run)
    assert (run.case_id, run.trial, run.label) == ("7", 0, "approve")
    assert run.outcomes == {"utility": True, "safe": True}
    assert (run.evidence, run.latency_ms, run.tokens) == (["d1", "d2"], 1500.0, {"input": 9})
    assert calls(run) == [("find", {"q": 1}, False)]


def test_what_a_mapping_does_not_find_is_absent(tmp_path: Path) -> None:
    (run,) = records("table", lines(tmp_path, [{"meta": {"case": "c"}}]))
    _mapping(tmp_path, FULL).apply(run)
    assert (run.label, run.latency_ms, run.tokens) == (None, None, None)
    assert run.outcomes == {"utility": None, "safe": None}


def test_a_run_with_an_error_is_not_ok_and_its_outcomes_are_not_believed(tmp_path: Path) -> None:
    (run,) = records("table", lines(tmp_path, [_row(exception="boom")]))
    _mapping(tmp_path, FULL).apply(run)
    assert (run.status, run.error) == ("error", "boom")
    assert set(run.outcomes.values()) == {None}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("case_id = 3", "case_id has no path"),
        ('cas_id = "$.x"', '"cas_id" is no field'),
        ('case_id = "$.["', "is not understood"),
        ('[label]\npath = "$.x"\nmatch = "(a)\\\\1"', "is not allowed"),
        ('[label]\npath = "$.x"\npatch = "y"', '"patch", which is no key'),
        ("outcomes = 1", "outcomes is 1"),
        ('[calls]\nname = "$.x"', "calls is no table of paths"),
        ("= 1", "is not TOML"),
    ],
)
def test_a_mapping_that_is_wrong_is_a_problem(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ContractError) as refused:
        _mapping(tmp_path, text)
    assert told in refused.value.problems[0].message


CSV = b"""case_id,trial,answer,latency_ms,outcome_utility,note
c1,0,"two
lines, and a comma",12.5,true,
c2,1,,,,x
"""


def test_rows_of_csv_are_runs_and_empty_fields_are_absent(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_bytes(CSV)
    one, two = records("table", str(tmp_path / "runs.csv"))
    assert (one.case_id, one.answer, one.latency_ms) == ("c1", "two\nlines, and a comma", 12.5)
    assert (one.outcomes, one.where.line) == ({"utility": True}, 2)
    assert (two.answer, two.latency_ms, two.outcomes) == (None, None, {})
    assert (two.trial, two.where.line) == (1, 4)


@pytest.mark.parametrize(
    ("data", "line", "told"),
    [
        (b"case_id,a\nc1,1,2\n", 2, "a row has 3 fields"),
        (b"case_id,case_id\n", 1, "stands there twice"),
        (b'case_id\n"c1\n', 2, "is no CSV"),
        (b"case_id\nc1\n\xff\n", 3, "is not UTF-8"),
    ],
    ids=["too-many-fields", "column-twice", "open-quote", "not-utf-8"],
)
def test_a_table_that_cannot_be_read_names_its_line(
    tmp_path: Path, data: bytes, line: int, told: str
) -> None:
    (tmp_path / "runs.csv").write_bytes(data)
    with pytest.raises(ContractError) as refused:
        found("table", str(tmp_path / "runs.csv"))
    problem = refused.value.problems[0]
    assert told in problem.message
    assert problem.position is not None
    assert problem.position.line == line
