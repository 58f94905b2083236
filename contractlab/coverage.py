"""Do the replays fit the dataset and the rubric: versions, releases, exactly the test cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.leakage import ACTION, EVADES_FORBIDDEN, actions_and_tools
from contractlab.names import Named, check_names
from contractlab.problems import Path, Problem, Related, Rule
from contractlab.words import listed, nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from contractlab.model import Dataset, Predictions, Release, Rubric


def check_replays(replays: Mapping[str, Predictions]) -> list[Problem]:
    """What is wrong among replays alone: releases and records named twice, and look-alikes.

    Args:
        replays: by file name, in the order they were given.
    """
    problems: list[Problem] = []
    first: dict[str, tuple[str, Path]] = {}
    for file, predictions in replays.items():
        for index, release in enumerate(predictions.releases):
            path = predictions.at_release(index)
            at = first.setdefault(release.id, (file, path))
            if at != (file, path):
                problems.append(
                    Problem(
                        Rule.DUPLICATE_RELEASE,
                        f"release {shown(release.id)} is recorded twice",
                        "keep one replay a release, or give the other a release id of its own",
                        file,
                        path,
                        related=(Related(*at, "first recorded here"),),
                    )
                )
            problems += _repeated_records(release, file, predictions.at_records(index))
    return [*problems, *_names(replays)]


def _repeated_records(release: Release, file: str, records: Path) -> Iterator[Problem]:
    first: dict[tuple[str, int], int] = {}
    if len({record.case_id for record in release.records}) == len(release.records):
        return
    for entry, record in enumerate(release.records):
        trial = record.run.trial
        at = first.setdefault((record.case_id, trial), entry)
        if at != entry:
            of_trial = f", trial {trial}" if trial else ""
            yield Problem(
                Rule.DUPLICATE_RECORD,
                f"release {shown(release.id)} has two records for case"
                f" {shown(record.case_id)}{of_trial}",
                "keep the record that was replayed last, or record again",
                file,
                (*records, entry, "case_id"),
                related=(Related(file, (*records, at, "case_id"), "first seen here"),),
            )


def check_rubric(rubric: Rubric, file: str) -> list[Problem]:
    """Names in a rubric that no one can read."""
    return [
        *check_names("rubric version", [Named(rubric.version, file, ("rubric_version",))], ""),
        *check_names("release", [Named(rubric.baseline_release, file, ("baseline_release",))], ""),
    ]


def _names(replays: Mapping[str, Predictions]) -> list[Problem]:
    versions = [
        Named(predictions.version, file, ("prediction_set_version",))
        for file, predictions in replays.items()
        if not predictions.one_release
    ]
    releases = [
        Named(release.id, file, predictions.at_release(index))
        for file, predictions in replays.items()
        for index, release in enumerate(predictions.releases)
    ]
    datasets = [
        problem
        for file, predictions in replays.items()
        for problem in check_names(
            "dataset version", [Named(predictions.dataset_version, file, ("dataset_version",))], ""
        )
    ]
    return [
        *datasets,
        *check_names("prediction set version", versions, "reports would name the wrong one"),
        *check_names("release", releases, "one release would pose as another"),
        *check_names(ACTION, replayed_actions(replays), EVADES_FORBIDDEN),
    ]


def replayed_actions(replays: Mapping[str, Predictions]) -> Iterator[Named]:
    """The actions and tools of all records, each where it first stands."""
    seen: set[str | None] = {None}
    for file, predictions in replays.items():
        for index, release in enumerate(predictions.releases):
            # Most releases are known after a few records, and the second after none.
            unseen = {record.tool for record in release.records}.union(
                *{record.actions for record in release.records}
            )
            unseen -= seen
            records = predictions.at_records(index)
            for entry, record in enumerate(release.records):
                if not unseen:
                    break
                unseen.difference_update(record.actions, (record.tool,))
                if record.tool not in seen:
                    seen.add(record.tool)
                    yield Named(str(record.tool), file, (*records, entry, "tool"))
                if not seen.issuperset(record.actions):
                    for place, action in enumerate(record.actions):
                        seen.add(action)
                        yield Named(action, file, (*records, entry, "actions", place))
                for place, call in enumerate(record.run.calls or ()):
                    if call.name not in seen:
                        seen.add(call.name)
                        yield Named(call.name, file, (*records, entry, "calls", place, "name"))


def check_fit(
    dataset: Dataset, dataset_file: str, replays: Mapping[str, Predictions]
) -> list[Problem]:
    """What is wrong between a dataset and replays that are each right on their own."""
    problems: list[Problem] = []
    split_of = {case.id: case.split for case in dataset.cases}
    test_ids = {id_ for id_, split in split_of.items() if split == "test"}
    for file, predictions in replays.items():
        if predictions.dataset_version != dataset.version:
            # The version explains whatever else differs: one mistake, one problem.
            problems.append(
                Problem(
                    Rule.VERSION_MISMATCH,
                    f"recorded on dataset version {shown(predictions.dataset_version)},"
                    f" but the dataset is {shown(dataset.version)}",
                    "replay the releases on this dataset, or name the dataset they were"
                    " recorded on",
                    file,
                    ("dataset_version",),
                    related=(Related(dataset_file, ("dataset_version",), "the dataset"),),
                )
            )
            continue
        of_version_2 = dataset.frozen_splits is not None
        if predictions.one_release != of_version_2:
            problems.append(mixed_versions(file, 2 if of_version_2 else 1))
            continue
        for index, release in enumerate(predictions.releases):
            if predictions.one_release:
                problems += _unknown_cases(release, split_of, file)
            else:
                problems += _coverage(release, split_of, test_ids, file, index)
    if problems:
        return problems
    expected = list(actions_and_tools(dataset, dataset_file))
    replayed = list(replayed_actions(replays))
    alone = check_names(ACTION, expected, EVADES_FORBIDDEN)
    alone += check_names(ACTION, replayed, EVADES_FORBIDDEN)
    together = check_names(ACTION, [*expected, *replayed], EVADES_FORBIDDEN)
    return [each for each in together if each not in alone]


def mixed_versions(file: str, version: int) -> Problem:
    """A contract of another version than the dataset's, which is `version`, 1 or 2."""
    return Problem(
        Rule.MIXED_VERSIONS,
        f"is a version {3 - version} contract, and the dataset is of version {version}",
        "contractlab upgrade writes the version 1 contracts as version 2",
        file,
        ("schema_version",),
    )


