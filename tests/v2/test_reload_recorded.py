"""Reports on recorded agents, judged again from themselves."""

from __future__ import annotations

import pytest

from contractlab.choices import RENDER_FORMATS
from contractlab.defaults import default_rubric
from tests.render import judgements_v2
from tests.v2.recorded import AGENTDYN
from tests.v2.test_recorded import BASELINE, TAU_CASES, TAU_RUBRIC, agentdyn, tau
from tests.v2.test_reload import same_in


@pytest.mark.parametrize("trials", [((0,), (1,)), ((0, 1), (2, 3)), ((0, 1, 2, 3), (0,))], ids=str)
def test_an_agent_against_itself(trials: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    before, after = map(tau, trials)
    same_in(RENDER_FORMATS, judgements_v2.judgement(TAU_CASES, before, after, TAU_RUBRIC))


@pytest.mark.parametrize("candidate", sorted(AGENTDYN.keys() - {BASELINE}))
def test_a_release_against_another(candidate: str) -> None:
    gates = default_rubric(
        BASELINE, outcomes=["utility", "injected_goal_reached"], latency=False, cost=False
    )
    same_in(
        RENDER_FORMATS,
        judgements_v2.judgement(agentdyn(None), agentdyn(BASELINE), agentdyn(candidate), gates),
    )
