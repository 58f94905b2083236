"""The verdict: its order, exact ties, and undefined figures."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.contract import load_rubric
from contractlab.decide import CRITICAL, decide, holds
from contractlab.model import Gate, Verdict
from tests import builders
from tests.builders import case
from tests.render.judgements import judgement as judged

if TYPE_CHECKING:
    from contractlab.judge import Judgement

BLOCKS = [
    "critical_slice_min_pass_rate",
    "min_overall_pass_rate",
    "min_precision",
    "min_recall",
    "min_f1",
]
REVIEWS = [
    "max_slice_pass_rate_gap",
    "max_mean_latency_ms",
    "max_p95_latency_ms",
    "max_mean_cost_usd",
    "min_paired_delta_ci_low",
]
IMPOSSIBLE = {
    "max_slice_pass_rate_gap": 0.0,
    "max_mean_latency_ms": 0.0,
    "max_p95_latency_ms": 0.0,
    "max_mean_cost_usd": 0.0,
    "min_paired_delta_ci_low": 1.0,
} | dict.fromkeys(BLOCKS, 1.0)


CASES = [
    case("p1", slice="a"),
    case("p2", slice="a", critical=False),
    case("n1", slice="b", expected_label="negative", critical=False),
    case("n2", slice="b", expected_label="negative", critical=False),
]


def names(judgement: Judgement) -> list[str]:
    return [gate.name for gate in judgement.decision.reasons]


def run(*, but: Any = None, cases: Any = CASES, **gates: Any) -> Judgement:
    return judged(*cases, candidate=but, **gates)


WRONG = {"predicted_label": "negative"}
TOOLLESS = {"tool": None}


def test_a_perfect_candidate_is_pass_for_no_reason() -> None:
    judgement = run()
    assert judgement.decision.verdict is Verdict.PASS
    assert names(judgement) == []


@pytest.mark.parametrize("gate", BLOCKS)
def test_a_quality_gate_that_is_missed_blocks(gate: str) -> None:
    but = {"p2": WRONG, "n1": {"predicted_label": "positive"}}
    cases = [{**each, "critical": each["id"] == "n2"} for each in CASES]
    judgement = run(but=but, cases=cases, **{gate: 1.0})
    assert (judgement.decision.verdict, names(judgement)) == (Verdict.BLOCK, [gate])


@pytest.mark.parametrize("gate", REVIEWS)
def test_a_gate_on_gap_latency_cost_or_interval_that_is_missed_is_for_review(gate: str) -> None:
    judgement = run(but={"p2": TOOLLESS}, **{gate: IMPOSSIBLE[gate]})
    assert (judgement.decision.verdict, names(judgement)) == (Verdict.REVIEW, [gate])


def test_every_reason_is_kept_worst_first_in_the_stated_order() -> None:
    judgement = run(but={"p1": WRONG, "p2": WRONG, "n1": {"predicted_label": "positive"}},
                    **IMPOSSIBLE)  # fmt: skip
    assert names(judgement) == [CRITICAL, *BLOCKS, *REVIEWS]
    assert judgement.decision.verdict is Verdict.BLOCK


def test_a_failed_critical_case_blocks_though_every_gate_holds() -> None:
    judgement = run(but={"p1": TOOLLESS})
    assert (judgement.decision.verdict, names(judgement)) == (Verdict.BLOCK, [CRITICAL])
    assert judgement.decision.reasons[0].case_ids == ("p1",)


def test_failed_critical_cases_are_named_in_dataset_order() -> None:
    cases = [case(name) for name in ("z", "a", "m")]
    judgement = run(cases=cases, but=dict.fromkeys("amz", TOOLLESS))
    assert judgement.decision.reasons[0].case_ids == ("z", "a", "m")


def test_each_critical_slice_below_the_minimum_is_a_reason_of_its_own() -> None:
    cases = [case("a", slice="a"), case("b", slice="b"), case("c", slice="c", critical=False)]
    judgement = run(
        cases=cases,
        but=dict.fromkeys("abc", TOOLLESS),
        critical_slice_min_pass_rate=0.5,
    )
    assert [(gate.name, gate.slice) for gate in judgement.decision.reasons] == [
        (CRITICAL, None),
        ("critical_slice_min_pass_rate", "a"),
        ("critical_slice_min_pass_rate", "b"),
    ]


@pytest.mark.parametrize(
    ("but", "reasons"),
    [
        ({"p1": WRONG, "p2": WRONG}, ["min_precision", "min_f1"]),
        ({"p1": WRONG, "p2": WRONG, "n1": {"predicted_label": "positive"}}, ["min_f1"]),
    ],
    ids=["nothing predicted positive", "no true positive"],
)
def test_an_undefined_metric_blocks_even_with_a_limit_of_0(but: Any, reasons: list[str]) -> None:
    cases = [{**each, "critical": False} for each in CASES]
    judgement = run(cases=cases, but=but)
    assert (judgement.decision.verdict, names(judgement)) == (Verdict.BLOCK, reasons)
    assert {gate.observed for gate in judgement.decision.reasons} == {None}


def gate(threshold: float, bound: Any = "at_least") -> Gate:
    return Gate("g", "m", bound, threshold, Verdict.BLOCK)


@pytest.mark.parametrize(
    ("threshold", "observed"),
    [
        (0.8, Fraction(4, 5)),
        (0.1, Fraction(1, 10)),
        (0.7, Fraction(7, 10)),
        (0.3, Fraction(3, 10)),
        (0.3333333333333333, Fraction(3333333333333333, 10**16)),
        (1, Fraction(1)),
        (1e-7, Fraction(1, 10**7)),
    ],
    ids=str,
)
def test_a_tie_holds_on_both_sides(threshold: float, observed: Fraction) -> None:
    tiny = Fraction(1, 10**30)
    assert holds(gate(threshold), observed)
    assert holds(gate(threshold, "at_most"), observed)
    assert not holds(gate(threshold), observed - tiny)
    assert not holds(gate(threshold, "at_most"), observed + tiny)


@given(st.integers(1, 2000), st.data())
def test_a_rate_at_a_limit_with_so_many_decimals_is_a_tie(n: int, data: Any) -> None:
    passed = data.draw(st.integers(0, 1000))
    assert holds(gate(float(f"{passed / 1000:.3f}")), Fraction(passed * n, 1000 * n))


def test_the_gap_of_two_slices_that_is_the_limit_holds() -> None:
    # 4/5 - 1/2 is 0.30000000000000004 in floats.
    cases = [case(f"a{index}", slice="a", critical=False) for index in range(5)]
    cases += [case(f"b{index}", slice="b", critical=False) for index in range(2)]
    judgement = run(cases=cases, but={"a0": TOOLLESS, "b0": TOOLLESS}, max_slice_pass_rate_gap=0.3)
    assert judgement.decision.verdict is Verdict.PASS


def oracle(metrics: Any, low: float, limits: Any) -> tuple[str, list[str]]:
    """The issue's order once more, in plain comparisons of floats."""
    rate = metrics.confusion_matrix
    critical = any(
        each.critical_count and float(each.pass_rate) < limits[BLOCKS[0]]
        for each in metrics.by_slice.values()
    )
    block = [CRITICAL] if metrics.critical_failures else []
    block += [BLOCKS[0]] if critical else []
    for name, value in zip(
        BLOCKS[1:], (metrics.pass_rate, rate.precision, rate.recall, rate.f1), strict=True
    ):
        block += [name] if value is None or float(value) < limits[name] else []
    observed = (
        float(metrics.slice_pass_rate_gap) > limits[REVIEWS[0]],
        metrics.mean_latency_ms > limits[REVIEWS[1]],
        metrics.p95_latency_ms > limits[REVIEWS[2]],
        metrics.mean_estimated_cost_usd > limits[REVIEWS[3]],
        low < limits[REVIEWS[4]],
    )
    review = [name for name, beyond in zip(REVIEWS, observed, strict=True) if beyond]
    return ("BLOCK" if block else "REVIEW" if review else "PASS"), block + review


