"""JUnit reports, held to both schemas that CI systems follow.

The constraints below are those of two published schemas: Ant's, as Windy Road wrote it down
(JUnit.xsd), and that of Jenkins' xUnit plugin (junit-10.xsd).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given

from contractlab.problems import Position, Problem, Rule
from contractlab.render.junit import render_junit, render_junit_problems, xml
from tests import builders
from tests.machine.judgements import NAUGHTY, blocked, judged, judgements

if TYPE_CHECKING:
    from contractlab.judge import Judgement

TOKEN, INT, DECIMAL = r"(?s).*", r"[+-]?[0-9]+", r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
NAME = r"(?s).*\S.*"
TIMESTAMP = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
SUREFIRE_TIME = r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?"


@dataclass(frozen=True)
class Element:
    """What a schema allows of one element."""

    children: str = ""
    """A pattern of the children's tags, each followed by a space."""
    required: dict[str, str] = field(default_factory=dict)
    """Attributes with the patterns of their values."""
    optional: dict[str, str] = field(default_factory=dict)
    text: bool = False


ANT = {
    "testsuites": Element("(testsuite )*"),
    "testsuite": Element(
        "properties (testcase )*system-out system-err ",
        {
            "name": NAME,
            "timestamp": TIMESTAMP,
            "hostname": NAME,
            "tests": INT,
            "failures": INT,
            "errors": INT,
            "time": DECIMAL,
            "package": TOKEN,
            "id": INT,
        },
        {"skipped": INT},
    ),
    "properties": Element("(property )*"),
    "property": Element("", {"name": NAME, "value": TOKEN}),
    "testcase": Element(
        "(skipped |error |failure )?", {"name": TOKEN, "classname": TOKEN, "time": DECIMAL}
    ),
    "failure": Element("", {"type": TOKEN}, {"message": TOKEN}, text=True),
    "error": Element("", {"type": TOKEN}, {"message": TOKEN}, text=True),
    "system-out": Element(text=True),
    "system-err": Element(text=True),
}
JENKINS = {
    "testsuites": Element(
        "(testsuite )*",
        {},
        {"name": TOKEN, "time": SUREFIRE_TIME, "tests": TOKEN, "failures": TOKEN, "errors": TOKEN},
    ),
    "testsuite": Element(
        "((testsuite|properties|testcase|system-out|system-err) )*",
        {"name": TOKEN, "tests": TOKEN, "failures": TOKEN, "errors": TOKEN},
        {
            **dict.fromkeys(("group", "skipped", "timestamp", "hostname", "id"), TOKEN),
            **dict.fromkeys(("package", "file", "log", "url"), TOKEN),
            "time": SUREFIRE_TIME,
        },
    ),
    "properties": Element("(property )*"),
    "property": Element("", {"name": TOKEN, "value": TOKEN}),
    "testcase": Element(
        "((skipped|error|failure|rerunFailure|rerunError|flakyFailure|flakyError"
        "|system-out|system-err) )*",
        {"name": TOKEN},
        dict.fromkeys(("time", "classname", "group"), TOKEN),
    ),
    "failure": Element("", {}, {"type": TOKEN, "message": TOKEN}, text=True),
    "error": Element("", {}, {"type": TOKEN, "message": TOKEN}, text=True),
    "system-out": Element(text=True),
    "system-err": Element(text=True),
}


def violations(root: ET.Element, schema: dict[str, Element]) -> list[str]:
    """What one schema does not allow in a document."""
    found = []
    for element in root.iter():
        allowed = schema[element.tag]
        tags = "".join(f"{child.tag} " for child in element)
        if not re.fullmatch(allowed.children, tags):
            found.append(f"{element.tag} has children {tags}")
        if not allowed.text and (element.text or "").strip():
            found.append(f"{element.tag} has text")
        found += [
            f"{element.tag} lacks {name}" for name in allowed.required if name not in element.attrib
        ]
        patterns = {**allowed.required, **allowed.optional}
        for name, value in element.attrib.items():
            if name not in patterns or not re.fullmatch(patterns[name], value):
                found.append(f"{element.tag} has {name}={value!r}")
    return found


def _parsed(text: str) -> ET.Element:
    return ET.fromstring(text.encode())


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ('<testsuites name="x"/>', ANT),
        ('<testsuites><testsuite name="x"/></testsuites>', ANT),
        (
            '<testsuites><testsuite name="x" tests="1" failures="0" errors="0" time="1e5"/>'
            "</testsuites>",
            JENKINS,
        ),
        ('<testsuites><testcase name="x"/></testsuites>', JENKINS),
        ('<testsuites id="1"/>', JENKINS),
    ],
)
def test_the_check_itself_finds_what_a_schema_does_not_allow(
    text: str, schema: dict[str, Element]
) -> None:
    assert violations(_parsed(text), schema)


@given(judgements())
def test_every_report_is_valid_for_ant_and_for_jenkins(judgement: Judgement) -> None:
    root = _parsed(render_junit(judgement))
    assert violations(root, ANT) == []
    assert violations(root, JENKINS) == []


