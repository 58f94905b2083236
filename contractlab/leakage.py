"""Is a dataset fit to judge on: unique ids, all splits, and nothing that leaks between them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from contractlab.limits import MOST_PROBLEMS
from contractlab.lookalike import are_plain, skeletons, suspects
from contractlab.names import Named, check_names, check_readable
from contractlab.problems import Path, Problem, Related, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.model import Case, Dataset

SPLITS = ("train", "development", "test")


def check_dataset(dataset: Dataset, file: str) -> list[Problem]:
    """The problems across the cases of one dataset, without positions.

    At most `MOST_PROBLEMS` of each kind, as everywhere.
    """
    return [
        *islice(_repeated_ids(dataset.cases, file), MOST_PROBLEMS),
        *(_absent_splits(dataset.cases, file) if dataset.frozen_splits is None else ()),
        *islice(_families_in_two_splits(dataset.cases, file), MOST_PROBLEMS),
        *islice(_inputs_in_two_splits(dataset.cases, file), MOST_PROBLEMS),
        *_names(dataset, file),
    ]


def _repeated_ids(cases: tuple[Case, ...], file: str) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, case in enumerate(cases):
        at = first.setdefault(case.id, index)
        if at != index:
            yield Problem(
                Rule.DUPLICATE_ID,
                f"case id {shown(case.id)} stands twice",
                "give each case an id of its own",
                file,
                _case(index, "id"),
                related=(Related(file, _case(at, "id"), "first seen here"),),
            )


def _absent_splits(cases: tuple[Case, ...], file: str) -> Iterator[Problem]:
    present = {case.split for case in cases}
    for split in SPLITS:
        if split not in present:
            yield Problem(
                Rule.ABSENT_SPLIT,
                f"no case is in the {split} split",
                "a dataset has train, development and test cases",
                file,
                ("cases",),
            )


def _families_in_two_splits(cases: tuple[Case, ...], file: str) -> Iterator[Problem]:
    home: dict[str, int] = {}
    told: set[tuple[str, str]] = set()
    for index, case in enumerate(cases):
        at = home.setdefault(case.family_id, index)
        first = cases[at].split
        if case.split != first and (case.family_id, case.split) not in told:
            told.add((case.family_id, case.split))
            yield Problem(
                Rule.FAMILY_LEAKAGE,
                f"family {shown(case.family_id)} is in {first} and in {case.split} (split leakage)",
                f"move case {shown(case.id)} to {first}, or give it a family of its own",
                file,
                _case(index, "family_id"),
                related=(Related(file, _case(at, "family_id"), f"first seen here, in {first}"),),
            )


def _inputs_in_two_splits(cases: tuple[Case, ...], file: str) -> Iterator[Problem]:
    if len({case.split for case in cases}) < 2:
        return
    # Two inputs are one when they read alike or look alike: either key may agree.
    homes: tuple[dict[str, int], dict[str, int]] = ({}, {})
    told: set[tuple[int, str, str]] = set()
    doubtful = set(suspects([case.input for case in cases]))
    for index, case in enumerate(cases):
        if not case.input or case.input not in doubtful:
            continue  # version 2 does not ask for one
        for home, key in zip(homes, skeletons(case.input), strict=True):
            at = home.setdefault(key, index)
            first = cases[at]
            if case.split == first.split or case.family_id == first.family_id:
                continue  # in one family it is family leakage, told there
            if (at, case.family_id, case.split) in told:
                continue
            told.add((at, case.family_id, case.split))
            yield Problem(
                Rule.INPUT_LEAKAGE,
                f"case {shown(case.id)} in {case.split} has the input of case {shown(first.id)}"
                f" in {first.split} (split leakage)",
                "put both into one family and one split, or change the input",
                file,
                _case(index, "input"),
                related=(Related(file, _case(at, "input"), f"the same input, in {first.split}"),),
            )


def _names(dataset: Dataset, file: str) -> list[Problem]:
    cases = dataset.cases
    return [
        *check_names("dataset version", [Named(dataset.version, file, ("dataset_version",))], ""),
        *_column(
            "case",
            [case.id for case in cases],
            (Named(case.id, file, _case(index, "id")) for index, case in enumerate(cases)),
            "a reviewer would take one case for the other",
        ),
        *_families(dataset, file),
        *_column(
            "slice",
            [case.slice for case in cases],
            (Named(case.slice, file, _case(index, "slice")) for index, case in enumerate(cases)),
            "a second spelling takes cases out of a slice's pass rate",
        ),
        *_column(
            "tag",
            [tag for case in cases for tag in case.tags],
            (
                Named(tag, file, _case(index, "tags", entry))
                for index, case in enumerate(cases)
                for entry, tag in enumerate(case.tags)
            ),
            "a second spelling takes cases out of a tag's gate",
        ),
        *check_names(
            "label", _named(dataset, "label", file), "a second spelling takes cases out of a class"
        ),
        *check_readable("evidence", _named(dataset, "evidence", file)),
        *check_names(ACTION, actions_and_tools(dataset, file), EVADES_FORBIDDEN),
    ]


def _column(kind: str, names: Sequence[str], named: Iterator[Named], why: str) -> list[Problem]:
    """The problems of the names that every case has, most often none."""
    return [] if are_plain(names) else check_names(kind, named, why)


def _families(dataset: Dataset, file: str) -> list[Problem]:
    cases = dataset.cases
    problems = _column(
        "family",
        [case.family_id for case in cases],
        (Named(case.family_id, file, _case(i, "family_id")) for i, case in enumerate(cases)),
        "a second spelling hides a family that is in two splits",
    )
    if dataset.frozen_splits is None:
        return problems
    # A case of version 2 that is a family of its own is told of by its id.
    told = {_case(i, "family_id") for i, case in enumerate(cases) if case.family_id == case.id}
    return [
        each
        for each in problems
        if not told.issuperset((each.path, *(other.path for other in each.related)))
    ]


ACTION = "action or tool"
EVADES_FORBIDDEN = "a second spelling evades the forbidden list"


def actions_and_tools(dataset: Dataset, file: str) -> Iterator[Named]:
    """The actions and tools that a dataset names, each where it first stands."""
    seen: set[str | None] = {None}
    for index, case in enumerate(dataset.cases):
        if case.expected_tool not in seen:
            seen.add(case.expected_tool)
            yield Named(str(case.expected_tool), file, _case(index, "expected_tool"))
        for entry, action in enumerate(case.forbidden_actions):
            if action not in seen:
                seen.add(action)
                yield Named(action, file, _case(index, "forbidden_actions", entry))
    yield from _named(dataset, ACTION, file)


def _named(dataset: Dataset, kind: str, file: str) -> Iterator[Named]:
    for (of, name), path in dataset.names.items():
        if of == kind:
            yield Named(name, file, path)


def names_in(expect: Any, path: Path) -> Iterator[tuple[str, str, Path]]:
    """Kind, name and place of each name in the expectations of a version 2 case.

    Args:
        expect: as the contract has it.
        path: where it stands.
    """
    if "label" in expect:
        yield "label", expect["label"], (*path, "label")
    tools = expect.get("tools", {})
    for at, way in _ways(tools, (*path, "tools")):
        for index, call in enumerate(way.get("calls", ())):
            yield ACTION, call["name"], (*at, "calls", index, "name")
    for index, each in enumerate(expect.get("forbidden", ())):
        key = "name" if "name" in each else "action"
        yield ACTION, each[key], (*path, "forbidden", index, key)
    for index, id_ in enumerate(expect.get("evidence", {}).get("ids", ())):
        yield "evidence", id_, (*path, "evidence", "ids", index)


def _ways(tools: Any, path: Path) -> list[tuple[Path, Any]]:
    if "any_of" in tools:
        return [((*path, "any_of", index), way) for index, way in enumerate(tools["any_of"])]
    return [(path, tools)]


def _case(index: int, *steps: str | int) -> Path:
    return ("cases", index, *steps)
