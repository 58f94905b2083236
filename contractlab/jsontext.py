"""Bytes to a JSON value, strictly.

A text that is right is decoded by jiter, which refuses duplicate keys, NaN, lone
surrogates, invalid UTF-8 and a byte order mark at full speed. What is wrong with one that
is not is told by `diagnose`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jiter

from contractlab.limits import MAX_DEPTH
from contractlab.problems import ContractError

if TYPE_CHECKING:
    from contractlab.problems import Problem


def parse(data: bytes, *, file: str = "") -> object:
    """The value of a JSON text.

    Raises:
        ContractError: the text is not strict JSON; with every problem found, placed.
    """
    try:
        return jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as refusal:
        problems = _diagnose(data, file, str(refusal))
    raise ContractError(problems)


def _diagnose(data: bytes, file: str, refusal: str) -> list[Problem]:
    from contractlab.diagnose import diagnose  # noqa: PLC0415 (only once something is wrong)

    return diagnose(data, file=file, refusal=refusal)


def too_deep(value: object) -> bool:
    """Whether arrays and objects stand more than `MAX_DEPTH` deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return any(isinstance(inner, dict | list) for inner in level)
