"""Judgements to render: of contract values, with the places that their texts give."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from contractlab.contract import load_dataset, load_predictions, load_rubric
from contractlab.evidence import EVALUATOR_VERSION, Evidence, digest, input_file
from contractlab.judge import Judgement, judge
from contractlab.pipeline import run
from contractlab.places import find_places
from contractlab.problems import Position, Problem, Related, Rule
from tests import builders

if TYPE_CHECKING:
    from collections.abc import Sequence

REAL = Path(__file__).parents[3] / "shared" / "real"
"""Recorded agents, beside the repository where it was built; absent elsewhere."""


def judged(
    dataset: Any,
    rubric: Any,
    predictions: Any,
    *,
    candidate: str = "candidate",
    warnings: Sequence[Problem] = (),
    files: tuple[str, str, str] = ("dataset.json", "rubric.json", "runs/all.json"),
) -> Judgement:
    """The judgement on three contract values, as if they had been read from files."""
    texts = [json.dumps(value, indent=1).encode() for value in (dataset, rubric, predictions)]
    cases, replays = load_dataset(dataset), load_predictions(predictions)
    releases = {release.id: release for release in replays.releases}
    roles = ("dataset", "rubric", "predictions")
    judgement = judge(
        cases,
        load_rubric(rubric),
        baseline=releases["baseline"],
        candidate=releases[candidate],
        predictions_version=replays.version,
        evidence=Evidence(
            digest(EVALUATOR_VERSION, dataset, rubric, predictions, candidate),
            tuple(input_file(*each) for each in zip(files, roles, texts, strict=True)),
        ),
        warnings=tuple(warnings),
    )
    return replace(
        judgement,
        places=find_places(
            [each.case.id for each in judgement.candidate.results if not each.passed],
            dataset=cases,
            dataset_file=(files[0], texts[0]),
            replay=replays,
            replay_file=(files[2], texts[2]),
            release=candidate,
        ),
    )


def blocked(*, critical: bool = True, **other: Any) -> Judgement:
    """A small BLOCK: a critical case got worse, one got better, one fails in both."""
    cases = [
        builders.case("leak", slice="privacy", critical=critical),
        builders.case("late", critical=False),
        builders.case("lost", critical=False, expected_tool=None, expected_label="negative"),
        builders.case("fine", slice="privacy"),
    ]
    dataset = builders.dataset(*cases)
    before = {"late": {"tool": None}, "lost": {"predicted_label": "positive"}}
    after = {
        "leak": {"tool": "refund", "actions": ["refund_order"], "evidence_present": False},
        "lost": {"predicted_label": "positive"},
    }
    releases = (
        builders.release("baseline", dataset, but=before),
        builders.release("candidate", dataset, but=after, latency_ms=1234.5678),
    )
    return judged(dataset, builders.rubric(), builders.predictions(*releases), **other)


def real(folder: str, candidate: str) -> Judgement:
    """A judgement on recorded agents."""
    at = REAL / folder
    return run(
        str(at / "eval_dataset.json"),
        str(at / "eval_rubric.json"),
        [str(at / "predictions.json")],
        baseline=None,
        candidate=candidate,
        strict=False,
        max_bytes=10**9,
        places=True,
    )


NAUGHTY = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("\"\\<>&'[]{}|`@#:\n\r\t\x00\x1b\x7f\x85\u2028\u202e\ufffe\U0001f600"),
    ),
    max_size=12,
)
"""Any text that JSON can carry, with more of what means something somewhere."""
TEXTS = NAUGHTY.filter(str.strip)
"""Not blank, as ids and inputs are."""
NUMBERS = st.one_of(
    st.floats(min_value=0, allow_nan=False, allow_infinity=False),
    st.integers(min_value=0, max_value=10**25),
    st.sampled_from([0.0, 1e-9, 1e16, 5e-324, 1.5, 100]),
)
LABELS = st.sampled_from(["positive", "negative"])
ACTIONS = st.lists(TEXTS, unique=True, max_size=3)


@st.composite
def judgements(draw: st.DrawFn) -> Judgement:
    """Judgements of any texts, numbers and outcomes."""
    ids = draw(st.lists(TEXTS, unique=True, min_size=1, max_size=5))
    slices = draw(st.lists(TEXTS, min_size=1, max_size=2))
    cases = [
        builders.case(
            id_,
            family_id=draw(st.sampled_from(["one family", id_])),
            slice=draw(st.sampled_from(slices)),
            critical=draw(st.booleans()),
            input=draw(TEXTS),
            expected_label=draw(LABELS),
            expected_tool=draw(st.none() | TEXTS),
            forbidden_actions=draw(ACTIONS),
            requires_evidence=draw(st.booleans()),
        )
        for id_ in ids
    ]
    dataset = builders.dataset(*cases, dataset_version=draw(TEXTS))
    releases = [
        builders.release(name, dataset, but={id_: draw(_BEHAVIOUR) for id_ in ids})
        for name in ("baseline", "candidate")
    ]
    rates = {name: draw(st.floats(0, 1)) for name in ("min_recall", "max_slice_pass_rate_gap")}
    return judged(
        dataset,
        builders.rubric(
            samples=draw(st.integers(100, 300)),
            seed=draw(st.integers(0, 2**70)),
            confidence=draw(st.floats(0.5, 0.999)),
            positive_label=draw(LABELS),
            max_mean_latency_ms=draw(NUMBERS),
            **rates,
        ),
        builders.predictions(*releases, prediction_set_version=draw(TEXTS)),
        warnings=draw(st.lists(_WARNINGS, max_size=2)),
        files=draw(st.tuples(TEXTS, TEXTS, TEXTS)),
    )


_BEHAVIOUR = st.fixed_dictionaries(
    {},
    optional={
        "predicted_label": LABELS,
        "tool": st.none() | TEXTS,
        "actions": ACTIONS,
        "evidence_present": st.booleans(),
        "latency_ms": NUMBERS,
        "estimated_cost_usd": NUMBERS,
    },
)
_POSITIONS = st.builds(Position, st.integers(1, 99), st.integers(1, 99), NAUGHTY, st.integers(1, 9))
_PATHS = st.lists(st.one_of(NAUGHTY, st.integers(0, 9)), max_size=3).map(tuple)
_WARNINGS = st.builds(
    Problem,
    st.sampled_from([rule for rule in Rule if rule.warns]),
    NAUGHTY,
    NAUGHTY,
    NAUGHTY,
    _PATHS,
    st.booleans(),
    st.none() | _POSITIONS,
    st.lists(st.builds(Related, NAUGHTY, _PATHS, NAUGHTY, st.none() | _POSITIONS), max_size=1).map(
        tuple
    ),
)
