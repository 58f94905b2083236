"""What every importer finds in its format, before it becomes a record of a replay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Status = Literal["ok", "error", "timeout", "limit"]


@dataclass(slots=True)
class Call:
    """One tool call, in the order that the agent made it."""

    name: str
    arguments: Any = None
    """As recorded: an object; text that is no JSON stays text."""
    ok: bool | None = None
    """None: the format does not say."""
    turn: int | None = None
    """Calls of one turn were asked for together."""
    error: str | None = None
    id: str | None = None
    """Joins the call with its result; not written."""


@dataclass(slots=True)
class Where:
    """The place of a run in its source."""

    file: str
    line: int | None = None
    """From 1, in formats with lines."""
    id: str | None = None
    """What the source calls the run."""


@dataclass(slots=True)
class NeutralRecord:
    """One run. None is "the format does not say", never zero or false."""

    case_id: str
    where: Where
    raw: Any
    """The run as decoded: what the paths of a mapping look into."""
    trial: int | None = None
    """None: counted by the order of the runs on this case."""
    status: Status = "ok"
    error: str | None = None
    label: str | None = None
    outcomes: Mapping[str, bool | None] = field(default_factory=dict)
    calls: list[Call] | None = None
    evidence: list[str] | bool | None = None
    answer: Any = None
    latency_ms: float | None = None
    cost_usd: float | None = None
    tokens: dict[str, int] | None = None
    release: str | None = None
    """What the source calls the release."""
    notes: tuple[str, ...] = ()
    """What a reader should know; counted over runs by their text."""
    run_id: str | None = None
    """An id that no other run has, where the format gives one: its copies are left out."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that could have been a run and is none."""

    reason: str
    """The same words for the same reason: skipped runs are counted by it."""
    where: Where


@dataclass(frozen=True, slots=True)
class Note:
    """Something about a whole source."""

    text: str


BARE = "only its case is known: neither its columns nor a mapping say what it did"
"""A note about a row, which a mapping that finds more takes back."""

Found = NeutralRecord | Skipped | Note


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What a format knows about a case, for the dataset that `init` writes."""

    input: Any = None
    family_id: str | None = None
    slice: str | None = None
    tags: tuple[str, ...] = ()
    risk: str | None = None
    """The kind of harm, where the case is critical; None: it is not."""
    expect: Mapping[str, Any] = field(default_factory=dict)
    """As a dataset writes it; empty where the format does not say what is wanted."""
