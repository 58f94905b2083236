"""Expected calls of tau-bench and tau2-bench against those that were made."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from contractlab.canonical import encode
from contractlab.importers.values import arr, content_text, obj

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contractlab.importers.neutral import Call

# tau-bench's airline and retail tools that change the database (sierra-research/tau-bench,
# tau_bench/envs/*/tools): the reward compares the database that they leave.
_AIRLINE = frozenset(
    [
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
    ]
)
_RETAIL = frozenset(
    [
        "cancel_pending_order",
        "exchange_delivered_order_items",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "modify_user_address",
        "return_delivered_order_items",
    ]
)
WRITE_TOOLS = _AIRLINE | _RETAIL


def all_made(actions: Sequence[dict[str, Any]], calls: Sequence[Call]) -> bool:
    """Whether each action was carried out; `compare_args` names the arguments that count."""
    left = [call for call in calls if call.ok]
    for action in actions:
        wanted, counted = obj(action.get("arguments")), action.get("compare_args")
        names = wanted.keys() if counted is None else {str(each) for each in arr(counted)}
        for call in left:
            given = obj(call.arguments)
            same = all(_key("", given.get(name)) == _key("", wanted.get(name)) for name in names)
            whole = counted is not None or given.keys() == wanted.keys()
            if call.name == action.get("name") and same and whole:
                left.remove(call)
                break
        else:
            return False
    return True


def told(outputs: Iterable[Any], messages: Sequence[Any]) -> bool:
    """Whether each expected output was told to the user (tau-bench: commas aside, any case)."""
    said = [
        (content_text(obj(message).get("content")) or "").lower().replace(",", "")
        for message in messages
        if obj(message).get("role") == "assistant"
    ]
    return all(any(str(each).lower() in text_ for text_ in said) for each in outputs)


def graded(expected: Sequence[dict[str, Any]], calls: Sequence[Call]) -> bool:
    """Whether the successful writes are the expected ones, in any order.

    Only the known write tools are held against each other: what is merely read leaves the
    same database. Where a file expects others, all of those must be among the calls.
    """
    made = Counter(_effect(call.name, call.arguments) for call in calls if call.ok is not False)
    wanted = Counter(_effect(each["name"], each["arguments"]) for each in expected)
    if not is_known(expected, calls):
        return not wanted - made
    return _writes(made) == _writes(wanted)


def _used(expected: Sequence[dict[str, Any]], calls: Sequence[Call]) -> set[str]:
    return {call.name for call in calls} | {each["name"] for each in expected}


def is_known(expected: Sequence[dict[str, Any]], calls: Sequence[Call]) -> bool:
    """Whether these are the tools of an environment whose write tools are known."""
    used = _used(expected, calls)
    own = used & (WRITE_TOOLS | _READ_AIRLINE | _READ_RETAIL)
    return bool(own) or (bool(used) and used <= _READ_BOTH)


def environment(expected: Sequence[dict[str, Any]], calls: Sequence[Call]) -> frozenset[str]:
    """The write tools of the environment whose tools these are; of both, where it may be either."""
    used = _used(expected, calls)
    if used & (_AIRLINE | _READ_AIRLINE):
        return _AIRLINE
    return _RETAIL if used & (_RETAIL | _READ_RETAIL) else WRITE_TOOLS


def flight_legs(arguments: Any) -> list[dict[str, Any]] | None:
    """The flights that a write names, by what counts of them; None where it names none.

    The environment looks each up by number and date, and writes over what it sets itself
    (tau_bench/envs/airline/tools, book_reservation and update_reservation_flights).
    """
    legs = obj(arguments).get("flights")
    if type(legs) is not list or not all(type(leg) is dict for leg in legs):
        return None
    return [{key: leg[key] for key in leg if key not in FLIGHT_DETAILS} for leg in legs]


def _writes(calls: Counter[tuple[str, bytes]]) -> Counter[tuple[str, bytes]]:
    return Counter({key: much for key, much in calls.items() if key[0] in WRITE_TOOLS})


FLIGHT_DETAILS = ("destination", "origin", "price")
"""Of a flight, what the environment sets itself."""

_READ_BOTH = frozenset(["calculate", "get_user_details", "think", "transfer_to_human_agents"])
_READ_AIRLINE = frozenset(
    [
        "get_reservation_details",
        "search_direct_flight",
        "search_onestop_flight",
        "list_all_airports",
    ]
)
_READ_RETAIL = frozenset(
    [
        "get_order_details",
        "get_product_details",
        "list_all_product_types",
        "find_user_id_by_email",
        "find_user_id_by_name_zip",
    ]
)


def _effect(called: str, arguments: Any) -> tuple[str, bytes]:
    """A call by what it does: the same, where the environment cannot tell two apart."""
    legs = flight_legs(arguments) if called in WRITE_TOOLS else None
    return _key(called, arguments if legs is None else {**arguments, "flights": legs})


def _key(called: str, arguments: Any) -> tuple[str, bytes]:
    try:
        return called, encode(arguments or {})
    except ValueError:
        return called, repr(arguments).encode("utf-8", "replace")
