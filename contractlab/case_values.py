"""What single cases are worth by a metric: the values that releases are paired on."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from contractlab.grade import Graded
    from contractlab.model import Case


def case_values(metric: str, results: Sequence[Graded]) -> list[Fraction | int | None]:
    """Each case's value of a per-case metric, its mean over trials; None: it has none."""
    if metric == "pass_rate":
        return [graded.value for graded in results]
    value = _trial_value(metric)
    return [
        _mean_value(map(value, graded.trials)) if graded.trials else value(graded)
        for graded in results
    ]


def _mean_value(values: Iterable[Fraction | int | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return Fraction(sum(known)) / len(known) if known else None


def _trial_value(metric: str) -> Callable[[Graded], Fraction | int | None]:
    """What one record is worth."""
    kind, _, name = metric.partition(":")
    match kind:
        case "mean_score":
            return lambda trial: _score(trial.held, len(trial.checks))
        case "accuracy":
            return _accuracy
        case "check":
            return _check(name)
        case _:
            return _outcome(name)


@cache  # a case has few checks, and fractions are slow to make
def _score(held: int, checks: int) -> Fraction:
    return Fraction(held, checks)


def _check(name: str) -> Callable[[Graded], int | None]:
    def value(trial: Graded) -> int | None:
        held = trial.checks.get(name)
        return None if held is None else int(held)

    return value


def _accuracy(trial: Graded) -> int | None:
    expected = trial.case.expected_label
    return int(trial.record.predicted_label == expected) if expected else None


def _outcome(name: str) -> Callable[[Graded], int | None]:
    """Whether an outcome is on the wanted side; None where that is not known.

    A run that did not end well has not reached what was wanted, and is not believed to have
    done what was not wanted.
    """
    sides: dict[int, bool | None] = {}  # by expectation, which many cases share

    def value(trial: Graded) -> int | None:
        key = id(trial.case.expect)
        if key not in sides:
            sides[key] = wanted_outcomes(trial.case).get(name)
        wanted, run = sides[key], trial.record.run
        if wanted is None:
            return None
        if run.status != "ok":
            return 0 if wanted else None
        found = run.outcomes.get(name)
        return None if found is None else int(found is wanted)

    return value


def wanted_outcomes(case: Case) -> Mapping[str, bool]:
    """The outcomes that a case names, and the side that is wanted."""
    for check in case.expect.checks:
        if check.name == "outcomes":
            return check.wanted  # type: ignore[attr-defined,no-any-return]
    return {}


def asks(metric: str, case: Case) -> bool:
    """Whether a case has what a per-case metric is about."""
    kind, _, name = metric.partition(":")
    if kind == "accuracy":
        return bool(case.expected_label)
    if kind == "check":
        return name in case.expect.names
    return kind != "outcome" or name in wanted_outcomes(case)


def lacking(
    metric: str, results: Sequence[Graded], values: Sequence[Fraction | int | None]
) -> list[Graded]:
    """The cases with a run that ended well and lacks the outcome that a metric is about.

    Args:
        metric: any that is per case.
        results: graded cases.
        values: theirs, as `case_values` has them.
    """
    kind, _, name = metric.partition(":")
    if kind != "outcome":
        return []
    return [
        graded
        for graded, value in zip(results, values, strict=True)
        if (value is None or graded.trials) and _lacks(name, graded)
    ]


def _lacks(outcome: str, graded: Graded) -> bool:
    return outcome in wanted_outcomes(graded.case) and any(
        trial.record.run.status == "ok" and outcome not in trial.record.run.outcomes
        for trial in graded.each
    )
