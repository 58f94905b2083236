"""Raw files to one release's replay: streamed, counted, and nothing lost without a word."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from contractlab.importers.neutral import NeutralRecord, Note, Skipped
from contractlab.importers.readable import readable
from contractlab.importers.registry import AUTO, detect, importer, known
from contractlab.importers.source import MAX_BYTES, Source
from contractlab.problems import ContractError, Problem, Rule
from contractlab.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from contractlab.importers.mapping import Mapping
    from contractlab.importers.neutral import Call, CaseFacts, Found
    from contractlab.importers.registry import Importer

_MOST_SHOWN = 3
"""Places shown for each reason."""


@dataclass(slots=True)
class Tally:
    """What was read: read = records + skipped."""

    format: str = ""
    sources: list[Source] = field(default_factory=list)
    read: int = 0
    records: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    """Where the first runs of each reason stand."""
    notes: Counter[str] = field(default_factory=Counter)
    """About runs, with how many."""
    remarks: list[str] = field(default_factory=list)
    """About whole sources."""
    releases: Counter[str] = field(default_factory=Counter)
    """What the sources call the releases of the records."""

    def told(self) -> list[str]:
        """Every note as a replay keeps it."""
        counted = [f"{much} of {self.read} runs: {text}" for text, much in self.notes.items()]
        return [*self.remarks, *counted]

    _known: set[int] = field(default_factory=set)
    """Of each run that has an id of its own: id and behaviour, hashed."""

    def is_copy(self, run: NeutralRecord) -> bool:
        """Whether a run of the same id that did the same was read before."""
        calls = tuple(call.name for call in run.calls or ())
        seen = hash((run.run_id, run.case_id, run.trial, run.status, calls, str(run.answer)))
        known = seen in self._known
        self._known.add(seen)
        return known

    def skip(self, reason: str, place: str) -> None:
        """Counts a run that is left out."""
        self.skipped[reason] += 1
        shown_ = self.places.setdefault(reason, [])
        if len(shown_) < _MOST_SHOWN:
            shown_.append(place)


@dataclass(slots=True)
class _Trials:
    """The next free trial of each case."""

    taken: dict[str, set[int]] = field(default_factory=dict)
    moved: int = 0

    def number(self, case_id: str, wanted: int | None) -> int:
        taken = self.taken.setdefault(case_id, set())
        trial = wanted
        if trial is None or trial in taken:
            self.moved += trial is not None
            trial = len(taken)
            while trial in taken:
                trial += 1
        taken.add(trial)
        return trial


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be imported."""

    format: str
    """A format's name, or `auto`."""
    inputs: tuple[str, ...]
    mapping: Mapping | None = None
    only: str | None = None
    """Only the runs of what the source calls this release."""
    max_bytes: int = MAX_BYTES


def convert(
    wanted: Wanted,
    tally: Tally,
    *,
    on_case: Callable[[str, CaseFacts], object] | None = None,
) -> Iterator[dict[str, Any]]:
    """The records of a replay, as contract version 2 writes them.

    Args:
        wanted: formats and files.
        tally: filled on the way; complete once the iterator is used up.
        on_case: is told what the format knows about each record's case.

    Raises:
        ContractError: a file can't be read, no format knows it, or it is not what it should be.
    """
    trials = _Trials()
    for format_, group in groupby(_sources(wanted, tally), key=lambda each: each[0]):
        module = importer(format_)
        for found in _read(module, (source for _, source in group)):
            record = _kept(found, tally, wanted)
            if record is None:
                continue
            record.trial = trials.number(record.case_id, record.trial)
            tally.records += 1
            if on_case is not None:
                on_case(record.case_id, _facts(module.case(record), record, wanted.mapping))
            yield written(record)
    for source in tally.sources:
        source.hash()
    if trials.moved:
        tally.remarks.append(
            f"{trials.moved} runs repeat the case and trial of an earlier one, and were given "
            "the next free trial"
        )
    _check(wanted, tally)


def _sources(wanted: Wanted, tally: Tally) -> Iterator[tuple[str, Source]]:
    """Each file with its format, one at a time; a copy of an earlier one is left out."""
    named = known(wanted.format)
    sizes: dict[int, list[Source]] = {}
    for name in dict.fromkeys(wanted.inputs):
        source = Source(name, wanted.max_bytes)
        alike = sizes.setdefault(source.size(), [])
        same = next((each for each in alike if each.hash() == source.hash()), None)
        if same is not None:
            tally.remarks.append(f"{name} has the bytes of {same.name}, and is left out")
            continue
        alike.append(source)
        format_ = detect(source) if named == AUTO else named
        tally.format = format_ if tally.format in ("", format_) else "several"
        tally.sources.append(source)
        yield format_, source


def _read(module: Importer, sources: Iterator[Source]) -> Iterator[Found]:
    """The runs of some files of one format, together where a run may stand in several."""
    together = getattr(module, "read_together", None)
    if together is not None:
        yield from together(sources)
        return
    for source in sources:
        yield from module.read(source)


