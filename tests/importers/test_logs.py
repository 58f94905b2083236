"""Logs of Inspect and promptfoo in the shapes of several versions, and ATIF's parts."""

from __future__ import annotations

import json
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.importers import archive
from contractlab.problems import ContractError
from tests.importers.build import calls, file, found, lines, record, records, says, skipped
from tests.importers.test_benchmarks import _log, _result, _results, _sample
from tests.importers.test_messages import _trajectory

if sys.version_info >= (3, 14):
    zstd_zipfile = zipfile
else:
    from backports.zstd import zipfile as zstd_zipfile

if TYPE_CHECKING:
    from pathlib import Path

# ── Inspect ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("value", "outcomes"),
    [
        ("C", {"s": True}),
        ("I", {"s": False}),
        ("N", {"s": False}),
        ("P", {}),
        (1, {"s": True}),
        (0.0, {"s": False}),
        (0.4, {}),
        (True, {"s": True}),
        ({"a": "C", "b": 0.5, "c": 0}, {"s.a": True, "s.c": False}),
        ([1, 0], {}),
        (None, {"s": None}),
    ],
)
def test_a_score_is_an_outcome_where_it_is_a_yes_or_a_no(
    tmp_path: Path, value: Any, outcomes: dict[str, Any]
) -> None:
    run = record("inspect", file(tmp_path, _log(_sample(scores={"s": {"value": value}}))))
    assert run.outcomes == outcomes


def test_logs_of_before_several_scorers_have_one_score(tmp_path: Path) -> None:
    old = _sample(scores=None, score={"value": "C"})
    assert record("inspect", file(tmp_path, _log(old))).outcomes == {"score": True}


def test_a_graders_tokens_are_not_the_agents(tmp_path: Path) -> None:
    used = {
        "m": {"input_tokens": 5, "output_tokens": 1, "total_cost": 0.5},
        "grader": {"input_tokens": 900, "output_tokens": 9, "total_cost": 2},
    }
    run = record("inspect", file(tmp_path, _log(_sample(model_usage=used))))
    assert (run.tokens, run.cost_usd) == ({"input": 5, "output": 1}, 0.5)


def test_a_sample_that_was_run_again_after_an_error_says_so(tmp_path: Path) -> None:
    again = _sample(error_retries=[{"message": "boom"}], scores={})
    run = record("inspect", file(tmp_path, _log(again)))
    assert (run.status, run.notes) == ("ok", ("an error came before it, and it was run again",))


@pytest.mark.parametrize(
    ("message", "status"),
    [("TimeoutError('slow')", "timeout"), ("ValueError('no timeout was given')", "error")],
)
def test_only_an_error_of_time_is_a_timeout(tmp_path: Path, message: str, status: str) -> None:
    run = record("inspect", file(tmp_path, _log(_sample(error={"message": message}))))
    assert run.status == status


def _members() -> dict[str, str]:
    header = {key: each for key, each in _log().items() if key != "samples"}
    samples = {f"samples/{i}_epoch_1.json": json.dumps(_sample(id=i)) for i in range(30)}
    return {"header.json": json.dumps(header), "reductions.json": "[]", **samples}


