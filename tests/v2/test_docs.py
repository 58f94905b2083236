"""What docs/contracts-v2.md shows and lists is what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from contractlab import files
from contractlab.dataset_v2 import CaseLoader
from contractlab.defaults import default_rubric
from contractlab.figures import is_metric
from contractlab.manifest import check_manifest
from contractlab.match import ORDERS
from contractlab.replay_v2 import load_record
from contractlab.rubric_v2 import BOUNDS, check_gates, load_rubric

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contracts-v2.md").read_text(encoding="utf-8")
DATASET, PREDICTIONS, RUBRIC = (
    json.loads(block)
    for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)


@pytest.mark.parametrize(
    ("value", "schema"),
    [(DATASET, "dataset-v2"), (PREDICTIONS, "predictions-v2"), (RUBRIC, "rubric-v2")],
)
def test_the_examples_fit_their_schemas(value: Any, schema: str) -> None:
    assert files.checker(schema).check(value) == []


def test_the_examples_load() -> None:
    loader = CaseLoader("")
    case = loader.load(DATASET["cases"][0], 0)
    assert loader.problems == []
    assert check_manifest(PREDICTIONS["release"]["manifest"], "") == []
    record = load_record(PREDICTIONS["records"][0])
    held = dict(zip(case.expect.names, case.expect.outcomes(record), strict=True))
    assert held == dict.fromkeys(
        ("label", "outcomes", "tools", "forbidden", "evidence", "answer"), True
    )
    assert check_gates(RUBRIC, "") == []
    assert len(load_rubric(RUBRIC).gates) == 5


def test_every_order_mode_and_bound_and_matcher_is_listed() -> None:
    schema = json.loads((ROOT / "schemas" / "dataset-v2.schema.json").read_text(encoding="utf-8"))
    matchers = schema["$defs"]["matcher"]["properties"]
    for name in (*ORDERS, *BOUNDS, *matchers):
        assert f"`{name}`" in PAGE


def test_every_metric_that_is_listed_is_one() -> None:
    table = PAGE.split("| Metric | What it is |")[1].split("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines()[2:]]
    names = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    summaries = {"mean", "p50", "p95", "max"}
    quantities = [name for name in names if name.endswith(".")]
    assert len(quantities) == 3
    assert all(is_metric(f"{name}{summary}") for name in quantities for summary in summaries)
    assert all(is_metric(name) for name in set(names) - set(quantities) - summaries)


@pytest.mark.parametrize("outcomes", [[], ["utility", "safe"]])
def test_the_default_rubric_is_right(outcomes: list[str]) -> None:
    rubric = default_rubric("baseline", outcomes=outcomes)
    assert files.checker("rubric-v2").check(rubric) == []
    assert check_gates(rubric, "") == []
