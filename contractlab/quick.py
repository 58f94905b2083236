"""`validate` on datasets that are right: quickly yes, or no answer at all.

A pre-commit hook runs on contracts that are right nearly every time, so a yes comes from
`clean`. Without one the full way starts over and tells why. What it needs (the model, the
rules, their messages) takes longer to load than a thousand cases to check, so nothing of it
is imported here.
"""

from __future__ import annotations

import os

from contractlab import files, jsontext
from contractlab.clean import dataset_is_right
from contractlab.sniff import find_config, has_pattern, is_contract
from contractlab.streams import deliver

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


def validate(given: Mapping[str, Any]) -> int | None:
    """The exit code where every named file is a dataset that is right; None: look closely.

    Args:
        given: the options of `validate` as they were spelled, without those left out.
    """
    names: tuple[str, ...] = given.get("files", ())
    if not names or given.get("format", "text") != "text" or has_pattern(names):
        return None
    max_bytes = given.get("max_bytes", files.DEFAULT_MAX_BYTES)
    try:
        if not all(_is_right(name, max_bytes) for name in dict.fromkeys(names)):
            return None
    except Exception:  # whatever is wrong, the full way says it
        return None
    return deliver("" if given.get("quiet") else no_problem(len(names)), 0)


def hook(given: Mapping[str, Any]) -> int | None:
    """Likewise for the contracts among a commit's files; 0 also where there is none.

    What is configured is looked at closely: it has to be what it is called, and to fit.

    Args:
        given: the options of `hook` as they were spelled.
    """
    max_bytes = given.get("max_bytes", files.DEFAULT_MAX_BYTES)
    try:
        names = dict.fromkeys(given.get("files", ()))
        if not all(_is_right(name, max_bytes) for name in filter(is_contract, names)):
            return None
        if _is_configured(names, given.get("config")):
            return None
    except Exception:  # whatever is wrong, the full way says it
        return None
    return 0


def _is_configured(names: Iterable[str], config: str | None) -> bool:
    found = config or find_config()
    if found is None:
        return False
    from contractlab.config import load, roles  # noqa: PLC0415 (where there is one)

    return not roles(load(found)).keys().isdisjoint(map(os.path.realpath, names))


def no_problem(contracts: int) -> str:
    """What `validate` prints when nothing is wrong."""
    return f"{contracts} contract{'' if contracts == 1 else 's'}: no problem\n"


def _is_right(name: str, max_bytes: int) -> bool:
    value: Any = jsontext.parse(files.read(name, max_bytes=max_bytes), file=name)
    return files.checker("dataset-v1").ok(value) and dataset_is_right(value)
