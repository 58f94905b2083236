"""The figures of a release, against plain arithmetic that shares nothing with them."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractlab.contract import load_dataset, load_predictions
from contractlab.grade import grade_release
from contractlab.metrics import ConfusionMatrix, Metrics, mean, measure, nearest_rank
from tests import builders

LABELS = ("positive", "negative")
amounts = st.floats(0, 1e12, allow_nan=False)
rows = st.lists(
    st.tuples(
        st.sampled_from(LABELS),
        st.sampled_from(LABELS),
        st.sampled_from(["alpha", "beta", "gamma"]),
        st.booleans(),
        st.booleans(),
        amounts,
        amounts,
    ),
    min_size=1,
    max_size=40,
)


def measured(rows: Any, positive: str = "positive") -> Metrics:
    cases = [
        builders.case(str(index), expected_label=expected, slice=slice_, critical=critical)
        for index, (expected, _, slice_, critical, *_) in enumerate(rows)
    ]
    records = [
        builders.record(
            str(index),
            predicted_label=predicted,
            evidence_present=evidence,
            latency_ms=latency,
            estimated_cost_usd=cost,
        )
        for index, (_, predicted, _, _, evidence, latency, cost) in enumerate(rows)
    ]
    value = builders.predictions({"release_id": "r", "records": records})
    results = grade_release(
        load_dataset(builders.dataset(*cases)).of_split("test"),
        load_predictions(value).releases[0],
    )
    return measure(results, positive_label=positive)


@given(rows, st.sampled_from(LABELS))
def test_every_figure_is_what_plain_counting_gives(rows: Any, positive: str) -> None:
    metrics = measured(rows, positive)
    n = len(rows)
    good = [row[0] == row[1] and row[4] for row in rows]
    held = [2 + (row[0] == row[1]) + row[4] for row in rows]
    counts = {(a, b): 0 for a in (True, False) for b in (True, False)}
    for expected, predicted, *_ in rows:
        counts[expected == positive, predicted == positive] += 1
    assert metrics.case_count == n
    assert metrics.pass_rate == Fraction(sum(good), n)
    assert metrics.mean_score == Fraction(sum(held), 4 * n)
    assert metrics.confusion_matrix == ConfusionMatrix(
        tp=counts[True, True],
        fp=counts[False, True],
        tn=counts[False, False],
        fn=counts[True, False],
    )
    assert metrics.mean_latency_ms == pytest.approx(sum(row[5] for row in rows) / n)
    assert metrics.mean_estimated_cost_usd == pytest.approx(sum(row[6] for row in rows) / n)
    latencies = sorted(row[5] for row in rows)
    assert metrics.p95_latency_ms == next(
        value for value in latencies if 100 * sum(other <= value for other in latencies) >= 95 * n
    )
    by_slice = {
        name: (
            sum(row[2] == name for row in rows),
            sum(row[2] == name and good[index] for index, row in enumerate(rows)),
            sum(row[2] == name and row[3] for row in rows),
        )
        for name in sorted({row[2] for row in rows})
    }
    assert {
        name: (each.count, each.passed, each.critical_count)
        for name, each in metrics.by_slice.items()
    } == by_slice
    assert list(metrics.by_slice) == list(by_slice)
    rates = [Fraction(passed, count) for count, passed, _ in by_slice.values()]
    assert metrics.slice_pass_rate_gap == max(rates) - min(rates)
    assert metrics.critical_failures == tuple(
        str(index) for index, row in enumerate(rows) if row[3] and not good[index]
    )


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_precision_recall_and_f1_are_the_textbooks_and_0_by_0_is_undefined(
    tp: int, fp: int, tn: int, fn: int
) -> None:
    matrix = ConfusionMatrix(tp=tp, fp=fp, tn=tn, fn=fn)
    assert matrix.precision == (Fraction(tp, tp + fp) if tp + fp else None)
    assert matrix.recall == (Fraction(tp, tp + fn) if tp + fn else None)
    assert matrix.f1 == (Fraction(2 * tp, 2 * tp + fp + fn) if tp else None)


@pytest.mark.parametrize(
    ("n", "rank"), [(1, 1), (2, 2), (19, 19), (20, 19), (21, 20), (40, 38), (100, 95), (101, 96)]
)
def test_p95_is_the_nearest_rank(n: int, rank: int) -> None:
    values = [float(value) for value in range(n, 0, -1)]
    assert nearest_rank(values, Fraction(95, 100)) == rank


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=20), st.randoms())
def test_a_mean_is_the_same_in_every_order(values: list[float], random: Any) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert mean(values) == mean(shuffled)


@pytest.mark.parametrize(
    "values",
    [
        [sys.float_info.max] * 3,
        [sys.float_info.max, sys.float_info.max, 0.0],
        [10**308, 10**308],
        [5e-324, 5e-324],
        [0.1] * 10,
    ],
    ids=str,
)
def test_a_mean_of_huge_or_tiny_values_neither_overflows_nor_vanishes(values: Any) -> None:
    exact = sum(map(Fraction, values)) / len(values)
    assert math.isfinite(mean(values))
    assert mean(values) == pytest.approx(float(exact), rel=1e-15)


def test_a_mean_of_tenths_is_a_tenth() -> None:
    assert mean([0.1] * 10) == 0.1
