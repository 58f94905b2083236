"""Small version 2 contracts that are right, as JSON values, with what a test wants different."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from contractlab.dataset_v2 import CaseLoader, load_dataset
from contractlab.judge_v2 import Inputs, sample_of
from contractlab.model import Release
from contractlab.replay_v2 import load_record
from contractlab.rubric_v2 import check_gates, load_rubric

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from contractlab.model import Case, Record, Rubric
    from contractlab.sample import Sample

Value = dict[str, Any]


def case(id_: str = "case-1", **other: Any) -> Value:
    """A test case that expects its outcome `done`."""
    return {"id": id_, "split": "test", "expect": {"outcomes": {"done": True}}, **other}


def dataset(*cases: Value, **other: Any) -> Value:
    return {
        "schema_version": "eval-dataset-v2",
        "dataset_version": "cases-1",
        "frozen_splits": ["test"],
        "cases": list(cases) or [case("case-1"), case("case-2")],
        **other,
    }


def record(case_id: str = "case-1", *, done: bool = True, **other: Any) -> Value:
    return {"case_id": case_id, "outcomes": {"done": done}, **other}


def predictions(name: str, *records: Value, **other: Any) -> Value:
    return {
        "schema_version": "eval-predictions-v2",
        "dataset_version": "cases-1",
        "release": {"release_id": name},
        "records": list(records) or [record("case-1"), record("case-2")],
        **other,
    }


def rubric(*gates: Value, comparison: Value | None = None, **other: Any) -> Value:
    return {
        "schema_version": "eval-rubric-v2",
        "rubric_version": "gates-1",
        "baseline_release": "baseline",
        "split": "test",
        "comparison": {"confidence": 0.95, "resamples": 200, "seed": 7, **(comparison or {})},
        "gates": list(gates),
        **other,
    }


def loaded_case(value: Value) -> Case:
    loader = CaseLoader("dataset.json")
    found = loader.load(value, 0)
    assert loader.problems == []
    return found


def loaded_record(**other: Any) -> Record:
    return load_record({"case_id": "case-1", **other})


def expecting(**expect: Any) -> Case:
    """A case with these expectations."""
    return loaded_case({"id": "case-1", "split": "test", "expect": expect})


def loaded_rubric(value: Value) -> Rubric:
    assert check_gates(value, "rubric.json") == []
    return load_rubric(value)


def inputs(cases: Sequence[Value], before: Sequence[Value], after: Sequence[Value],
           gates: Value) -> Inputs:  # fmt: skip
    """A comparison of `baseline` and `candidate`."""
    return Inputs(
        load_dataset(dataset(*cases), [loaded_case(each) for each in cases]),
        loaded_rubric(gates),
        Release("baseline", tuple(load_record(each) for each in before)),
        Release("candidate", tuple(load_record(each) for each in after)),
    )


def sample(cases: Sequence[Value], before: Sequence[Value], after: Sequence[Value],
           gates: Value) -> Sample:  # fmt: skip
    return sample_of(inputs(cases, before, after, gates))


def as_lines(value: Value, field: str) -> bytes:
    """A contract as JSON Lines."""
    header = {key: of for key, of in value.items() if key != field}
    return b"".join(json.dumps(each).encode() + b"\n" for each in (header, *value[field]))


def write(path: Path, value: Any) -> str:
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return str(path)


def write_comparison(folder: Path, of: Value, gates: Value, *replays: Value) -> list[str]:
    """Writes contracts; returns the options of `compare` that name them."""
    return [
        f"--dataset={write(folder / 'dataset.json', of)}",
        f"--rubric={write(folder / 'rubric.json', gates)}",
        *(
            f"--predictions={write(folder / f'replay-{index}.json', each)}"
            for index, each in enumerate(replays)
        ),
    ]
