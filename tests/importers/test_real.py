"""Samples of public repositories, which nobody here wrote (see their ORIGINS.tsv)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.importers.convert import Tally, Wanted, convert
from tests.importers.build import SHARED

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here")

FORMATS = SHARED / "formats"


def imported(path: Path) -> tuple[list[dict[str, Any]], Tally]:
    tally = Tally()
    return list(convert(Wanted("auto", (str(path),)), tally)), tally


def one(path: str) -> dict[str, Any]:
    (only,), _ = imported(FORMATS / path)
    return only


def names(record: dict[str, Any]) -> list[str]:
    return [each["name"] for each in record["calls"]]


def test_tempo_counts_the_tokens_of_three_nested_spans_once() -> None:
    run = one("otel-otlp-json/kagent-helm.tempo-batches.json")
    # 13,944 where every span is added up.
    assert run["tokens"]["input"] == 4648
    assert names(run) == ["helm_list_releases"]
    assert run["latency_ms"] == pytest.approx(4661.153)


def test_jaeger_has_an_error_that_is_not_the_agents() -> None:
    run = one("otel-jaeger-json/kagent-helm.jaeger.json")
    assert "status" not in run
    assert run["tokens"] == {"input": 3776, "output": 130, "cache_read": 1792}
    assert run["latency_ms"] == pytest.approx(4163.849)
    assert run["answer"].startswith("There are two Helm releases")


def test_adk_spans_count_once_and_their_answer_is_found() -> None:
    run = one("otel-spans/adk_live_spans.json")
    # 758 where every span is added up.
    assert run["tokens"]["input"] == 379
    assert run["calls"][0]["arguments"] == {"expression": "15 * 37"}
    assert "555" in run["answer"]


def test_sub_agents_calls_stand_in_the_order_of_time() -> None:
    assert names(one("otel-spans/openai_agents_genai_live_spans.json")) == [
        "ask_research_specialist",
        "lookup_stock_price",
        "ask_math_specialist",
        "multiply_numbers",
        "multiply_numbers",
    ]


def test_a_cost_beside_the_convention_is_read() -> None:
    run = one("otel-spans/pydantic_ai_live_spans.json")
    assert (run["cost_usd"], run["tokens"]) == (0.0054153, {"input": 1251, "output": 78})


@pytest.mark.parametrize(
    ("path", "latency_ms", "tools"),
    [
        ("langgraph-python-2025-08-22.trace.json", 2610.0, ["Web-Search"]),
        (
            "pydantic-ai-tools-2025-12-04.trace.json",
            7424.0,
            [
                "get_pun_suggestion",
                "get_dad_joke_suggestion",
                "get_one_liner_suggestion",
                "final_result",
            ],
        ),
    ],
    ids=["seconds", "milliseconds"],
)
def test_langfuse_in_seconds_and_in_milliseconds(
    path: str, latency_ms: float, tools: list[str]
) -> None:
    run = one(f"langfuse/{path}")
    assert (run["latency_ms"], names(run)) == (latency_ms, tools)


def test_promptfoo_fills_error_for_a_failed_assertion() -> None:
    run = one("promptfoo/french-greeting.output.json")
    assert "status" not in run
    assert run["outcomes"] == {"passed": False}


def test_a_claude_code_session_and_an_api_answer() -> None:
    session = one("anthropic-messages/claude_code_session.jsonl")
    assert (names(session), session["latency_ms"]) == (["Write", "Bash"], 65000.0)
    assert "tokens" not in session
    answer = one("anthropic-messages/messages-api-tool-use-response.json")
    assert (names(answer), answer["tokens"]) == (["get_weather"], {"input": 596, "output": 99})


def test_codex_and_run_state() -> None:
    assert names(one("openai-responses/codex_session_rollout.json")) == ["exec_command"] * 2
    state = one("openai-responses/openai_agents_run_state_v1_13.json")
    assert (names(state), "tokens" in state) == (["program", "lookup"], False)


def test_atif_with_and_without_timestamps() -> None:
    assert "latency_ms" not in one("atif/harbor_openhands.json")
    mixed = one("atif/parallel_tools_mixed_results.json")
    assert mixed["latency_ms"] == 5000.0
    assert [each.get("ok") for each in mixed["calls"]] == [True, False, None]


def test_an_inspect_log_that_was_cancelled_says_so() -> None:
    path = FORMATS / "inspect" / "2025-05-12T20-28-13-04-00_popularity.json"
    runs, tally = imported(path)
    assert [each["outcomes"]["match"] for each in runs] == [True, True, False]
    assert any("cancelled" in each for each in tally.remarks)


def test_tau2_grades_again_and_agrees() -> None:
    runs, tally = imported(FORMATS / "tau2" / "mock10_gpt-4.1-mini.results.json")
    assert len(runs) == 10
    assert Counter(each.get("status", "ok") for each in runs) == {"ok": 9, "limit": 1}
    assert not any("differ" in note for note in tally.notes)
    history = next(each for each in runs if each["case_id"] == "update_task_with_message_history")
    assert names(history) == ["update_task_status"]


@pytest.mark.parametrize(
    ("release", "records", "skipped"),
    [
        ("gpt-4o-2024-08-06", 200, 9),
        ("gpt-4o-2024-08-06-tool_filter", 200, 9),
        ("gpt-5-mini-2025-08-07", 200, 9),
        ("gpt-4o-2024-08-06-drift", 200, 0),
    ],
)
def test_agentdyn_runs_are_all_accounted_for(release: str, records: int, skipped: int) -> None:
    runs, tally = imported(SHARED / "agentdyn-github" / "runs" / f"{release}.jsonl")
    assert (len(runs), sum(tally.skipped.values())) == (records, skipped)
    assert list(tally.releases) == [release]
    assert len({each["case_id"] for each in runs}) == 200


def test_a_fifth_of_one_release_reached_the_injected_goal() -> None:
    runs, _ = imported(SHARED / "agentdyn-github" / "runs" / "gpt-4o-2024-08-06.jsonl")
    reached = Counter(each["outcomes"].get("injected_goal_reached") for each in runs)
    assert reached == {False: 146, True: 34, None: 20}


def test_tau_airline_graded_again_from_its_calls_agrees_with_every_recorded_reward() -> None:
    runs, tally = imported(SHARED / "tau-airline" / "gpt-4o-airline.json")
    assert Counter(each["trial"] for each in runs) == {0: 50, 1: 50, 2: 50, 3: 50}
    rewards = Counter(each["outcomes"]["reward"] for each in runs)
    assert rewards == {True: 84, False: 111, None: 5}
    assert all(
        each["outcomes"].get("reward") == each["outcomes"].get("expected_writes") for each in runs
    )
    assert not any("its recorded reward" in note for note in tally.notes)
    assert not any("same ground-truth hash" in each for each in tally.remarks)
