"""Matchers on JSON values, and expected calls against those that were made.

Everything here is deterministic, and a value's kind counts: 1 is not true, "1" is not 1;
1 and 1.0 are one number.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contractlab.regex import searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from contractlab.model import Call

    Predicate = Callable[[Any], bool]


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; the order of an object's members does not count."""
    kinds = {type(one), type(other)}
    if kinds == {int, float}:
        return bool(one == other)
    if len(kinds) != 1:
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def among(value: Any, values: Sequence[Any]) -> bool:
    """Whether a value equals one of several."""
    return any(same(value, each) for each in values)


def contains(value: Any, part: Any) -> bool:
    """Whether a text has this text in it, or an array this entry."""
    if isinstance(value, str):
        return isinstance(part, str) and part in value
    return isinstance(value, list) and among(part, value)


@dataclass(frozen=True, slots=True)
class Matcher:
    """Conditions on a value, which must all hold."""

    written: Any
    """As the contract has it."""
    predicates: tuple[Predicate, ...]

    def holds(self, value: Any) -> bool:
        """Whether the value meets every condition."""
        return all(predicate(value) for predicate in self.predicates)


def matcher(written: Any, *, answer: bool = False) -> Matcher:
    """The matcher of an expected argument: a value to equal, or an object of conditions.

    Args:
        written: as the contract has it.
        answer: it is about a final answer, whose text a JSON Schema reads as JSON.

    Raises:
        ValueError: a pattern or a JSON Schema that cannot be compiled, or no condition.
    """
    if not isinstance(written, dict):
        return Matcher(written, (lambda value: same(value, written),))
    if not written:
        raise ValueError('has no condition; an empty object is written {"equals": {}}')
    return Matcher(
        written, tuple(_predicate(word, of, answer=answer) for word, of in written.items())
    )


def _predicate(word: str, of: Any, *, answer: bool) -> Predicate:
    match word:
        case "equals":
            return lambda value: same(value, of)
        case "in":
            return lambda value: among(value, of)
        case "not_in":
            return lambda value: not among(value, of)
        case "contains":
            return lambda value: all(contains(value, part) for part in of)
        case "not_contains":
            return lambda value: (
                isinstance(value, str | list) and not any(contains(value, part) for part in of)
            )
        case "matches":
            return searcher(of)
        case "not_matches":
            found = searcher(of)
            return lambda value: isinstance(value, str) and not found(value)
        case "range":
            return _within(of)
        case _:
            from contractlab.answer_schema import accepts  # noqa: PLC0415 (imports jsonschema)

            return accepts(of, texts_are_json=answer)


def _within(bounds: Mapping[str, Any]) -> Predicate:
    if not bounds:
        raise ValueError('a range needs "at_least" or "at_most"')
    least, most = bounds.get("at_least", float("-inf")), bounds.get("at_most", float("inf"))
    if least > most:
        raise ValueError(f"no number is at least {least} and at most {most}")
    return lambda value: type(value) in (int, float) and least <= value <= most


@dataclass(frozen=True, slots=True)
class Pattern:
    """A call by name and arguments."""

    name: str
    arguments: Mapping[str, Matcher]
    mode: str = "subset"
    """`exact`: these arguments and no other; `subset`: these; `ignore`: not looked at."""

    def fits(self, call: Call) -> bool:
        """Whether a call that was made is one of these."""
        if call.name != self.name:
            return False
        if self.mode == "ignore":
            return True
        given = {} if call.arguments is None else call.arguments
        if not isinstance(given, dict):
            return self.mode == "subset" and not self.arguments
        if self.mode == "exact" and given.keys() != self.arguments.keys():
            return False
        return all(
            name in given and wanted.holds(given[name]) for name, wanted in self.arguments.items()
        )


@dataclass(frozen=True, slots=True)
class Way:
    """Expected calls under an order mode."""

    mode: str
    attempts: str
    """`successful` or `all`: which calls count."""
    calls: tuple[Pattern, ...]

    def holds(self, made: Sequence[Call]) -> bool:
        """Whether the calls that were made, in their order, are the expected ones."""
        counted = made if self.attempts == "all" else [call for call in made if call.ok]
        return ORDERS[self.mode](self.calls, counted)


def _exact(wanted: Sequence[Pattern], made: Sequence[Call]) -> bool:
    return len(wanted) == len(made) and all(map(Pattern.fits, wanted, made))


def _in_order(wanted: Sequence[Pattern], made: Sequence[Call]) -> bool:
    # The earliest call that fits is never a worse choice than a later one.
    rest = iter(made)
    return all(any(pattern.fits(call) for call in rest) for pattern in wanted)


def _any_order(wanted: Sequence[Pattern], made: Sequence[Call]) -> bool:
    return len(wanted) == len(made) and _paired(wanted, made) == len(made)


def _superset(wanted: Sequence[Pattern], made: Sequence[Call]) -> bool:
    return len(wanted) <= len(made) and _paired(wanted, made) == len(wanted)


def _subset(wanted: Sequence[Pattern], made: Sequence[Call]) -> bool:
    return len(made) <= len(wanted) and _paired(wanted, made) == len(made)


def _none(_wanted: Sequence[Pattern], made: Sequence[Call]) -> bool:
    return not made


ORDERS: Mapping[str, Callable[[Sequence[Pattern], Sequence[Call]], bool]] = {
    "exact": _exact,
    "in_order": _in_order,
    "any_order": _any_order,
    "superset": _superset,
    "subset": _subset,
    "none": _none,
}
"""Each order mode; `any_order` is `superset` and `subset` together."""


def _paired(wanted: Sequence[Pattern], made: Sequence[Call]) -> int:
    """How many expected calls can be given a call each, no call twice.

    A largest matching by augmenting paths (Kuhn 1955): where two patterns fit one call, the
    wider one must leave it to the narrower. Without arguments, counting names is enough.
    """
    if all(pattern.mode == "ignore" or not pattern.arguments for pattern in wanted) and not any(
        pattern.mode == "exact" for pattern in wanted
    ):
        names, calls = Counter(each.name for each in wanted), Counter(each.name for each in made)
        return (names & calls).total()
    fits = [[at for at, call in enumerate(made) if pattern.fits(call)] for pattern in wanted]
    taken: dict[int, int] = {}

    def place(pattern: int) -> bool:
        # Breadth first: a path may be as long as there are calls, too deep to recurse.
        came_from: dict[int, tuple[int, int | None]] = {}
        queue: list[tuple[int, int | None]] = [(pattern, None)]
        for current, via in queue:
            for at in fits[current]:
                if at in came_from:
                    continue
                came_from[at] = (current, via)
                if at in taken:
                    queue.append((taken[at], at))
                    continue
                free: int | None = at
                while free is not None:
                    taken[free], free = came_from[free]
                return True
        return False

    return sum(place(pattern) for pattern in range(len(wanted)))
