"""The compiled check and the published schemas: one verdict on every value."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from contractlab.files import checker, schema_text
from contractlab.limits import MOST_PROBLEMS
from contractlab.schema import Checker
from tests import builders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VALID: dict[str, Any] = {
    "dataset-v1": builders.dataset(),
    "rubric-v1": builders.rubric(),
    "predictions-v1": builders.predictions(),
}
SCHEMAS = {name: json.loads(schema_text(name)) for name in VALID}
PUBLISHED = sorted((Path(__file__).parent.parent / "schemas").glob("*.schema.json"))


def is_integer(_checker: object, value: object) -> bool:
    return type(value) is int


def is_finite(_checker: object, value: object) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max  # type: ignore[arg-type]


# What the package says beyond JSON Schema: integers written as such, numbers that are finite.
STRICT: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": is_integer, "number": is_finite}
    ),
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(
        [0, 1, -1, 0.0, 1.0, -0.0, 0.5, 2000.0, 100, 100000, 100001, 99, 0.999, 0.9990001, 0.4999,
         -1.0, -1.0000001, 10**308, 10**309, -(10**309), float("inf"),
         -float("inf"), 1.8e308, 2**63]
    ),
    st.floats(allow_nan=False),
    st.sampled_from(
        ["", " ", "\u00a0\u3000", "\u200b", "\x1f", "\x85", "x", "x" * 512, "x" * 513, "test",
         "positive", "train", "eval-dataset-v1", "eval-rubric-v1", "eval-predictions-v1", "Test"]
    ),
    st.text(max_size=3),
)  # fmt: skip
junk = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


def holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from holders(inner)


@st.composite
def mutated(draw: Callable[..., Any], valid: Any) -> Any:
    """A valid contract, changed at one or a few places."""
    value = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 3))):
        places = list(holders(value))
        if not places:
            break
        holder = draw(st.sampled_from(places))
        steps = sorted(holder) if isinstance(holder, dict) else range(len(holder))
        step = draw(st.sampled_from(list(steps)))
        match draw(st.sampled_from(["replace", "delete", "add", "repeat"])):
            case "replace":
                holder[step] = draw(junk)
            case "delete":
                del holder[step]
            case "add" if isinstance(holder, dict):
                holder[draw(st.text(max_size=4))] = draw(junk)
            case "add":
                holder.append(draw(junk))
            case "repeat" if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[step]))
    return value


@pytest.mark.parametrize("name", SCHEMAS)
@settings(max_examples=1000)
@given(data=st.data())
def test_the_compiled_check_is_the_published_schema(name: str, data: st.DataObject) -> None:
    value = data.draw(mutated(VALID[name]))
    is_right = STRICT(SCHEMAS[name]).is_valid(value)
    assert checker(name).ok(value) == is_right
    problems = checker(name).check(value, "x.json")
    assert (problems == []) == is_right


@pytest.mark.parametrize("name", SCHEMAS)
@settings(max_examples=300)
@given(data=st.data())
def test_a_plain_validator_accepts_whatever_the_check_accepts(
    name: str, data: st.DataObject
) -> None:
    value = data.draw(mutated(VALID[name]))
    if checker(name).ok(value):
        assert Draft202012Validator(SCHEMAS[name]).is_valid(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rubric-v1", builders.rubric(samples=2000.0)),
        ("rubric-v1", builders.rubric(seed=7.0)),
        ("rubric-v1", builders.rubric(max_mean_cost_usd=float("inf"))),
        ("rubric-v1", builders.rubric(seed=10**309)),
    ],
    ids=["2000.0 samples", "seed 7.0", "1e999", "an integer beyond doubles"],
)
def test_only_integers_with_a_fraction_and_numbers_beyond_doubles_are_refused_beyond_the_schema(
    name: str, value: Any
) -> None:
    assert Draft202012Validator(SCHEMAS[name]).is_valid(value)
    assert not checker(name).ok(value)


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("value", [None, [], {}, "", 0, True, [[]], {"schema_version": 1}])
def test_no_other_document_is_a_contract(name: str, value: Any) -> None:
    assert checker(name).check(value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_builders_contracts_are_right(name: str) -> None:
    assert checker(name).check(VALID[name]) == []


def fields(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        for name, inner in schema.get("properties", {}).items():
            yield f"{path}/{name}", inner
        for key, inner in schema.items():
            yield from fields(inner, f"{path}/{key}")


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.name)
def test_a_published_schema_is_a_2020_12_schema_with_an_id_and_words_for_each_field(
    path: Path,
) -> None:
    schema = json.loads(path.read_bytes())
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:contractlab:{path.name.removesuffix('.schema.json')}"
    assert schema["title"]
    assert schema["description"]
    wordless = [
        name
        for name, field in fields(schema)
        if not (field.get("title") and field.get("description"))
    ]
    assert wordless == []


def test_there_is_a_schema_for_each_contract_and_the_report() -> None:
    names = {path.name.removesuffix(".schema.json") for path in PUBLISHED}
    assert names >= {*SCHEMAS, "report-v1"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "format": "email"},
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "number", "exclusiveMinimum": 0},
        {"$ref": "#/$defs/a", "minLength": 1, "$defs": {"a": {"type": "string"}}},
        {"type": ["string", "number"]},
    ],
    ids=str,
)
def test_a_keyword_that_is_not_compiled_is_refused_and_not_passed_over(schema: Any) -> None:
    with pytest.raises(ValueError, match="compiled"):
        Checker(schema)


def test_entries_that_are_no_strings_do_not_break_the_check_of_unique_ones() -> None:
    value = builders.dataset(builders.case(forbidden_actions=[{}, [], {}, "a", "a", 1, 1.0, True]))
    codes = [each.rule.code for each in checker("dataset-v1").check(value)]
    assert sorted(codes) == ["CL202"] * 6 + ["CL206"]


def test_a_hundred_thousand_mixed_entries_are_not_compared_pair_by_pair() -> None:
    entries = ["x", "x", *(each for index in range(50_000) for each in (index, str(index)))]
    value = builders.dataset(builders.case(forbidden_actions=entries))
    assert len(checker("dataset-v1").check(value)) == MOST_PROBLEMS


def test_a_field_name_of_megabytes_and_a_hundred_thousand_unknown_ones_are_told() -> None:
    value = {**builders.dataset(), "k" * 10_000_000: 1, **dict.fromkeys(map(str, range(100_000)))}
    assert len(checker("dataset-v1").check(value)) == MOST_PROBLEMS


def test_a_contract_nested_65_deep_is_told_where() -> None:
    value = builders.dataset(builders.case(input=json.loads("[" * 61 + "]" * 61)))
    assert [each.rule.code for each in checker("dataset-v1").check(value)] == ["CL202"]
    value = builders.dataset(builders.case(input=json.loads("[" * 62 + "]" * 62)))
    (problem,) = checker("dataset-v1").check(value)
    assert problem.rule.code == "CL107"
    assert problem.path == ("cases", 2, "input", *[0] * 61)
