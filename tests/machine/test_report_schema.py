from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from contractlab import files
from contractlab.jsontext import parse
from contractlab.render.report import render_json
from tests.machine.judgements import blocked, judgements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.judge import Judgement

SCHEMA = json.loads(files.schema_text("report-v1"))
PEER = Draft202012Validator(SCHEMA)


def _parts(schema: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every schema in a schema."""
    yield at, schema
    for name, inner in schema.get("properties", {}).items():
        yield from _parts(inner, f"{at}/{name}")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from _parts(schema[keyword], f"{at}/*")
    for name, inner in schema.get("$defs", {}).items():
        yield from _parts(inner, f"#{name}")


def test_the_schema_is_valid_and_named() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "urn:contractlab:report-v1"
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_field_has_a_title_and_a_description() -> None:
    fields = [
        (f"{at}/{name}", field)
        for at, part in _parts(SCHEMA)
        for name, field in part.get("properties", {}).items()
    ]
    assert len(fields) > 100
    assert not [at for at, field in fields if not (field.get("title") and field["description"])]
    assert not [at for at, field in fields if not field["description"].endswith(".")]


def test_no_object_takes_a_field_that_is_not_documented_or_lacks_one_that_is() -> None:
    for at, part in _parts(SCHEMA):
        if "properties" in part:
            assert part["additionalProperties"] is False, at
            assert part["required"] == list(part["properties"]), at
        elif part.get("type") == "object":
            assert isinstance(part["additionalProperties"], dict), at


@settings(max_examples=150)
@given(judgements())
def test_every_report_is_valid(judgement: Judgement) -> None:
    value = parse(render_json(judgement))
    assert [error.message for error in PEER.iter_errors(value)] == []
    assert files.checker("report-v1").check(value) == []


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _objects(inner)


def test_a_field_more_or_less_anywhere_is_refused() -> None:
    value: Any = parse(render_json(blocked()))
    checker = files.checker("report-v1")
    tried = 0
    for part in list(_objects(value)):
        if part is value["baseline_metrics"]["by_slice"]:
            continue  # its keys are the slices' names
        if part is value["candidate_metrics"]["by_slice"]:
            continue
        for key in list(part):
            inner = part.pop(key)
            assert not checker.ok(value), key
            part[key] = inner
            tried += 1
        part["extra"] = None
        assert not checker.ok(value), part
        del part["extra"]
    assert tried > 300
    assert checker.ok(value)


WRONG = [None, True, -1, 1.5, "", "x", [], ["a", "a"], {}, {"a": 1}]


@given(st.data(), st.sampled_from(WRONG))
def test_the_quick_check_agrees_with_jsonschema(data: st.DataObject, wrong: Any) -> None:
    value: Any = parse(render_json(blocked()))
    part = data.draw(st.sampled_from(list(_objects(value))))
    key = data.draw(st.sampled_from(sorted(part)))
    part[key] = wrong
    quick = files.checker("report-v1")
    assert quick.ok(value) == PEER.is_valid(value)
    assert bool(quick.check(value)) != PEER.is_valid(value)


@pytest.mark.parametrize("wrong", [{"a": 1}, {"a": None}, {"a": {}}, []])
def test_a_wrong_slice_table_is_told_at_its_place(wrong: Any) -> None:
    value: Any = parse(render_json(blocked()))
    value["baseline_metrics"]["by_slice"] = wrong
    problems = files.checker("report-v1").check(value)
    assert problems
    assert {each.path[:2] for each in problems} == {("baseline_metrics", "by_slice")}
