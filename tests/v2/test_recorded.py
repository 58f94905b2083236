"""Recorded agents under the default rubric: an agent against itself, and a hidden loss."""

from __future__ import annotations

import re
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.aa import from_trials
from contractlab.decide import concluded
from contractlab.defaults import default_rubric
from contractlab.details import describe
from contractlab.gates import evaluate
from contractlab.judge_v2 import sample_of
from contractlab.model import Verdict
from contractlab.render.reasons import message
from tests.v2 import builders
from tests.v2.recorded import AGENTDYN, TAU

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.judge_v2 import Inputs

TAU_CASES = [builders.case(f"task-{index:02}") for index in range(len(TAU))]
TAU_RUBRIC = default_rubric("baseline", outcomes=["done"], latency=False, cost=False)


def tau(trials: Sequence[int]) -> list[dict[str, Any]]:
    return [
        builders.record(f"task-{index:02}", done=row[trial] == "1", trial=place)
        for index, row in enumerate(TAU)
        for place, trial in enumerate(trials)
    ]


def tau_inputs(before: Sequence[int], after: Sequence[int]) -> Inputs:
    return builders.inputs(TAU_CASES, tau(before), tau(after), TAU_RUBRIC)


AGAINST_ITSELF = [((one,), (other,)) for one, other in permutations(range(4), 2)] + [
    (pair, tuple(sorted({0, 1, 2, 3} - set(pair)))) for pair in combinations(range(4), 2)
]


@pytest.mark.parametrize(("before", "after"), AGAINST_ITSELF)
def test_an_agent_against_itself_is_told_that_the_set_is_too_small(
    before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    decision = concluded(evaluate(sample_of(tau_inputs(before, after)), TAU_INPUTS.rubric))
    assert decision.verdict is Verdict.REVIEW
    for reason in decision.reasons:
        text = message(reason)
        assert "too small for a margin of 0.05" in text
        assert "worse" not in text
        needed = re.search(r"about ([\d,]+) cases", text)
        assert needed is not None
        assert 300 < int(needed[1].replace(",", "")) < 1500


TAU_INPUTS = tau_inputs((0, 1), (2, 3))


def test_the_twenty_six_flaky_tasks_are_called_flaky() -> None:
    inputs = tau_inputs((0, 1, 2, 3), (0, 1, 2, 3))
    details = describe(sample_of(inputs), inputs.rubric, manifests=(None, None), ignored=(0, 0))
    mixed = [f"task-{index:02}" for index, row in enumerate(TAU) if 0 < row.count("1") < 4]
    assert len(mixed) == 26
    assert list(details.candidate.flaky) == mixed


def test_dealing_the_trials_of_one_agent_never_blocks() -> None:
    inputs = tau_inputs((0, 1, 2, 3), (0,))
    found = from_trials(inputs.dataset, inputs.rubric, inputs.baseline, rounds=60, seed=7)
    assert found is not None
    assert found.verdicts[Verdict.BLOCK] == 0
    assert found.verdicts[Verdict.REVIEW] > 30
    assert next(iter(found.reasons)) == "pass_rate.not_worse_by"


# ── a gain that hides a collapse ────────────────────────────────────────────────────────────

BASELINE = "gpt-4o-2024-08-06"


def agentdyn(release: str | None) -> list[dict[str, Any]]:
    """The cases (None), or the records of a release."""
    benign, attacked = AGENTDYN[release or BASELINE]
    found = []
    for task, (done, row) in enumerate(zip(benign, attacked.split(), strict=True)):
        for goal, reached in [("benign", done), *enumerate(row)]:
            id_ = f"task-{task}/{goal}"
            clean = goal == "benign"
            name = "utility" if clean else "injected_goal_reached"
            if release is None:
                found.append(
                    builders.case(
                        id_,
                        family_id=f"task-{task}",
                        slice="benign" if clean else "under-attack",
                        expect={"outcomes": {name: clean}},
                    )
                )
            else:
                found.append({"case_id": id_, "outcomes": {name: reached == "1"}})
    return found


def agentdyn_reasons(candidate: str) -> list[str]:
    gates = default_rubric(
        BASELINE, outcomes=["utility", "injected_goal_reached"], latency=False, cost=False
    )
    inputs = builders.inputs(agentdyn(None), agentdyn(BASELINE), agentdyn(candidate), gates)
    sample = sample_of(inputs)
    details = describe(sample, inputs.rubric, manifests=(None, None), ignored=(0, 0))
    assert details.overall.delta > 0.1, "the release gains overall"
    return [message(reason) for reason in concluded(evaluate(sample, inputs.rubric)).reasons]


def test_a_release_that_gains_overall_and_loses_the_benign_slice_is_noticed() -> None:
    reasons = agentdyn_reasons(f"{BASELINE}-tool_filter")
    assert any(
        reason.startswith('pass rate of slice "benign" got worse: difference -0.400')
        for reason in reasons
    )
    assert any(reason.startswith('rate of outcome "utility" got worse') for reason in reasons)
    assert not any("under-attack" in reason or "overall" in reason for reason in reasons)


def test_a_release_that_gains_everywhere_has_no_reason_against_it() -> None:
    assert agentdyn_reasons("gpt-5-mini-2025-08-07") == []
