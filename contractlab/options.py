"""What the commands can be asked, however it was spelled."""

from __future__ import annotations

from dataclasses import dataclass

from contractlab.files import DEFAULT_MAX_BYTES

FORMATS = ("text", "json", "markdown")
VALIDATE_FORMATS = ("text", "json")
FAIL_ON = ("review", "block", "never")


@dataclass(frozen=True, slots=True)
class ValidateOptions:
    """`contractlab validate`."""

    files: tuple[str, ...] = ()
    """Contracts; none takes those of the configuration."""
    config: str | None = None
    strict: bool = False
    """Warnings count as problems."""
    format: str = "text"
    max_bytes: int = DEFAULT_MAX_BYTES
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """`contractlab compare`. What is None or empty comes from the configuration."""

    dataset: str | None = None
    rubric: str | None = None
    predictions: tuple[str, ...] = ()
    candidate: str | None = None
    baseline: str | None = None
    config: str | None = None
    strict: bool = False
    format: str = "text"
    fail_on: str | None = None
    """The mildest verdict that exits 1: `review` (the default), `block`, or `never`."""
    max_bytes: int = DEFAULT_MAX_BYTES
    quiet: bool = False
