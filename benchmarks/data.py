"""Contracts of any size, made so that a fast wrong answer cannot look right.

The candidate mostly repeats the baseline (as releases do), each replay has its own record
order (so joining by place would show), a family holds several cases, and what a judgement
must count is counted here as well, in plain Python, from the same random choices.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

LABELS = ("positive", "negative")
SLICES = ("billing", "delivery", "privacy", "refunds", "safety", "warranty")
TOOLS = ("lookup_order", "create_ticket", "refund_order", None)
FORBIDDEN = ("delete_account", "share_address", "waive_fee")
FAMILY_SIZE = 3
CRITICAL_EVERY = 50


@dataclass(slots=True)
class Counts:
    """What a judgement must find, counted one case at a time."""

    flips: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("both", "improved", "regressed", "neither"), 0)
    )
    confusion: dict[str, dict[str, int]] = field(
        default_factory=lambda: {
            name: dict.fromkeys(("tp", "fp", "tn", "fn"), 0) for name in ("baseline", "candidate")
        }
    )

    def add(
        self, case: dict[str, Any], baseline: dict[str, Any], candidate: dict[str, Any]
    ) -> None:
        """Counts one case with both its records."""
        before, after = passes(case, baseline), passes(case, candidate)
        names = {(1, 1): "both", (0, 1): "improved", (1, 0): "regressed", (0, 0): "neither"}
        self.flips[names[before, after]] += 1
        for release, record in (("baseline", baseline), ("candidate", candidate)):
            right = record["predicted_label"] == case["expected_label"]
            side = "p" if record["predicted_label"] == "positive" else "n"
            self.confusion[release][f"{'t' if right else 'f'}{side}"] += 1


def passes(case: dict[str, Any], record: dict[str, Any]) -> int:
    """1 where a record does what its case expects, else 0."""
    if record["predicted_label"] != case["expected_label"]:
        return 0
    if record["tool"] != case["expected_tool"]:
        return 0
    if any(action in case["forbidden_actions"] for action in record["actions"]):
        return 0
    return int(record["evidence_present"] or not case["requires_evidence"])


def dataset(count: int, *, version: str = "bench", splits: bool = True) -> dict[str, Any]:
    """A dataset of `count` test cases, and three more where the other splits are wanted too.

    Args:
        count: test cases, or all cases with `splits=False`, where each split gets a share.
        version: names the dataset.
        splits: whether train and development cases come on top.
    """
    draw = random.Random(1)
    if splits:
        homes = ["train", "train", "development"] + ["test"] * count
    else:
        third = max(count // 3 // FAMILY_SIZE, 1) * FAMILY_SIZE
        homes = ["train"] * third + ["development"] * third + ["test"] * (count - 2 * third)
    cases = [_case(draw, number, split, version) for number, split in enumerate(homes)]
    return {
        "schema_version": "eval-dataset-v1",
        "dataset_version": version,
        "frozen_test": True,
        "cases": cases,
    }


def _case(draw: random.Random, number: int, split: str, version: str) -> dict[str, Any]:
    label = draw.choice(LABELS)
    return {
        "id": f"case-{number:07d}",
        "family_id": f"{split}-family-{number // FAMILY_SIZE:07d}",
        "split": split,
        "slice": draw.choice(SLICES),
        "critical": number % CRITICAL_EVERY == FAMILY_SIZE,
        "input": (
            f"Customer {number} of {version} writes that parcel {draw.randrange(10**9)} came"
            f" {draw.randrange(2, 60)} days late and asks what can be done about it."
        ),
        "expected_label": label,
        "expected_tool": draw.choice(TOOLS),
        "forbidden_actions": draw.sample(FORBIDDEN, draw.randrange(3)),
        "requires_evidence": draw.random() < 0.5,
    }


def replays(cases: list[dict[str, Any]], version: str = "bench") -> tuple[dict[str, Any], Counts]:
    """Both releases' records of the test cases in shuffled orders, and what they come to."""
    draw = random.Random(2)
    counts = Counts()
    before, after = [], []
    for case in cases:
        if case["split"] != "test":
            continue
        baseline = _record(draw, case)
        candidate = baseline if draw.random() < 0.9 else _record(draw, case)
        candidate = {**candidate, **_measured(draw)}
        counts.add(case, baseline, candidate)
        before.append(baseline)
        after.append(candidate)
    draw.shuffle(before)
    draw.shuffle(after)
    predictions = {
        "schema_version": "eval-predictions-v1",
        "prediction_set_version": version,
        "dataset_version": version,
        "releases": [
            {"release_id": "agent-1.0", "records": before},
            {"release_id": "agent-1.1", "records": after},
        ],
    }
    return predictions, counts


def _record(draw: random.Random, case: dict[str, Any]) -> dict[str, Any]:
    wrong = draw.random() < 0.08
    return {
        "case_id": case["id"],
        "predicted_label": draw.choice(LABELS) if wrong else case["expected_label"],
        "tool": draw.choice(TOOLS) if draw.random() < 0.04 else case["expected_tool"],
        "actions": ["reply", *([draw.choice(FORBIDDEN)] if draw.random() < 0.03 else [])],
        "evidence_present": draw.random() < 0.98,
        **_measured(draw),
    }


def _measured(draw: random.Random) -> dict[str, Any]:
    return {
        "latency_ms": round(draw.lognormvariate(6.5, 0.5), 1),
        "estimated_cost_usd": round(draw.lognormvariate(-6, 1), 6),
    }


def rubric(version: str = "bench") -> dict[str, Any]:
    """Gates that the candidate fails by its critical cases; the common numbers of resamples."""
    return {
        "schema_version": "eval-rubric-v1",
        "rubric_version": version,
        "positive_label": "positive",
        "baseline_release": "agent-1.0",
        "eval_split": "test",
        "gates": {
            "min_overall_pass_rate": 0.8,
            "min_precision": 0.8,
            "min_recall": 0.8,
            "min_f1": 0.8,
            "critical_slice_min_pass_rate": 0.8,
            "max_slice_pass_rate_gap": 0.2,
            "max_mean_latency_ms": 2000,
            "max_p95_latency_ms": 5000,
            "max_mean_cost_usd": 0.05,
            "min_paired_delta_ci_low": -0.05,
        },
        "bootstrap": {"samples": 2000, "seed": 7, "confidence": 0.95},
    }


@dataclass(frozen=True, slots=True)
class Contracts:
    """The files of one comparison, and what it must count."""

    dataset: Path
    rubric: Path
    predictions: Path
    counts: Counts

    @property
    def paths(self) -> tuple[Path, ...]:
        """All three."""
        return self.dataset, self.rubric, self.predictions


def write_contracts(folder: Path, count: int) -> Contracts:
    """Writes the contracts of a comparison on `count` test cases."""
    cases = dataset(count)
    predictions, counts = replays(cases["cases"])
    return Contracts(
        write_json(folder / f"dataset-{count}.json", cases),
        write_json(folder / f"rubric-{count}.json", rubric()),
        write_json(folder / f"replays-{count}.json", predictions),
        counts,
    )


def write_json(path: Path, value: Any) -> Path:
    """Writes a JSON file as tools that record replays do: compact, UTF-8."""
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8", newline="\n")
    return path
