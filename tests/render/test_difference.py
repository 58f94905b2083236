"""The words for a paired difference, and what its cases could not have shown."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from contractlab.render import difference
from contractlab.stats import PairedCounts


def test_the_cases_that_changed_are_counted() -> None:
    assert difference.changed(PairedCounts(3_000, 38, 7, 0)) == "7 of 3,045 got worse, 38 better"


@pytest.mark.parametrize(
    ("could_have_missed", "smallest", "words"),
    [
        (0.07, 0.3, "this set could have missed a regression of up to 7.0 points"),
        (0.0701, None, "this set could have missed a regression of up to 7.1 points"),
        (0.0, 0.305, "a set of this size misses one in five regressions of 30.5 points"),
        (0.0, None, "a set this small can show no regression"),
    ],
)
def test_what_could_have_been_missed_rounds_up_and_is_always_said(
    could_have_missed: float, smallest: float | None, words: str
) -> None:
    comparison = SimpleNamespace(could_have_missed=could_have_missed, smallest_detectable=smallest)
    assert difference.missed(comparison) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counts", "failures", "words"),
    [
        (
            (12,),
            (),
            "All 12 critical cases passed; with a true failure rate of 22.1 % that would still"
            " happen one time in twenty.",
        ),
        (
            (0, 1),
            (),
            "The one critical case passed; with a true failure rate of 95.0 % that would still"
            " happen one time in twenty.",
        ),
        (
            (1, 1),
            (),
            "Both critical cases passed; with a true failure rate of 77.7 % that would still"
            " happen one time in twenty.",
        ),
        ((12,), ("a",), ""),
        ((0,), (), ""),
    ],
    ids=["several", "one", "two", "one failed", "none"],
)
def test_critical_cases_that_all_passed_are_no_proof(
    counts: tuple[int, ...], failures: tuple[str, ...], words: str
) -> None:
    slices = {str(index): SimpleNamespace(critical_count=each) for index, each in enumerate(counts)}
    metrics = SimpleNamespace(by_slice=slices, critical_failures=failures)
    assert difference.critical(metrics) == words  # type: ignore[arg-type]
