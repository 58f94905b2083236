"""A comparison of version 2 contracts: what holds between them, then the judgement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contractlab.evidence import (
    EVALUATOR_VERSION_V2,
    Evidence,
    digest,
    input_file,
)
from contractlab.intake import advise, choose_releases, raise_if
from contractlab.judge_v2 import Inputs, judge_v2
from contractlab.places import find_places
from contractlab.positions import place
from contractlab.problems import ContractError, Problem, Rule
from contractlab.split import check_split, unrecorded
from contractlab.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.intake import Contracts
    from contractlab.judge import Judgement
    from contractlab.places import Places


def inputs_of(
    contracts: Contracts, *, baseline: str | None, candidate: str | None
) -> tuple[Inputs, list[str]]:
    """What is compared, and the files of baseline and candidate.

    Raises:
        ContractError: the releases or their coverage do not fit the rubric.
    """
    names = choose_releases(contracts, baseline=baseline, candidate=candidate)
    found = {
        each.id: (each, file)
        for file, predictions in contracts.replays.items()
        for each in predictions.releases
    }
    (one, one_file), (other, other_file) = (found[name] for name in names)
    inputs = Inputs(contracts.dataset, contracts.rubric, one, other)
    files = [one_file, other_file]
    raise_if(check_inputs(inputs, contracts, files), contracts.documents)
    return inputs, files


def run_v2(
    contracts: Contracts,
    *,
    baseline: str | None,
    candidate: str | None,
    strict: bool,
    places: bool = False,
) -> Judgement:
    """Judges contracts that are each right.

    Args:
        contracts: checked, each alone and together.
        baseline: None takes the rubric's.
        candidate: None takes the only other release.
        strict: warnings are problems.
        places: find where failed cases stand.

    Raises:
        ContractError: they do not fit together, or `strict` and there are warnings.
    """
    inputs, files = inputs_of(contracts, baseline=baseline, candidate=candidate)
    warnings = [*advise(contracts), *_placed(_warnings(inputs, contracts, files), contracts)]
    if strict and warnings:
        raise ContractError(warnings)
    versions = {contracts.replays[file].version: None for file in files}
    judgement = judge_v2(
        inputs,
        predictions_version=" + ".join(sorted(versions)),
        evidence=_evidence(contracts, inputs, files),
        warnings=tuple(warnings),
    )
    return (
        replace(judgement, places=_places(contracts, judgement, files[1])) if places else judgement
    )


def _places(contracts: Contracts, judgement: Judgement, file: str) -> Places:
    texts = {each.name: each.text for each in contracts.documents}
    dataset_file = contracts.documents[0].name
    failed = {each.case.id: each.record for each in judgement.candidate.results if not each.passed}
    return find_places(
        failed,
        dataset=contracts.dataset,
        dataset_file=(dataset_file, texts[dataset_file]),
        replay=contracts.replays[file],
        replay_file=(file, texts[file]),
        release=judgement.candidate_release,
        told=failed,
    )


def check_inputs(inputs: Inputs, contracts: Contracts, files: list[str]) -> list[Problem]:
    """Whether the split is there and frozen, and recorded as far as the rubric asks."""
    rubric, dataset = inputs.rubric, inputs.dataset
    rubric_file, dataset_file = contracts.documents[1].name, contracts.documents[0].name
    problems = check_split(rubric, rubric_file, dataset, dataset_file)
    if problems:
        return problems
    ids = [case.id for case in dataset.of_split(rubric.split)]
    releases = (inputs.baseline, inputs.candidate)
    if rubric.terms is not None and rubric.terms.coverage is not None:
        before, after = ({record.case_id for record in each.records} for each in releases)
        if not before.isdisjoint(after.intersection(ids)):
            return []
    return list(unrecorded(ids, rubric.split, zip(releases, files, strict=True)))


def _warnings(inputs: Inputs, contracts: Contracts, files: list[str]) -> Iterator[Problem]:
    before, after = inputs.baseline.manifest, inputs.candidate.manifest
    if before is not None and before == after:
        yield Problem(
            Rule.EQUAL_MANIFESTS,
            f"{shown(inputs.baseline.id)} and {shown(inputs.candidate.id)} have equal manifests",
            "what is being compared? Record what changed, or measure noise: contractlab aa",
            files[1],
            ("release", "manifest"),
        )
    cases = {case.id: case for case in inputs.dataset.of_split(inputs.rubric.split)}
    for release, file in zip((inputs.baseline, inputs.candidate), files, strict=True):
        lacking: dict[str, list[str]] = {}
        for record in release.records:
            case = cases.get(record.case_id)
            if case is None or record.run.status != "ok":
                continue
            for check in case.expect.checks:
                if not check.measured(record):
                    lacking.setdefault(check.name, []).append(record.case_id)
        for name, ids in sorted(lacking.items()):
            records, lack = ("record", "lacks") if len(ids) == 1 else ("records", "lack")
            yield Problem(
                Rule.UNMEASURED_CHECK,
                f"{len(ids)} {records} of {shown(release.id)} {lack} what the {name} check"
                f" looks at: {listed(list(dict.fromkeys(ids)), 5)}",
                "they count as failed: record it, or do not expect it",
                file,
                ("records",),
            )


def _placed(problems: Iterator[Problem], contracts: Contracts) -> list[Problem]:
    return place(list(problems), {each.name: each.text for each in contracts.documents})


def _evidence(contracts: Contracts, inputs: Inputs, files: list[str]) -> Evidence:
    digests = {each.name: each.digest for each in contracts.documents}
    dataset, rubric, *_ = contracts.documents
    return Evidence(
        sha256=digest(
            EVALUATOR_VERSION_V2,
            dataset.digest,
            rubric.digest,
            [digests[file] for file in files],
            [inputs.baseline.id, inputs.candidate.id],
        ),
        inputs=tuple(input_file(each.name, each.role, each.data) for each in contracts.documents),
    )
