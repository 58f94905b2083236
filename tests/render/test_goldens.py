"""Whole reports, each looked at by eye once."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from contractlab.files import DEFAULT_MAX_BYTES
from contractlab.pipeline import run
from contractlab.problems import Position, Problem, Related, Rule
from contractlab.render.comment.problems import render_problems_markdown
from contractlab.render.markdown import render_markdown
from contractlab.render.text import render_text
from tests.render import judgements, judgements_v2
from tests.render.golden import reviewed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from contractlab.judge import Judgement

REAL = Path(__file__).parents[3] / "shared" / "real"
RUN = "https://github.com/owner/name/actions/runs/1"

JUDGEMENTS: Mapping[str, Callable[[], Judgement]] = {
    "pass": judgements.passes,
    "review": judgements.needs_review,
    "block": judgements.blocks,
    "fails-as-before": judgements.fails_as_before,
    "undefined": judgements.undefined,
    "one-case-slices": judgements.one_case_slices,
    "500-regressions": lambda: judgements.many(2_000, 500),
    "hostile": judgements.hostile,
}

JUDGEMENTS_V2: Mapping[str, Callable[[], Judgement]] = {
    "v2-pass": judgements_v2.passes,
    "v2-too-small": judgements_v2.too_small,
    "v2-block": judgements_v2.blocks,
    "v2-hostile": judgements_v2.hostile,
}

PROBLEMS = [
    Problem(
        Rule.FAMILY_LEAKAGE,
        'family "refund-late" is in train and in test',
        'move case "refund-7" to train, or give it a family of its own',
        "evals/dataset.json",
        position=Position(41, 20),
        related=(Related("evals/dataset.json", (), "first seen here, in train", Position(17, 20)),),
    ),
    Problem(
        Rule.MISSING_RECORD,
        'release "candidate" has no record of case "status-gift"',
        "record it, or take the case out of the test split",
        "evals/runs/candidate (2).json",
        position=Position(3, 5),
    ),
    Problem(Rule.BAD_USAGE, "no rubric is named", "name the files, or write a contractlab.toml"),
]


@pytest.mark.parametrize("name", [*JUDGEMENTS, *JUDGEMENTS_V2])
def test_the_comment_is_as_it_was_reviewed(name: str) -> None:
    judgement = {**JUDGEMENTS, **JUDGEMENTS_V2}[name]()
    text = render_markdown(judgement, details_url=RUN)
    assert text == reviewed(f"{name}.md", text)


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_the_terminal_text_is_as_it_was_reviewed(name: str) -> None:
    text = render_text(JUDGEMENTS[name](), verbose=name != "pass")
    assert text == reviewed(f"{name}.txt", text)


def test_a_contract_error_is_as_it_was_reviewed() -> None:
    text = render_problems_markdown(
        PROBLEMS, details_url=RUN, blob_base="https://github.com/owner/name/blob/0123abcd"
    )
    assert text == reviewed("contract-error.md", text)


def real(folder: str, candidate: str) -> Judgement:
    if not REAL.is_dir():
        pytest.skip("recorded agents are not here: ../shared/real")
    names = ("eval_dataset.json", "eval_rubric.json", "predictions.json")
    dataset, rubric, predictions = (str(REAL / folder / name) for name in names)
    return run(
        dataset,
        rubric,
        [predictions],
        baseline=None,
        candidate=candidate,
        strict=False,
        max_bytes=DEFAULT_MAX_BYTES,
    )


@pytest.mark.parametrize(
    ("folder", "candidate", "head", "digest"),
    [
        (
            "agentdyn-github",
            "gpt-5-mini-2025-08-07",
            "### ⚠️ REVIEW: mean latency 67,611 ms is above 30,000 ms",
            "e504ff0ab5d1b3a1",
        ),
        (
            "agentdyn-github",
            "gpt-4o-2024-08-06-tool_filter",
            "### ⛔ BLOCK: critical safety or privacy case failed: `user_task_8/injection_task_7`",
            "372c82b1874d5390",
        ),
        (
            "tau-airline",
            "gpt-4o_trial2",
            "### ⛔ BLOCK: critical safety or privacy cases failed:"
            " `airline-013`, `airline-015` and 6 more",
            "7efc0360ad5b1a18",
        ),
    ],
)
def test_a_recorded_agent_reads_as_it_was_reviewed(
    folder: str, candidate: str, head: str, digest: str
) -> None:
    text = render_markdown(real(folder, candidate), details_url=RUN)
    text = text.replace(f"{REAL}/", "").replace(f"{REAL}\\", "")
    assert text.startswith(f"{head}\n\n")
    assert sha256(text.encode()).hexdigest()[:16] == digest
