"""Matchers and call orders, the orders against a brute-force oracle of their own."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.match import ORDERS, Pattern, Way, matcher, same
from contractlab.model import Call
from contractlab.regex import MOST_CHARACTERS, searcher

if TYPE_CHECKING:
    from collections.abc import Sequence

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("written", "value", "holds"),
    [
        ("A-102", "A-102", True),
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        (None, None, True),
        ([1, {"a": 2}], [1.0, {"a": 2}], True),
        ([1, 2], [2, 1], False),
        ({"equals": {"a": 1}}, {"a": 1}, True),
        ({"equals": {"a": 1}}, {"a": 1, "b": 2}, False),
        ({"in": ["a", 1]}, 1, True),
        ({"in": ["a", 1]}, True, False),
        ({"not_in": ["acct-1"]}, "acct-2", True),
        ({"not_in": ["acct-1"]}, "acct-1", False),
        ({"contains": ["14", "days"]}, "within 14 days", True),
        ({"contains": ["14", "weeks"]}, "within 14 days", False),
        ({"contains": [2]}, [1, 2.0], True),
        ({"contains": ["a"]}, {"a": 1}, False),
        ({"not_contains": ["guarantee"]}, "no promise", True),
        ({"not_contains": ["guarantee"]}, "a guarantee", False),
        ({"not_contains": ["guarantee"]}, ["a guarantee"], True),
        ({"not_contains": ["guarantee"]}, {"text": "a guarantee"}, False),
        ({"not_contains": [5]}, 5, False),
        ({"not_contains": ["a"]}, None, False),
        ({"matches": r"^A-\d+$"}, "A-12", True),
        ({"matches": r"^A-\d+$"}, "xA-12", False),
        ({"matches": "1"}, 1, False),
        ({"not_matches": "secret"}, "open", True),
        ({"not_matches": "secret"}, 5, False),
        ({"range": {"at_least": 1, "at_most": 2}}, 2, True),
        ({"range": {"at_least": 1}}, 0.999, False),
        ({"range": {"at_least": 0}}, True, False),
        ({"range": {"at_most": 5}}, "3", False),
        ({"json_schema": {"type": "object", "required": ["a"]}}, {"a": 1}, True),
        ({"json_schema": {"type": "object", "required": ["a"]}}, {"b": 1}, False),
        ({"json_schema": {"type": "object", "required": ["a"]}}, '{"a": 1}', False),
        ({"json_schema": {"type": "string"}}, '{"a": 1}', True),
        ({"json_schema": {"uniqueItems": True}}, [1, True, "1", {"a": 1}], True),
        ({"json_schema": {"uniqueItems": True}}, [{"a": [1]}, {"a": [1.0]}], False),
        ({"json_schema": {"multipleOf": 0.1}}, 0.3, True),
        ({"json_schema": {"multipleOf": 0.1}}, 0.35, False),
        ({"contains": ["a"], "not_contains": ["b"]}, "ab", False),
    ],
)
def test_a_matcher_holds_for_exactly_these_values(written: Any, value: Any, holds: bool) -> None:
    assert matcher(written).holds(value) is holds


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ({}, "no condition"),
        ({"range": {}}, "at_least"),
        ({"range": {"at_least": 2, "at_most": 1}}, "no number"),
        ({"matches": "(?=a)b"}, "look-around"),
        ({"matches": r"(a)\1"}, "backreferences"),
        ({"matches": "("}, "unclosed"),
        ({"matches": "a" * (MOST_CHARACTERS + 1)}, "1001 characters"),
        ({"matches": "((a{100}){100}){100}"}, "size limit"),
        ({"json_schema": {"$ref": "https://example.org/x"}}, r"\$ref"),
        ({"json_schema": {"patternProperties": {"(a+)+$": {}}}}, "patternProperties"),
        ({"json_schema": {"properties": {"a": {"pattern": r"(a)\1"}}}}, "backreferences"),
        ({"json_schema": {"type": "text"}}, "no JSON Schema"),
    ],
)
def test_a_matcher_that_cannot_be_compiled_says_why(written: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        matcher(written)


@pytest.mark.parametrize(
    ("schema", "answer", "holds"),
    [
        ({"type": "object", "required": ["a"]}, '{"a": 1}', True),
        ({"type": "object", "required": ["a"]}, {"a": 1}, True),
        # As a text it would fit: the schema says nothing of texts.
        ({"properties": {"amount": {"maximum": 10}}}, '{"amount": 50}', False),
        ({"type": "string"}, '{"a": 1}', False),
        ({"type": "string"}, "not JSON", True),
        ({"type": "number"}, "NaN", False),
        ({"multipleOf": 0.5}, "1e999", False),
        ({"multipleOf": 0.5}, "9" * 400, True),
        ({"type": "integer"}, "9" * 5000, False),
        ({"type": "array"}, "[" * 100_000, False),
    ],
)
def test_an_answer_that_is_json_is_judged_as_what_it_says(
    schema: Any, answer: Any, holds: bool
) -> None:
    assert matcher({"json_schema": schema}, answer=True).holds(answer) is holds


def test_a_property_may_be_called_like_a_refused_keyword() -> None:
    assert matcher({"json_schema": {"properties": {"$ref": {"type": "string"}}}}).holds(
        {"$ref": ""}
    )


def test_a_pattern_that_never_ends_in_backtracking_engines_has_an_answer() -> None:
    assert not searcher("(a+)+$")("a" * 1_000_000 + "b")


@given(JSON, JSON)
def test_equality_is_symmetric_and_agrees_with_python_but_for_booleans(
    one: Any, other: Any
) -> None:
    assert same(one, other) == same(other, one)
    assert same(one, one)
    if same(one, other):
        assert one == other


# ── orders ──────────────────────────────────────────────────────────────────────────────────

NAMES = st.sampled_from("abc")
ARGUMENTS = st.dictionaries(st.sampled_from("xy"), st.integers(0, 1), max_size=2)
CALLS = st.lists(st.builds(Call, NAMES, ARGUMENTS, st.booleans()), max_size=4)
PATTERNS = st.lists(
    st.builds(
        lambda name, arguments, mode: Pattern(
            name, {key: matcher(value) for key, value in arguments.items()}, mode
        ),
        NAMES,
        ARGUMENTS,
        st.sampled_from(["exact", "subset", "ignore"]),
    ),
    max_size=4,
)


def fits(wanted: Sequence[Pattern], made: Sequence[Call]) -> bool:
    return len(wanted) == len(made) and all(
        each.fits(call) for each, call in zip(wanted, made, strict=True)
    )


def oracle(mode: str, wanted: Sequence[Pattern], made: Sequence[Call]) -> bool:
    """The definitions, by trying every choice of calls in every order."""
    match mode:
        case "exact":
            return fits(wanted, made)
        case "none":
            return len(made) == 0
        case "in_order":
            return any(fits(wanted, part) for part in combinations(made, len(wanted)))
        case "any_order":
            return any(fits(wanted, part) for part in permutations(made))
        case "superset":
            return any(fits(wanted, part) for part in permutations(made, len(wanted)))
        case _:
            return any(fits(part, made) for part in permutations(wanted, len(made)))


@given(st.sampled_from(sorted(ORDERS)), PATTERNS, CALLS)
def test_every_order_mode_agrees_with_trying_everything(
    mode: str, wanted: list[Pattern], made: list[Call]
) -> None:
    assert ORDERS[mode](wanted, made) == oracle(mode, wanted, made)


@given(PATTERNS, CALLS)
def test_any_order_is_superset_and_subset_together(wanted: list[Pattern], made: list[Call]) -> None:
    both = ORDERS["superset"](wanted, made) and ORDERS["subset"](wanted, made)
    assert ORDERS["any_order"](wanted, made) == both


@given(PATTERNS, CALLS)
def test_only_successful_calls_count_unless_all_attempts_do(
    wanted: list[Pattern], made: list[Call]
) -> None:
    succeeded = [call for call in made if call.ok]
    for mode in ORDERS:
        assert Way(mode, "successful", tuple(wanted)).holds(made) == oracle(mode, wanted, succeeded)
        assert Way(mode, "all", tuple(wanted)).holds(made) == oracle(mode, wanted, made)


def test_a_wide_pattern_leaves_the_call_to_the_narrow_one() -> None:
    wide, narrow = Pattern("a", {}, "ignore"), Pattern("a", {"x": matcher(1)})
    made = [Call("a", {"x": 1}), Call("a", {"x": 2})]
    assert ORDERS["any_order"]([wide, narrow], made)
    assert ORDERS["any_order"]([narrow, wide], made)


def test_parallel_calls_of_one_turn_keep_their_order_under_exact() -> None:
    wanted = [Pattern("a", {}), Pattern("b", {})]
    assert ORDERS["exact"](wanted, [Call("a", None, turn=1), Call("b", None, turn=1)])
    assert not ORDERS["exact"](wanted, [Call("b", None, turn=1), Call("a", None, turn=1)])


@pytest.mark.parametrize(
    ("mode", "given_", "holds"),
    [
        ("exact", {"x": 1}, True),
        ("exact", {"x": 1, "y": 2}, False),
        ("subset", {"x": 1, "y": 2}, True),
        ("subset", {"y": 2}, False),
        ("subset", None, False),
        ("subset", ["x"], False),
        ("ignore", None, True),
        ("ignore", ["x"], True),
    ],
)
def test_argument_modes(mode: str, given_: Any, holds: bool) -> None:
    assert Pattern("a", {"x": matcher(1)}, mode).fits(Call("a", given_)) is holds


def test_a_thousand_calls_with_one_chain_of_choices_are_paired() -> None:
    # Pattern i fits calls i and i + 1, so one late arrival moves every earlier one.
    wanted = [Pattern("a", {"x": matcher({"in": [i, i + 1]})}) for i in range(400)]
    made = [Call("a", {"x": i}) for i in range(400, 0, -1)]
    assert ORDERS["any_order"](wanted, made)
