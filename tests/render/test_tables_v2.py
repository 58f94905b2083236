"""Gates as rows: the baseline's value is what the gate would have seen of the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from contractlab.decide import CRITICAL
from contractlab.render.tables_v2 import gate_rows
from tests.render import judgements_v2
from tests.render.judgements_v2 import good, support_cases
from tests.v2.builders import rubric

if TYPE_CHECKING:
    from contractlab.judge import Judgement
    from contractlab.render.tables import GateRow
    from tests.v2.builders import Value

ABSOLUTE: list[Value] = [
    {"metric": "pass_rate", "at_least": 0.6},
    {"metric": "pass_rate", "slice": "*", "at_least": 0.6},
    {"metric": "mean_score", "tag": "attack", "at_least": 0.6},
    {"metric": "check:label", "at_least": 0.6},
    {"metric": "outcome:utility", "at_least": 0.6},
    {"metric": "accuracy", "at_least": 0.6},
    {"metric": "macro_f1", "at_least": 0.6},
    {"metric": "recall", "class": "*", "at_least": 0.6},
    {"metric": "f1", "class": "refund", "slice": "refunds", "at_least": 0.6},
    {"metric": "pass_hat_k", "k": 2, "at_least": 0.6},
    {"metric": "pass_at_k", "k": 2, "slice": "*", "at_least": 0.6},
    {"metric": "slice_pass_rate_gap", "at_most": 0.6},
    {"metric": "critical_slice_pass_rate", "at_least": 0.6},
    {"metric": "flaky_rate", "at_most": 0.6},
    {"metric": "latency_ms.p95", "at_most": 600},
    {"metric": "cost_usd.mean", "slice": "*", "at_most": 600},
    {"metric": "tokens.input.max", "at_most": 600},
]
TERMS: dict[str, Any] = {
    "coverage": {"at_least": 0.5, "else": "REVIEW"},
    "errors": {"at_most": 0.02},
    "flakiness": {"at_most": 0.02},
}


def _records(*, missing: int, wrong: int, crashed: int) -> list[Value]:
    """Two trials a case; some fail a trial, some crash in one, some have no record."""
    found = []
    for at, of in enumerate(support_cases()):
        for trial in range(2 if at != missing else 0):
            other: Value = {"latency_ms": 800.0 + at * trial, "tokens": {"input": at}}
            if at % wrong == 0 and trial:
                other["label"] = "other"
            if at == crashed and trial:
                other |= {"status": "timeout", "outcomes": {}}
            found.append(good(of, trial=trial, **other))
    return found


ONE = _records(missing=14, wrong=3, crashed=5)
OTHER = _records(missing=2, wrong=5, crashed=9)


def judged(before: list[Value], after: list[Value], **terms: Any) -> Judgement:
    gates = rubric(*({**gate, "else": "REVIEW"} for gate in ABSOLUTE), **{**TERMS, **terms})
    return judgements_v2.judgement(support_cases(), before, after, gates)


def rows(judgement: Judgement) -> list[GateRow]:
    details = judgement.details
    if details is None:
        raise ValueError("this is version 1")
    return gate_rows(judgement, details, judgement.decision.gates, repr)


@pytest.mark.parametrize("rule", ["none_may_fail", {"at_most_rate": 0.5}], ids=["none", "rate"])
def test_the_baselines_value_is_what_the_gate_sees_of_it_as_a_candidate(rule: Any) -> None:
    critical = {"rule": rule}
    one, other = judged(ONE, OTHER, critical=critical), judged(OTHER, ONE, critical=critical)
    seen = {(row.result.name, row.result.finding and row.result.finding.group): row.candidate
            for row in rows(other)}  # fmt: skip
    compared = [row for row in rows(one) if row.result.name != "critical_case_undecided"]
    assert len(compared) > len(ABSOLUTE) + len(TERMS)
    assert {row.baseline for row in compared if row.result.name == CRITICAL} != {"-"}
    for row in compared:
        key = (row.result.name, row.result.finding and row.result.finding.group)
        assert row.baseline == seen[key], row.result.name


def test_a_gate_on_the_difference_has_the_baselines_value_on_the_compared_cases() -> None:
    (row,) = (
        each
        for each in rows(judgements_v2.blocks())
        if each.result.name == "pass_rate.not_worse_by"
    )
    assert row.baseline == "0.955"  # 14.33 of the 15 cases that both have
    assert row.candidate == "-0.200"
    assert row.limit == "no worse by 0.05"
    assert row.note == (
        "95 % interval [-0.475, +0.101] on 15 cases, p 0.0938,"
        " too small for this margin: would need about 1,015 cases"
    )


def test_critical_cases_that_nobody_knows_of_are_counted_and_named() -> None:
    cases = support_cases()
    after = [good(of) for of in cases]
    crashed = {**after[-1], "status": "timeout", "outcomes": {}}
    judgement = judgements_v2.judgement(cases, after, [*after[:-1], crashed], rubric())
    (row,) = (each for each in rows(judgement) if each.result.name == "critical_case_undecided")
    assert (row.candidate, row.limit, row.note) == ("1", "none", "'refund-other-person'")


def test_where_only_new_critical_failures_count_the_baseline_has_no_number() -> None:
    (row,) = (
        each
        for each in rows(judged(ONE, OTHER, critical={"rule": "none_newly_fails"}))
        if each.result.name == CRITICAL
    )
    assert (row.limit, row.baseline) == ("none may newly", "-")
