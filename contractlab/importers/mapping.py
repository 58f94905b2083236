"""A mapping file (TOML or JSON): how a team's own runs say case, label, outcomes, evidence.

What it names overrides what the importer found; what it does not name stays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.neutral import BARE, Call, NeutralRecord
from contractlab.importers.values import arguments, content_text, count, number, parsed, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping as MappingOf

    from contractlab.importers.groups import Groups
    from contractlab.importers.neutral import Status
    from contractlab.importers.paths import PathOf


@dataclass(frozen=True, slots=True)
class Finding:
    """How one field is found."""

    path: PathOf
    groups: Groups | None = None
    mapped: MappingOf[str, Any] | None = None
    true: tuple[Any, ...] | None = None
    at_least: float | None = None
    at_most: float | None = None
    default: Any = None

    def values(self, raw: Any, record: MappingOf[str, Any]) -> list[Any]:
        """What is found: every value, after the pattern and the map."""
        found = self.path.find(record if self.path.of_record else raw)
        if self.groups is not None:
            texts = (each if type(each) is str else content_text(each) for each in found)
            matched = (self.groups.search(each) for each in texts if each is not None)
            found = [each for each in matched if each is not None]
        if self.mapped is not None:
            found = [self.mapped.get(_key(each), each) for each in found]
        if not found and self.default is not None:
            return [self.default]
        return found

    def verdict(self, raw: Any, record: MappingOf[str, Any]) -> bool | None:
        """What is found, as a yes or no; None where nothing is found or it is neither."""
        found = self.values(raw, record)
        if not found:
            return None
        value = found[0]
        if self.true is not None:
            return any(_same(value, each) for each in self.true)
        if self.at_least is not None or self.at_most is not None:
            low = float("-inf") if self.at_least is None else self.at_least
            high = float("inf") if self.at_most is None else self.at_most
            read = numeric(value)
            return None if read is None else low <= read <= high
        return verdict(value)


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping file, checked."""

    fields: MappingOf[str, Finding] = field(default_factory=dict)
    outcomes: MappingOf[str, Finding] = field(default_factory=dict)
    tokens: MappingOf[str, Finding] = field(default_factory=dict)
    calls: MappingOf[str, PathOf] = field(default_factory=dict)

    def apply(self, record: NeutralRecord) -> None:
        """Overrides what the mapping names."""
        seen = _as_found(record)
        for name, rule in self.fields.items():
            if name in _APPLY:
                _APPLY[name](record, rule.values(record.raw, seen))
        if self.outcomes:
            told = {key: rule.verdict(record.raw, seen) for key, rule in self.outcomes.items()}
            record.outcomes = {**record.outcomes, **told}
            if record.status != "ok":
                record.outcomes = dict.fromkeys(record.outcomes)
        for kind, rule in self.tokens.items():
            much = next((count(numeric(each)) for each in rule.values(record.raw, seen)), None)
            if much is not None:
                record.tokens = {**(record.tokens or {}), kind: much}
        if self.calls:
            record.calls = self._calls(record.raw)
        if record.label or record.outcomes or record.calls or record.answer is not None:
            record.notes = tuple(note for note in record.notes if note != BARE)

    def facts(self, record: NeutralRecord) -> dict[str, Any]:
        """What it says about the case."""
        seen = _as_found(record)
        found = {
            name: self.fields[name].values(record.raw, seen)
            for name in ("input", "family_id", "slice", "tags")
            if name in self.fields
        }
        facts: dict[str, Any] = {name: each[0] for name, each in found.items() if each}
        if "tags" in facts:
            facts["tags"] = tuple(dict.fromkeys(map(_key, _flat(found["tags"]))))
        return {
            key: each if key in ("input", "tags") else _key(each) for key, each in facts.items()
        }

    def _calls(self, raw: Any) -> list[Call]:
        listed = self.calls["path"].find(raw)
        made = []
        for index, each in enumerate(_flat([parsed(one) for one in listed])):
            if type(each) is str:
                made.append(Call(each, None, None, index))
                continue
            found = {key: path.find(each) for key, path in self.calls.items() if key != "path"}
            first = {key: values[0] for key, values in found.items() if values}
            error = first.get("error")
            made.append(
                Call(
                    _key(first.get("name", "(no name)")),
                    arguments(first.get("arguments")),
                    False if error else verdict(first.get("ok")),
                    count(first.get("turn")),
                    str(error) if error else None,
                )
            )
        return made


