"""Facts that an independent reading of the documents found: what is judged, refused and told."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.crosscheck import check_all
from contractlab.decide import concluded
from contractlab.gates import evaluate
from contractlab.intake import open_documents
from contractlab.limits import MOST_PROBLEMS
from contractlab.lines import header_of
from contractlab.model import Verdict
from contractlab.render.reasons import message
from tests import builders as v1
from tests.v2.builders import (
    as_lines,
    case,
    dataset,
    loaded_rubric,
    predictions,
    record,
    rubric,
    sample,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from contractlab.decide import Decision, GateResult
    from contractlab.problems import Problem

Value = dict[str, Any]
PARTIAL = {"at_least": 0}


def decide(
    gates: Value, cases: Sequence[Value], before: Sequence[Value], after: Sequence[Value]
) -> Decision:
    return concluded(evaluate(sample(cases, before, after, gates), loaded_rubric(gates)))


def gate(metric: str, bound: str = "at_least", limit: float = 1, **other: Any) -> Value:
    return {"metric": metric, bound: limit, "else": "BLOCK", **other}


def named(decision: Decision, name: str) -> GateResult:
    (found,) = [each for each in decision.gates if each.name == name]
    return found


def problems(folder: Path, **contracts: Any) -> list[Problem]:
    """What `validate` finds in contracts, by file name."""
    names = [write(folder / f"{name}.json", value) for name, value in contracts.items()]
    documents, malformed = open_documents([(name, None) for name in names])
    return malformed + check_all(documents, complete=not malformed)


def codes(found: Sequence[Problem]) -> list[str]:
    """Of what is refused; warnings left out."""
    return [each.rule.code for each in found if not each.rule.warns]


# ── what is missing must not help ───────────────────────────────────────────────────────────

ALL = {"label": "yes", "outcomes": {"done": True}, "tools": {"mode": "none"}}
RUN = {"label": "yes", "outcomes": {"done": True}, "calls": []}


@pytest.mark.parametrize(
    ("metric", "other", "value"),
    [
        ("check:tools", {}, Fraction(1, 2)),
        ("accuracy", {}, Fraction(1, 2)),
        ("outcome:done", {}, Fraction(1, 2)),
        ("mean_score", {}, Fraction(1, 2)),
        ("recall", {"class": "yes"}, Fraction(1, 2)),
        ("f1", {"class": "yes"}, Fraction(2, 3)),
        ("macro_f1", {}, Fraction(2, 3)),
        ("pass_hat_k", {"k": 1}, Fraction(1, 2)),
        ("pass_at_k", {"k": 1}, Fraction(1, 2)),
    ],
)
def test_a_case_that_the_candidate_lacks_counts_as_failed_in_every_rate(
    metric: str, other: Value, value: Fraction
) -> None:
    gates = rubric(gate(metric, **other), coverage=PARTIAL)
    cases = [case(id_, expect=ALL) for id_ in ("a", "b")]
    both = [{"case_id": id_, **RUN} for id_ in ("a", "b")]
    decision = decide(gates, cases, both, both[:1])
    assert decision.verdict is Verdict.BLOCK
    assert decision.gates[-1].observed == value


def test_a_slice_without_its_record_is_the_worst_one() -> None:
    gates = rubric(gate("slice_pass_rate_gap", "at_most", 0.5), coverage=PARTIAL)
    cases = [case("a", slice="x"), case("b", slice="y")]
    decision = decide(gates, cases, [record("a"), record("b")], [record("a")])
    assert named(decision, "slice_pass_rate_gap.at_most").observed == 1


@pytest.mark.parametrize("before", [[], [record("a", status="error")]], ids=["missing", "crashed"])
def test_whether_a_failure_is_new_is_undecided_where_the_baseline_has_no_good_run(
    before: list[Value],
) -> None:
    gates = rubric(critical={"rule": "none_newly_fails"}, coverage=PARTIAL)
    cases = [case("a", critical=True), case("b")]
    failed = [record("a", done=False), record("b")]
    decision = decide(gates, cases, [*before, record("b")], failed)
    assert decision.verdict is Verdict.REVIEW
    assert named(decision, "critical_case_undecided").case_ids == ("a",)
    known = decide(gates, cases, [record("a", done=False), record("b")], failed)
    assert known.verdict is Verdict.PASS


def test_flakiness_without_several_trials_is_not_evaluated() -> None:
    decision = decide(rubric(flakiness={"at_most": 1, "else": "BLOCK"}), [case("a")],
                      [record("a")], [record("a")])  # fmt: skip
    assert decision.verdict is Verdict.REVIEW
    assert "was not evaluated" in message(decision.reasons[0])


@pytest.mark.parametrize(
    "chosen",
    [
        gate("pass_rate", tag="*"),
        {**gate("recall"), "class": "*"},
        gate("pass_rate", "not_worse_by", 1, tag="*"),
        gate("error_rate", "at_most_times_baseline", 1, tag="*"),
    ],
    ids=lambda each: f"{each['metric']}",
)
def test_a_star_that_stands_for_nothing_is_not_evaluated(chosen: Value) -> None:
    decision = decide(rubric(chosen), [case("a")], [record("a")], [record("a")])
    assert decision.verdict is Verdict.REVIEW
    assert decision.reasons[0].finding is not None
    assert decision.reasons[0].finding.kind == "unmeasured"
    assert "*" in dict(decision.reasons[0].finding.group).values()


def test_a_star_of_classes_stands_for_those_of_the_slice() -> None:
    gates = rubric({**gate("recall", slice="*"), "class": "*"})
    cases = [case(id_, slice=id_, expect={"label": id_}) for id_ in ("x", "y")]
    right = [{"case_id": id_, "label": id_} for id_ in ("x", "y")]
    decision = decide(gates, cases, right, right)
    assert decision.verdict is Verdict.PASS
    assert len(decision.gates) == 3


@pytest.mark.parametrize(
    "trials", [[record("a"), {"case_id": "a", "trial": 1}], [{"case_id": "a"}]]
)
@pytest.mark.parametrize(
    "chosen",
    [
        gate("outcome:done", limit=0.5),
        gate("outcome:done", "not_worse_by", 1),
        gate("outcome:done", "no_regression_at", 0.05),
    ],
    ids=["absolute", "not_worse_by", "no_regression_at"],
)
def test_an_outcome_that_a_run_lacks_leaves_its_gate_without_a_value(
    trials: list[Value], chosen: Value
) -> None:
    decision = decide(rubric(chosen), [case("a"), case("b")],
                      [record("a"), record("b")], [*trials, record("b")])  # fmt: skip
    assert decision.verdict is Verdict.REVIEW
    assert "was not evaluated: measured on 1 of 2" in message(decision.reasons[0])


def test_a_pass_that_requires_nothing_of_a_case_warns(tmp_path: Path) -> None:
    gates = rubric(pass_requires=["tools"])
    (warning,) = problems(tmp_path, dataset=dataset(case("a")), rubric=gates)
    assert warning.rule.code == "CL403"
    assert '"a"' in warning.message


# ── figures ─────────────────────────────────────────────────────────────────────────────────


def test_the_latency_of_a_run_that_was_cut_short_is_no_latency() -> None:
    gates = rubric(gate("latency_ms.max", "at_most", 10))
    after = [record("a", latency_ms=5), record("b", status="timeout", latency_ms=60_000)]
    decision = decide(gates, [case("a"), case("b")], [record("a"), record("b")], after)
    assert decision.verdict is Verdict.PASS


def test_a_multiple_of_the_baseline_is_one_of_decimals() -> None:
    gates = rubric(gate("cost_usd.max", "at_most_times_baseline", 1.5))
    decision = decide(gates, [case("a")], [record("a", cost_usd=0.7)], [record("a", cost_usd=1.05)])
    assert decision.verdict is Verdict.PASS


def test_a_multiple_of_what_is_undefined_leads_to_what_its_gate_leads_to() -> None:
    gates = rubric(gate("precision", "at_most_times_baseline", 1, **{"class": "x"}))
    run = [{"case_id": "a", "label": "y"}]
    decision = decide(gates, [case("a", expect={"label": "y"})], run, run)
    assert decision.verdict is Verdict.BLOCK
    assert "undefined (0/0)" in message(decision.reasons[0])


def test_what_a_crashed_run_did_counts_where_a_pass_requires_that_it_did_not() -> None:
    cases = [case("a", critical=True, expect={"forbidden": [{"name": "pay"}], "label": "x"})]
    fine = [{"case_id": "a", "label": "x", "calls": []}]
    crashed = [{"case_id": "a", "label": "x", "calls": [{"name": "pay"}], "status": "error"}]
    assert decide(rubric(), cases, fine, crashed).verdict is Verdict.BLOCK
    of_labels = rubric(pass_requires=["label"])
    assert decide(of_labels, cases, fine, crashed).verdict is Verdict.REVIEW


# ── names ───────────────────────────────────────────────────────────────────────────────────

ESC = "x\x1b[2K"
CALL = {"mode": "exact", "calls": [{"name": ESC}]}


@pytest.mark.parametrize(
    "contract",
    [
        dataset(dataset_version=ESC),
        dataset(case(ESC)),
        dataset(case("a", family_id=ESC)),
        dataset(case("a", slice=ESC)),
        dataset(case("a", tags=[ESC])),
        dataset(case("a", expect={"label": ESC})),
        dataset(case("a", expect={"tools": CALL})),
        dataset(case("a", expect={"tools": {"any_of": [{"mode": "none"}, CALL]}})),
        dataset(case("a", expect={"forbidden": [{"name": ESC}]})),
        dataset(case("a", expect={"forbidden": [{"action": ESC}]})),
        dataset(case("a", expect={"evidence": {"ids": [ESC]}})),
        predictions(ESC),
        predictions("r", dataset_version=ESC),
        predictions("r", prediction_set_version=ESC),
        predictions("r", recording={"format": ESC}),
        predictions("r", record(ESC)),
        predictions("r", record(calls=[{"name": "fine"}, {"name": ESC}])),
        predictions("r", record(actions=[ESC])),
        predictions("r", record(evidence=[ESC])),
        rubric(rubric_version=ESC),
        rubric(baseline_release=ESC),
        rubric(gate("pass_rate", name=ESC)),
        rubric(gate(f"outcome:{ESC}")),
        rubric(gate("pass_rate", slice=ESC)),
        rubric(gate("pass_rate", tag=ESC)),
        rubric({**gate("recall"), "class": ESC}),
    ],
)
def test_a_name_with_a_control_character_is_refused_wherever_it_stands(
    tmp_path: Path, contract: Value
) -> None:
    (problem,) = problems(tmp_path, contract=contract)
    assert problem.rule.code == "CL209"
    assert problem.position is not None
    assert problem.position.column > 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"tags": ["beta"]}, {"tags": ["Beta"]}),
        ({"expect": {"label": "refund"}}, {"expect": {"label": "Refund"}}),
        (
            {"expect": {"forbidden": [{"name": "pay"}]}},
            {"expect": {"forbidden": [{"name": "Pay"}]}},
        ),
    ],
    ids=["tag", "label", "tool"],
)
def test_two_spellings_of_a_name_in_a_dataset_are_refused(
    tmp_path: Path, one: Value, other: Value
) -> None:
    found = problems(tmp_path, dataset=dataset(case("a", **one), case("b", **other)))
    assert codes(found) == ["CL311"]


def test_a_second_spelling_does_not_evade_what_is_forbidden(tmp_path: Path) -> None:
    cases = dataset(case("case-1", expect={"forbidden": [{"name": "refund_order"}]}))
    spelled = "refund_\N{CYRILLIC SMALL LETTER O}rder"
    made = predictions("r", {"case_id": "case-1", "calls": [{"name": spelled}]})
    (problem,) = problems(tmp_path, dataset=cases, replay=made)
    assert problem.rule.code == "CL311"
    # A name that no tool answered to was made up: that of one does no harm.
    made_up = predictions("r", {"case_id": "case-1", "calls": [{"name": spelled, "ok": False}]})
    assert problems(tmp_path, dataset=cases, replay=made_up) == []


def test_a_case_that_is_a_family_of_its_own_is_told_once(tmp_path: Path) -> None:
    found = problems(tmp_path, dataset=dataset(case("case-1"), case("case-l")))
    assert codes(found) == ["CL311"]
    hidden = dataset(case("late-1"), case("b", split="train", family_id="late-l"))
    assert codes(problems(tmp_path, dataset=hidden)) == ["CL311"]


def test_a_name_that_cannot_be_read_is_not_told_to_look_like_another(tmp_path: Path) -> None:
    found = problems(tmp_path, dataset=dataset(case("a", slice="s"), case("b", slice="s\x00")))
    assert codes(found) == ["CL209"]


# ── JSON Lines ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("contract", "field"),
    [(dataset(), "cases"), (predictions("r"), "records")],
    ids=["cases", "runs"],
)
@pytest.mark.parametrize("end", [b"", b"\n", b"\n \n"])
def test_a_header_alone_is_a_document_that_lacks_its_entries(
    tmp_path: Path, contract: Value, field: str, end: bytes
) -> None:
    header = as_lines({**contract, field: []}, field).rstrip() + end
    (problem,) = problems(tmp_path, contract=header)
    assert problem.rule.code == "CL201"
    assert f'"{field}"' in problem.message


def test_a_second_header_is_one_problem_on_its_line(tmp_path: Path) -> None:
    lines = as_lines(predictions("r"), "records")
    (problem,) = problems(tmp_path, replay=lines + lines)
    assert problem.rule.code == "CL203"
    assert problem.position is not None
    assert problem.position.line == 4


def test_an_entry_that_is_no_object_is_called_an_entry(tmp_path: Path) -> None:
    lines = as_lines(predictions("r"), "records") + b"[1]\n"
    (problem,) = problems(tmp_path, replay=lines)
    assert problem.message == "entry 2 of records is an array with 1 entry, not an object"


def test_blank_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    first, *others = as_lines(predictions("r"), "records").splitlines()
    lines = first + b"\n\n \r\n" + others[0] + b"\n\n\n\t\n" + b'{"case_id": "b", "odd": 1}'
    (problem,) = problems(tmp_path, replay=lines)
    assert problem.position is not None
    assert problem.position.line == 8


def test_a_long_line_that_speaks_of_headers_is_none() -> None:
    # In time proportional to the line: a search for each of these texts would take hours.
    assert header_of(b"{" + b'"schema_version" "eval-dataset-v2" ' * 500_000) is None
    assert header_of(b"{" + b'"schema_version": "eval-dataset-v2" } ' * 500_000 + b"x") is None


# ── many problems ───────────────────────────────────────────────────────────────────────────


def test_what_is_wrong_many_times_across_records_is_listed_as_often_as_in_a_shape(
    tmp_path: Path,
) -> None:
    twice = predictions("r", *[{"case_id": "a"}] * (MOST_PROBLEMS + 5))
    assert len(problems(tmp_path, replay=twice)) == MOST_PROBLEMS
    unknown = predictions("r", *[{"case_id": f"no-{n}0x"} for n in range(MOST_PROBLEMS + 5)])
    assert len(problems(tmp_path, dataset=dataset(), replay=unknown)) == MOST_PROBLEMS
    (tmp_path / "replay.json").unlink()
    same = dataset(*[case("a")] * (MOST_PROBLEMS + 5))
    assert len(problems(tmp_path, dataset=same)) == MOST_PROBLEMS


# ── contracts beside each other ─────────────────────────────────────────────────────────────


def test_validate_tells_of_mixed_versions_where_compare_does(tmp_path: Path) -> None:
    found = problems(tmp_path, dataset=dataset(), rubric=v1.rubric())
    (problem,) = [each for each in found if not each.rule.warns]
    assert (problem.rule.code, problem.path) == ("CL315", ("schema_version",))
    assert problem.file.endswith("rubric.json")
    assert codes(problems(tmp_path, dataset=v1.dataset(), rubric=rubric())) == ["CL315"]


def test_a_replay_of_the_other_version_is_that_before_it_is_of_another_dataset(
    tmp_path: Path,
) -> None:
    replay = v1.predictions(dataset_version="another")
    assert codes(problems(tmp_path, dataset=dataset(), replay=replay)) == ["CL315"]


def test_a_rubric_beside_datasets_of_both_versions_is_mixed_with_none(tmp_path: Path) -> None:
    found = problems(tmp_path, one=dataset(), two=v1.dataset(), rubric=v1.rubric())
    assert "CL315" not in codes(found)
    assert codes(
        problems(tmp_path, one=dataset(), two=dataset(dataset_version="b"), rubric=v1.rubric())
    ) == ["CL315"]


@pytest.mark.parametrize(
    ("of", "gates", "replay", "code"),
    [
        (dataset(frozen_splits=[]), rubric(), predictions("r"), "CL318"),
        (dataset(), rubric(split="train"), predictions("r"), "CL306"),
        (dataset(), rubric(), predictions("r", record("case-1")), "CL303"),
    ],
    ids=["not frozen", "absent", "not recorded"],
)
def test_validate_looks_at_the_split_that_the_rubric_judges(
    tmp_path: Path, of: Value, gates: Value, replay: Value, code: str
) -> None:
    gates = {**gates, "baseline_release": "r"}
    assert codes(problems(tmp_path, dataset=of, rubric=gates, replay=replay)) == [code]


def test_validate_leaves_partial_coverage_to_a_rubric_that_allows_it(tmp_path: Path) -> None:
    gates = rubric(baseline_release="r", coverage=PARTIAL)
    replay = predictions("r", record("case-1"))
    assert problems(tmp_path, dataset=dataset(), rubric=gates, replay=replay) == []


def test_a_check_that_there_is_none_of_is_no_metric(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, rubric=rubric(gate("check:label_correct")))
    assert (problem.rule.code, problem.path) == ("CL317", ("gates", 0, "metric"))
