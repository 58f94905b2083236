"""The names that replays use: whether each can be read, and what looks alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.leakage import ACTION, EVADES_FORBIDDEN
from contractlab.names import Named, check_names, check_readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from contractlab.model import Predictions
    from contractlab.problems import Problem


def check_replay_names(replays: Mapping[str, Predictions]) -> list[Problem]:
    """Names that deceive the eye: versions, releases, actions, tools and evidence.

    Args:
        replays: by file name, in the order they were given.
    """
    versions = [
        Named(predictions.version, file, ("prediction_set_version",))
        for file, predictions in replays.items()
        # Version 2 has one only where it is not the release's id.
        if not predictions.one_release or predictions.version != predictions.releases[0].id
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
        *check_readable(ACTION, called(replays)),
        *check_readable("evidence", _evidence(replays)),
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


def called(replays: Mapping[str, Predictions], *, succeeded: bool = False) -> Iterator[Named]:
    """The tools that version 2's records call, each where it first stands."""
    seen: set[str] = set()
    for file, predictions in replays.items():
        for index, release in enumerate(predictions.releases if predictions.one_release else ()):
            for entry, record in enumerate(release.records):
                for place, call in enumerate(record.run.calls or ()):
                    if call.name not in seen and (call.ok or not succeeded):
                        seen.add(call.name)
                        path = (*predictions.at_records(index), entry, "calls", place, "name")
                        yield Named(call.name, file, path)


def _evidence(replays: Mapping[str, Predictions]) -> Iterator[Named]:
    """The evidence that version 2's records name, each where it first stands."""
    seen: set[str] = set()
    for file, predictions in replays.items():
        for index, release in enumerate(predictions.releases if predictions.one_release else ()):
            for entry, record in enumerate(release.records):
                for place, id_ in enumerate(record.run.evidence or ()):
                    if id_ not in seen:
                        seen.add(id_)
                        path = (*predictions.at_records(index), entry, "evidence", place)
                        yield Named(id_, file, path)
