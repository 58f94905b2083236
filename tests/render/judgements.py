"""Judgements for renderers, judged for real from the contracts that `tests.builders` makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.contract import load_dataset, load_predictions, load_rubric
from contractlab.evidence import Evidence, InputFile
from contractlab.judge import Judgement, judge
from contractlab.problems import Position, Problem, Rule
from tests import builders

if TYPE_CHECKING:
    from tests.builders import Value

EVIDENCE = Evidence(
    sha256="5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
    inputs=(
        InputFile("evals/dataset.json", "dataset", 6_490, "a1" * 32),
        InputFile("evals/rubric.json", "rubric", 592, "b2" * 32),
        InputFile("evals/runs/replay.json", "predictions", 4_096, "c3" * 32),
    ),
)


def judgement(
    *cases: Value,
    baseline: Value | None = None,
    candidate: Value | None = None,
    names: tuple[str, str] = ("support-agent-1.4.0", "support-agent-1.5.0-rc1"),
    warnings: tuple[Problem, ...] = (),
    evidence: Evidence = EVIDENCE,
    dataset_version: str = "support-cases-7",
    **rubric: Any,
) -> Judgement:
    """A judgement on test cases, where both releases pass what they are not told to miss.

    Args:
        cases: as `builders.case` makes them.
        baseline: what the baseline's records have different, by case id.
        candidate: likewise.
        names: of the two releases.
        warnings: about the contracts.
        evidence: made up.
        dataset_version: of the dataset.
        rubric: as `builders.rubric` takes it.
    """
    of = builders.dataset(*cases, dataset_version=dataset_version)
    old, new = (
        load_predictions(builders.predictions(builders.release(name, of, but=but))).releases[0]
        for name, but in zip(names, (baseline, candidate), strict=True)
    )
    return judge(
        load_dataset(of),
        load_rubric(builders.rubric(**rubric)),
        baseline=old,
        candidate=new,
        predictions_version="replays-1.4.0 + replays-1.5.0-rc1",
        evidence=evidence,
        warnings=warnings,
    )


def support_cases() -> tuple[Value, ...]:
    """Ten cases of a support agent in four slices, two of them critical."""
    case = builders.case
    negative = {"expected_label": "negative", "expected_tool": None, "requires_evidence": False}
    return (
        case("refund-late", critical=False),
        case("refund-damaged", critical=False, expected_tool="refund_order"),
        case("refund-other-person", **negative),
        case("privacy-address", slice="privacy", **negative),
        case("status-lost", slice="orders", critical=False, expected_tool="track_order"),
        case("status-late", slice="orders", critical=False, expected_tool="track_order"),
        case("status-gift", slice="orders", critical=False, expected_tool="track_order"),
        case("address-early", slice="addresses", critical=False, expected_tool="update_address"),
        case("address-late", slice="addresses", critical=False, **negative),
        case("address-abroad", slice="addresses", critical=False, **negative),
    )


NOT_QUITE: Value = {
    "refund-damaged": {"predicted_label": "negative", "tool": None, "evidence_present": False},
    "address-abroad": {"predicted_label": "positive", "tool": "update_address"},
}
"""What the baseline gets wrong on `support_cases`."""

LIMITS: Value = {
    "max_mean_latency_ms": 1_100.0,
    "max_p95_latency_ms": 1_500.0,
    "max_mean_cost_usd": 0.05,
}
GATES: Value = {
    **LIMITS,
    "min_overall_pass_rate": 0.75,
    "min_precision": 0.8,
    "min_recall": 0.8,
    "min_f1": 0.8,
    "critical_slice_min_pass_rate": 0.5,
    "max_slice_pass_rate_gap": 0.5,
    "min_paired_delta_ci_low": -0.5,
}
"""What a support agent might be held to."""


def passes() -> Judgement:
    """PASS: better on two cases, and one that passes in another way."""
    searched = {"actions": ["search", "read_policy"]}
    return judgement(
        *support_cases(), baseline=NOT_QUITE, candidate={"status-lost": searched}, **GATES
    )


def needs_review() -> Judgement:
    """REVIEW: as good as before, but slow."""
    slow = {"latency_ms": 1_500.4, "estimated_cost_usd": 0.012}
    candidate: Value = {each["id"]: slow for each in support_cases()}
    candidate["status-gift"] = {**slow, "tool": "search"}
    return judgement(*support_cases(), baseline=NOT_QUITE, candidate=candidate, **GATES)


def blocks() -> Judgement:
    """BLOCK: better on the whole, but it refunds an order to somebody else."""
    candidate = {
        "refund-other-person": {
            "predicted_label": "positive",
            "tool": "refund_order",
            "actions": ["read_policy", "refund_order"],
        },
        "status-gift": {"evidence_present": False, "tool": "search"},
        "status-lost": {"actions": ["track_order"]},
    }
    baseline = {**NOT_QUITE, "status-gift": {"actions": ["track_order", "ask_customer"]}}
    return judgement(*support_cases(), baseline=baseline, candidate=candidate, **GATES)


def fails_as_before() -> Judgement:
    """BLOCK for a critical case that the baseline fails too."""
    same = {"privacy-address": {"actions": ["refund_order"], "tool": "lookup_customer"}}
    return judgement(*support_cases(), baseline=same, candidate=same, **GATES)


def undefined() -> Judgement:
    """BLOCK: nothing is positive and nothing predicted so, and precision is 0/0."""
    negative = {"expected_label": "negative", "critical": False}
    cases = (builders.case("case-1", **negative), builders.case("case-2", **negative))
    return judgement(*cases, **LIMITS)


def one_case_slices() -> Judgement:
    """REVIEW: four slices of one case each, and one of them lost."""
    cases = [
        builders.case(f"case-{name}", slice=name, critical=False, expected_label=label)
        for name, label in zip(
            "abcd", ["positive", "positive", "negative", "negative"], strict=True
        )
    ]
    missed = {"case-b": {"tool": None}}
    return judgement(*cases, candidate=missed, max_slice_pass_rate_gap=0.5, **LIMITS)


def many(count: int, worse: int, *, slices: int = 12) -> Judgement:
    """Cases of which the first so many got worse; every tenth is critical, one in four drifted."""
    cases = [
        builders.case(f"case-{n:05}", slice=f"slice-{n % slices:02}", critical=n % 10 == 0)
        for n in range(count)
    ]
    wrong = {"tool": "escalate", "actions": ["refund_order", "escalate"]}
    candidate: dict[str, Any] = {each["id"]: wrong for each in cases[:worse]}
    for each in cases[worse::4]:
        candidate[each["id"]] = {"actions": ["search"]}
    return judgement(*cases, candidate=candidate, min_overall_pass_rate=0.9, **LIMITS)


HOSTILE = (
    "@octocat #1 https://example.com",
    "</details><img src=x>|a|`b`",
    "![x](https://example.com/x.png)",
    "a\u202egnp.exe <!-- x --> ##[error]",
    "owner/name#12 me@example.com :smile:",
)


def hostile(texts: tuple[str, str, str, str, str] = HOSTILE, *, count: int = 4) -> Judgement:
    """The same texts in every string that a contract has, and every list as long as it gets.

    Args:
        texts: each at least one character, and all different; ids get a number.
        count: cases.
    """
    one, two, three, four, five = texts
    cases = [
        builders.case(
            f"{one} {n}",
            slice=f"{two} {n % 3}",
            critical=n % 2 == 0,
            expected_label="positive" if n % 3 else three,
            expected_tool=four,
            forbidden_actions=[five, f"{five} 2"],
        )
        for n in range(count)
    ]
    wrong = {"tool": three, "actions": [five, one, two, three], "predicted_label": two}
    return judgement(
        *cases,
        candidate={each["id"]: wrong for each in cases[: count // 2]},
        baseline={each["id"]: wrong for each in cases[count // 4 :: 3]},
        names=(two, one),
        dataset_version=three,
        rubric_version=four,
        positive_label="positive",
        warnings=(
            Problem(Rule.SMALL_SET, f"{one} {two}", three, four, position=Position(1, 2)),
            Problem(Rule.IDLE_GATE, f'gate "{one}"', f'"{two}"', five),
        ),
        evidence=Evidence(EVIDENCE.sha256, (InputFile(one, "dataset", 1, "d4" * 32),)),
        max_slice_pass_rate_gap=0.1,
    )
