"""Do the replays fit the dataset and the rubric: versions, releases, exactly the test cases."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from contractlab.leakage import ACTION, EVADES_FORBIDDEN, actions_and_tools
from contractlab.limits import MOST_PROBLEMS
from contractlab.names import Named, check_names, check_readable
from contractlab.problems import Path, Problem, Related, Rule
from contractlab.replay_names import called, check_replay_names, replayed_actions
from contractlab.words import listed, nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from contractlab.model import Dataset, Predictions, Release, Rubric


_MOST_GUESSES = 100
"""Unknown cases of one release that are compared with what they could be meant to be."""


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
            problems += _case_ids(release, file, predictions.at_records(index))
    return [*problems, *check_replay_names(replays)]


def _case_ids(release: Release, file: str, records: Path) -> Iterator[Problem]:
    ids = {record.case_id for record in release.records}
    if len(ids) < len(release.records):
        found = _repeated_records(release, file, records, several=len(records) == 1)
        yield from islice(found, MOST_PROBLEMS)
    joined = "".join(ids)
    if not (joined.isascii() and joined.isprintable()):
        yield from check_readable(
            "case",
            (
                Named(record.case_id, file, (*records, entry, "case_id"))
                for entry, record in enumerate(release.records)
            ),
        )


def _repeated_records(
    release: Release, file: str, records: Path, *, several: bool
) -> Iterator[Problem]:
    """Records of one case and trial.

    Args:
        release: the one that has them.
        file: its file.
        records: where they stand in it.
        several: whether a case may have several trials, as in version 2.
    """
    hint = "keep the record that was replayed last, or record again"
    if several:
        hint = 'keep one of them, or number the trials: "trial": 0, 1, ...'
    first: dict[tuple[str, int], int] = {}
    for entry, record in enumerate(release.records):
        trial = record.run.trial
        at = first.setdefault((record.case_id, trial), entry)
        if at != entry:
            of_trial = f", trial {trial}" if several else ""
            yield Problem(
                Rule.DUPLICATE_RECORD,
                f"release {shown(release.id)} has two records for case"
                f" {shown(record.case_id)}{of_trial}",
                hint,
                file,
                (*records, entry, "case_id"),
                related=(Related(file, (*records, at, "case_id"), "first seen here"),),
            )


def check_rubric(rubric: Rubric, file: str) -> list[Problem]:
    """Names in a rubric that no one can read."""
    gates = enumerate(rubric.written["gates"] if rubric.terms is not None else ())
    return [
        *check_names("rubric version", [Named(rubric.version, file, ("rubric_version",))], ""),
        *check_names("release", [Named(rubric.baseline_release, file, ("baseline_release",))], ""),
        *(
            problem
            for index, gate in gates
            for key in ("name", "metric", "slice", "tag", "class")
            if key in gate
            for problem in check_readable(key, [Named(gate[key], file, ("gates", index, key))])
        ),
    ]


def check_fit(
    dataset: Dataset, dataset_file: str, replays: Mapping[str, Predictions]
) -> list[Problem]:
    """What is wrong between a dataset and replays that are each right on their own."""
    problems: list[Problem] = []
    split_of = {case.id: case.split for case in dataset.cases}
    test_ids = {id_ for id_, split in split_of.items() if split == "test"}
    of_version_2 = dataset.frozen_splits is not None
    for file, predictions in replays.items():
        if predictions.one_release != of_version_2:
            problems.append(mixed_versions(file, 2 if of_version_2 else 1))
            continue
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
        for index, release in enumerate(predictions.releases):
            if predictions.one_release:
                problems += islice(_unknown_cases(release, split_of, file), MOST_PROBLEMS)
            else:
                problems += _coverage(release, split_of, test_ids, file, index)
    if problems:
        return problems
    expected = list(actions_and_tools(dataset, dataset_file))
    # A call that failed may be of a tool that an agent made up; that of one evades nothing.
    replayed = [*replayed_actions(replays), *called(replays, succeeded=True)]
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
    problems: list[Problem] = []
    for entry, record in enumerate(release.records):
        if len(problems) >= MOST_PROBLEMS:
            break
        if record.case_id not in test_ids:
            split = split_of.get(record.case_id)
            what = f"is in {split}, not in test" if split else "is not in the dataset"
            guess = not split and len(problems) < _MOST_GUESSES
            meant = nearest(record.case_id, missing) if guess else None
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
