"""Chat messages, as OpenAI writes them and many formats vary them: calls, answer, first input."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from contractlab.importers.neutral import Call
from contractlab.importers.values import (
    arguments,
    arr,
    brief,
    content_text,
    digest_id,
    failure,
    first,
    obj,
    usage,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.importers.neutral import Where

NAMELESS = "(no name)"
"""Stands for a call whose format has no name for it."""


@dataclass(slots=True)
class Walk:
    """What a conversation shows of the agent."""

    calls: list[Call] = field(default_factory=list)
    answer: str | None = None
    """The agent's last text."""
    input: str | None = None
    """The user's first text."""
    usages: list[dict[str, int]] = field(default_factory=list)
    guessed: bool = False
    """Whether a call is taken as failed only because its result calls itself an error."""


def walk(messages: Sequence[Any], *, agent: str = "assistant", guess: bool = True) -> Walk:
    """Follows a conversation.

    Args:
        messages: in order; what is no message is passed over.
        agent: whose calls count, where messages name a `requestor`.
        guess: whether a result that calls itself an error is a failed call.
    """
    seen = Walk()
    open_calls: dict[str, Call] = {}
    for turn, message in enumerate(messages):
        if type(message) is not dict:
            continue
        role = message.get("role")
        if role == "assistant":
            _assistant(seen, open_calls, message, turn, agent)
        elif role in ("tool", "function"):
            _result(seen, open_calls, message, guess=guess)
        elif role in ("user", "human") and seen.input is None:
            seen.input = content_text(message.get("content"))
    return seen


def _assistant(
    seen: Walk, open_calls: dict[str, Call], message: dict[str, Any], turn: int, agent: str
) -> None:
    told = content_text(message.get("content"))
    if told is not None:
        seen.answer = told
    counted = usage(message["usage"]) if "usage" in message else None
    if counted:
        seen.usages.append(counted)
    asked = message.get("tool_calls")
    if not asked and type(message.get("function_call")) is dict:
        asked = [message["function_call"]]
    for each in arr(asked):
        if type(each) is not dict or each.get("requestor", agent) != agent:
            continue
        call = call_of(each, turn)
        seen.calls.append(call)
        open_calls[call.id or call.name] = call


def call_of(each: dict[str, Any], turn: int | None) -> Call:
    """A call in any of the spellings: `function` an object or a name, arguments text or object."""
    inner = each.get("function")
    if type(inner) is dict:
        called = inner.get("name")
    else:
        called, inner = inner or each.get("name"), each
    given = inner.get("arguments")
    if given is None:
        given = inner.get("args")
    if given is None:
        given = first(inner, "input", "kwargs")
    if type(given) is not dict:
        given = arguments(given)
    call = Call(called if type(called) is str and called else NAMELESS, given, None, turn)
    id_ = each.get("id")
    call.id = id_ if type(id_) is str and id_ else None
    error = each.get("error")
    if error:  # AgentDojo's extracts keep a call's error with the call
        call.ok, call.error = False, brief(error)
    return call


def _result(
    seen: Walk, open_calls: dict[str, Call], message: dict[str, Any], *, guess: bool
) -> None:
    key = first(message, "tool_call_id", "id")
    if key is None:
        key = first(obj(message.get("tool_call")), "id") or message.get("name")
    call = open_calls.get(key) if type(key) is str else None
    if call is None:
        return
    told = message.get("error")
    if type(told) is bool:
        call.ok = not told
        call.error = brief(content_text(message.get("content")) or "error") if told else None
    elif told:
        call.ok, call.error = False, brief(told)
    elif guess and (error := failure(message.get("content"))) is not None:
        call.ok, call.error, seen.guessed = False, error, True
    elif call.ok is None:
        call.ok = True


BY_INPUT = "its case id is a digest of the user's first text, for want of a better"
BY_PLACE = "its case id is its place in the source, for want of a better"


def case_id(called: str | None, given: Any, where: Where) -> tuple[str, tuple[str, ...]]:
    """A run's case id, and what is to be said about it.

    Args:
        called: what the source names the case, if it does.
        given: what the agent was asked: the same input is the same case in every release.
        where: the run's place, where there is no input either.
    """
    if called is not None:
        return called, ()
    if given:
        return digest_id("input", given if type(given) is str else str(given)), (BY_INPUT,)
    place = PurePath(where.file).name
    return f"{place}:{where.line or where.id}" if where.line or where.id else place, (BY_PLACE,)


GUESSED = "a call is taken as failed because its result begins with an error's words"
