"""Rows made by columns are those made one by one."""

from __future__ import annotations

import json
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.data import write_contracts
from contractlab import front
from contractlab.batches import BATCH, in_batches, rows_of

if TYPE_CHECKING:
    from pathlib import Path


class Row(NamedTuple):
    name: str
    size: int
    kind: str = "plain"


@given(st.integers(0, 3 * BATCH))
def test_batches_are_the_values_in_order(count: int) -> None:
    batches = list(in_batches(range(count)))
    assert [value for batch in batches for value in batch] == list(range(count))
    assert all(len(batch) == BATCH for batch in batches[:-1])


@given(st.lists(st.tuples(st.text(), st.integers())))
def test_rows_of_columns_are_the_rows_one_by_one(rows: list[tuple[str, int]]) -> None:
    names, sizes = [name for name, _ in rows], [size for _, size in rows]
    found = list(rows_of(Row, names, sizes, repeat("plain")))
    assert found == [Row(name, size) for name, size in rows]
    assert all(type(row) is Row for row in found)


def test_a_column_too_few_is_refused() -> None:
    with pytest.raises(TypeError, match="Row has 3 fields, not 2"):
        rows_of(Row, ["a"], [1])


def test_a_report_of_more_cases_than_a_batch_has_each_case_once_and_in_order(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    made = write_contracts(tmp_path, BATCH + 3)
    argv = [
        *("compare", "--dataset", str(made.dataset), "--rubric", str(made.rubric)),
        *("--predictions", str(made.predictions), "--format", "json"),
    ]
    assert front.run(argv) in (0, 1)
    report = json.loads(capfdbinary.readouterr().out)
    cases = json.loads(made.dataset.read_text(encoding="utf-8"))["cases"]
    ids = [each["id"] for each in cases if each["split"] == "test"]
    assert [each["case_id"] for each in report["cases"]] == ids
    records = {
        name: {each["case_id"]: each for each in release["records"]}
        for name, release in zip(
            ("baseline", "candidate"),
            json.loads(made.predictions.read_text(encoding="utf-8"))["releases"],
            strict=True,
        )
    }
    for name, of_release in records.items():
        results = report[f"{name}_metrics"]["case_results"]
        assert [each["case_id"] for each in results] == ids
        for shown in report["cases"]:
            record = of_release[shown["case_id"]]
            assert shown[name]["label"] == record["predicted_label"]
            assert shown[name]["latency_ms"] == record["latency_ms"]
