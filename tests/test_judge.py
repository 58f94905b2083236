"""The JSON report of a whole comparison: its fields, its bytes, its digest."""

from __future__ import annotations

import hashlib
import json
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from contractlab.files import schema_text
from contractlab.options import CompareOptions
from contractlab.render.report import render_json
from tests import builders
from tests.builders import case, predictions, release, rubric, write_triple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Run

FIELDS = {
    "action", "primary_reason", "reasons", "evidence_sha256", "evidence_fingerprint",
    "evidence_digest_format", "evaluator_version", "baseline_release", "candidate_release",
    "baseline_metrics", "candidate_metrics", "comparison", "limitations",
}  # fmt: skip
METRICS = {
    "case_count", "pass_rate", "mean_score", "confusion_matrix", "precision", "recall", "f1",
    "mean_latency_ms", "p95_latency_ms", "mean_estimated_cost_usd", "slice_pass_rate_gap",
    "by_slice", "critical_failures", "case_results",
}  # fmt: skip
COMPARISON = {
    "paired_pass_rate_delta", "paired_bootstrap_interval", "confidence", "samples", "seed",
}  # fmt: skip

SET = builders.dataset(
    case("a"),
    case("b", critical=False, slice="other", input="\x7f\x1b[31m ::error:: ##[error] \u2028\u6c49"),
    case("c", expected_label="negative", critical=False),
)


def report(folder: Path, *replays: Any, of: Any = SET, **gates: Any) -> bytes:
    from contractlab.commands import judged, with_config  # noqa: PLC0415

    arguments = write_triple(folder, dataset_=of, rubric_=rubric(**gates), predictions_=replays)
    names = [each.partition("=")[2] for each in arguments]
    config = builders.write(folder / "contractlab.toml", "")
    options = CompareOptions(
        dataset=names[0],
        rubric=names[1],
        predictions=tuple(names[2:]),
        candidate="candidate",
        config=config,
    )
    return render_json(judged(with_config(options)))


def both(**other: Any) -> Any:
    return predictions(release("baseline", SET), release("candidate", SET, **other))


def test_the_report_has_the_fields_of_version_1(tmp_path: Path) -> None:
    value = json.loads(report(tmp_path, both(but={"a": {"tool": None}})))
    assert value.keys() >= FIELDS
    assert value["comparison"].keys() >= COMPARISON
    for metrics in (value["baseline_metrics"], value["candidate_metrics"]):
        assert metrics.keys() >= METRICS
        assert metrics["confusion_matrix"].keys() == {"tp", "fp", "tn", "fn"}
        assert metrics["by_slice"]["other"].keys() >= {"count", "pass_rate", "critical_count"}
        assert metrics["case_results"][0].keys() >= {
            "case_id", "slice", "critical", "passed", "score", "checks",
        }  # fmt: skip
    assert value["action"] == "BLOCK"
    assert value["primary_reason"] == value["reasons"][0]
    assert value["evidence_digest_format"] == "python-json-sorted-utf8-v1"
    assert value["evidence_fingerprint"] == value["evidence_sha256"][:16]
    assert value["candidate_metrics"]["critical_failures"] == ["a"]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"predicted_label": "negative"},
        {"latency_ms": 10**300, "estimated_cost_usd": 5e-324},
        {"latency_ms": 1e16, "estimated_cost_usd": 1e-5},
        {"tool": "\u6c49\U0001f600 ::error:: ##[error]"},
    ],
    ids=ascii,
)
def test_the_report_is_ascii_without_commands_sorted_and_valid(tmp_path: Path, change: Any) -> None:
    gates = {"seed": 10**30, "max_mean_latency_ms": 10**300}
    data = report(tmp_path, both(**change), **gates)
    assert data.isascii()
    assert data.endswith(b"}\n")
    assert b"\r" not in data
    assert b"::" not in data
    assert b"##[" not in data
    assert not any(byte < 0x20 and byte != 0x0A for byte in data)
    value = json.loads(data)
    assert list(value) == sorted(value)
    schema = json.loads(schema_text("report-v1"))
    Draft202012Validator(schema).validate(value)


def test_undefined_metrics_are_null(tmp_path: Path) -> None:
    value = json.loads(report(tmp_path, both(predicted_label="negative")))
    metrics = value["candidate_metrics"]
    assert (metrics["precision"], metrics["recall"], metrics["f1"]) == (None, 0.0, None)


def test_the_digest_is_pythons_json_of_the_inputs(tmp_path: Path) -> None:
    replay = both(but={"b": {"latency_ms": 1e-5}})
    value = json.loads(report(tmp_path, replay))
    inputs = [value["evaluator_version"], SET, rubric(), replay, "candidate"]
    text = json.dumps(
        inputs, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    assert value["evidence_sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_each_input_file_is_listed_with_its_size_and_digest(tmp_path: Path) -> None:
    value = json.loads(report(tmp_path, both()))
    assert [each["role"] for each in value["inputs"]] == ["dataset", "rubric", "predictions"]
    for each in value["inputs"]:
        data = (tmp_path / each["name"]).read_bytes()
        assert each["byte_count"] == len(data)
        assert each["sha256"] == hashlib.sha256(data).hexdigest()


def test_the_order_of_replay_files_changes_nothing_but_the_list_of_inputs(tmp_path: Path) -> None:
    files = [
        predictions(release("baseline", SET), prediction_set_version="1"),
        predictions(release("candidate", SET, latency_ms=5.0), prediction_set_version="2"),
        predictions(release("third", SET), prediction_set_version="3"),
    ]
    seen = set()
    for order in permutations(files):
        value = json.loads(report(tmp_path, *order))
        del value["inputs"]
        seen.add(json.dumps(value, sort_keys=True))
    assert len(seen) == 1


@settings(max_examples=20)
@given(random=st.randoms())
def test_the_order_of_records_and_of_keys_changes_no_figure(
    tmp_path_factory: pytest.TempPathFactory, random: Any
) -> None:
    folder = tmp_path_factory.mktemp("orders")
    replay = both(but={"a": {"tool": None}, "c": {"latency_ms": 7.25}})
    before = json.loads(report(folder, replay))
    for each in replay["releases"]:
        random.shuffle(each["records"])
        each["records"] = [dict(reversed(record.items())) for record in each["records"]]
    after = json.loads(report(folder, replay))
    for value in (before, after):
        for name in ("inputs", "evidence_sha256", "evidence_fingerprint"):
            del value[name]
    assert after == before


def test_the_report_is_byte_identical_from_run_to_run_under_any_hash_seed(
    tmp_path: Path, contractlab: Callable[..., Run], python_flags: list[str]
) -> None:
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    arguments = write_triple(tmp_path, dataset_=SET, predictions_=[both()])
    first = contractlab("compare", *arguments, "--format=json").stdout
    outputs = {first}
    for seed in ("0", "1", "4711"):
        # -I ignores PYTHONHASHSEED, so not isolated.
        run = subprocess.run(
            [sys.executable, *python_flags, "-m", "contractlab", "compare", *arguments,
             "--format=json"],
            capture_output=True, check=False, timeout=60,
            env={"PYTHONHASHSEED": seed, "PATH": "", "SYSTEMROOT": ""},
        )  # fmt: skip
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert json.loads(first)["action"] == "PASS"
