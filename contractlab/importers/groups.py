r"""Regular expressions with groups in linear time, for mappings.

The patterns are written in Python's syntax (which Rust's shares, as far as it is allowed
here) and matched by backtracking that never tries the same instruction at the same place
twice (as RE2's BitState does), so that the work is at most pattern times text. There is no
look-around, no back-reference, no possessive or atomic part.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as constants  # type: ignore[attr-defined]  # Python's own parser
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST_CHARACTERS = 1_000
"""Of a pattern."""
MOST_INSTRUCTIONS = 5_000
"""Of a compiled pattern: `{n,m}` is written out."""
MOST_TEXT = 10_000
"""Characters of a text that are looked at."""
_REFUSED = {
    constants.ASSERT: "look-around",
    constants.ASSERT_NOT: "look-around",
    constants.GROUPREF: "a back-reference",
    constants.GROUPREF_EXISTS: "a back-reference",
    constants.POSSESSIVE_REPEAT: "a possessive repetition",
}
"""What a reader calls the operators that Python's parser knows by other names."""


class Groups:
    """A compiled pattern."""

    def __init__(self, pattern: str) -> None:
        """Compiles a pattern.

        Raises:
            ValueError: it is too long, malformed, or uses what is not allowed here.
        """
        if len(pattern) > MOST_CHARACTERS:
            raise ValueError(f"has {len(pattern)} characters; at most {MOST_CHARACTERS}")
        try:
            tree = parser.parse(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(str(error)) from error
        if tree.state.flags & re.VERBOSE:
            raise ValueError("the flag x is not allowed here")
        self._ignores_case = bool(tree.state.flags & re.IGNORECASE)
        self._code: list[tuple[str, Any, int]] = []
        self._flags = tree.state.flags & (re.IGNORECASE | re.ASCII | re.DOTALL)
        self.names: dict[str, int] = dict(tree.state.groupdict)
        self.count: int = tree.state.groups - 1
        self._emit_all(tree)
        self._add("match")
        self._search = lru_cache(maxsize=4096)(self._found)

    def search(self, text: str) -> str | None:
        """The text of group `value`, else of the first group, else of the match; None: no match."""
        return self._search(text[:MOST_TEXT])

    def _add(self, kind: str, argument: Any = None, other: int = 0) -> int:
        if len(self._code) >= MOST_INSTRUCTIONS:
            raise ValueError("is too large when its repetitions are written out")
        self._code.append((kind, argument, other))
        return len(self._code) - 1

    def _emit_all(self, items: Any) -> None:
        for operator, argument in items:
            self._emit(operator, argument)

    def _emit(self, operator: Any, argument: Any) -> None:
        match operator:
            case constants.LITERAL:
                self._add("one", re.compile(re.escape(chr(argument)), self._flags).match)
            case constants.NOT_LITERAL:
                self._add(
                    "one", self._class([(constants.NEGATE, None), (constants.LITERAL, argument)])
                )
            case constants.IN:
                self._add("one", self._class(argument))
            case constants.ANY:
                self._add("one", re.compile(".", self._flags).match)
            case constants.AT:
                self._add("at", argument)
            case constants.SUBPATTERN:
                group, on, off, inner = argument
                if on or off:
                    raise ValueError("flags stand at the very beginning: (?i)")
                if group is None:
                    self._emit_all(inner)
                else:
                    self._add("save", 2 * group)
                    self._emit_all(inner)
                    self._add("save", 2 * group + 1)
            case constants.BRANCH:
                self._branch(argument[1])
            case constants.MAX_REPEAT | constants.MIN_REPEAT:
                self._repeat(*argument, greedy=operator is constants.MAX_REPEAT)
            case _:
                told = _REFUSED.get(operator, "an atomic group")
                raise ValueError(f"{told} is not allowed: it takes too long")

    def _branch(self, branches: Any) -> None:
        ends = []
        for index, each in enumerate(branches):
            split = self._add("split", 0, 0) if index < len(branches) - 1 else None
            self._emit_all(each)
            if split is not None:
                ends.append(self._add("jump", 0))
                self._code[split] = ("split", split + 1, len(self._code))
        for end in ends:
            self._code[end] = ("jump", len(self._code), 0)

    def _repeat(self, least: int, most: Any, inner: Any, *, greedy: bool) -> None:
        for _ in range(least):
            self._emit_all(inner)
        if most is constants.MAXREPEAT:
            split = self._add("split", 0, 0)
            self._emit_all(inner)
            self._add("jump", split)
            self._split(split, greedy=greedy)
            return
        splits = []
        for _ in range(most - least):
            splits.append(self._add("split", 0, 0))
            self._emit_all(inner)
        for split in splits:
            self._split(split, greedy=greedy)

    def _split(self, at: int, *, greedy: bool) -> None:
        into, past = at + 1, len(self._code)
        self._code[at] = ("split", into, past) if greedy else ("split", past, into)

    def _class(self, items: Any) -> Any:
        return re.compile(_spelled(items), self._flags).match

    def _found(self, text: str) -> str | None:
        visited: set[tuple[int, int]] = set()
        for start in range(len(text) + 1):
            slots = self._from(text, start, visited)
            if slots is not None:
                group = self.names.get("value", 1 if self.count else 0)
                low, high = slots.get(2 * group), slots.get(2 * group + 1)
                return None if low is None or high is None else text[low:high]
        return None

    def _from(self, text: str, start: int, visited: set[tuple[int, int]]) -> dict[int, int] | None:
        slots = {0: start}
        # What is left to try: an instruction and a place, or a slot to be put back.
        todo: list[tuple[int, int, int | None, int | None]] = [(0, start, None, None)]
        while todo:
            at, place, slot, before = todo.pop()
            if slot is not None:
                _put_back(slots, slot, before)
                continue
            while (at, place) not in visited:
                visited.add((at, place))
                kind, argument, other = self._code[at]
                if kind == "one":
                    if place >= len(text) or not argument(text[place]):
                        break
                    place += 1
                elif kind == "split":
                    todo.append((other, place, None, None))
                elif kind == "save":
                    todo.append((0, 0, argument, slots.get(argument)))
                    slots[argument] = place
                elif kind == "at":
                    if not _holds(argument, text, place):
                        break
                elif kind == "match":
                    slots[1] = place
                    return slots
                at = argument if kind in ("split", "jump") else at + 1
        return None


def _put_back(slots: dict[int, int], slot: int, before: int | None) -> None:
    if before is None:
        slots.pop(slot, None)
    else:
        slots[slot] = before


def _spelled(items: Any) -> str:
    """A character class as a pattern of its own."""
    parts = []
    for operator, argument in items:
        if operator is constants.NEGATE:
            parts.append("^")
        elif operator is constants.LITERAL:
            parts.append(re.escape(chr(argument)))
        elif operator is constants.RANGE:
            parts.append(f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}")
        else:
            parts.append(_CATEGORIES[argument])
    return f"[{''.join(parts)}]"


_CATEGORIES = {
    constants.CATEGORY_DIGIT: r"\d",
    constants.CATEGORY_NOT_DIGIT: r"\D",
    constants.CATEGORY_SPACE: r"\s",
    constants.CATEGORY_NOT_SPACE: r"\S",
    constants.CATEGORY_WORD: r"\w",
    constants.CATEGORY_NOT_WORD: r"\W",
}


def _holds(where: Any, text: str, place: int) -> bool:
    if where in (constants.AT_BEGINNING, constants.AT_BEGINNING_STRING):
        return place == 0
    if where in (constants.AT_END, constants.AT_END_STRING):
        return place == len(text)
    before = place > 0 and _is_word(text[place - 1])
    after = place < len(text) and _is_word(text[place])
    return (before != after) == (where is constants.AT_BOUNDARY)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
