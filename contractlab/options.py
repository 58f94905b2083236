"""What the commands can be asked, however it was spelled."""

from __future__ import annotations

from typing import NamedTuple

from contractlab.files import DEFAULT_MAX_BYTES


class ValidateOptions(NamedTuple):
    """`contractlab validate`."""

    files: tuple[str, ...] = ()
    """Contracts; none takes those of the configuration."""
    config: str | None = None
    strict: bool = False
    """Warnings count as problems."""
    format: str = "text"
    max_bytes: int = DEFAULT_MAX_BYTES
    quiet: bool = False
    dataset: str | None = None
    """A file that has to be a dataset, as the following have to be what they are called."""
    rubric: str | None = None
    predictions: tuple[str, ...] = ()

    @property
    def wanted(self) -> dict[str, str | None]:
        """The role of each file, None where it may be any contract."""
        roles: dict[str, str | None] = dict.fromkeys(self.files)
        roles |= {name: "dataset" for name in [self.dataset] if name is not None}
        roles |= {name: "rubric" for name in [self.rubric] if name is not None}
        return roles | dict.fromkeys(self.predictions, "predictions")


REPORT_FORMATS = ("json", "junit", "sarif", "markdown", "html")
"""The formats of report files, in the order in which they are written."""


class HookOptions(NamedTuple):
    """`contractlab hook`."""

    files: tuple[str, ...] = ()
    """Of a commit; those that are no contract are left alone."""
    config: str | None = None
    strict: bool = False
    max_bytes: int = DEFAULT_MAX_BYTES
    quiet: bool = False
    """Leaves out warnings."""


class CompareOptions(NamedTuple):
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
    verbose: bool = False
    """Also how each regressed case changed (text only)."""
    report_json: str | None = None
    """A file to write the report to, as are the following."""
    report_junit: str | None = None
    report_sarif: str | None = None
    report_markdown: str | None = None
    report_html: str | None = None

    @property
    def reports(self) -> dict[str, str]:
        """The report files that are asked for, by format."""
        named = {each: getattr(self, f"report_{each}") for each in REPORT_FORMATS}
        return {each: name for each, name in named.items() if name is not None}


class RenderOptions(NamedTuple):
    """`contractlab render`."""

    report: str
    """A JSON report."""
    format: str = "text"
    output: str | None = None
    """None prints it."""
    max_bytes: int = DEFAULT_MAX_BYTES


class CasesOptions(NamedTuple):
    """`contractlab cases`."""

    compare: CompareOptions
    """What is compared, and the format of the list."""
    report: str | None = None
    """A JSON report to list the cases of; None compares."""
    flips: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    critical: bool = False
