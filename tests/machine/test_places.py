from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.contract import load_dataset, load_predictions
from contractlab.places import Places, find_places
from contractlab.positions import find
from tests import builders
from tests.machine.judgements import TEXTS


def _found(dataset: bytes, replay: bytes, failed: list[str], release: str = "candidate") -> Places:
    return find_places(
        failed,
        dataset=load_dataset(json.loads(dataset)),
        dataset_file=("d", dataset),
        replay=load_predictions(json.loads(replay)),
        replay_file=("r", replay),
        release=release,
    )


def _walked(dataset: bytes, replay: bytes, id_: str, number: int) -> tuple[Any, Any]:
    """The same places, found by walking the texts."""
    cases = json.loads(dataset)["cases"]
    records = json.loads(replay)["releases"][number]["records"]
    case = ("cases", [each["id"] for each in cases].index(id_), "id")
    at = [each["case_id"] for each in records].index(id_)
    record = ("releases", number, "records", at, "case_id")
    one = find(dataset, [(case, False)])[case, False]
    other = find(replay, [(record, False)])[record, False]
    return (one.line, one.column), (other.line, other.column)


@given(
    ids=st.lists(
        st.one_of(TEXTS, st.sampled_from(["id", "case_id", '"id":'])), unique=True, min_size=1
    ),
    tool=st.sampled_from(["id", "case_id", 'x"id"', "search"]),
    layout=st.sampled_from([None, 0, 2, "\t"]),
    ascii_=st.booleans(),
)
def test_places_are_where_a_walk_through_the_text_finds_them(
    ids: list[str], tool: str, layout: Any, ascii_: bool
) -> None:
    dataset = builders.dataset(*(builders.case(id_, expected_tool=tool) for id_ in ids))
    replay = builders.predictions(
        builders.release("baseline", dataset), builders.release("candidate", dataset)
    )
    text, recorded = (
        json.dumps(value, indent=layout, ensure_ascii=ascii_).encode()
        for value in (dataset, replay)
    )
    places = _found(text, recorded, ids)
    assert list(places.cases) == ids
    for id_, place in places.cases.items():
        assert (
            (place.dataset.line, place.dataset.column),
            (place.candidate.line, place.candidate.column),
        ) == _walked(text, recorded, id_, 1)


@pytest.mark.parametrize("spelled", ['"\\u0069d"', '"\\u0069d" \n\t'])
def test_a_key_written_with_an_escape_is_found(spelled: str) -> None:
    dataset = builders.dataset(builders.case("a"), builders.case("b", expected_tool="id"))
    text = json.dumps(dataset, indent=1).replace('"id"', spelled, 1).encode()
    replay = json.dumps(builders.predictions(builders.release("candidate", dataset))).encode()
    place = _found(text, replay, ["b"]).cases["b"]
    assert (place.dataset.line, place.dataset.column) == _walked(text, replay, "b", 0)[0]


def test_a_key_written_with_an_escape_hides_no_last_case() -> None:
    dataset = builders.dataset(builders.case("a"), builders.case("b"))
    dataset["cases"].sort(key=lambda case: case["id"] == "b")
    text = json.dumps(dataset).replace('"id"', '"\\u0069d"', 1).encode()
    replay = json.dumps(builders.predictions(builders.release("candidate", dataset))).encode()
    place = _found(text, replay, ["b"]).cases["b"]
    assert (place.dataset.line, place.dataset.column) == _walked(text, replay, "b", 0)[0]


def test_columns_are_counted_in_code_points() -> None:
    dataset = builders.dataset(builders.case("a", input="é漢\U0001f600"), builders.case("b"))
    text = json.dumps(dataset, ensure_ascii=False)
    replay = json.dumps(builders.predictions(builders.release("candidate", dataset))).encode()
    place = _found(text.encode(), replay, ["b"]).cases["b"]
    assert (place.dataset.line, place.dataset.column) == (1, text.index('"b"') + 1)


def test_nothing_failed_is_nowhere() -> None:
    dataset = json.dumps(builders.dataset()).encode()
    places = _found(dataset, json.dumps(builders.predictions()).encode(), [])
    assert places == Places("d", "r", {})
