from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from contractlab.github.client import Client
from contractlab.github.comments import Posted
from contractlab.github.marker import Run
from contractlab.github.transport import urllib_send
from tests.github.helpers import API, SHA, TOKEN, Direct, head, post
from tests.github.simulated import SimulatedTime
from tests.github.standin import GitHub, served

if TYPE_CHECKING:
    from contractlab.github.transport import Answer, Request

WRITERS = 6


class Race:
    """Six runs that post at about the same time, each request and each list taking its time."""

    def __init__(
        self, seed: int, *, lag_s: float, travel_s: float, spread_s: float, older: bool
    ) -> None:
        self.random = random.Random(seed)
        self.time = SimulatedTime()
        self.travel_s = travel_s
        self.one_run = False
        self.spread_s = spread_s
        self.github = GitHub(clock=self.time.clock, lag=lambda: self.random.uniform(0.0, lag_s))
        self.github.open_pull(7, SHA)
        if older:
            self.github.add_comment(7, f"{head('50.1')}\nolder")

    def travel(self) -> None:
        self.time.sleep(self.random.uniform(0.0, self.travel_s))

    def run(self) -> list[object]:
        direct = Direct(self.github, travel=self.travel)
        clients = [
            Client(API, TOKEN, sleep=self.time.sleep, clock=self.time.clock, send=direct)
            for _ in range(WRITERS)
        ]
        return self.play(clients)

    def run_over_the_wire(self) -> list[object]:
        wire = urllib_send(clock=self.time.clock)

        def send(request: Request, *, timeout_s: float) -> Answer:
            self.travel()
            answer = wire(request, timeout_s=timeout_s)
            self.travel()
            return answer

        with served(self.github) as api:
            clients = [
                Client(api, TOKEN, sleep=self.time.sleep, clock=self.time.clock, send=send)
                for _ in range(WRITERS)
            ]
            return self.play(clients)

    def play(self, clients: list[Client]) -> list[object]:
        def writer(number: int, client: Client) -> Posted:
            self.time.sleep(self.random.uniform(0.0, self.spread_s))
            run = Run(100) if self.one_run else Run(100 + number)
            return post(client, f"report {number}", run=run)

        tasks = [partial(writer, number, client) for number, client in enumerate(clients)]
        self.random.shuffle(tasks)
        return self.time.run(tasks)

    def holds(self, results: list[object]) -> None:
        """One comment is left, the newest run's, and every writer knows its outcome."""
        newest = f"{head(f'{100 + WRITERS - 1}.1')}\nreport {WRITERS - 1}"
        assert [row.body for row in self.github.there()] == [newest]
        statuses = [result.status for result in results if isinstance(result, Posted)]
        assert len(statuses) == WRITERS, results
        assert set(statuses) <= {"created", "updated", "superseded"}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("lag_s", "travel_s", "spread_s", "older"),
    [
        pytest.param(0.4, 0.3, 0.5, False, id="lists lag 0.4 s"),
        pytest.param(3.0, 0.3, 3.0, False, id="lists lag 3 s"),
        pytest.param(8.0, 0.3, 10.0, False, id="lists lag 8 s"),
        pytest.param(0.4, 1.0, 2.0, True, id="slow requests, an older comment"),
        pytest.param(3.0, 0.3, 3.0, True, id="an older comment that lags"),
    ],
)
def test_six_writers_end_in_one_comment_the_newest_runs(
    seed: int, lag_s: float, travel_s: float, spread_s: float, older: bool
) -> None:
    race = Race(seed, lag_s=lag_s, travel_s=travel_s, spread_s=spread_s, older=older)
    race.holds(race.run())


@pytest.mark.parametrize("seed", range(3))
def test_six_writers_over_the_wire_end_in_one_comment(seed: int) -> None:
    race = Race(seed, lag_s=0.4, travel_s=0.3, spread_s=0.5, older=False)
    race.holds(race.run_over_the_wire())


def test_the_same_seed_plays_the_same_race() -> None:
    races = [Race(5, lag_s=3.0, travel_s=0.3, spread_s=3.0, older=False) for _ in range(2)]
    for race in races:
        race.run()
    assert races[0].github.asked() == races[1].github.asked()
    assert any(line.startswith("DELETE") for line in races[0].github.asked())


@pytest.mark.parametrize("seed", range(12))
def test_six_jobs_of_one_run_agree_on_one_comment(seed: int) -> None:
    race = Race(seed, lag_s=0.4, travel_s=0.3, spread_s=0.5, older=False)
    race.one_run = True
    results = race.run()
    assert len(race.github.there()) == 1
    assert {result.status for result in results if isinstance(result, Posted)} <= {
        "created",
        "updated",
        "superseded",
    }
    assert not [result for result in results if not isinstance(result, Posted) or not result.url]
