"""The compiled check of the version 2 schemas says what `jsonschema` says."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from contractlab import files
from contractlab.schema import Checker
from tests.v2.builders import case, dataset, predictions, record, rubric

FOLDER = Path(__file__).parents[2] / "schemas"

RICH = {
    "dataset-v2": dataset(
        case(
            "a",
            family_id="f",
            slice="s",
            tags=["t"],
            critical=True,
            risk="safety",
            input={"messages": [1, None]},
            expect={
                "label": "x",
                "outcomes": {"u": True},
                "tools": {
                    "any_of": [
                        {"mode": "none"},
                        {
                            "mode": "exact",
                            "arguments": "subset",
                            "attempts": "all",
                            "calls": [
                                {
                                    "name": "n",
                                    "arguments": {
                                        "a": 1,
                                        "b": [None, {"x": 1}],
                                        "c": {"range": {"at_least": 1, "at_most": 2.5}},
                                        "d": {"in": [1, "x"], "matches": "y"},
                                        "e": None,
                                    },
                                    "match": "ignore",
                                }
                            ],
                        },
                    ]
                },
                "forbidden": [{"name": "n", "attempts": "all"}, {"action": "a"}],
                "evidence": {"ids": ["i"], "present": True},
                "answer": {"contains": ["c"], "json_schema": {"type": "object"}},
            },
        ),
        case("b", expect={"tools": {"mode": "in_order", "calls": [{"name": "n"}]}}),
    ),
    "predictions-v2": predictions(
        "r",
        record(
            "a",
            trial=1,
            status="limit",
            error=None,
            label=None,
            calls=[
                {"name": "n", "arguments": {"a": [1]}, "ok": None, "turn": 0, "error": "e"}
            ],
            actions=["x"],
            evidence=["e"],
            answer={"a": 1},
            latency_ms=None,
            cost_usd=0.5,
            tokens={"input": 3, "output": None},
            source={"file": "f", "sha256": "s", "line": 3, "id": "i"},
        ),
        record("b", evidence=True, calls=None, tokens=None),
        recording={"format": "f", "sources": [{"file": "f"}], "read": 2, "skipped": {"why": 1}},
    ),
    "rubric-v2": rubric(
        {"metric": "pass_rate", "slice": "*", "at_least": 0.5, "else": "BLOCK"},
        {"metric": "pass_hat_k", "k": 4, "at_least": 0.5, "else": "REVIEW",
         "if_unmeasured": "PASS"},
        comparison={"unit": "case", "margin": 0.05, "adjust": "none"},
        critical={"at_most_rate": 0.1},
        coverage={"at_least": 0.9, "else": "REVIEW"},
        minimum={"cases": 3, "power": 0.8},
        pass_requires=["label"],
    ),
}  # fmt: skip

_Strict: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _checker, value: type(value) is int,
            "number": lambda _checker, value: type(value) in (int, float),
        }
    ),
)


def schema(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RICH)
def test_the_rich_example_is_right(name: str) -> None:
    assert files.checker(name).check(RICH[name]) == []
    assert list(_Strict(schema(name)).iter_errors(RICH[name])) == []


OTHER = st.sampled_from([None, True, 0, 1, -1, 1.5, "", "x", " ", [], ["x"], [1], {}, {"x": 1},
                         {"name": "n"}, {"mode": "none"}])  # fmt: skip


@pytest.mark.parametrize("name", RICH)
@given(data=st.data())
@settings(deadline=None, max_examples=250)
def test_one_change_anywhere_is_judged_as_by_jsonschema(name: str, data: st.DataObject) -> None:
    value = copy.deepcopy(RICH[name])
    places = list(_places(value))
    for _ in range(data.draw(st.integers(1, 2))):
        holder, key = data.draw(st.sampled_from(places))
        if isinstance(holder, dict) and data.draw(st.booleans()):
            if data.draw(st.booleans()):
                holder.pop(key, None)
            else:
                holder[
                    data.draw(st.sampled_from(["extra", "name", "mode", "any_of", "action"]))
                ] = data.draw(OTHER)
        else:
            holder[key] = data.draw(OTHER)
    wanted = list(_Strict(schema(name)).iter_errors(value)) == []
    checker = files.checker(name)
    assert checker.ok(value) == wanted
    assert (checker.check(value) == []) == wanted


def _places(value: Any) -> Any:
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(members):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


@pytest.mark.parametrize("name", ["dataset-v2", "predictions-v2"])
def test_lines_are_checked_as_the_parts_of_the_document(name: str) -> None:
    field = "cases" if name == "dataset-v2" else "records"
    header, entry = files.checker(name).lines(field)
    value = RICH[name]
    assert header.ok({key: of for key, of in value.items() if key != field})
    assert not header.ok(value)
    assert entry.all_ok(value[field])
    assert not entry.all_ok([*value[field], {"id": 1}])


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_a_free_value_fits_finite_doubles(number: str) -> None:
    value = predictions("r", record(answer=[{"x": float(number)}]))
    (problem,) = files.checker("predictions-v2").check(value)
    assert problem.rule.code == "CL105"
    assert problem.path == ("records", 0, "answer", 0, "x")


def test_a_free_value_is_not_too_deep() -> None:
    deep: Any = "x"
    for _ in range(64):
        deep = [deep]
    (problem,) = files.checker("predictions-v2").check(predictions("r", record(answer=deep)))
    assert problem.rule.code == "CL107"


@pytest.mark.parametrize(
    ("expect", "code", "message"),
    [
        ({"tools": {"mod": "exact"}}, "CL203", '"mod" is not a field of "tools"'),
        ({"tools": {"any_of": [{"mode": "some"}]}}, "CL205", None),
        ({"tools": []}, "CL202", '"tools" is an array with 0 entries, not an object'),
        ({"forbidden": [{"acton": "x"}]}, "CL203",
         '"acton" is not a field of entry 0 of forbidden'),
        ({"answer": {"contain": ["x"]}}, "CL203", '"contain" is not a field of "answer"'),
        ({"outcomes": {"u": "yes"}}, "CL202", '"u" is "yes", not true or false'),
    ],
)  # fmt: skip
def test_one_mistake_in_an_alternative_is_one_problem(
    expect: Any, code: str, message: str | None
) -> None:
    (problem,) = files.checker("dataset-v2").check(dataset(case("a", expect=expect)))
    assert problem.rule.code == code
    assert message in (None, problem.message)


@pytest.mark.parametrize(
    "bad",
    [
        {"anyOf": [{"type": "string"}, {"type": "string"}]},
        {"type": "object", "properties": {}, "required": [], "additionalProperties": True},
        {"type": "object", "properties": {}, "required": ["x"], "additionalProperties": False},
        {"type": "string", "format": "uri"},
    ],
)
def test_a_schema_that_cannot_be_compiled_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        Checker(bad)
