"""Small runs in the formats of others, and what an importer finds in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contractlab.importers.neutral import Found, NeutralRecord, Skipped
from contractlab.importers.registry import importer
from contractlab.importers.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "real"
"""Samples that nobody here wrote; absent outside of the project's own workplace."""


def file(folder: Path, value: Any, name: str = "raw.json") -> str:
    path = folder / name
    path.write_bytes(json.dumps(value).encode())
    return str(path)


def lines(folder: Path, values: Iterable[Any], name: str = "raw.jsonl") -> str:
    path = folder / name
    path.write_bytes(b"".join(json.dumps(value).encode() + b"\n" for value in values))
    return str(path)


def found(format_: str, name: str) -> list[Found]:
    return list(importer(format_).read(Source(name)))


def records(format_: str, name: str) -> list[NeutralRecord]:
    return [each for each in found(format_, name) if isinstance(each, NeutralRecord)]


def record(format_: str, name: str) -> NeutralRecord:
    (only,) = records(format_, name)
    return only


def skipped(format_: str, name: str) -> list[str]:
    return [each.reason for each in found(format_, name) if isinstance(each, Skipped)]


def calls(run: NeutralRecord) -> list[tuple[str, Any, bool | None]]:
    return [(each.name, each.arguments, each.ok) for each in run.calls or []]


def asks(name: str, arguments: Any = None, id_: str = "1") -> dict[str, Any]:
    """An assistant's message that calls a tool, as OpenAI writes it."""
    function = {"name": name, "arguments": json.dumps(arguments or {})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": id_, "type": "function", "function": function}],
    }


def answers(content: Any, id_: str = "1", **more: Any) -> dict[str, Any]:
    """A tool's answer."""
    return {"role": "tool", "tool_call_id": id_, "content": content, **more}


def says(content: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": content}


TALK = [
    says("Where is my order?", "user"),
    asks("find", {"id": "A-1"}),
    answers("it is on its way"),
    says("On its way."),
]
