"""Mapping files: paths, patterns with groups, rows of CSV and JSON Lines."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab import cli
from contractlab.importers import mapping_file
from contractlab.importers.groups import Groups
from contractlab.importers.mapping import UNKNOWN_STATUS
from contractlab.importers.paths import PathOf
from contractlab.problems import ContractError
from tests.importers.build import ROOT, calls, found, lines, records

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
        ('[label]\npath = "$.x"\nmatch = "(a)\\\\1"', "a back-reference is not allowed"),
        ('[label]\npath = "$.x"\nmatch = "(?=a)"', "look-around is not allowed"),
        ('[label]\npath = "$.x"\npatch = "y"', '"patch", which is no key'),
        ("outcomes = 1", "outcomes is 1"),
        ('[calls]\nname = "$.x"', "calls has no path"),
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


TOML = """# ours
case_id = "$.meta.case"

[label]
path = "$.answer"
match = 5

[outcomes]
safe = { path = "$.flags", tru = ["none"] }
"at odds" = { path = "$.x", at_least = "much" }

[calls]
path = "$.steps"
nme = "$.tool"
arguments = "$..with"

[cost]
"""


def test_every_mistake_in_a_mapping_has_its_place(tmp_path: Path) -> None:
    with pytest.raises(ContractError) as refused:
        _mapping(tmp_path, TOML)
    assert [
        (each.position.line, each.position.column, each.message)
        for each in refused.value.problems
        if each.position is not None
    ] == [
        (6, 1, "match of label is 5"),
        (9, 28, 'outcomes.safe has "tru", which is no key of a rule'),
        (10, 29, 'at_least of outcomes.at odds is "much"'),
        (14, 1, "calls.nme is no key of a call"),
        (15, 1, "calls.arguments: '..with' is not understood"),
        (17, 2, '"cost" is no field of a mapping'),
    ]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('case_id = "$.x\n', 1, 15),
        ('case_id = "$.x"\ncase_id = "$.y"\n', 2, 16),
        ('case_id = "$.x"\n[label', 2, 7),
        ("# \N{LATIN SMALL LETTER E WITH ACUTE}\nx", 2, 2),
    ],
)
def test_what_is_no_toml_has_its_place(tmp_path: Path, text: str, line: int, column: int) -> None:
    with pytest.raises(ContractError) as refused:
        _mapping(tmp_path, text)
    (problem,) = refused.value.problems
    assert problem.position is not None
    assert (problem.position.line, problem.position.column) == (line, column)


def test_a_mapping_in_json_has_places_too(tmp_path: Path) -> None:
    path = tmp_path / "mapping.json"
    path.write_text('{"case_id": "$.x",\n "label": {"path": "$.["},\n "cost": 1}', encoding="utf-8")
    with pytest.raises(ContractError) as refused:
        mapping_file.load(str(path))
    places = [each.position for each in refused.value.problems]
    assert [(p.line, p.column) for p in places if p is not None] == [(2, 20), (3, 2)]


def test_a_mapping_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "mapping.toml"
    path.write_bytes(b'\xef\xbb\xbfcase_id = "$.x"\r\n')
    assert mapping_file.load(str(path)).fields.keys() == {"case_id"}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$['a b'][\"c'd\"]", [1]),
        ("$.straße", [2]),
        ("$['日本']", [3]),
        ("$.list[-3]", []),
        ("$.list[*]", [True, 1]),
        ("$.flags[?on == true].n", [1]),
        ("$.flags[?on == 1].n", [2]),
        ("$.flags[?on == 'x'].n", [3]),
        ("$.straße.more", []),
        ("a b", [{"c'd": 1}]),
    ],
)
def test_paths_take_any_key_and_never_a_wrong_kind(path: str, values: list[Any]) -> None:
    document = {
        "a b": {"c'd": 1},
        "straße": 2,
        "日本": 3,
        "list": [True, 1],
        "flags": [{"on": True, "n": 1}, {"on": 1, "n": 2}, {"on": "x", "n": 3}, 4],
    }
    found = PathOf(path).find(document)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


@pytest.mark.parametrize("path", ["", " ", "$x", "$.[0]", "$.a[-]", "$['a]"])
def test_more_that_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"not understood|is empty"):
        PathOf(path)


def test_a_case_that_leads_to_an_object_is_no_case_and_a_label_no_label(tmp_path: Path) -> None:
    rule = _mapping(tmp_path, 'case_id = "$.meta"\nlabel = "$.meta"\nevidence = "$.docs"\n')
    (run,) = records("table", lines(tmp_path, [{"meta": {"x": 1}, "docs": ["d", {"id": 1}, 2]}]))
    rule.apply(run)
    assert (run.case_id, run.label, run.evidence) == ("", None, ["d", "2"])


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ("success", "ok"),
        ("Completed", "ok"),
        (True, "ok"),
        ("failed", "error"),
        (False, "error"),
        ("timed_out", "timeout"),
        ("max_steps", "limit"),
        ("weird", "error"),
    ],
)
def test_a_status_in_other_words(tmp_path: Path, told: Any, status: str) -> None:
    (run,) = records("table", lines(tmp_path, [{"case_id": "c", "answer": "x", "state": told}]))
    _mapping(tmp_path, 'status = "$.state"').apply(run)
    assert run.status == status
    assert (UNKNOWN_STATUS in run.notes) is (told == "weird")


@pytest.mark.parametrize(
    "data",
    [
        b"case_id;answer\nc;x, y\n",
        b'\xef\xbb\xbfcase_id,answer,,\r\nc,"x, y",,\r\n',
        b',case_id,answer\n0,c,"x, y"\n',
    ],
    ids=["semicolons", "empty columns of a spreadsheet", "an index without a name"],
)
def test_tables_are_read_as_spreadsheets_write_them(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "runs.csv").write_bytes(data)
    (run,) = records("table", str(tmp_path / "runs.csv"))
    assert (run.case_id, run.answer) == ("c", "x, y")


def test_the_example_of_the_page_does_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    section = page.split("## Rows of your own")[1].split("## ")[0]
    rows, rule, commands = re.findall(r"```\w*\n(.*?)```", section, re.DOTALL)
    (tmp_path / "nightly.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "nightly-2.csv").write_text(rows.replace("0.9", "0.1"), encoding="utf-8")
    (tmp_path / "mapping.toml").write_text(rule, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    *before, compare = [line.split()[1:] for line in commands.strip().splitlines()]
    assert [cli.run(words) for words in before] == [0, 0, 0]
    assert cli.run(compare) == 1
    first = json.loads((tmp_path / "runs" / "nightly-1.json").read_bytes())["records"][0]
    assert (first["case_id"], first["trial"], first["label"]) == ("T-17", 0, "inform")
    assert first["calls"] == [{"name": "track", "arguments": {"id": "P-1"}}]
    assert (first["latency_ms"], first["cost_usd"]) == (1200, 0.004)
    assert first["outcomes"] == {"helpful": True}


def test_the_page_of_mappings_shows_one_that_can_be_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    shown = page.split("## Mapping files")[1].split("```toml\n")[1].split("```")[0]
    read = _mapping(tmp_path, shown)
    assert read.fields.keys() == {"case_id", "trial_from_1", "evidence", "label"}
    assert read.outcomes.keys() == {"utility", "safe"}


@pytest.mark.parametrize("told", [float("nan"), float("inf"), [float("nan")], {"a": 1}, "", None])
def test_what_is_no_name_and_no_measure_is_neither(tmp_path: Path, told: Any) -> None:
    rules = "".join(f'{key} = "$.x"\n' for key in ("case_id", "label", "latency_s"))
    rules += '[outcomes.a]\npath = "$.x"\nat_least = 1'
    (run,) = records("table", lines(tmp_path, [{"x": told}]))
    _mapping(tmp_path, rules).apply(run)
    assert (run.case_id.strip(), run.label, run.latency_ms) == ("", None, None)
    assert run.outcomes == {"a": None}
