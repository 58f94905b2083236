"""Datasets with nothing wrong: a quick yes, asked of whole columns at once.

What `leakage` and `advice` look for case by case, in another form: a yes means that neither
has anything to say, and tests hold the two to each other. Whoever gets a no asks them why.
Imports nothing that takes long to load, because a hook waits for it.
"""

from __future__ import annotations

from itertools import chain
from operator import itemgetter

from contractlab.lookalike import are_plain, fold_input, skeleton, suspects

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_SPLITS = {"train", "development", "test"}


def dataset_is_right(value: Any) -> bool:
    """Whether neither `check_dataset` nor `advise_dataset` has anything to say.

    Args:
        value: one that `dataset-v1` accepts.
    """
    cases = value["cases"]
    ids, families, splits, slices, inputs, tools, forbidden, critical = (
        list(map(itemgetter(field), cases))
        for field in (
            "id", "family_id", "split", "slice",
            "input", "expected_tool", "forbidden_actions", "critical",
        )
    )  # fmt: skip
    actions = {*chain.from_iterable(forbidden), *tools} - {None}
    return (
        len(set(ids)) == len(ids)
        and set(splits) == _SPLITS
        and _each_in_one(families, splits)
        and _inputs_in_one(inputs, splits)
        and all(map(are_plain, ([value["dataset_version"]], ids, families, slices, actions)))
        and splits.count("test") > 1
        and ("test", True) in zip(splits, critical, strict=True)
        and not any(tool in refused for tool, refused in zip(tools, forbidden, strict=True))
    )


def _each_in_one(names: Sequence[str], splits: Sequence[str]) -> bool:
    """Whether each name stands in one split only."""
    return len(set(zip(names, splits, strict=True))) == len(set(names))


def _inputs_in_one(inputs: list[str], splits: list[str]) -> bool:
    """Whether inputs that read or look alike stand in one split, and so in one of the families."""
    doubtful = set(suspects(inputs))
    both = [each for each in zip(inputs, splits, strict=True) if each[0] in doubtful]
    homes = [split for _, split in both]
    return all(
        _each_in_one([fold(text) for text, _ in both], homes) for fold in (fold_input, skeleton)
    )