def _as_found(record: NeutralRecord) -> dict[str, Any]:
    where = record.where
    return {
        "case_id": record.case_id,
        "trial": record.trial,
        "status": record.status,
        "answer": record.answer,
        "outcomes": record.outcomes,
        "release": record.release,
        "calls": [
            {"name": each.name, "arguments": each.arguments, "ok": each.ok}
            for each in record.calls or ()
        ],
        "source": {"file": where.file, "line": where.line, "id": where.id},
    }


def _key(value: Any) -> str:
    """A value as an id: text as it is, a number or boolean as JSON spells it."""
    if type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float and value.is_integer():
        return str(int(value))
    return str(value)


def _same(one: Any, other: Any) -> bool:
    return (type(one) is bool) == (type(other) is bool) and (one == other or _key(one) == other)


def numeric(value: Any) -> float | None:
    """A number, also where a CSV has it as text."""
    if type(value) is str:
        try:
            value = float(value)
        except ValueError:
            return None
    if type(value) is float and not math.isfinite(value):
        return None
    return value if type(value) in (int, float) else None


def _flat(values: list[Any]) -> list[Any]:
    return [inner for each in values for inner in (each if type(each) is list else [each])]


def _plain(found: list[Any]) -> list[Any]:
    """What can be a name: a text, a finite number or a boolean, and no list or object."""
    plain = (each for each in found if type(each) not in (dict, list))
    return [each for each in plain if type(each) is not float or math.isfinite(each)]


def _case_id(record: NeutralRecord, found: list[Any]) -> None:
    # Without one there is no case: an id that the importer made up would be a wrong one.
    plain = _plain(found)
    record.case_id = _key(plain[0]) if plain else ""
    record.notes = tuple(note for note in record.notes if not note.startswith("its case id"))


def _set(name: str, kind: Any) -> Any:
    def apply(record: NeutralRecord, found: list[Any]) -> None:
        if found:
            setattr(record, name, kind(found[0]))

    return apply


def _trial_from_1(record: NeutralRecord, found: list[Any]) -> None:
    number_ = count(numeric(found[0])) if found else None
    record.trial = number_ - 1 if number_ else record.trial


_STATUSES: dict[str, Status] = {
    **dict.fromkeys(("ok", "success", "successful", "succeeded"), "ok"),
    **dict.fromkeys(("complete", "completed", "done", "finished"), "ok"),
    **dict.fromkeys(("timeout", "timed_out", "timed out", "deadline_exceeded"), "timeout"),
    **dict.fromkeys(("limit", "max_steps", "max_turns", "truncated"), "limit"),
    **dict.fromkeys(("error", "failure", "crashed", "exception"), "error"),
}
UNKNOWN_STATUS = "its status is no word that is known, and is taken as an error: map it"


def _status(record: NeutralRecord, found: list[Any]) -> None:
    if not found:
        return
    told, yes = _key(found[0]).strip().lower(), verdict(found[0])
    if told in _STATUSES:
        record.status = _STATUSES[told]
    else:
        record.status = "ok" if yes else "error"
        if yes is None:
            record.notes = (*record.notes, UNKNOWN_STATUS)
    if record.status != "ok":
        record.error = record.error or f"status {told}"


def _error(record: NeutralRecord, found: list[Any]) -> None:
    if found and found[0]:
        record.error = str(found[0])
        record.status = "error" if record.status == "ok" else record.status


def _evidence(record: NeutralRecord, found: list[Any]) -> None:
    flat = _flat([parsed(each) for each in found])
    if len(flat) == 1 and type(flat[0]) is bool:
        record.evidence = flat[0]
    else:
        named = [_key(each) for each in _plain(flat) if each != ""]
        record.evidence = list(dict.fromkeys(named))


def _label(record: NeutralRecord, found: list[Any]) -> None:
    plain = _plain(found)
    record.label = (_key(plain[0]).strip() or None) if plain else None


def _release(record: NeutralRecord, found: list[Any]) -> None:
    plain = _plain(found)
    record.release = _key(plain[0]) if plain else record.release


def _seconds(value: Any) -> float | None:
    read = number(numeric(value))
    return None if read is None else round(read * 1000, 3)


_APPLY: dict[str, Any] = {
    "case_id": _case_id,
    "trial": _set("trial", lambda value: count(numeric(value))),
    "trial_from_1": _trial_from_1,
    "release": _release,
    "error": _error,
    "status": _status,
    "label": _label,
    "answer": _set("answer", lambda value: value),
    "evidence": _evidence,
    "latency_ms": _set("latency_ms", lambda value: number(numeric(value))),
    "latency_s": _set("latency_ms", _seconds),
    "cost_usd": _set("cost_usd", lambda value: number(numeric(value))),
}
