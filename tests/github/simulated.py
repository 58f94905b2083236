"""Threads in simulated time: one runs at a time, the clock jumps to whoever wakes next.

So a race is played in its full length in no time, and the same seed plays the same race.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

START_S = 1_767_322_800.0


class HandClock:
    """A clock that only its own sleep moves, for one thread."""

    def __init__(self) -> None:
        self.now_s = START_S
        self.slept_s: list[float] = []

    def clock(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.now_s += seconds


class SimulatedTime:
    """A clock, a sleep, and threads that only they drive."""

    def __init__(self) -> None:
        self._now_s = START_S
        self._turns: list[tuple[float, int, threading.Event]] = []
        self._order = itertools.count()
        self._done = threading.Event()

    def clock(self) -> float:
        return self._now_s

    def sleep(self, seconds: float) -> None:
        turn = self._queue(seconds)
        self._pass_on()
        turn.wait()

    def run(self, tasks: Sequence[Callable[[], object]]) -> list[object]:
        """What each task gave, or the exception it raised; all start at once."""
        results: list[object] = [None] * len(tasks)

        def play(index: int, turn: threading.Event) -> None:
            turn.wait()
            try:
                results[index] = tasks[index]()
            except Exception as error:
                results[index] = error
            self._pass_on()

        threads = [
            threading.Thread(target=play, args=(index, self._queue(0.0)), daemon=True)
            for index in range(len(tasks))
        ]
        for thread in threads:
            thread.start()
        self._pass_on()
        self._done.wait(timeout=60)
        return results

    def _queue(self, seconds: float) -> threading.Event:
        turn = threading.Event()
        heapq.heappush(self._turns, (self._now_s + seconds, next(self._order), turn))
        return turn

    def _pass_on(self) -> None:
        if not self._turns:
            self._done.set()
            return
        self._now_s, _, turn = heapq.heappop(self._turns)
        turn.set()
