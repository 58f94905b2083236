"""The importers by name, and which of them a file is for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from contractlab.importers.table import header, is_table
from contractlab.problems import ContractError, Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from contractlab.importers.neutral import CaseFacts, Found, NeutralRecord
    from contractlab.importers.source import Source

FORMATS = {
    "tau-bench": "tau",
    "agentdojo": "agentdojo",
    "inspect": "inspect_log",
    "promptfoo": "promptfoo",
    "langfuse": "langfuse",
    "atif": "atif",
    "otel": "otel",
    "openai-responses": "responses",
    "anthropic": "anthropic",
    "openai-chat": "chat",
    "table": "table",
}
"""Name and module, the more telling formats first: a file is the first's that knows it."""
ALIASES = {
    "tau2": "tau-bench",
    "tau2-bench": "tau-bench",
    "tau": "tau-bench",
    "agentdyn": "agentdojo",
    "otlp": "otel",
    "opentelemetry": "otel",
    "jaeger": "otel",
    "openinference": "otel",
    "openai": "openai-chat",
    "chat": "openai-chat",
    "responses": "openai-responses",
    "openai-agents": "openai-responses",
    "codex": "openai-responses",
    "claude-code": "anthropic",
    "claude": "anthropic",
    "inspect-ai": "inspect",
    "csv": "table",
    "jsonl": "table",
    "harbor": "atif",
}
AUTO = "auto"


class Importer(Protocol):
    """One module a format."""

    TITLE: str

    def looks(self, value: Any) -> bool:
        """Whether a file's first JSON value is of this format."""

    def read(self, source: Source) -> Iterator[Found]:
        """Every run of a file: a record, or skipped with the reason."""

    def case(self, record: NeutralRecord) -> CaseFacts:
        """What the format knows about a record's case."""


def importer(name: str) -> Importer:
    """A format's importer."""
    return cast("Importer", import_module(f"contractlab.importers.{FORMATS[name]}"))


def known(name: str) -> str:
    """The format that a name or another name of it stands for.

    Raises:
        ContractError: nothing is called so.
    """
    found = ALIASES.get(name.lower(), name.lower())
    if found != AUTO and found not in FORMATS:
        raise ContractError(
            [
                Problem(
                    Rule.BAD_USAGE,
                    f'"{name}" is no format',
                    f"one of: {AUTO}, {', '.join(FORMATS)}",
                )
            ]
        )
    return found


def detect(source: Source) -> str:
    """The format of a file, by what its first value looks like.

    Raises:
        ContractError: the file can't be read, or no format knows it.
    """
    if is_table(source.name):
        from contractlab.importers.langfuse import is_row  # noqa: PLC0415 (only for tables)

        return "langfuse" if is_row(dict(header(source))) else "table"
    if source.head().startswith(b"PK\x03\x04"):
        return "inspect"
    value = source.first()
    for name in FORMATS:
        if importer(name).looks(value):
            return name
    raise ContractError(
        [
            Problem(
                Rule.UNKNOWN_CONTRACT,
                f"looks like none of the formats: {_described(value)}",
                f"name one of {', '.join(FORMATS)}; rows of your own are `table` with --mapping",
                source.name,
            )
        ]
    )


def _described(value: Any) -> str:
    if isinstance(value, list):
        return (
            f"an array of {len(value)} entries, the first {_described(value[0])}" if value else "[]"
        )
    if isinstance(value, dict):
        keys = ", ".join(list(value)[:8])
        return f"an object with {keys or 'no member'}"[:300]
    return f"a value of type {type(value).__name__}"
