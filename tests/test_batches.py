"""Rows made by columns are those made one by one."""

from __future__ import annotations

from itertools import repeat
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.batches import BATCH, in_batches, rows_of


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
