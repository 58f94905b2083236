"""The JSON report of version 2 against its published schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from contractlab import files
from contractlab.render.report_v2 import render_json
from tests.render import judgements_v2
from tests.v2 import builders, features

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from contractlab.judge import Judgement

SCHEMA = json.loads(files.schema_text("report-v2"))
PEER = Draft202012Validator(SCHEMA)
QUICK = files.checker("report-v2")


def reported(judgement: Judgement) -> Any:
    assert judgement.details is not None
    return json.loads(render_json(judgement, judgement.details))


def _parts(schema: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    yield at, schema
    for keyword in ("properties", "$defs"):
        for name, inner in schema.get(keyword, {}).items():
            yield from _parts(inner, f"{at}/{name}")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from _parts(schema[keyword], f"{at}/*")


def test_the_schema_is_valid_and_named() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "urn:contractlab:report-v2"


def test_every_field_has_a_title_and_a_description() -> None:
    fields = [
        (f"{at}/{name}", field)
        for at, part in _parts(SCHEMA)
        for name, field in part.get("properties", {}).items()
    ]
    assert len(fields) > 100
    assert not [at for at, field in fields if not field.get("title")]
    assert not [at for at, field in fields if not field.get("description", "").endswith(".")]


def test_no_object_takes_a_field_that_is_not_documented_or_lacks_one_that_is() -> None:
    for at, part in _parts(SCHEMA):
        if "properties" in part:
            assert part["additionalProperties"] is False, at
            assert part["required"] == list(part["properties"]), at


@pytest.mark.parametrize(
    "judged",
    [
        judgements_v2.blocks,
        judgements_v2.too_small,
        judgements_v2.passes,
        judgements_v2.hostile,
    ],
)
def test_every_report_is_valid(judged: Callable[[], Judgement]) -> None:
    value = reported(judged())
    assert [error.message for error in PEER.iter_errors(value)] == []
    assert QUICK.check(value) == []


@pytest.mark.parametrize("feature", features.FEATURES)
def test_every_report_of_files_is_valid(tmp_path: Path, feature: str) -> None:
    value = reported(features.judged(tmp_path, features.FEATURES[feature]()))
    assert [error.message for error in PEER.iter_errors(value)] == []
    assert QUICK.check(value) == []


RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["ok", "error", "timeout", "limit"]),
        "label": st.one_of(st.none(), st.text(min_size=1, max_size=5)),
        "outcomes": st.dictionaries(
            st.sampled_from(["done", "other"]), st.one_of(st.none(), st.booleans())
        ),
        "calls": st.one_of(
            st.none(),
            st.lists(st.fixed_dictionaries({"name": st.text(max_size=3)}, optional={
                "arguments": st.recursive(st.none() | st.integers() | st.text(max_size=3),
                                          st.lists, max_leaves=3),
                "ok": st.booleans(),
            }), max_size=2),
        ),
        "actions": st.lists(st.text(max_size=3), max_size=2),
        "evidence": st.one_of(st.none(), st.booleans(), st.lists(st.text(max_size=3), max_size=2)),
        "latency_ms": st.one_of(st.none(), st.floats(0, 1e9)),
        "cost_usd": st.one_of(st.none(), st.floats(0, 1e9)),
    },
)  # fmt: skip
GATES = builders.rubric(
    {"metric": "outcome:done", "at_least": 0.9, "else": "BLOCK"},
    {"metric": "macro_f1", "at_least": 0.9, "else": "REVIEW"},
    {"metric": "pass_rate", "slice": "*", "no_regression_at": 0.05, "else": "REVIEW"},
    {"metric": "latency_ms.p95", "at_most_times_baseline": 1.1, "else": "REVIEW"},
    coverage={"at_least": 0.5, "else": "REVIEW"},
    critical={"rule": "none_newly_fails"},
    flakiness={"at_most": 0.5},
    minimum={"cases": 2, "power": 0.5},
    comparison={"margin": 0.1},
)


@settings(max_examples=60)
@given(st.lists(st.tuples(RECORDS, RECORDS), min_size=2, max_size=6), st.booleans())
def test_whatever_was_recorded_the_report_is_valid(
    records: list[tuple[dict[str, Any], dict[str, Any]]], trials: bool
) -> None:
    size = 2 if trials else 1
    count = len(records) // size
    cases = [
        builders.case(f"case-{n}", slice=f"s{n % 2}", critical=n == 0,
                      expect={"label": "x", "outcomes": {"done": True}})
        for n in range(count + 1)
    ]  # fmt: skip
    sides = [
        [
            {**pair[side], "case_id": f"case-{at // size}", "trial": at % size}
            for at, pair in enumerate(records[: count * size])
        ]
        for side in (0, 1)
    ]
    judgement = judgements_v2.judgement(cases, sides[0], sides[1], GATES)
    assert [error.message for error in PEER.iter_errors(reported(judgement))] == []


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _objects(inner)


FREE = {"statuses", "by_slice", "outcomes", "classes", "pass_hat_k", "pass_at_k", "unmeasured",
        "group", "slices", "checks", "tokens"}  # fmt: skip
"""Objects whose keys are names."""
ANYTHING = {"arguments", "answer", "expect", "manifest", "rubric"}
"""What contracts let be any value, or spell themselves."""


def test_a_field_more_or_less_anywhere_is_refused() -> None:
    value = reported(judgements_v2.passes())
    value["cases"] = value["cases"][:1]
    value["unpaired"] = value["unpaired"][:1]
    free = [
        id(part[name])
        for part in _objects(value)
        for name in FREE
        if isinstance(part.get(name), dict)
    ]
    free += [
        id(inner)
        for part in _objects(value)
        for name in ANYTHING
        if isinstance(part.get(name), dict | list)
        for inner in _objects(part[name])
    ]
    assert PEER.is_valid(value)
    tried = 0
    for part in [each for each in _objects(value) if id(each) not in free]:
        for key in list(part):
            inner = part.pop(key)
            assert not PEER.is_valid(value), key
            assert not QUICK.ok(value), key
            part[key] = inner
            tried += 1
        part["extra"] = None
        assert not PEER.is_valid(value), part
        assert not QUICK.ok(value), part
        del part["extra"]
    assert tried > 150


WRONG = [None, True, -1, 1.5, "", "x", [], ["a", "a"], {}, {"a": 1}]


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> str:
    judgement = features.judged(tmp_path_factory.mktemp("partial"), features.partial())
    return json.dumps(reported(judgement))


@settings(max_examples=200)
@given(data=st.data(), wrong=st.sampled_from(WRONG))
def test_the_quick_check_agrees_with_jsonschema(
    partial: str, data: st.DataObject, wrong: Any
) -> None:
    value = json.loads(partial)
    part = data.draw(st.sampled_from([each for each in _objects(value) if each]))
    part[data.draw(st.sampled_from(sorted(part)))] = wrong
    assert QUICK.ok(value) == PEER.is_valid(value)
    assert bool(QUICK.check(value)) != PEER.is_valid(value)
