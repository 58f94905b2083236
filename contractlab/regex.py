"""Regular expressions in linear time: a contract's pattern can never stall the gate.

The engine is Rust's `regex`, as pydantic-core packages it (wheels for every platform that
Python has, Alpine included). It has no look-around and no back-references, answers in time
proportional to pattern times text, and bounds its own memory.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_CHARACTERS = 1000
"""Of a pattern; the engine itself refuses one that compiles to more than 10 MiB."""


@cache
def searcher(pattern: str) -> Callable[[object], bool]:
    """Whether a value is a text in which the pattern is found.

    Raises:
        ValueError: the pattern is too long, or the engine cannot compile it.
    """
    if len(pattern) > MOST_CHARACTERS:
        raise ValueError(f"has {len(pattern)} characters; at most {MOST_CHARACTERS}")
    # Loaded here, because most datasets have no pattern.
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # noqa: PLC0415

    schema = core_schema.str_schema(pattern=pattern, strict=True, regex_engine="rust-regex")
    try:
        return SchemaValidator(schema).isinstance_python
    except SchemaError as error:
        raise ValueError(_told(str(error))) from error


def _told(message: str) -> str:
    """The engine's last line, which says what is wrong; the ones before draw where."""
    last = message.strip().splitlines()[-1].strip()
    return last.removeprefix("SchemaError: ").removeprefix("error: ")