@pytest.mark.parametrize("packed", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_an_eval_file_of_many_samples_is_read_however_it_is_packed(
    tmp_path: Path, packed: int
) -> None:
    path = tmp_path / "log.eval"
    with zstd_zipfile.ZipFile(path, "w", packed) as made:
        for name, data in _members().items():
            made.writestr(name, data)
    runs = records("inspect", str(path))
    assert len({run.case_id for run in runs}) == len(runs) == 30
    assert calls(runs[0]) == [("find", {"q": 1}, False)]


def test_a_member_that_is_packed_some_other_way_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as made:
        made.writestr("header.json", "{}")
    with pytest.raises(ContractError) as refused:
        found("inspect", str(path))
    assert "packed in a way that logs are not" in refused.value.problems[0].message


def test_a_member_of_zstandard_that_inflates_beyond_the_cap_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zstd_zipfile.ZipFile(path, "w", 93) as made:
        made.writestr("samples/1_epoch_1.json", b" " * 60_000_000)
    with pytest.raises(ContractError) as refused:
        found("inspect", str(path))
    assert "inflates to more than" in refused.value.problems[0].message
    assert archive.MOST_RATIO * 1000 < 60_000_000


def test_zstandard_that_is_damaged_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zstd_zipfile.ZipFile(path, "w", 93) as made:
        made.writestr("samples/1_epoch_1.json", json.dumps(_sample()) * 50)
    data = bytearray(path.read_bytes())
    data[70:90] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(ContractError) as refused:
        found("inspect", str(path))
    assert "samples/1_epoch_1.json" in refused.value.problems[0].message


# ── promptfoo ───────────────────────────────────────────────────────────────────────────────


def _old(**more: Any) -> dict[str, Any]:
    old = _result(**more)
    return {key: each for key, each in old.items() if key != "failureReason"}


def test_before_failure_reasons_a_crash_is_an_error_without_an_answer(tmp_path: Path) -> None:
    crashed = _old(error="429 Too Many Requests", gradingResult=None, response={})
    document = {"version": 2, "results": {"version": 2, "results": [_old(), crashed]}}
    runs = records("promptfoo", file(tmp_path, document))
    assert [(run.status, run.error) for run in runs] == [
        ("ok", None),
        ("error", "429 Too Many Requests"),
    ]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda each: {"version": 1, "results": [each]},
        lambda each: {"results": {"results": [each]}},
        lambda each: each,
        lambda each: [each],
    ],
    ids=["version 1", "version 3", "a line", "a list"],
)
def test_results_are_found_in_every_version(tmp_path: Path, wrap: Any) -> None:
    assert record("promptfoo", lines(tmp_path, [wrap(_result())])).outcomes == {"passed": False}


def test_a_table_of_results_has_a_run_a_cell(tmp_path: Path) -> None:
    row = {
        "vars": ["1"],
        "test": {"vars": {"q": "1"}},
        "outputs": [
            {"pass": True, "text": "A", "latencyMs": 5, "tokenUsage": {"prompt": 1}},
            {"pass": False, "text": "", "failureReason": 2, "error": "boom"},
        ],
    }
    prompts = [{"label": "ask", "provider": "p"}, {"label": "ask", "provider": "q"}]
    table = {"head": {"prompts": prompts, "vars": ["q"]}, "body": [row]}
    one, other = records("promptfoo", file(tmp_path, {"results": {"table": table}}))
    assert (one.release, one.answer, one.tokens) == ("p × ask", "A", {"input": 1})
    assert (other.release, other.status, other.error) == ("q × ask", "error", "boom")
    assert one.case_id == other.case_id


USE = '{"type": "tool_use", "id": "t", "name": "get", "input": {"c": 1}}'
ITEM = '{"type": "function_call", "call_id": "c", "name": "get", "arguments": "{\\"c\\": 1}"}'
MESSAGE = {
    "role": "assistant",
    "content": "Sure.",
    "tool_calls": [{"id": "1", "function": {"name": "get", "arguments": '{"c": 1}'}}],
}


@pytest.mark.parametrize(
    ("output", "answer"),
    [(USE, None), (f"Sure.\n\n{USE}", "Sure."), (ITEM, None), (MESSAGE, "Sure.")],
    ids=["a block", "a block among texts", "an item", "a message"],
)
def test_calls_in_an_output_are_read_in_every_apis_shape(
    tmp_path: Path, output: Any, answer: str | None
) -> None:
    run = record("promptfoo", file(tmp_path, _results(_result(response={"output": output}))))
    assert (calls(run), run.answer) == ([("get", {"c": 1}, None)], answer)


def test_an_output_that_is_a_value_is_the_answer_as_it_is(tmp_path: Path) -> None:
    run = record("promptfoo", file(tmp_path, _results(_result(response={"output": {"n": 42}}))))
    assert (run.answer, run.calls) == ({"n": 42}, None)


def test_a_provider_that_ran_out_of_time_is_a_timeout(tmp_path: Path) -> None:
    slow = _result(failureReason=2, error="Error: Request timed out")
    assert record("promptfoo", file(tmp_path, _results(slow))).status == "timeout"


# ── ATIF ────────────────────────────────────────────────────────────────────────────────────


