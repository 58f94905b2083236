"""The rubric that a team can start with; why each part is as it is: docs/contracts-v2.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

MARGIN = 0.05
ALARM = 0.05
"""Level of a REVIEW: one unchanged agent in twenty, over all slices together."""
CERTAIN = 0.001
"""Level of a BLOCK: a loss that no noise explains."""


def default_rubric(
    baseline: str,
    *,
    split: str = "test",
    outcomes: Iterable[str] = (),
    latency: bool = True,
    cost: bool = True,
    version: str = "default-1",
) -> dict[str, Any]:
    """A sound version 2 rubric, as a JSON value.

    Args:
        baseline: the release that candidates are compared with.
        split: what is judged.
        outcomes: names of the dataset's outcomes, each watched by itself.
        latency: whether records have one.
        cost: likewise.
        version: names the rubric.
    """
    gates: list[dict[str, Any]] = [
        {"metric": "pass_rate", "no_regression_at": CERTAIN, "else": "BLOCK"},
        {"metric": "pass_rate", "slice": "*", "no_regression_at": CERTAIN, "else": "BLOCK"},
        {"metric": "pass_rate", "slice": "*", "no_regression_at": ALARM, "else": "REVIEW"},
        {"metric": "pass_rate", "not_worse_by": MARGIN, "else": "REVIEW"},
    ]
    gates += [
        {"metric": f"outcome:{name}", "no_regression_at": ALARM, "else": "REVIEW"}
        for name in outcomes
    ]
    if latency:
        gates.append({"metric": "latency_ms.p95", "at_most_times_baseline": 1.5, "else": "REVIEW"})
    if cost:
        gates.append({"metric": "cost_usd.mean", "at_most_times_baseline": 1.25, "else": "REVIEW"})
    return {
        "schema_version": "eval-rubric-v2",
        "rubric_version": version,
        "baseline_release": baseline,
        "split": split,
        "critical": {"rule": "none_newly_fails"},
        "errors": {"at_most": 0.02, "else": "REVIEW"},
        "comparison": {
            "unit": "family",
            "interval": "newcombe",
            "confidence": 0.95,
            "resamples": 2000,
            "seed": 7,
            "margin": MARGIN,
            "adjust": "holm",
        },
        "gates": gates,
    }
