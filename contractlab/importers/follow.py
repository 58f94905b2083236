"""Following a conversation of any API's messages: calls with their results, answer, first input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import Walk
from contractlab.importers.said import message
from contractlab.importers.values import usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contractlab.importers.neutral import Call
    from contractlab.importers.said import Result


@dataclass(slots=True)
class OpenCalls:
    """The calls that wait for their results."""

    by_id: dict[str, Call] = field(default_factory=dict)
    by_name: dict[str, list[Call]] = field(default_factory=dict)

    def add(self, call: Call) -> None:
        """A call that was asked for."""
        if call.id:
            self.by_id[call.id] = call
        self.by_name.setdefault(call.name, []).append(call)

    def settle(self, result: Result) -> bool:
        """Gives a result to its call: by id, else to the first of that name that has none.

        Returns:
            Whether a call is failed only by its result's words.
        """
        call = self.by_id.get(result.id) if result.id else None
        if call is None and result.name:
            waiting = self.by_name.get(result.name, [])
            call = next((each for each in waiting if each.ok is None), None)
        if call is None:
            return False
        if result.error is not None:
            call.ok, call.error = False, result.error
            return result.guessed
        if call.ok is None:
            call.ok = True
        return False


def follow(values: Iterable[Any]) -> Walk:
    """Follows a conversation; what is no message is passed over.

    Calls of one message share a turn, also where a stream wrote it in pieces of one id.
    """
    seen = Walk()
    calls = OpenCalls()
    turn, last_id = -1, None
    for value in values:
        if type(value) is not dict:
            continue
        said = message(value)
        if last_id is None or value.get("id") != last_id:
            turn += 1
        last_id = value.get("id") if said.role == "assistant" else None
        if said.role == "user" and seen.input is None:
            seen.input = said.text
        elif said.role == "assistant":
            seen.answer = said.text or seen.answer
            if used := usage(value.get("usage")):
                seen.usages.append(used)
        for call in said.calls:
            call.turn = turn
            seen.calls.append(call)
            calls.add(call)
        for result in said.results:
            seen.guessed = calls.settle(result) or seen.guessed
    return seen
