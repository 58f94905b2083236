"""From file names to a judgement: the whole comparison, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.contract import merged
from contractlab.evidence import EVALUATOR_VERSION, Evidence, digest, input_file
from contractlab.intake import Contracts, advise, choose_releases, open_contracts
from contractlab.judge import Judgement, judge
from contractlab.problems import ContractError

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(
    dataset: str,
    rubric: str,
    predictions: Sequence[str],
    *,
    baseline: str | None,
    candidate: str | None,
    strict: bool,
    max_bytes: int,
) -> Judgement:
    """Reads, checks, grades, compares and decides.

    Args:
        dataset: a file.
        rubric: a file.
        predictions: replay files, at least one.
        baseline: None takes the rubric's.
        candidate: None takes the only other release.
        strict: warnings are problems.
        max_bytes: size cap of each file.

    Raises:
        ContractError: nothing can be decided; with every problem of the stage that found some.
    """
    contracts = open_contracts(dataset, rubric, predictions, max_bytes=max_bytes)
    if contracts.rubric.terms is not None:
        from contractlab.pipeline_v2 import run_v2  # noqa: PLC0415 (version 1 does without)

        return run_v2(contracts, baseline=baseline, candidate=candidate, strict=strict)
    baseline, candidate = choose_releases(contracts, baseline=baseline, candidate=candidate)
    warnings = advise(contracts)
    if strict and warnings:
        raise ContractError(warnings)
    releases = {each.id: each for file in contracts.replays.values() for each in file.releases}
    return judge(
        contracts.dataset,
        contracts.rubric,
        baseline=releases[baseline],
        candidate=releases[candidate],
        predictions_version=merged_predictions(contracts)["prediction_set_version"],
        evidence=_evidence(contracts, candidate),
        warnings=tuple(warnings),
    )


def merged_predictions(contracts: Contracts) -> Any:
    """The one predictions value that several replay files stand for."""
    return merged([each.value for each in contracts.documents[2:]])


def _evidence(contracts: Contracts, candidate: str) -> Evidence:
    dataset, rubric, *_ = contracts.documents
    predictions = merged_predictions(contracts)
    return Evidence(
        sha256=digest(EVALUATOR_VERSION, dataset.value, rubric.value, predictions, candidate),
        inputs=tuple(input_file(each.name, each.role, each.data) for each in contracts.documents),
    )
