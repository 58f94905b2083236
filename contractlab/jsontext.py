"""Bytes to a JSON value, strictly.

A text that is right is decoded by jiter, which refuses duplicate keys, NaN, lone
surrogates, invalid UTF-8 and a byte order mark at full speed. What is wrong with one that
is not is told by `diagnose`.
"""

from __future__ import annotations

import jiter

from contractlab.limits import MAX_DEPTH

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from contractlab.problems import ContractError, Path


STRICT: dict[str, Any] = {"allow_inf_nan": False, "catch_duplicate_keys": True}
"""How jiter decodes nothing but strict JSON."""


def parse(data: bytes, *, file: str = "") -> object:
    """The value of a JSON text.

    Raises:
        ContractError: the text is not strict JSON; with every problem found, placed.
    """
    try:
        return jiter.from_json(data, **STRICT)
    except ValueError as error:
        refusal = str(error)
    raise _diagnosed(data, file, refusal)


def _diagnosed(data: bytes, file: str, refusal: str) -> ContractError:
    from contractlab.diagnose import diagnose  # noqa: PLC0415 (only once something is wrong)
    from contractlab.problems import ContractError  # noqa: PLC0415

    return ContractError(diagnose(data, file=file, refusal=refusal))


def too_deep(value: object, room: int = MAX_DEPTH) -> Path | None:
    """The path of the first array or object that stands too deep, or None."""
    if isinstance(value, dict):
        members: Iterable[tuple[str | int, object]] = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    else:
        return None
    if not room:
        return ()
    for step, inner in members:
        if isinstance(inner, dict | list):
            path = too_deep(inner, room - 1)
            if path is not None:
                return (step, *path)
    return None