def _kept(found: Found, tally: Tally, wanted: Wanted) -> NeutralRecord | None:
    if isinstance(found, Note):
        tally.remarks.append(found.text)
        return None
    tally.read += 1
    if isinstance(found, Skipped):
        tally.skip(found.reason, _place(found))
        return None
    if wanted.mapping is not None:
        wanted.mapping.apply(found)
    readable(found)
    if not found.case_id.strip():
        tally.skip(_nameless(wanted.mapping), _place(found))
        return None
    if wanted.only is not None and found.release != wanted.only:
        tally.skip("is another release's", _place(found))
        return None
    if found.run_id is not None and tally.is_copy(found):
        tally.skip("is a copy of a run that was read before it", _place(found))
        return None
    tally.releases[found.release or ""] += 1
    for note in found.notes:
        tally.notes[note] += 1
    return found


def _nameless(mapping: Mapping | None) -> str:
    """Why a run has no case."""
    rule = None if mapping is None else mapping.fields.get("case_id")
    if rule is None:
        return "names no case (a mapping can say where it stands)"
    written = rule.path.written
    bare = "" if written[0] in "$@" or not set(written) & set(".[") else "; a path begins with $"
    return f"the mapping's case_id, {written}, leads to no text or number in it{bare}"


def _place(found: NeutralRecord | Skipped) -> str:
    where = found.where
    parts = [where.file, *([str(where.line)] if where.line else [])]
    return ":".join(parts) + (f" ({where.id})" if where.id and not where.line else "")


def _facts(facts: CaseFacts, record: NeutralRecord, mapping: Mapping | None) -> CaseFacts:
    from dataclasses import replace  # noqa: PLC0415 (once a case, only where cases are wanted)

    told = {} if mapping is None else mapping.facts(record)
    return replace(facts, **told) if told else facts


def _check(wanted: Wanted, tally: Tally) -> None:
    """One release a file, and at least one record."""
    several = [name for name in tally.releases if name]
    if len(several) > 1:
        raise ContractError(
            [
                Problem(
                    Rule.BAD_USAGE,
                    f"the sources hold runs of {len(several)} releases: {listed(sorted(several))}",
                    "a replay is of one release: choose with --only NAME",
                )
            ]
        )
    if not tally.records:
        raise ContractError([none_left(tally)])


def none_left(tally: Tally) -> Problem:
    """The problem of an import that found no record."""
    reasons = "; ".join(f"{much}: {reason}" for reason, much in tally.skipped.items())
    return Problem(
        Rule.BAD_USAGE,
        f"no run could be imported as {tally.format} ({reasons or 'none was found'})",
        "name the format, a --mapping, or another --only",
        tally.sources[0].name if tally.sources else "",
    )


def written(record: NeutralRecord) -> dict[str, Any]:
    """A record as contract version 2 writes it: what is absent was not measured."""
    out: dict[str, Any] = {"case_id": record.case_id, "trial": record.trial or 0}
    if record.status != "ok":
        out["status"] = record.status
        out["error"] = record.error
    if record.label is not None:
        out["label"] = record.label
    if record.outcomes:
        # What a run that did not end did is not graded by its outcomes.
        ok = record.status == "ok"
        out["outcomes"] = record.outcomes if ok else dict.fromkeys(record.outcomes)
    if record.calls is not None:
        out["calls"] = [_call(call) for call in record.calls]
    if record.evidence is not None:
        out["evidence"] = record.evidence
    if record.answer is not None:
        out["answer"] = record.answer
    if record.latency_ms is not None:
        out["latency_ms"] = record.latency_ms
    if record.cost_usd is not None:
        out["cost_usd"] = record.cost_usd
    if record.tokens is not None:
        out["tokens"] = record.tokens
    where = record.where
    source: dict[str, Any] = {"file": where.file}
    if where.line is not None:
        source["line"] = where.line
    if where.id and where.id.strip():
        source["id"] = where.id
    out["source"] = source
    return out


def _call(call: Call) -> dict[str, Any]:
    if call.ok is not None and call.error is None and call.turn is None and call.arguments:
        return {"name": call.name, "arguments": call.arguments, "ok": call.ok}
    out: dict[str, Any] = {"name": call.name}
    if call.arguments is not None:
        out["arguments"] = call.arguments
    if call.ok is not None:
        out["ok"] = call.ok
    if call.turn is not None:
        out["turn"] = call.turn
    if call.error is not None:
        out["error"] = call.error
    return out


def recording(tally: Tally) -> dict[str, Any]:
    """How the file was made, for its header."""
    return {
        "format": tally.format,
        "sources": [{"file": each.name, "sha256": each.hash()} for each in tally.sources],
        "read": tally.read,
        "skipped": dict(sorted(tally.skipped.items())),
        "notes": tally.told(),
    }


def summary(tally: Tally) -> list[str]:
    """What happened, for people: counts in = counts out and skipped."""
    skipped = sum(tally.skipped.values())
    lines = [
        f"{tally.read} runs read from {len(tally.sources)} "
        f"file{'' if len(tally.sources) == 1 else 's'} as {tally.format}: "
        f"{tally.records} records, {skipped} skipped"
    ]
    for reason, much in sorted(tally.skipped.items()):
        places = ", ".join(tally.places.get(reason, []))
        more = much - len(tally.places.get(reason, []))
        lines.append(f"  skipped {much}: {reason}: {places}{f' and {more} more' if more else ''}")
    lines += [f"  note: {each}" for each in tally.told()]
    return lines


def unread(names: Sequence[str]) -> Problem:
    """The problem of an import without inputs."""
    return Problem(Rule.BAD_USAGE, f"no file is named ({shown(list(names))})", "name files")
