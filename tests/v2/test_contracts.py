"""Version 2 files: documents and JSON Lines, what is refused, and where it stands."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.canonical import encode, encode_quickly
from contractlab.front import run
from contractlab.intake import open_document
from contractlab.limits import MOST_PROBLEMS
from contractlab.manifest import changes, check_manifest
from contractlab.problems import ContractError, Problem
from tests.v2.builders import (
    as_lines,
    case,
    dataset,
    predictions,
    record,
    rubric,
    write,
    write_comparison,
)

if TYPE_CHECKING:
    from pathlib import Path


def problems_of(path: Path, value: Any) -> list[Problem]:
    with pytest.raises(ContractError) as caught:
        open_document(write(path, value))
    return caught.value.problems


def told(problems: list[Problem]) -> list[tuple[str, int | None]]:
    return [(each.rule.code, each.position.line if each.position else None) for each in problems]


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (dataset(), "cases"),
        (predictions("r"), "records"),
        # More than are taken at a time, in both; some floats are not as orjson writes them.
        (dataset(*(case(f"c{number}") for number in range(700))), "cases"),
        (
            predictions("r", *(record(f"c{n}", latency_ms=n / 1e5) for n in range(700))),
            "records",
        ),
    ],
    ids=["cases", "runs", "many cases", "many runs"],
)
def test_json_and_json_lines_of_one_content_have_one_model_and_one_digest(
    tmp_path: Path, value: dict[str, Any], field: str
) -> None:
    whole = open_document(write(tmp_path / "whole.json", value))
    lines = open_document(write(tmp_path / "lines.jsonl", as_lines(value, field)))
    assert whole.value == lines.value
    assert whole.digest == lines.digest
    header = {key: of for key, of in value.items() if key != field}
    plain = json.dumps([header, *value[field]], ensure_ascii=False, sort_keys=True,
                       separators=(",", ":"))  # fmt: skip
    assert whole.digest == hashlib.sha256(plain.encode()).hexdigest()
    indented = json.dumps(value, indent=3).encode()
    assert open_document(write(tmp_path / "indented.json", indented)).digest == whole.digest


def test_numbers_that_python_spells_otherwise_have_one_digest_too(tmp_path: Path) -> None:
    value = predictions("r", record(latency_ms=1e-7, cost_usd=1e22, answer="0.00001 1e5"))
    whole = open_document(write(tmp_path / "whole.json", value))
    lines = open_document(write(tmp_path / "lines.jsonl", as_lines(value, "records")))
    assert whole.digest == lines.digest


def test_a_problem_in_json_lines_stands_on_its_line_with_its_column(tmp_path: Path) -> None:
    records = [record("a"), record("b", status="fine"), record("c"), {"trial": 0}]
    text = as_lines(predictions("r", *records), "records").replace(b"\n", b"\n\n", 1)
    problems = problems_of(tmp_path / "r.jsonl", text)
    assert told(problems) == [("CL205", 4), ("CL201", 6)]
    line = text.split(b"\n")[3].decode()
    assert problems[0].position is not None
    assert line[problems[0].position.column - 1 :].startswith('"fine"')
    assert problems[0].path == ("records", 1, "status")


def test_every_broken_line_is_told_and_a_key_given_twice_too(tmp_path: Path) -> None:
    text = as_lines(predictions("r", record("a")), "records")
    text += b'{"case_id": "b",}\n{"case_id": "c"}\n{"case_id": "d", "case_id": "e"}\n'
    assert told(problems_of(tmp_path / "r.jsonl", text)) == [("CL103", 3), ("CL104", 5)]


def test_a_header_that_is_wrong_is_told_before_any_record(tmp_path: Path) -> None:
    header = {"schema_version": "eval-predictions-v2", "release": {"release_id": "r"}}
    text = json.dumps(header).encode() + b'\n{"case": 1}\n'
    assert told(problems_of(tmp_path / "r.jsonl", text)) == [("CL201", 1)]


def test_problems_across_records_find_their_line(tmp_path: Path) -> None:
    replay = predictions("r", record("case-1"), record("case-2"), record("case-1"))
    names = [
        write(tmp_path / "dataset.json", dataset()),
        write(tmp_path / "r.jsonl", as_lines(replay, "records")),
    ]
    from contractlab.crosscheck import check_all  # noqa: PLC0415
    from contractlab.intake import open_documents  # noqa: PLC0415

    documents, _ = open_documents([(name, None) for name in names])
    (problem,) = check_all(documents)
    assert problem.rule.code == "CL310"
    assert "trial 0" in problem.message
    assert "number the trials" in problem.hint
    assert problem.position is not None
    assert problem.position.line == 4
    assert problem.related[0].position is not None
    assert problem.related[0].position.line == 2


def test_problems_far_down_in_json_lines_stand_on_their_own_lines(tmp_path: Path) -> None:
    records = [record(f"case-{number}") for number in range(400)]
    records[130]["status"] = "fine"
    records[300]["latency"] = 1
    text = as_lines(predictions("baseline", *records), "records")
    found = problems_of(tmp_path / "r.jsonl", text)
    assert [problem.path for problem in found] == [
        ("records", 130, "status"), ("records", 300, "latency"),
    ]  # fmt: skip
    assert [problem.position and problem.position.line for problem in found] == [132, 302]


def test_an_expectation_far_down_in_json_lines_is_placed_on_its_own_line(tmp_path: Path) -> None:
    cases = [case(f"case-{number}") for number in range(300)]
    cases[290]["expect"] = {"answer": {"matches": "(?=a)"}}
    (found,) = problems_of(tmp_path / "d.jsonl", as_lines(dataset(*cases), "cases"))
    assert found.position is not None
    assert (found.path, found.position.line) == (("cases", 290, "expect", "answer"), 292)


def test_trials_of_one_case_are_no_duplicates(tmp_path: Path) -> None:
    trials = [record(id_, trial=trial) for id_ in ("case-1", "case-2") for trial in (0, 1)]
    replay = predictions("baseline", *trials)
    options = write_comparison(tmp_path, dataset(), rubric(), replay)
    names = [each.partition("=")[2] for each in options]
    assert run(["validate", *names]) == 0


@pytest.mark.parametrize(
    ("expect", "path"),
    [
        ({}, ("expect",)),
        ({"outcomes": {}}, ("expect", "outcomes")),
        ({"evidence": {}}, ("expect", "evidence")),
        ({"answer": {"matches": "(?=a)"}}, ("expect", "answer")),
        ({"tools": {"mode": "none", "calls": [{"name": "a"}]}}, ("expect", "tools", "calls")),
        ({"tools": {"mode": "exact"}}, ("expect", "tools")),
        (
            {"tools": {"any_of": [{"mode": "exact", "calls": [
                {"name": "a", "arguments": {"x": {"range": {}}}}]}]}},
            ("expect", "tools", "any_of", 0, "calls", 0, "arguments", "x"),
        ),
        (
            {"forbidden": [{"name": "a", "arguments": {"x": {}}}]},
            ("expect", "forbidden", 0, "arguments", "x"),
        ),
    ],
)  # fmt: skip
def test_an_expectation_that_cannot_be_checked_is_refused_at_its_place(
    tmp_path: Path, expect: Any, path: tuple[str | int, ...]
) -> None:
    value = dataset(case("a"), {"id": "b", "split": "test", "expect": expect})
    (problem,) = problems_of(tmp_path / "dataset.json", value)
    assert problem.rule.code in ("CL211", "CL316")
    assert problem.path == ("cases", 1, *path)
    assert problem.position is not None
    lines = as_lines(value, "cases")
    (in_lines,) = problems_of(tmp_path / "dataset.jsonl", lines)
    assert in_lines.position is not None
    assert in_lines.position.line == 3


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ({"metric": "pass_rate"}, 'the gate on "pass_rate" has no bound'),
        ({"metric": "pass_rate", "at_least": 0, "at_most": 1},
         'the gate on "pass_rate" has 2 bounds'),
        ({"metric": "pass_rat", "at_least": 0}, '"pass_rat" is no metric'),
        ({"metric": "outcome:", "at_least": 0}, '"outcome:" is no metric'),
        ({"metric": "tokens.mean", "at_least": 0}, '"tokens.mean" is no metric'),
        ({"metric": "recall", "at_least": 0}, "recall is about a class"),
        ({"metric": "pass_rate", "class": "x", "at_least": 0}, '"pass_rate" is not about a class'),
        ({"metric": "pass_hat_k", "at_least": 0}, "pass_hat_k needs k"),
        ({"metric": "latency_ms.p95", "not_worse_by": 0.1},
         'not_worse_by pairs cases, and "latency_ms.p95" is no value of a case'),
        ({"metric": "slice_pass_rate_gap", "slice": "*", "at_most": 0.1},
         "slice_pass_rate_gap is about all cases"),
    ],
)  # fmt: skip
def test_a_gate_that_asks_nothing_is_refused(tmp_path: Path, gate: Any, message: str) -> None:
    (problem,) = problems_of(tmp_path / "rubric.json", rubric({"else": "BLOCK", **gate}))
    assert (problem.rule.code, problem.message) == ("CL317", message)


# ── manifests ───────────────────────────────────────────────────────────────────────────────

SHA = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    "component",
    [
        {"commit": SHA[:40]},
        {"sha256": SHA},
        {"sdk_lock_sha256": SHA},
        {"digest": f"sha256:{SHA}", "image": f"agent:latest@sha256:{SHA}"},
        {"version": "v4"},
        {"snapshot": "m-2026-08-06", "provider": "p", "parameters": {"temperature": 0}},
        {"version": 4},
    ],
)
def test_an_immutable_reference_is_taken(component: dict[str, Any]) -> None:
    assert check_manifest({"model": component}, "") == []


@pytest.mark.parametrize(
    "component",
    [
        {},
        {"provider": "p"},
        {"version": "latest"},
        {"version": " Main "},
        {"version": True},
        {"snapshot": "model-latest"},
        {"version": "v4", "image": "registry/agent:latest"},
        {"branch": "main", "version": "v1"},
        {"ref": "refs/heads/main", "commit": SHA[:40]},
        {"commit": "8b29f11"},
        {"commit": "HEAD"},
        {"sha256": "…"},
        {"digest": "latest"},
    ],
)
def test_a_reference_that_can_move_is_refused(component: dict[str, Any]) -> None:
    (problem,) = check_manifest({"model": component}, "")
    assert problem.rule.code == "CL314"
    assert problem.path[:3] == ("release", "manifest", "model")


def test_what_changed_between_two_manifests_is_told_part_by_part() -> None:
    before: dict[str, dict[str, Any]] = {
        "model": {"snapshot": "a", "parameters": {"t": 0}},
        "prompt": {"version": "v3"},
    }
    after: dict[str, dict[str, Any]] = {
        "model": {"snapshot": "b", "parameters": {"t": 0}},
        "tools": {"sha256": SHA},
    }
    assert [(e.component, e.part, e.before, e.after) for e in changes(before, after)] == [
        ("model", "snapshot", '"a"', '"b"'),
        ("prompt", "version", '"v3"', ""),
        ("tools", "sha256", "", f'"{SHA}"'),
    ]
    assert changes(before, before) == ()
    assert changes(before, None) == ()


# ── comparisons ─────────────────────────────────────────────────────────────────────────────


def compared(folder: Path, capfd: pytest.CaptureFixture[str], *replays: Any, of: Any = None,
             gates: Any = None, more: tuple[str, ...] = ()) -> tuple[int, str, str]:  # fmt: skip
    options = write_comparison(folder, of or dataset(), gates or rubric(), *replays)
    code = run(["compare", *options, *more])
    return code, *capfd.readouterr()


def test_two_equal_releases_pass_and_the_report_is_the_same_twice(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    replays = predictions("baseline"), predictions("candidate")
    first = compared(tmp_path, capfd, *replays, more=("--format=json",))
    assert first[0] == 0
    assert first == compared(tmp_path, capfd, *replays, more=("--format=json",))
    report = json.loads(first[1])
    assert report["action"] == "PASS"
    assert report["evaluator_version"] == "contractlab-gate-v2"


@pytest.mark.parametrize(
    ("replay", "code"),
    [
        (predictions("candidate", record("case-1")), "CL303"),
        (predictions("candidate", *map(record, ("case-1", "case-2", "case-9"))), "CL304"),
        (predictions("candidate", dataset_version="other"), "CL305"),
        (predictions("other"), None),
        (predictions("baseline"), "CL309"),
    ],
)
def test_replays_that_do_not_fit_decide_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], replay: Any, code: str | None
) -> None:
    result, _, err = compared(tmp_path, capfd, predictions("baseline"), replay)
    assert (result, (code or "") in err) == ((2, True) if code else (0, True))


def test_a_split_that_is_not_frozen_is_not_judged_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    of = dataset(frozen_splits=["train"])
    code, _, err = compared(tmp_path, capfd, predictions("baseline"), predictions("c"), of=of)
    assert code == 2
    assert "CL318" in err


def test_records_of_other_splits_are_left_aside_and_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    of = dataset(case("case-1"), case("learnt", split="train"))
    replays = [
        predictions(name, record("case-1"), record("learnt", done=False))
        for name in ("baseline", "c")
    ]
    code, out, _ = compared(tmp_path, capfd, *replays, of=of)
    assert code == 0
    assert "(1 of 1 cases, 1 of other splits)" in out


def test_version_1_and_version_2_are_not_mixed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    old = {
        "schema_version": "eval-predictions-v1",
        "prediction_set_version": "p",
        "dataset_version": "cases-1",
        "releases": [{"release_id": "c", "records": []}],
    }
    code, _, err = compared(tmp_path, capfd, predictions("baseline"), old)
    assert code == 2
    assert "CL315" in err


def test_equal_manifests_and_unmeasured_checks_warn(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    manifest = {"model": {"snapshot": "m-1"}}
    replays = [
        predictions(name, {"case_id": "case-1"}, record("case-2"),
                    release={"release_id": name, "manifest": manifest})
        for name in ("baseline", "candidate")
    ]  # fmt: skip
    code, _, err = compared(tmp_path, capfd, *replays)
    assert code == 0
    assert "CL408" in err
    assert "CL409" in err
    strict, _, err = compared(tmp_path, capfd, *replays, more=("--strict",))
    assert strict == 2


def test_the_text_shows_what_changed_in_the_release_and_untrusted_names_harmlessly(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    replays = [
        predictions(name, release={"release_id": name,
                                   "manifest": {"model": {"snapshot": f"m-{name}\x1b[31m"}}})
        for name in ("baseline", "candidate")
    ]  # fmt: skip
    code, out, _ = compared(tmp_path, capfd, *replays)
    assert code == 0
    assert "model.snapshot" in out
    assert "\x1b" not in out
    assert "m-candidate" in out


@given(
    st.recursive(
        st.floats(allow_nan=False, allow_infinity=False)
        | st.integers()
        | st.text(st.sampled_from("0123456789.eE-+ ,}]"), max_size=12)
        | st.none(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab"), inner),
        max_leaves=8,
    )
)
def test_the_quick_encoding_is_the_encoding(value: Any) -> None:
    assert encode_quickly(value) == encode(value)


@pytest.mark.parametrize(
    "value", [1e16, -1e16, 1e15, 1e-4, 9.9e-5, -1e-5, 1e-7, 1.5e300, 5e-324, 10.00001, 2**70, 0.0]
)
def test_every_float_that_orjson_spells_otherwise_is_found(value: float) -> None:
    for each in (value, [value], {"a": value, "b": 1}):
        wanted = json.dumps(each, sort_keys=True, separators=(",", ":")).encode()
        assert encode_quickly(each) == wanted


def test_no_name_of_a_case_leaves_its_code_in_the_markdown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    evil = "````\n@everyone <b>"
    of = dataset(case(evil))
    before = predictions("baseline", record(evil))
    after = predictions("candidate", record(evil, done=False))
    code, _, err = compared(tmp_path, capfd, before, after, of=of)
    assert code == 2, "control characters are refused in names"
    assert "CL209" in err
    evil = "```` @everyone <b>"
    of = dataset(case(evil))
    replays = predictions("baseline", record(evil)), predictions("c", record(evil, done=False))
    code, out, _ = compared(tmp_path, capfd, *replays, of=of, more=("--format=markdown",))
    assert code == 0
    assert "<code>&#96;&#96;&#96;&#96; &#64;<span></span>everyone &#60;b&#62;</code>" in out
    assert evil not in out


def test_json_lines_that_are_all_wrong_list_as_many_problems_as_a_document(tmp_path: Path) -> None:
    cases = (case(f"case-{index}", split="tst") for index in range(MOST_PROBLEMS + 2000))
    lines = as_lines(dataset(*cases), "cases")
    assert len(problems_of(tmp_path / "d.jsonl", lines)) == MOST_PROBLEMS


def test_a_line_is_named_by_the_id_that_it_holds(tmp_path: Path) -> None:
    wrong = case("case-1")
    del wrong["expect"]
    (problem,) = problems_of(tmp_path / "d.jsonl", as_lines(dataset(wrong), "cases"))
    assert problem.message == 'case "case-1" has no "expect"'


@pytest.mark.parametrize(
    ("metric", "hint"),
    [
        ("passrate", 'is it meant to be "pass_rate"?'),
        ("check:tool", 'is it meant to be "check:tools"?'),
        ("latency.p95", 'is it meant to be "latency_ms.p95"?'),
        ("zzz", "contractlab explain pass_rate says what one is"),
    ],
)
def test_an_unknown_metric_is_told_with_the_one_that_is_meant(
    tmp_path: Path, metric: str, hint: str
) -> None:
    gates = rubric({"metric": metric, "at_least": 0.5, "else": "BLOCK"})
    (problem,) = problems_of(tmp_path / "rubric.json", gates)
    assert (problem.rule.code, problem.path) == ("CL317", ("gates", 0, "metric"))
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("matcher", "hint"),
    [
        ({"min": 100}, 'is it meant to be "range": {"at_least": ...}?'),
        ({"lte": 100}, 'is it meant to be "range": {"at_most": ...}?'),
        ({"range": {"maximum": 100}}, 'is it meant to be "at_most"?'),
        ({"eq": 100}, 'is it meant to be "equals"?'),
        ({"$regex": "a"}, 'is it meant to be "matches"?'),
        ({"match": "a"}, 'is it meant to be "matches"?'),
        ({"contain": ["a"]}, 'is it meant to be "contains"?'),
    ],
)
def test_a_matcher_in_another_tools_words_is_told_with_ours(
    tmp_path: Path, matcher: Any, hint: str
) -> None:
    expect = {"forbidden": [{"name": "refund", "arguments": {"amount": matcher}}]}
    value = dataset({"id": "a", "split": "test", "expect": expect})
    (problem,) = problems_of(tmp_path / "dataset.json", value)
    assert (problem.rule.code, problem.hint) == ("CL203", hint)


@pytest.mark.parametrize(
    ("gate", "message", "hint"),
    [
        ({"slice": "late-refnd"}, 'has slice "late-refnd"', '"late-refund"?'),
        ({"tag": "zzz"}, 'has tag "zzz"', 'found: "attack"'),
        ({"metric": "recall", "class": "*"}, "expects a class", "delete the gate"),
    ],
)
def test_a_gate_on_what_no_judged_case_has_is_a_warning(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], gate: Any, message: str, hint: str
) -> None:
    cases = [
        case("case-1", slice="late-refund", tags=["attack"]),
        case("case-2", slice="other"),
        {**case("elsewhere", slice="late-refnd", tags=["zzz"]), "split": "train"},
    ]
    gates = rubric({"metric": "pass_rate", "at_least": 0.0, "else": "REVIEW", **gate})
    replays = predictions("baseline"), predictions("candidate")
    options = write_comparison(tmp_path, dataset(*cases), gates, *replays)
    files = [each.partition("=")[2] for each in options]
    assert run(["validate", "--format=json", *files]) == 0
    (problem,) = json.loads(capfd.readouterr().out)["problems"]
    assert problem["code"] == "CL403"
    assert message in problem["message"]
    assert hint in problem["hint"]
    assert problem["path"][:2] == ["gates", 0]
    assert run(["validate", "--strict", *files]) == 2
    assert run(["compare", "--fail-on=never", *options]) == 0
    assert "CL403" in capfd.readouterr().err


def test_a_gate_on_slices_tags_and_classes_that_cases_have_is_no_warning(tmp_path: Path) -> None:
    labelled = case("case-1", slice="late", tags=["attack"])
    labelled["expect"]["label"] = "refund"
    gates = rubric(
        {"metric": "pass_rate", "slice": "late", "at_least": 0.5, "else": "REVIEW"},
        {"metric": "recall", "class": "refund", "tag": "*", "at_least": 0.5, "else": "REVIEW"},
    )
    names = [
        write(tmp_path / "dataset.json", dataset(labelled, case("case-2"))),
        write(tmp_path / "rubric.json", gates),
    ]
    assert run(["validate", "--strict", *names]) == 0