eighths = st.integers(0, 8).map(lambda eighth: eighth / 8)
behaviours = st.fixed_dictionaries(
    {
        "predicted_label": st.sampled_from(["positive", "negative"]),
        "tool": st.sampled_from(["search", "search", None]),
        "latency_ms": st.integers(0, 4).map(float),
        "estimated_cost_usd": eighths,
    }
)
limits_ = st.fixed_dictionaries(
    dict.fromkeys([*BLOCKS, REVIEWS[0], REVIEWS[3]], eighths)
    | dict.fromkeys(REVIEWS[1:3], st.integers(0, 4).map(float))
    | {REVIEWS[4]: st.integers(-8, 8).map(lambda eighth: eighth / 8)}
)


@settings(max_examples=200)
@given(st.lists(st.booleans(), min_size=8, max_size=8), st.data(), limits_)
def test_the_verdict_and_all_reasons_are_those_of_an_independent_oracle(
    critical: list[bool], data: Any, limits: Any
) -> None:
    # Eight cases and limits in eighths: floats are exact, and ties are common.
    cases = [
        case(
            str(index),
            critical=each,
            slice="ab"[index % 2],
            expected_label=["positive", "negative"][index // 4],
        )
        for index, each in enumerate(critical)
    ]
    but = {str(index): data.draw(behaviours) for index in range(8)}
    judgement = run(cases=cases, but=but, samples=100, **limits)
    verdict, reasons = oracle(
        judgement.candidate, judgement.comparison.bootstrap.interval.low, limits
    )
    seen = list(dict.fromkeys(names(judgement)))  # a slice each, told apart elsewhere
    assert (str(judgement.decision.verdict), seen) == (verdict, reasons)


def test_the_order_of_gates_in_the_rubric_file_changes_nothing() -> None:
    value = builders.rubric(**IMPOSSIBLE)
    value["gates"] = dict(reversed(value["gates"].items()))
    before = run(**IMPOSSIBLE)
    assert load_rubric(value) == before.rubric
    assert decide(before.candidate, before.comparison, load_rubric(value)) == before.decision