@given(judgements())
def test_there_is_one_testcase_a_gate_and_one_a_case_and_the_counts_add_up(
    judgement: Judgement,
) -> None:
    gates, cases = _parsed(render_junit(judgement))
    assert len(gates.findall("testcase")) == len(judgement.decision.gates)
    assert len(cases.findall("testcase")) == judgement.candidate.case_count
    failed = judgement.candidate.case_count - judgement.candidate.passed
    assert len(gates.findall("testcase/failure")) == len(judgement.decision.reasons)
    assert len(cases.findall("testcase/failure")) == failed
    for suite in (gates, cases):
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert int(suite.attrib["errors"]) == 0
        names = [(each.get("classname"), each.get("name")) for each in suite.findall("testcase")]
        assert len(set(names)) == len(names)


def test_a_failure_names_the_check_and_how_the_behaviour_changed() -> None:
    _, cases = _parsed(render_junit(blocked()))
    case = cases.find("testcase[@name='leak']")
    assert case is not None
    assert case.attrib == {
        "classname": "contractlab.cases.privacy",
        "name": "leak",
        "time": "1.235",
    }
    (failure,) = case
    assert failure.attrib == {
        "type": "critical regressed",
        "message": 'got worse: tool_correct: "refund", expected "search";'
        ' forbidden_actions_absent: "refund_order" is forbidden;'
        ' evidence_requirement_met: none, expected "evidence"'
        ' (tool "search" -> "refund"; actions added "refund_order"; evidence lost)',
    }
    assert str(failure.text).endswith("input: What about leak?")


def test_a_failed_gate_says_what_was_observed_and_wanted() -> None:
    gates, _ = _parsed(render_junit(blocked()))
    case = gates.find("testcase[@name='critical_case_failed']")
    assert case is not None
    (failure,) = case
    assert failure.get("type") == "BLOCK"
    assert failure.get("message") == 'critical safety or privacy case failed: "leak"'
    assert failure.text == "critical cases that failed: observed 1, wanted none"


def test_seconds_add_up_to_the_millisecond() -> None:
    _, cases = _parsed(render_junit(blocked()))
    assert [each.get("time") for each in cases.findall("testcase")] == ["1.235"] * 4
    assert cases.get("time") == "4.940"


def test_a_slice_with_dots_is_no_package() -> None:
    dataset = builders.dataset(builders.case("a", slice="eu.west.1"))
    releases = (builders.release(name, dataset) for name in ("baseline", "candidate"))
    _, cases = _parsed(
        render_junit(judged(dataset, builders.rubric(), builders.predictions(*releases)))
    )
    (case,) = cases.findall("testcase")
    assert case.get("classname") == "contractlab.cases.eu_west_1"


@given(NAUGHTY)
def test_any_text_survives_as_text_and_commands_no_runner(text: str) -> None:
    written = xml(text)
    assert "::" not in written
    assert "##[" not in written
    root = _parsed(f'<a b="{written}">{written}</a>')
    assert not list(root)
    assert (root.text or "") == root.get("b")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u202e]", str(root.get("b")))


def test_a_text_cannot_forge_a_line_of_the_details() -> None:
    dataset = builders.dataset(builders.case("a", input="x\ntool_correct: all is well"))
    releases = [
        builders.release("baseline", dataset),
        builders.release("candidate", dataset, tool=None),
    ]
    made = judged(dataset, builders.rubric(), builders.predictions(*releases))
    _, cases = _parsed(render_junit(made))
    details = str(cases.findtext("testcase/failure")).splitlines()
    assert details[0] == 'tool_correct: none, expected "search"'
    assert details[-1] == r"input: x\ntool_correct: all is well"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a::b ##[c", "a::b ##[c"),
        ("<b>&amp;\"'", "<b>&amp;\"'"),
        ("\x00\x1b\ufffe\x85", r"\x00\x1b\ufffe\x85"),
        ("a\nb\tc", r"a\nb\tc"),
        ("汉字 é 😀", "汉字 é 😀"),
    ],
)
def test_a_parser_reads_what_was_meant(text: str, shown: str) -> None:
    assert _parsed(f'<a b="{xml(text)}"/>').get("b") == shown


def test_lone_surrogates_of_a_file_name_are_shown() -> None:
    assert xml("runs/\udcff.json") == r"runs/\udcff.json"


def test_problems_are_errors_and_valid_for_both() -> None:
    problems = [
        Problem(Rule.FAMILY_LEAKAGE, "<family>", "move it", "a.json", position=Position(3, 4)),
        Problem(Rule.BAD_USAGE, "no file is named"),
    ]
    root = _parsed(render_junit_problems(problems))
    assert violations(root, ANT) == []
    assert violations(root, JENKINS) == []
    (suite,) = root
    assert (suite.get("tests"), suite.get("errors")) == ("2", "2")
    assert [each.get("name") for each in suite.findall("testcase")] == [
        "CL301 family-leakage at a.json:3:4",
        "CL006 bad-usage at contractlab",
    ]
