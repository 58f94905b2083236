"""What a team can start with: the rubric (why it is so: docs/default-rubric.md), hook, workflow."""

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


CONFIG = """\
# The files of this repository's gate: contractlab compare needs no arguments.
dataset = {dataset}
rubric = {rubric}
predictions = [{runs}]
baseline = {baseline}
"""

# As docs/hook.md and docs/action.md write them, with the same placeholders.
HOOK = """\
# In place of OWNER and the 40 digits: where you have contractlab from, and a commit or tag of it.
repos:
  - repo: https://github.com/OWNER/contractlab
    rev: 0123456789abcdef0123456789abcdef01234567
    hooks:
      - id: contractlab-validate
"""

WORKFLOW = """\
# In place of OWNER and the 40 digits: where you have contractlab from, and the commit of it that
# you have looked at.
name: contractlab
on:
  pull_request:

permissions: {}

concurrency:
  group: ${{ github.workflow }}-${{ github.event.pull_request.number }}
  cancel-in-progress: true

jobs:
  gate:
    name: gate
    runs-on: ubuntu-latest
    permissions:
      contents: read # to check out
      pull-requests: write # to comment
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
          fetch-depth: 2 # so that the report can say whether the gate itself was changed
      - uses: OWNER/contractlab@0123456789abcdef0123456789abcdef01234567
"""
