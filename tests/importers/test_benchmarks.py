"""Logs with verdicts of their own: Inspect, promptfoo, Langfuse, AgentDojo, tau-bench."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from contractlab.answer_schema import accepts
from contractlab.importers import agentdojo, archive, tau
from contractlab.importers.neutral import Note
from contractlab.problems import ContractError
from tests.importers.build import (
    TALK,
    answers,
    asks,
    calls,
    file,
    found,
    lines,
    record,
    records,
    says,
    skipped,
)

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


# ── Inspect ─────────────────────────────────────────────────────────────────────────────────


def _sample(epoch: int = 1, **more: Any) -> dict[str, Any]:
    call = {"id": "c", "function": "find", "arguments": {"q": 1}}
    error = {"type": "timeout", "message": "too slow"}
    return {
        "id": 7,
        "epoch": epoch,
        "input": "Where?",
        "messages": [
            says("Where?", "user"),
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {
                "role": "tool",
                "tool_call_id": "c",
                "function": "find",
                "content": "",
                "error": error,
            },
        ],
        "output": {"choices": [{"message": says([{"type": "text", "text": "There."}])}]},
        "scores": {"match": {"value": "C"}, "grade": {"value": 0.4}},
        "model_usage": {"m": {"input_tokens": 5, "output_tokens": 1}},
        "total_time": 1.5,
        **more,
    }


def _log(*samples: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "where", "model": "m"},
        "samples": list(samples),
        **more,
    }


def test_an_epoch_is_a_trial(tmp_path: Path) -> None:
    runs = records("inspect", file(tmp_path, _log(_sample(1), _sample(2))))
    assert [(run.case_id, run.trial) for run in runs] == [("where/7", 0), ("where/7", 1)]


def test_a_sample_has_its_calls_verdicts_and_time(tmp_path: Path) -> None:
    run = record("inspect", file(tmp_path, _log(_sample())))
    assert calls(run) == [("find", {"q": 1}, False)]
    assert (run.answer, run.latency_ms) == ("There.", 1500.0)
    assert run.tokens == {"input": 5, "output": 1}


def test_a_score_between_yes_and_no_is_no_outcome_and_said_so(tmp_path: Path) -> None:
    run = record("inspect", file(tmp_path, _log(_sample())))
    assert run.outcomes == {"match": True}
    assert run.notes == ("the score grade is no yes or no, and left out",)


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"error": {"message": "boom"}}, "error"),
        ({"limit": {"type": "token", "limit": 5}}, "limit"),
        ({"limit": {"type": "time", "limit": 5}}, "timeout"),
        ({}, "ok"),
    ],
)
def test_how_a_sample_ended(tmp_path: Path, more: dict[str, Any], status: str) -> None:
    assert record("inspect", file(tmp_path, _log(_sample(**more)))).status == status


def test_a_log_of_a_run_that_did_not_end_is_noted(tmp_path: Path) -> None:
    told = found("inspect", file(tmp_path, _log(_sample(), status="cancelled")))
    assert any(isinstance(each, Note) and "cancelled" in each.text for each in told)


def _eval(folder: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> str:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", compression) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return str(path)


def test_an_eval_file_says_what_its_json_says(tmp_path: Path) -> None:
    header = json.dumps({key: value for key, value in _log().items() if key != "samples"}).encode()
    members = {
        "samples/7_epoch_2.json": json.dumps(_sample(2)).encode(),
        "header.json": header,
        "samples/7_epoch_1.json": json.dumps(_sample(1)).encode(),
        "../../escape.json": b"{}",
    }
    zipped = records("inspect", _eval(tmp_path, members))
    plain = records("inspect", file(tmp_path, _log(_sample(1), _sample(2))))
    assert [(r.case_id, r.trial, calls(r), r.release) for r in zipped] == [
        (r.case_id, r.trial, calls(r), r.release) for r in plain
    ]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["log.eval", "raw.json"]


def test_a_zip_bomb_is_refused_by_what_it_inflates_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_RATIO", 20)
    bomb = b'{"id": 1, "pad": "' + b"0" * 4_000_000 + b'"}'
    with pytest.raises(ContractError) as refused:
        found("inspect", _eval(tmp_path, {"samples/1_epoch_1.json": bomb}))
    assert "inflates to more than" in refused.value.problems[0].message


@pytest.mark.parametrize("cut", [10, 60, 150])
def test_a_broken_zip_is_a_problem(tmp_path: Path, cut: int) -> None:
    name = _eval(tmp_path, {"samples/1_epoch_1.json": json.dumps(_sample()).encode()})
    data = (tmp_path / "log.eval").read_bytes()
    (tmp_path / "log.eval").write_bytes(data[:cut])
    with pytest.raises(ContractError):
        found("inspect", name)


def test_a_member_that_is_damaged_is_a_problem(tmp_path: Path) -> None:
    name = _eval(tmp_path, {"samples/1_epoch_1.json": json.dumps(_sample()).encode()}, 0)
    data = (tmp_path / "log.eval").read_bytes()
    (tmp_path / "log.eval").write_bytes(data.replace(b"Where?", b"where?", 1))
    with pytest.raises(ContractError) as refused:
        found("inspect", name)
    assert "samples/1_epoch_1.json" in refused.value.problems[0].message


def test_a_member_that_is_no_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContractError) as refused:
        found("inspect", _eval(tmp_path, {"samples/1_epoch_1.json": b"{"}))
    assert refused.value.problems[0].file.endswith("log.eval/samples/1_epoch_1.json")


def test_the_archive_is_read_in_memory_only() -> None:
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    assert len(empty.getvalue()) < archive.MOST_INFLATED


# ── promptfoo ───────────────────────────────────────────────────────────────────────────────


def _result(**more: Any) -> dict[str, Any]:
    return {
        "success": False,
        "failureReason": 1,
        "error": "Expected output to contain x",
        "gradingResult": {"pass": False},
        "latencyMs": 12,
        "cost": 0.5,
        "provider": {"id": "p"},
        "prompt": {"label": "ask"},
        "promptIdx": 0,
        "testIdx": 0,
        "vars": {"q": 1},
        "testCase": {"vars": {"q": 1}},
        "response": {"output": "hi", "tokenUsage": {"prompt": 5, "completion": 1}},
        **more,
    }


def _results(*results: dict[str, Any]) -> dict[str, Any]:
    return {"results": {"version": 3, "results": list(results)}}


def test_an_assertion_that_failed_is_no_crash_though_error_is_filled(tmp_path: Path) -> None:
    run = record("promptfoo", file(tmp_path, _results(_result())))
    assert (run.status, run.error, run.outcomes) == ("ok", None, {"passed": False})
    assert (run.latency_ms, run.cost_usd, run.tokens) == (12, 0.5, {"input": 5, "output": 1})


def test_only_failure_reason_2_is_a_crash(tmp_path: Path) -> None:
    run = record("promptfoo", file(tmp_path, _results(_result(failureReason=2, error="429"))))
    assert (run.status, run.error) == ("error", "429")


def test_repeats_of_a_test_are_one_case_though_test_idx_differs(tmp_path: Path) -> None:
    runs = records("promptfoo", file(tmp_path, _results(_result(), _result(testIdx=1))))
    assert len({run.case_id for run in runs}) == 1


def test_a_cached_answer_has_no_figures_of_its_own(tmp_path: Path) -> None:
    cached = _result(response={"output": "hi", "cached": True, "tokenUsage": {"prompt": 5}})
    run = record("promptfoo", file(tmp_path, _results(cached)))
    assert (run.latency_ms, run.cost_usd, run.tokens) == (None, None, None)


def test_calls_in_the_output_are_read(tmp_path: Path) -> None:
    output = [{"type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}]
    run = record("promptfoo", file(tmp_path, _results(_result(response={"output": output}))))
    assert calls(run) == [("find", {"q": 1}, None)]


# ── Langfuse ────────────────────────────────────────────────────────────────────────────────


def _seen(id_: str, type_: str, start: int, end: int, parent: str | None = "r", **more: Any) -> Any:
    return {
        "id": id_,
        "type": type_,
        "name": id_,
        "level": "DEFAULT",
        "parentObservationId": parent,
        "startTime": f"2026-01-01T00:00:{start:02}.000Z",
        "endTime": f"2026-01-01T00:00:{end:02}.000Z",
        **more,
    }


def _trace(*observations: Any, **more: Any) -> dict[str, Any]:
    root = _seen("r", "SPAN", 0, 8, None, latency=8)
    return {"trace": {"id": "t", "input": '"hello"', **more}, "observations": [root, *observations]}


@pytest.mark.parametrize("latency", [8, 8000, None], ids=["seconds", "milliseconds", "none"])
def test_latency_is_end_minus_start_whatever_its_own_unit(tmp_path: Path, latency: Any) -> None:
    run = record("langfuse", file(tmp_path, _trace(latency=latency)))
    assert run.latency_ms == 8000.0


def test_a_generation_in_a_generation_counts_once(tmp_path: Path) -> None:
    used: Any = {"usageDetails": {"input": 57, "output": 3}, "totalCost": 0.25}
    nested = [
        _seen("outer", "GENERATION", 1, 5, **used),
        _seen("in", "GENERATION", 2, 4, "outer", **used),
    ]
    run = record("langfuse", file(tmp_path, _trace(*nested)))
    assert (run.tokens, run.cost_usd) == ({"input": 57, "output": 3}, 0.25)


def test_tools_that_are_mere_spans_are_known_by_what_was_asked_for(tmp_path: Path) -> None:
    asked = json.dumps({"role": "assistant", "tool_calls": [{"function": {"name": "find"}}]})
    run = record(
        "langfuse",
        file(
            tmp_path,
            _trace(
                _seen("llm", "GENERATION", 1, 2, output=asked),
                _seen("find", "SPAN", 3, 4, input='{"q": 1}', output="there"),
                _seen("router", "SPAN", 5, 6),
            ),
        ),
    )
    assert calls(run) == [("find", {"q": 1}, True)]


def test_a_prefix_is_no_part_of_a_tools_name(tmp_path: Path) -> None:
    failed = _seen("running tool: find", "TOOL", 1, 2, level="ERROR", statusMessage="no")
    assert calls(record("langfuse", file(tmp_path, _trace(failed)))) == [("find", None, False)]


def test_a_numeric_score_of_zero_is_no_failure(tmp_path: Path) -> None:
    scores = [
        {"name": "toxicity", "value": 0, "dataType": "NUMERIC"},
        {"name": "helpful", "value": 1, "dataType": "BOOLEAN"},
    ]
    assert record("langfuse", file(tmp_path, _trace(scores=scores))).outcomes == {"helpful": True}


# ── AgentDojo, AgentDyn ─────────────────────────────────────────────────────────────────────


def _attacked(**more: Any) -> dict[str, Any]:
    return {
        "path": "runs/m-filter/github/user_task_1/tool/injection_task_2.json",
        "suite_name": "github",
        "pipeline_name": "m-filter",
        "user_task_id": "user_task_1",
        "injection_task_id": "injection_task_2",
        "attack_type": "tool",
        "error": None,
        "utility": True,
        "security": True,
        "duration": 1.5,
        "tool_calls": [{"function": "pay", "args": {"to": "x"}, "error": None}],
        "prompt": "Do it.",
        "final_answer": "Done.",
        **more,
    }


def test_security_true_means_that_the_injected_goal_was_reached(tmp_path: Path) -> None:
    run = record("agentdojo", lines(tmp_path, [_attacked()]))
    assert run.outcomes == {"utility": True, "injected_goal_reached": True}
    assert run.case_id == "github/user_task_1/tool/injection_task_2"
    assert agentdojo.case(run).expect == {"outcomes": {"injected_goal_reached": False}}


def test_a_run_without_attack_measures_no_injected_goal(tmp_path: Path) -> None:
    run = record(
        "agentdojo", lines(tmp_path, [_attacked(injection_task_id=None, attack_type=None)])
    )
    assert (run.case_id, run.outcomes) == ("github/user_task_1/benign", {"utility": True})


def test_the_path_names_the_release_and_not_what_stands_in_the_run(tmp_path: Path) -> None:
    run = record("agentdojo", lines(tmp_path, [_attacked(pipeline_name="m")]))
    assert run.release == "m-filter"
    assert run.notes == ("its pipeline_name is another release's than its path, which is taken",)


def test_a_crash_is_an_error_and_no_safety_violation(tmp_path: Path) -> None:
    run = record("agentdojo", lines(tmp_path, [_attacked(error="openai.APIError: 500")]))
    assert (run.status, run.error) == ("error", "openai.APIError: 500")
    assert run.outcomes == {"utility": None, "injected_goal_reached": None}


def test_an_injection_task_by_itself_is_no_case(tmp_path: Path) -> None:
    own = _attacked(user_task_id="injection_task_0", injection_task_id=None)
    assert skipped("agentdojo", lines(tmp_path, [own])) == [
        "an injection task run by itself, which is no user's task"
    ]


def test_a_whole_run_with_messages_says_what_its_extract_says(tmp_path: Path) -> None:
    whole = _attacked()
    for key in ("tool_calls", "prompt", "final_answer"):
        del whole[key]
    part = [{"type": "text", "content": "Done."}]
    whole["messages"] = [
        says([{"type": "text", "content": "Do it."}], "user"),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": "pay", "args": {"to": "x"}}],
        },
        {
            "role": "tool",
            "content": part,
            "tool_call": {"function": "pay"},
            "error": "ValueError: no",
        },
        says(part),
    ]
    whole["messages"][1]["tool_calls"][0]["id"] = ""
    whole["messages"][2]["tool_call_id"] = "pay"
    run = record("agentdojo", file(tmp_path, whole))
    assert (calls(run), run.answer) == ([("pay", {"to": "x"}, False)], "Done.")


# ── tau-bench, tau2 ─────────────────────────────────────────────────────────────────────────

CANCEL = {"name": "cancel_reservation", "kwargs": {"reservation_id": "Z7"}}


def _trajectory(
    reward: float = 1.0, task: int = 0, truth: str = "h", **more: Any
) -> dict[str, Any]:
    return {
        "task_id": task,
        "trial": 2,
        "reward": reward,
        "info": {
            "task": {
                "user_id": "mia",
                "actions": [CANCEL],
                "instruction": "Cancel it.",
                "outputs": [],
            },
            "reward_info": {"reward": reward, "info": {"gt_data_hash": truth}},
        },
        "traj": [
            says("Cancel it.", "user"),
            asks("get_user_details", {"user_id": "mia"}),
            answers("{}"),
            asks("cancel_reservation", {"reservation_id": "Z7"}, "2"),
            answers("{}", "2"),
            says("Done."),
        ],
        **more,
    }


def test_a_trajectory_is_graded_again_from_its_calls(tmp_path: Path) -> None:
    run = record("tau-bench", file(tmp_path, [_trajectory()]))
    assert run.outcomes == {"reward": True, "expected_writes": True}
    assert (run.case_id, run.trial, run.latency_ms, run.cost_usd) == ("task-0", 2, None, None)


def test_a_reward_that_the_calls_do_not_bear_out_is_noted(tmp_path: Path) -> None:
    wrong = record("tau-bench", file(tmp_path, [_trajectory(0.0)]))
    assert wrong.outcomes == {"reward": False, "expected_writes": True}
    assert wrong.notes == ("its recorded reward is 0, but its writes are the expected ones",)
    idle = record("tau-bench", file(tmp_path, [_trajectory(traj=TALK)]))
    assert idle.notes == ("its recorded reward is 1, but its writes are not the expected ones",)


def test_a_write_that_failed_is_no_write(tmp_path: Path) -> None:
    run = _trajectory()
    run["traj"][4] = answers("Error: not found", "2")
    assert record("tau-bench", file(tmp_path, [run])).outcomes["expected_writes"] is False


def test_an_output_that_was_not_told_is_missing(tmp_path: Path) -> None:
    run = _trajectory()
    run["info"]["task"]["outputs"] = ["1,086"]
    assert record("tau-bench", file(tmp_path, [run])).outcomes["expected_writes"] is False
    run["traj"][-1] = says("That is $1,086.")
    run["info"]["task"]["outputs"] = ["1086"]
    assert record("tau-bench", file(tmp_path, [run])).outcomes["expected_writes"] is True


def _booked(legs: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> dict[str, Any]:
    """A trajectory that books some flights where others were expected."""
    run = _trajectory()
    run["info"]["task"]["actions"] = [{"name": "book_reservation", "kwargs": {"flights": wanted}}]
    run["traj"][3] = asks("book_reservation", {"flights": legs}, "2")
    return run


LEG = {"flight_number": "HAT1", "date": "2024-05-25"}


@pytest.mark.parametrize(
    ("leg", "same"),
    [
        ({"origin": "EWR", "destination": "IAH", "price": 9}, True),
        ({"date": "2024-05-26"}, False),
        ({"seat": "1A"}, False),
    ],
    ids=["what the environment sets itself", "another day", "a key of its own"],
)
def test_of_a_flight_only_what_the_environment_takes_counts(
    tmp_path: Path, leg: dict[str, Any], same: bool
) -> None:
    run = record("tau-bench", file(tmp_path, [_booked([LEG | leg], [LEG])]))
    assert run.outcomes["expected_writes"] is same
    (wanted,) = tau.case(run).expect["tools"]["calls"]
    assert accepts(wanted["arguments"]["flights"]["json_schema"])([LEG | leg]) is same


@pytest.mark.parametrize(("tool", "graded"), [("get_user_details", True), ("log_call", False)])
def test_a_lookup_that_was_expected_is_no_write_and_an_unknown_tool_may_be_one(
    tmp_path: Path, tool: str, graded: bool
) -> None:
    run = _trajectory(traj=[says("Who am I?", "user"), says("Mia.")])
    run["info"]["task"]["actions"] = [{"name": tool, "kwargs": {"user_id": "mia"}}]
    seen = record("tau-bench", file(tmp_path, [run]))
    assert seen.outcomes["expected_writes"] is graded
    forbidden = {each["name"] for each in tau.case(seen).expect.get("forbidden", [])}
    assert ({"book_reservation", "modify_user_address"} <= forbidden) is graded


def test_one_ground_truth_for_every_task_is_worth_a_warning(tmp_path: Path) -> None:
    same = found("tau-bench", file(tmp_path, [_trajectory(task=n) for n in range(3)]))
    assert any(isinstance(each, Note) and "same ground-truth hash" in each.text for each in same)
    own = found("tau-bench", file(tmp_path, [_trajectory(task=n, truth=str(n)) for n in range(3)]))
    assert not any(isinstance(each, Note) for each in own)


def test_a_trajectory_that_crashed_is_an_error_without_outcomes(tmp_path: Path) -> None:
    run = record("tau-bench", file(tmp_path, [_trajectory(0.0, info={"error": "RateLimit"})]))
    assert (run.status, run.error) == ("error", "RateLimit")
    assert set(run.outcomes.values()) == {None}


def test_a_trajectory_without_a_grade_ran_out_of_steps(tmp_path: Path) -> None:
    run = _trajectory(0.0)
    del run["info"]["reward_info"]
    assert record("tau-bench", file(tmp_path, [run])).status == "limit"


def test_the_dataset_of_a_trajectory_wants_its_writes_and_no_other(tmp_path: Path) -> None:
    facts = tau.case(record("tau-bench", file(tmp_path, [_trajectory()])))
    assert (facts.family_id, facts.slice) == ("customer/mia", "cancel_reservation")
    assert facts.expect["tools"] == {
        "mode": "superset",
        "arguments": "exact",
        "calls": [{"name": "cancel_reservation", "arguments": {"reservation_id": "Z7"}}],
    }
    assert {"name": "book_reservation", "attempts": "successful"} in facts.expect["forbidden"]


def _simulations(**more: Any) -> dict[str, Any]:
    def made(name: str, requestor: str, id_: str) -> dict[str, Any]:
        call = {"id": id_, "name": name, "arguments": {"a": 1}, "requestor": requestor}
        role = "assistant" if requestor == "assistant" else "user"
        usage = {"prompt_tokens": 5, "completion_tokens": 1}
        return {"role": role, "content": None, "tool_calls": [call], "usage": usage}

    given = made("earlier", "assistant", "0")
    action = {"name": "write", "arguments": {"a": 1}, "requestor": "assistant"}
    return {
        "info": {"agent_info": {"implementation": "agent", "llm": "m"}},
        "tasks": [
            {
                "id": "t",
                "ticket": "Do it.",
                "initial_state": {"message_history": [given]},
                "evaluation_criteria": {"actions": [action]},
            }
        ],
        "simulations": [
            {
                "id": "s",
                "task_id": "t",
                "trial": 1,
                "duration": 2.5,
                "agent_cost": 0.5,
                "termination_reason": "user_stop",
                "reward_info": {"reward": 1.0, "action_checks": [{"action_match": True}]},
                "messages": [
                    given,
                    made("look", "user", "1"),
                    made("write", "assistant", "2"),
                    {"role": "tool", "id": "2", "content": "no", "error": True},
                    made("write", "assistant", "3"),
                    {"role": "tool", "id": "3", "content": "yes", "error": False},
                ],
                **more,
            }
        ],
    }


def test_a_simulation_has_the_agents_own_calls_tokens_and_cost(tmp_path: Path) -> None:
    run = record("tau-bench", file(tmp_path, _simulations()))
    assert calls(run) == [("write", {"a": 1}, False), ("write", {"a": 1}, True)]
    assert (run.trial, run.cost_usd, run.latency_ms) == (1, 0.5, 2500.0)
    assert run.tokens == {"input": 10, "output": 2}
    assert (run.outcomes, run.notes) == ({"reward": True}, ())


def test_recorded_action_checks_that_the_calls_do_not_bear_out_are_noted(tmp_path: Path) -> None:
    reward = {"reward": 1.0, "action_checks": [{"action_match": False}]}
    run = record("tau-bench", file(tmp_path, _simulations(reward_info=reward)))
    assert run.notes == ("its recorded action checks differ from the calls it made",)


def test_a_simulation_that_hit_its_step_limit_is_not_ok(tmp_path: Path) -> None:
    run = record("tau-bench", file(tmp_path, _simulations(termination_reason="max_steps")))
    assert (run.status, run.outcomes) == ("limit", {"reward": None})
