"""From raw files to verdict and report, through the command line alone: recorded agents.

AgentDyn: four releases under prompt injection. tau-bench: four trials of one agent, so that
any of them against any other is an agent against itself. Their origins stand beside them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.options import REPORT_FORMATS
from tests.conftest import run_contractlab
from tests.importers.build import ROOT, SHARED
from tools.make_walkthrough import otlp, talks

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

here = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the recorded agents (../shared/real) are not on this machine"
)
PAGE = (ROOT / "docs" / "walkthrough.md").read_text(encoding="utf-8")


@dataclass
class Team:
    """A folder that begins empty, and the commands that are run in it."""

    folder: Path
    said: dict[str, str] = field(default_factory=dict)
    """What the last run of each command printed."""

    def run(self, command: str, *arguments: str | Path, code: int = 0) -> str:
        self.folder.mkdir(exist_ok=True)
        done = run_contractlab(command, *arguments, cwd=self.folder)
        assert done.returncode == code, done.stderr.decode()
        self.said[command] = done.stdout.decode()
        return self.said[command]

    def import_(self, raw: str | Path, release: str, format_: str = "auto") -> None:
        self.run("import", format_, raw, "--release", release)

    def begin(self, raw: str | Path, release: str) -> None:
        """Imports the baseline and makes a gate of it."""
        self.import_(raw, release)
        self.run("init", f"runs/{release}.json")

    def compare(self, candidate: str, *options: str) -> Any:
        """The JSON report on a candidate that does not pass."""
        options += ("--candidate", candidate, "--report-json", "report.json")
        self.run("compare", *options, code=1)
        return json.loads((self.folder / "report.json").read_bytes())


def format_of(replay: Path) -> str:
    return str(json.loads(replay.read_bytes())["recording"]["format"])


def lines_of(block: str) -> list[str]:
    """The lines that the page shows of real output, a block by the name before it."""
    shown = re.search(rf"<!-- {block} -->\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    return [line for line in shown[1].splitlines() if line]


def shown_in(block: str, output: str) -> bool:
    """Whether a block of the page stands in an output, line by line and in order."""
    left = iter(output.splitlines())
    return all(line in left for line in lines_of(block))


# ── a gain that hides a loss ────────────────────────────────────────────────────────────────

AGENTDYN = SHARED / "agentdyn-github" / "runs"
PLAIN, DEFENDED = "gpt-4o-2024-08-06", "gpt-4o-2024-08-06-tool_filter"


@pytest.fixture(scope="module")
def agentdyn(tmp_path_factory: pytest.TempPathFactory) -> Team:
    """A gate made of one release, and the other three imported."""
    team = Team(tmp_path_factory.mktemp("agentdyn"))
    team.begin(AGENTDYN / f"{PLAIN}.jsonl", "gpt-4o")
    names = {"tool_filter": DEFENDED, "drift": f"{PLAIN}-drift", "mini": "gpt-5-mini-2025-08-07"}
    for release, name in names.items():
        team.import_(AGENTDYN / f"{name}.jsonl", release)
    return team


@here
def test_every_run_is_a_case_or_is_skipped_with_a_reason(agentdyn: Team) -> None:
    replay = json.loads((agentdyn.folder / "runs" / "gpt-4o.json").read_bytes())
    recording = replay["recording"]
    skipped = sum(recording["skipped"].values())
    assert (len(replay["records"]), skipped) == (200, 9)
    assert len(recording["sources"][0]["sha256"]) == 64


@here
def test_a_release_that_gains_overall_and_loses_the_benign_slice_does_not_pass(
    agentdyn: Team,
) -> None:
    report = agentdyn.compare("tool_filter")
    assert report["action"] in ("REVIEW", "BLOCK")
    assert report["comparison"]["difference"] == pytest.approx(0.12)
    assert any(
        reason.startswith('pass rate of slice "benign" got worse: difference -0.400')
        for reason in report["reasons"]
    )
    assert any(
        reason.startswith('rate of outcome "utility" got worse') for reason in report["reasons"]
    )
    assert shown_in("agentdyn", agentdyn.said["compare"])


@here
def test_a_release_that_gains_in_every_slice_is_not_said_to_have_lost_one(agentdyn: Team) -> None:
    report = agentdyn.compare("mini")
    # Its latency was measured, and grew twelvefold.
    (reason,) = report["reasons"]
    assert reason.startswith("p95 latency 224,228 ms is above 1.5 times the baseline")
    assert report["action"] == "REVIEW"


@here
def test_the_json_report_alone_gives_every_format_and_the_same_cases(agentdyn: Team) -> None:
    rendered_again(agentdyn, "--candidate", "tool_filter")


def rendered_again(team: Team, *options: str) -> None:
    """Holds what `render` and `cases` make of a report to what the contracts give."""
    direct = {each: f"direct.{each}" for each in REPORT_FORMATS}
    targets = [f"--report-{each}={name}" for each, name in direct.items()]
    text = team.run("compare", *options, *targets, code=1)
    assert team.run("render", direct["json"]) == text
    for format_, name in direct.items():
        team.run("render", direct["json"], "--format", format_, "--output", "again")
        assert (team.folder / "again").read_bytes() == (team.folder / name).read_bytes(), format_
    listed = team.run("cases", *options, "--flip", "regressed")
    assert listed.startswith("regressed")
    assert team.run("cases", "--report", direct["json"], "--flip", "regressed") == listed


@here
def test_the_gate_and_its_replays_have_no_problem(agentdyn: Team) -> None:
    agentdyn.run("validate")
    names = sorted(str(path) for path in (agentdyn.folder / "runs").iterdir())
    assert agentdyn.run("hook", "--", "evals/dataset.json", "evals/rubric.json", *names) == ""


# ── an agent against itself ─────────────────────────────────────────────────────────────────

TRIALS = range(4)
PAIRS = [(pair, tuple(sorted(set(TRIALS) - set(pair)))) for pair in combinations(TRIALS, 2)]
AGAINST_ITSELF = [((one,), (other,)) for one, other in combinations(TRIALS, 2)] + PAIRS
TASKS = SHARED / "tau-airline" / "gpt-4o-airline.json"


def named(trials: Iterable[int]) -> str:
    return "trials-" + "-".join(map(str, trials))


@pytest.fixture(scope="module")
def tau(tmp_path_factory: pytest.TempPathFactory) -> Team:
    """Replays of each trial, of each two and of all; a gate each in a folder of its name."""
    team = Team(tmp_path_factory.mktemp("tau"))
    raw = json.loads(TASKS.read_bytes())
    for trials in dict.fromkeys([*chain(*AGAINST_ITSELF), tuple(TRIALS)]):
        name = named(trials)
        text = json.dumps([run for run in raw if run["trial"] in trials])
        (team.folder / f"{name}.json").write_text(text, "utf-8")
        team.import_(f"{name}.json", name)
        team.run("init", f"runs/{name}.json", "--folder", name)
    return team


@here
@pytest.mark.once
@pytest.mark.parametrize(("before", "after"), AGAINST_ITSELF, ids=str)
def test_an_agent_against_itself_is_told_that_the_set_is_too_small(
    tau: Team, before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    report = tau.compare(named(after), *gate_of(before))
    assert report["action"] == "REVIEW"
    (reason,) = report["reasons"]
    needed = re.search(r"too small for a margin of 0\.05: would need about ([\d,]+) cases", reason)
    assert needed is not None
    assert 300 < int(needed[1].replace(",", "")) < 1500
    assert "got worse" not in reason
    assert int(needed[1].replace(",", "")) == report["comparison"]["needed_cases"]
    if (before, after) == PAIRS[0]:
        assert shown_in("tau", tau.said["compare"])


def gate_of(trials: tuple[int, ...]) -> tuple[str, str]:
    return ("--config", f"{named(trials)}/contractlab.toml")


@here
@pytest.mark.once
def test_the_twenty_six_flaky_tasks_are_called_flaky(tau: Team) -> None:
    rewards: dict[str, set[float]] = {}
    for run in json.loads(TASKS.read_bytes()):
        rewards.setdefault(f"task-{run['task_id']}", set()).add(run["reward"])
    mixed = [task for task, seen in rewards.items() if len(seen) > 1]
    assert len(mixed) == 26
    name = named(TRIALS)
    report = tau.compare(name, *gate_of((0,)))
    assert sorted(report["candidate"]["flaky"]) == sorted(mixed)
    assert "flaky in the candidate: 26 of 50 cases" in tau.said["compare"]
    gate = [f"--{kind}={name}/evals/{kind}.json" for kind in ("dataset", "rubric")]
    replay = ["--predictions", f"runs/{name}.json", "--release", name]
    assert shown_in("aa", tau.run("aa", *gate, *replay))


@here
@pytest.mark.once
def test_a_report_on_trials_alone_gives_every_format_and_the_same_cases(tau: Team) -> None:
    before, after = PAIRS[0]
    rendered_again(tau, *gate_of(before), "--candidate", named(after))


# ── an old agent and a new one, in the formats of both ──────────────────────────────────────


def test_a_baseline_of_chat_logs_meets_a_candidate_of_traces(tmp_path: Path) -> None:
    team, raw = Team(tmp_path), ROOT / "fixtures" / "walkthrough"
    mapping = ("--mapping", raw / "mapping.toml")
    team.run("import", "auto", raw / "chat-logs.jsonl", "--release", "chat-agent-1", *mapping)
    team.run("init", "runs/chat-agent-1.json", *mapping)
    team.run("import", "auto", raw / "otel-traces.jsonl", "--release", "graph-agent-2", *mapping)
    runs = tmp_path / "runs"
    assert format_of(runs / "chat-agent-1.json") == "openai-chat"
    assert format_of(runs / "graph-agent-2.json") == "otel"
    report = team.compare("graph-agent-2")
    assert report["action"] == "BLOCK"
    assert report["comparison"]["counts"] == {
        "both": 28,
        "improved": 0,
        "neither": 0,
        "regressed": 12,
    }
    slices = report["candidate"]["by_slice"]
    assert {name: each["pass_rate"] for name, each in slices.items()} == {
        "late-return": 0.0,
        "return": 1.0,
        "status": 1.0,
    }


def test_the_same_behaviour_in_another_format_is_the_same_behaviour(tmp_path: Path) -> None:
    same = [otlp(talk, index) for index, talk in enumerate(talks(rewritten=False))]
    traces = "".join(f"{json.dumps(each)}\n" for each in same)
    (tmp_path / "traces.jsonl").write_text(traces, encoding="utf-8")
    team, raw = Team(tmp_path), ROOT / "fixtures" / "walkthrough"
    mapping = ("--mapping", raw / "mapping.toml")
    team.run("import", "auto", raw / "chat-logs.jsonl", "--release", "logs", *mapping)
    team.run("init", "runs/logs.json", *mapping)
    team.run("import", "auto", "traces.jsonl", "--release", "traces", *mapping)
    before, after = (
        json.loads((tmp_path / "runs" / f"{name}.json").read_bytes())["records"]
        for name in ("logs", "traces")
    )
    for one, other in zip(before, after, strict=True):
        assert one["case_id"] == other["case_id"]
        assert (one["label"], one["answer"]) == (other["label"], other["answer"])
        assert [(call["name"], call["arguments"]) for call in one["calls"]] == [
            (call["name"], call["arguments"]) for call in other["calls"]
        ]