def _continued() -> tuple[dict[str, Any], dict[str, Any]]:
    base = _trajectory(continued_trajectory_ref="trajectory.cont-1.json")
    copied = [{**step, "is_copied_context": True} for step in base["steps"]]
    more = {
        "source": "agent",
        "message": "Done.",
        "tool_calls": [{"tool_call_id": "d", "function_name": "close", "arguments": {}}],
        "metrics": {"prompt_tokens": 1},
    }
    final = {"total_prompt_tokens": 12, "total_completion_tokens": 2}
    rest = _trajectory(session_id="s-cont-1", steps=[*copied, more], final_metrics=final)
    return base, rest


def test_a_trajectory_and_its_continuation_are_one_run(tmp_path: Path) -> None:
    base, rest = _continued()
    for order in ([base, rest], [rest, base]):
        run = record("atif", lines(tmp_path, order))
        assert [each.name for each in run.calls or []] == ["find", "close"]
        assert (run.answer, run.tokens) == ("Done.", {"input": 12, "output": 2})
        assert run.notes == (run.notes[-1],)


def test_a_continuation_without_its_beginning_says_so(tmp_path: Path) -> None:
    base, rest = _continued()
    (first, *_) = record("atif", file(tmp_path, rest)).notes
    assert first == "it continues a trajectory that is not here"
    (first, *_) = record("atif", file(tmp_path, base)).notes
    assert first == "it is continued in a trajectory that is not here"


def test_a_subagents_trajectory_is_part_of_another_run(tmp_path: Path) -> None:
    parent = _trajectory()
    observed = parent["steps"][1]["observation"]["results"][0]
    observed["subagent_trajectory_ref"] = [{"session_id": "child"}]
    name = lines(tmp_path, [parent, _trajectory(session_id="child")])
    assert len(records("atif", name)) == 1
    assert skipped("atif", name) == ["a subagent's own trajectory, part of another run"]


def test_a_result_in_a_later_step_settles_its_call(tmp_path: Path) -> None:
    late = _trajectory()
    late["steps"][1].pop("observation")
    failed = {"source_call_id": "c", "content": [{"type": "text", "text": "Error: gone"}]}
    late["steps"].append({"source": "system", "message": "", "observation": {"results": [failed]}})
    assert calls(record("atif", file(tmp_path, late))) == [("find", {"q": 1}, False)]


def test_a_question_of_parts_is_the_same_case_as_in_plain_words(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "Where?"}, {"type": "image", "source": {"path": "x.png"}}]
    asked = {"source": "user", "message": parts}
    one = _trajectory(steps=[asked, {"source": "agent", "message": "There."}])
    plain = record("atif", file(tmp_path, _trajectory(), "plain.json"))
    assert record("atif", file(tmp_path, one)).case_id == plain.case_id


def test_another_model_is_another_release(tmp_path: Path) -> None:
    agent = {"name": "a", "version": "1", "model_name": "m"}
    run = record("atif", file(tmp_path, _trajectory(agent=agent)))
    assert run.release == "a 1 m"


# ── AgentDojo, tau2 ─────────────────────────────────────────────────────────────────────────


def test_a_runs_own_folder_names_its_release(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "gpt-tool_filter" / "workspace" / "user_task_1" / "none"
    folder.mkdir(parents=True)
    inside: dict[str, Any] = {
        "suite_name": "workspace",
        "pipeline_name": "gpt",
        "user_task_id": "user_task_1",
    }
    inside |= {"injection_task_id": None, "utility": True, "messages": [says("q", "user")]}
    run = record("agentdojo", file(folder, inside, "none.json"))
    assert run.release == "gpt-tool_filter"
    assert run.notes == ("its pipeline_name is another release's than its path, which is taken",)
    assert record("agentdojo", file(tmp_path, inside, "other.json")).release == "gpt"


def test_a_provider_that_threw_has_no_latency_and_an_error_without_a_machines_paths(
    tmp_path: Path,
) -> None:
    threw = "Error: boom\n    at callApi (/home/me/prov.js:2:38)\n    at run (/home/me/x.js:1:1)"
    crashed = _result(failureReason=2, error=threw, latencyMs=0)
    run = record("promptfoo", file(tmp_path, _results(crashed)))
    assert (run.error, run.latency_ms) == ("Error: boom", None)
