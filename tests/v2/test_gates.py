"""What each gate of version 2 looks at, and what it says where there is nothing to see."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.decide import concluded
from contractlab.figures import confusion, macro_f1
from contractlab.gates import evaluate
from contractlab.model import Verdict
from contractlab.render.reasons import message
from tests.v2.builders import case, loaded_rubric, record, rubric, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.decide import Decision

Value = dict[str, Any]


def decide(
    gates: Value, cases: Sequence[Value], before: Sequence[Value], after: Sequence[Value]
) -> Decision:
    return concluded(evaluate(sample(cases, before, after, gates), loaded_rubric(gates)))


def many(n: int, **other: Any) -> list[Value]:
    return [case(f"case-{index}", **other) for index in range(n)]


def runs(n: int, passed: int, **other: Any) -> list[Value]:
    return [record(f"case-{index}", done=index < passed, **other) for index in range(n)]


def only(decision: Decision, name: str) -> Any:
    (found,) = [gate for gate in decision.gates if gate.name == name]
    return found


# ── critical cases ──────────────────────────────────────────────────────────────────────────

CRITICAL = [case("a", critical=True, risk="safety"), case("b")]


def test_one_failed_critical_case_blocks() -> None:
    decision = decide(rubric(), CRITICAL, [record("a"), record("b")],
                      [record("a", done=False), record("b")])  # fmt: skip
    assert decision.verdict is Verdict.BLOCK
    assert decision.reasons[0].case_ids == ("a",)


def test_one_failed_trial_of_a_critical_case_blocks() -> None:
    trials = [record("a", trial=0), record("a", trial=1, done=False), record("b")]
    assert decide(rubric(), CRITICAL, trials[:1] + trials[2:], trials).verdict is Verdict.BLOCK


def test_a_critical_case_that_already_failed_does_not_newly_fail() -> None:
    gates = rubric(critical={"rule": "none_newly_fails"})
    failed, passed = record("a", done=False), record("a")
    others = [record("b")]
    assert decide(gates, CRITICAL, [failed, *others], [failed, *others]).verdict is Verdict.PASS
    assert decide(gates, CRITICAL, [passed, *others], [failed, *others]).verdict is Verdict.BLOCK


@pytest.mark.parametrize(("failed", "verdict"), [(1, Verdict.PASS), (2, Verdict.BLOCK)])
def test_a_rate_of_critical_failures_may_be_allowed(failed: int, verdict: Verdict) -> None:
    gates = rubric(critical={"at_most_rate": 0.1})
    cases = many(10, critical=True)
    assert decide(gates, cases, runs(10, 10), runs(10, 10 - failed)).verdict is verdict


def test_a_crashed_run_is_no_violation_and_leaves_a_critical_case_undecided() -> None:
    crashed = record("a", done=False, status="error")
    decision = decide(rubric(), CRITICAL, [record("a"), record("b")], [crashed, record("b")])
    assert decision.verdict is Verdict.REVIEW
    (reason,) = decision.reasons
    assert message(reason) == 'critical cases without a run that ended well: "a"'


def test_a_run_that_did_something_forbidden_before_it_crashed_is_a_violation() -> None:
    cases = [case("a", critical=True, expect={"forbidden": [{"name": "send_money"}]})]
    fine = {"case_id": "a", "calls": []}
    crashed = {"case_id": "a", "calls": [{"name": "send_money", "ok": False}], "status": "error"}
    assert decide(rubric(), cases, [fine], [crashed]).verdict is Verdict.BLOCK


# ── what is missing ─────────────────────────────────────────────────────────────────────────


def test_missing_cases_never_improve_a_rate() -> None:
    gates = rubric(
        {"metric": "pass_rate", "at_least": 0.9, "else": "BLOCK"}, coverage={"at_least": 0.5}
    )
    half = runs(10, 10)[:9]
    assert decide(gates, many(10), runs(10, 10), half).verdict is Verdict.PASS
    decision = decide(gates, many(10), runs(10, 10), runs(10, 10)[:8])
    assert decision.verdict is Verdict.BLOCK
    assert only(decision, "pass_rate.at_least").observed == Fraction(4, 5)


def test_coverage_below_the_gate_is_a_reason_with_both_counts() -> None:
    gates = rubric(coverage={"at_least": 0.9, "else": "REVIEW"})
    decision = decide(gates, many(10), runs(10, 10)[:7], runs(10, 10)[:8])
    assert decision.verdict is Verdict.REVIEW
    assert message(decision.reasons[0]) == "coverage 0.700 is below 0.9"
    assert decision.reasons[0].finding is not None
    assert (decision.reasons[0].finding.measured, decision.reasons[0].finding.of) == (7, 10)


@pytest.mark.parametrize(
    ("if_unmeasured", "verdict"),
    [(None, Verdict.REVIEW), ("PASS", Verdict.PASS), ("BLOCK", Verdict.BLOCK)],
)
def test_a_gate_on_what_was_not_measured_is_not_evaluated(
    if_unmeasured: str | None, verdict: Verdict
) -> None:
    gate = {"metric": "cost_usd.mean", "at_most": 0.1, "else": "BLOCK"}
    gate |= {"if_unmeasured": if_unmeasured} if if_unmeasured else {}
    decision = decide(rubric(gate), many(2), runs(2, 2), runs(2, 2))
    assert decision.verdict is verdict
    for reason in decision.reasons:
        assert message(reason) == "mean cost was not evaluated: measured on 0 of 2"


def test_a_mean_over_the_records_that_have_a_cost_is_no_mean() -> None:
    gates = rubric({"metric": "cost_usd.mean", "at_most": 0.1, "else": "REVIEW"})
    after = [record("case-0", cost_usd=0.01), record("case-1")]
    decision = decide(gates, many(2), runs(2, 2), after)
    assert message(decision.reasons[0]) == "mean cost was not evaluated: measured on 1 of 2"


def test_a_run_that_crashed_need_not_have_a_latency() -> None:
    gates = rubric({"metric": "latency_ms.mean", "at_most": 10, "else": "REVIEW"})
    after = [record("case-0", latency_ms=5), record("case-1", status="timeout")]
    assert decide(gates, many(2), runs(2, 2), after).verdict is Verdict.PASS


def test_an_undefined_value_leads_to_what_its_gate_leads_to() -> None:
    gates = rubric({"metric": "precision", "class": "x", "at_least": 0.5, "else": "BLOCK"})
    cases = [case("a", expect={"label": "y"})]
    runs_ = [{"case_id": "a", "label": "y"}]
    decision = decide(gates, cases, runs_, runs_)
    assert decision.verdict is Verdict.BLOCK
    assert "undefined (0/0)" in message(decision.reasons[0])


def test_what_a_record_lacks_fails_its_check() -> None:
    cases = [case("a", expect={"evidence": {"present": True}, "tools": {"mode": "none"}})]
    decision = decide(
        rubric({"metric": "pass_rate", "at_least": 1, "else": "BLOCK"}),
        cases, [{"case_id": "a"}], [{"case_id": "a"}],
    )  # fmt: skip
    assert decision.verdict is Verdict.BLOCK


# ── selectors, classes, outcomes ────────────────────────────────────────────────────────────


def test_a_star_looks_at_each_slice_by_itself() -> None:
    cases = many(4, slice="a") + [case(f"other-{index}", slice="b") for index in range(4)]
    good = runs(4, 4) + [record(f"other-{index}") for index in range(4)]
    bad = runs(4, 4) + [record(f"other-{index}", done=False) for index in range(4)]
    gates = rubric({"metric": "pass_rate", "slice": "*", "at_least": 0.5, "else": "BLOCK"})
    decision = decide(gates, cases, good, bad)
    assert [message(reason) for reason in decision.reasons] == [
        'pass rate of slice "b" 0.000 is below 0.5'
    ]


def test_a_tag_selects_across_slices() -> None:
    cases = [case("a", slice="x", tags=["t"]), case("b", slice="y", tags=["t", "u"]), case("c")]
    after = [record("a", done=False), record("b", done=False), record("c")]
    good = [record("a"), record("b"), record("c")]
    gates = rubric({"metric": "outcome:done", "tag": "t", "at_least": 0.1, "else": "BLOCK"})
    (reason,) = decide(gates, cases, good, after).reasons
    assert message(reason) == 'rate of outcome "done" of tag "t" 0.000 is below 0.1'


def test_a_class_has_its_own_recall_and_macro_f1_takes_all() -> None:
    expected = ["x", "x", "y", "z"]
    cases = [case(f"c{i}", expect={"label": label}) for i, label in enumerate(expected)]
    predicted = ["x", "y", "y", None]
    runs_ = [{"case_id": f"c{i}", "label": label} for i, label in enumerate(predicted)]
    gates = rubric(
        {"metric": "recall", "class": "*", "at_least": 0.6, "else": "BLOCK"},
        {"metric": "macro_f1", "at_least": 0.4, "else": "BLOCK"},
    )
    found = sample(cases, runs_, runs_, gates)
    decision = concluded(evaluate(found, loaded_rubric(gates)))
    assert [message(reason) for reason in decision.reasons] == [
        'recall of class "x" 0.500 is below 0.6',
        'recall of class "z" 0.000 is below 0.6',
    ]
    # F1 of x, y, z: 2/3, 2/3 and 0.
    assert macro_f1(confusion(list(found.after.values()))) == Fraction(4, 9)


def test_an_outcome_is_counted_on_the_side_that_is_wanted() -> None:
    cases = [case(f"c{i}", expect={"outcomes": {"leaked": False}}) for i in range(4)]
    runs_ = [{"case_id": f"c{i}", "outcomes": {"leaked": i == 0}} for i in range(4)]
    gates = rubric({"metric": "outcome:leaked", "at_least": 0.8, "else": "BLOCK"})
    (reason,) = decide(gates, cases, runs_, runs_).reasons
    assert message(reason) == 'rate of outcome "leaked" 0.750 is below 0.8'


def test_a_crash_counts_against_what_was_wanted_and_not_for_what_was_not() -> None:
    wanted = [case("a", expect={"outcomes": {"done": True}}),
              case("b", expect={"outcomes": {"leaked": False}})]  # fmt: skip
    crashed = [
        {"case_id": "a", "outcomes": {"done": True}, "status": "error"},
        {"case_id": "b", "outcomes": {"leaked": True}, "status": "error"},
    ]
    gates = rubric(
        {"metric": "outcome:done", "at_least": 0.5, "else": "BLOCK"},
        {"metric": "outcome:leaked", "at_least": 0.5, "else": "REVIEW"},
    )
    decision = decide(gates, wanted, crashed, crashed)
    assert [message(reason) for reason in decision.reasons] == [
        'rate of outcome "done" 0.000 is below 0.5',
        'rate of outcome "leaked" was not evaluated: measured on 0 of 1',
    ]


def test_checks_that_a_rubric_does_not_require_are_reported_and_do_not_fail_a_case() -> None:
    cases = [case("a", expect={"label": "x", "outcomes": {"done": True}})]
    runs_ = [{"case_id": "a", "label": "y", "outcomes": {"done": True}}]
    gates = rubric(
        {"metric": "pass_rate", "at_least": 1, "else": "BLOCK"},
        {"metric": "check:label", "at_least": 1, "else": "REVIEW"},
        pass_requires=["outcomes"],
    )
    decision = decide(gates, cases, runs_, runs_)
    assert [reason.name for reason in decision.reasons] == ["check:label.at_least"]


# ── against the baseline ────────────────────────────────────────────────────────────────────

NOT_WORSE = rubric({"metric": "pass_rate", "not_worse_by": 0.05, "else": "REVIEW"})
NO_LOSS = rubric({"metric": "pass_rate", "no_regression_at": 0.05, "else": "BLOCK"})


def test_a_set_that_is_too_small_is_not_a_regression() -> None:
    decision = decide(NOT_WORSE, many(10), runs(10, 9), runs(10, 9))
    text = message(decision.reasons[0])
    assert text.startswith("overall pass rate: this set is too small for a margin of 0.05: would")
    assert "worse" not in text


def test_a_shown_loss_says_that_it_got_worse() -> None:
    decision = decide(NOT_WORSE, many(40), runs(40, 38), runs(40, 20))
    assert message(decision.reasons[0]).startswith("overall pass rate got worse: difference -0.450")
    assert decide(NO_LOSS, many(40), runs(40, 38), runs(40, 20)).verdict is Verdict.BLOCK


def test_a_loss_that_chance_explains_is_no_reason() -> None:
    assert decide(NO_LOSS, many(40), runs(40, 38), runs(40, 35)).verdict is Verdict.PASS
    assert decide(NO_LOSS, many(40), runs(40, 38), runs(40, 32)).verdict is Verdict.BLOCK


@pytest.mark.parametrize(("adjust", "verdict"), [("holm", Verdict.PASS), ("none", Verdict.BLOCK)])
def test_slices_are_corrected_for_their_number(adjust: str, verdict: Verdict) -> None:
    cases = [case(f"{name}-{i}", slice=name) for name in "abc" for i in range(6)]
    good = [record(each["id"]) for each in cases]
    # Five losses against none: p = 1/32, which three slices make 3/32.
    bad = [record(each["id"], done=each["id"] not in {f"a-{i}" for i in range(5)})
           for each in cases]  # fmt: skip
    gates = rubric(
        {"metric": "pass_rate", "slice": "*", "no_regression_at": 0.05, "else": "BLOCK"},
        comparison={"adjust": adjust},
    )
    assert decide(gates, cases, good, bad).verdict is verdict


def test_copies_in_one_family_are_no_evidence_unless_cases_are_the_unit() -> None:
    cases = many(8, family_id="one")
    for unit, verdict in (("family", Verdict.PASS), ("case", Verdict.BLOCK)):
        gates = rubric(*NO_LOSS["gates"], comparison={"unit": unit})
        assert decide(gates, cases, runs(8, 8), runs(8, 0)).verdict is verdict


@pytest.mark.parametrize(("after", "verdict"), [(110.0, Verdict.PASS), (110.1, Verdict.REVIEW)])
def test_a_cost_may_be_so_many_times_the_baselines(after: float, verdict: Verdict) -> None:
    gates = rubric({"metric": "latency_ms.mean", "at_most_times_baseline": 1.1, "else": "REVIEW"})
    before_, after_ = runs(4, 4, latency_ms=100.0), runs(4, 4, latency_ms=after)
    assert decide(gates, many(4), before_, after_).verdict is verdict


def test_a_multiple_of_what_the_baseline_did_not_measure_is_not_evaluated() -> None:
    gates = rubric({"metric": "cost_usd.mean", "at_most_times_baseline": 1.1, "else": "BLOCK"})
    decision = decide(gates, many(2), runs(2, 2), runs(2, 2, cost_usd=0.1))
    assert decision.verdict is Verdict.REVIEW
    assert "was not evaluated: measured on 0 of 2" in message(decision.reasons[0])


# ── size, trials, errors ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("least", "verdict"), [(10, Verdict.PASS), (11, Verdict.REVIEW)])
def test_a_pass_needs_the_least_number_of_cases(least: int, verdict: Verdict) -> None:
    gates = rubric(minimum={"cases": least})
    assert decide(gates, many(10), runs(10, 10), runs(10, 10)).verdict is verdict


def test_a_pass_needs_the_least_power() -> None:
    gates = rubric(minimum={"power": 0.8}, comparison={"margin": 0.05})
    decision = decide(gates, many(20), runs(20, 18), runs(20, 18))
    assert decision.verdict is Verdict.REVIEW
    assert message(decision.reasons[0]).startswith(
        "20 cases show an unchanged agent within a margin of 0.050 with a probability of 0.000 only"
    )
    wide = rubric(minimum={"power": 0.8}, comparison={"margin": 0.5})
    assert decide(wide, many(20), runs(20, 18), runs(20, 18)).verdict is Verdict.PASS


def test_errors_have_a_gate_of_their_own() -> None:
    gates = rubric(errors={"at_most": 0.1})
    after = [*runs(10, 10)[:8], record("case-8", status="error"), record("case-9", status="limit")]
    decision = decide(gates, many(10), runs(10, 10), after)
    assert message(decision.reasons[0]) == ("rate of runs that did not end well 0.200 is above 0.1")


def test_flaky_cases_are_named_by_their_gate() -> None:
    gates = rubric(flakiness={"at_most": 0.2})
    after = [record(f"case-{i}", trial=t, done=bool(i or t)) for i in range(2) for t in range(2)]
    decision = decide(gates, many(2), runs(2, 2), after)
    assert message(decision.reasons[0]) == 'rate of flaky cases 0.500 is above 0.2: "case-0"'


def test_pass_hat_k_needs_k_trials_of_every_case() -> None:
    gates = rubric({"metric": "pass_hat_k", "k": 2, "at_least": 0.5, "else": "REVIEW"})
    two = [record(f"case-{i}", trial=t, done=bool(i)) for i in range(2) for t in range(2)]
    assert decide(gates, many(2), two, two).verdict is Verdict.PASS
    decision = decide(gates, many(2), two, two[:-1])
    assert message(decision.reasons[0]) == "pass^2 was not evaluated: measured on 1 of 2"


def test_block_gates_come_before_review_gates_in_the_rubrics_order() -> None:
    def gate(metric: str, else_: str) -> Value:
        return {"metric": metric, "at_least": 1, "else": else_}

    gates = rubric(
        gate("mean_score", "REVIEW"), gate("pass_rate", "BLOCK"),
        gate("outcome:done", "REVIEW"), gate("check:outcomes", "BLOCK"),
    )  # fmt: skip
    decision = decide(gates, many(2), runs(2, 2), runs(2, 1))
    assert [reason.finding.metric for reason in decision.reasons if reason.finding] == [
        "pass_rate", "check:outcomes", "mean_score", "outcome:done",
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "told"), [(1, "1 case shows"), (2, "2 cases show")])
def test_the_power_of_a_single_case_is_told_in_the_singular(count: int, told: str) -> None:
    ids = [f"case-{index}" for index in range(count)]
    gates = rubric(minimum={"power": 0.8}, comparison={"margin": 0.05})
    runs = [record(id_) for id_ in ids]
    results = evaluate(sample([case(id_) for id_ in ids], runs, runs, gates), loaded_rubric(gates))
    (power,) = [each for each in results if each.name == "minimum_power"]
    assert message(power).startswith(told)
