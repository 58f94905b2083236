"""From file names to a judgement: the whole comparison, in order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from contractlab.contract import merged
from contractlab.evidence import EVALUATOR_VERSION, Evidence, digest, input_file
from contractlab.intake import Contracts, advise, choose_releases, open_contracts
from contractlab.judge import Judgement, judge
from contractlab.places import find_places
from contractlab.problems import ContractError
from contractlab.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.places import Places
    from contractlab.progress import Progress


def run(
    dataset: str,
    rubric: str,
    predictions: Sequence[str],
    *,
    baseline: str | None,
    candidate: str | None,
    strict: bool,
    max_bytes: int,
    places: bool = False,
    progress: Progress = SILENT,
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
        places: find where failed cases stand, which costs about half a decoding.
        progress: told of each step.

    Raises:
        ContractError: nothing can be decided; with every problem of the stage that found some.
    """
    contracts = open_contracts(dataset, rubric, predictions, max_bytes=max_bytes, progress=progress)
    if contracts.rubric.terms is not None:
        from contractlab.pipeline_v2 import run_v2  # noqa: PLC0415 (version 1 does without)

        return run_v2(
            contracts, baseline=baseline, candidate=candidate, strict=strict, places=places
        )
    baseline, candidate = choose_releases(contracts, baseline=baseline, candidate=candidate)
    warnings = advise(contracts)
    if strict and warnings:
        raise ContractError(warnings)
    progress.step("hashing")
    merged_value = merged_predictions(contracts)
    predictions_version = merged_value["prediction_set_version"]
    evidence = _evidence(contracts, merged_value, candidate)
    # From here on the model says everything: the decoded texts are most of the memory.
    del merged_value
    contracts = contracts.without_values()
    releases = {each.id: each for file in contracts.replays.values() for each in file.releases}
    progress.step("grading")
    judgement = judge(
        contracts.dataset,
        contracts.rubric,
        baseline=releases[baseline],
        candidate=releases[candidate],
        predictions_version=predictions_version,
        evidence=evidence,
        warnings=tuple(warnings),
    )
    return replace(judgement, places=_places(contracts, judgement)) if places else judgement


def _places(contracts: Contracts, judgement: Judgement) -> Places:
    dataset = contracts.documents[0]
    release = judgement.candidate_release
    replay = next(
        each
        for each in contracts.documents[2:]
        if any(own.id == release for own in contracts.replays[each.name].releases)
    )
    return find_places(
        (each.case.id for each in judgement.candidate.results if not each.passed),
        dataset=contracts.dataset,
        dataset_file=(dataset.name, dataset.data),
        replay=contracts.replays[replay.name],
        replay_file=(replay.name, replay.data),
        release=release,
    )


def merged_predictions(contracts: Contracts) -> Any:
    """The one predictions value that several replay files stand for."""
    return merged([each.value for each in contracts.documents[2:]])


def _evidence(contracts: Contracts, predictions: Any, candidate: str) -> Evidence:
    dataset, rubric, *_ = contracts.documents
    return Evidence(
        sha256=digest(EVALUATOR_VERSION, dataset.value, rubric.value, predictions, candidate),
        inputs=tuple(input_file(each.name, each.role, each.data) for each in contracts.documents),
    )