def _coverage(
    release: Release, split_of: Mapping[str, str], test_ids: set[str], file: str, index: int
) -> list[Problem]:
    recorded = {record.case_id for record in release.records}
    if recorded == test_ids:
        return []
    missing = [id_ for id_ in split_of if id_ in test_ids and id_ not in recorded]
    problems = []
    for entry, record in enumerate(release.records):
        if record.case_id not in test_ids:
            split = split_of.get(record.case_id)
            what = f"is in {split}, not in test" if split else "is not in the dataset"
            meant = None if split else nearest(record.case_id, missing)
            if meant is not None:
                missing.remove(meant)  # one misspelling, one problem
            problems.append(
                Problem(
                    Rule.UNKNOWN_CASE,
                    f"case {shown(record.case_id)} {what}",
                    f"is it meant to be {shown(meant)}?"
                    if meant
                    else "only test cases are judged: delete the record",
                    file,
                    ("releases", index, "records", entry, "case_id"),
                )
            )
    if missing:
        problems.append(
            Problem(
                Rule.MISSING_RECORD,
                f"release {shown(release.id)} has no record for {len(missing)} of"
                f" {len(test_ids)} test cases: {listed(missing)}",
                "replay those cases: a gate never passes because something is missing",
                file,
                ("releases", index, "records"),
            )
        )
    return problems


def _unknown_cases(release: Release, known: Mapping[str, str], file: str) -> Iterator[Problem]:
    """Version 2: records of any split may stand in a replay; the rubric's is judged."""
    for entry, record in enumerate(release.records):
        if record.case_id not in known:
            yield Problem(
                Rule.UNKNOWN_CASE,
                f"case {shown(record.case_id)} is not in the dataset",
                "add the case to the dataset, or delete the record",
                file,
                ("records", entry, "case_id"),
            )


def check_releases(
    rubric: Rubric,
    rubric_file: str,
    replays: Mapping[str, Predictions],
    *,
    baseline: str,
    candidate: str | None,
) -> list[Problem]:
    """Whether baseline and candidate are two recorded releases.

    Args:
        rubric: the gates, whose `baseline_release` the baseline usually is.
        rubric_file: its name.
        replays: by file name.
        baseline: the release compared with.
        candidate: the release judged; None where it is not known yet.
    """
    recorded = [release.id for predictions in replays.values() for release in predictions.releases]

    def hint(name: str) -> str:
        meant = nearest(name, recorded)
        return f"is it meant to be {shown(meant)}?" if meant else f"recorded: {listed(recorded)}"

    problems = []
    if baseline not in recorded:
        from_rubric = baseline == rubric.baseline_release
        problems.append(
            Problem(
                Rule.UNKNOWN_RELEASE,
                f"baseline {shown(baseline)} is in none of the replays",
                hint(baseline),
                rubric_file if from_rubric else "",
                ("baseline_release",) if from_rubric else (),
            )
        )
    if candidate is not None and candidate not in recorded:
        message = f"candidate {shown(candidate)} is in none of the replays"
        problems.append(Problem(Rule.UNKNOWN_RELEASE, message, hint(candidate)))
    elif candidate == baseline:
        others = [id_ for id_ in recorded if id_ != baseline]
        problems.append(
            Problem(
                Rule.CANDIDATE_IS_BASELINE,
                f"candidate {shown(candidate)} is the baseline itself",
                f"name another release: {listed(others)}" if others else "record a candidate",
            )
        )
    return problems
