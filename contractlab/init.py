"""`contractlab init`: a gate's files from one imported replay.

It asks nothing that it can find out: what a case was given, its family and what is expected
come from the raw files, where they still are what was imported.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contractlab import files, sniff
from contractlab.defaults import CONFIG, HOOK, WORKFLOW, default_rubric
from contractlab.importers import mapping_file
from contractlab.importers.convert import Tally, Wanted, convert
from contractlab.importers.registry import FORMATS
from contractlab.importers.source import Source
from contractlab.intake import open_document
from contractlab.jsontext import parse
from contractlab.problems import ContractError, Problem, Rule
from contractlab.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contractlab.importers.neutral import CaseFacts

DATASET, RUBRIC = "evals/dataset.json", "evals/rubric.json"
HOOK_FILE, WORKFLOW_FILE = ".pre-commit-config.yaml", ".github/workflows/contractlab.yml"


@dataclass(frozen=True, slots=True)
class InitOptions:
    """`contractlab init REPLAY`."""

    replay: str
    """The baseline's, as `import` writes it."""
    folder: str = "."
    mapping: str | None = None
    """The mapping that the replay was imported with."""
    force: bool = False
    max_bytes: int = files.DEFAULT_MAX_BYTES


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What init writes, and what there is to say about it."""

    files: Mapping[str, str]
    """Text by path, below the folder."""
    said: tuple[str, ...]


@dataclass(slots=True)
class _Seen:
    """What the records show of one case."""

    outcomes: set[str] = field(default_factory=set)
    labels: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] | None = None
    """Tools that every good run used, and how often at least."""
    answered: bool = False


def init(options: InitOptions) -> list[str]:
    """Writes the files, and says what was done, a line each.

    Raises:
        ContractError: the replay is no replay, or something would be written over.
    """
    open_document(options.replay, role="predictions", max_bytes=options.max_bytes)
    header, records = _read(options.replay, options.max_bytes)
    facts, said = _facts(header, options)
    made = scaffold(
        header, records, facts, replay=_seen_from(options.replay, options.folder), mapping_said=said
    )
    folder = Path(options.folder)
    # A team's own hooks stay as they are, with --force too.
    kept = [HOOK_FILE] if (folder / HOOK_FILE).exists() else []
    there = [name for name in made.files if name not in kept and (folder / name).exists()]
    if there and not options.force:
        raise ContractError([_there(str(folder / name)) for name in there])
    lines = []
    for name, text in made.files.items():
        if name not in kept:
            _write(folder / name, text)
            lines.append(f"written: {(folder / name).as_posix()}")
    if kept:
        lines.append(f"{folder / HOOK_FILE} is there already; add to it:")
        lines += [f"  {line}" for line in made.files[HOOK_FILE].splitlines()[2:]]
    return [*lines, *made.said]


def scaffold(
    header: Mapping[str, Any],
    records: Sequence[Mapping[str, Any]],
    facts: Mapping[str, CaseFacts],
    *,
    replay: str,
    mapping_said: Sequence[str] = (),
) -> Scaffold:
    """The files of a gate, from a replay and from what its format knows about the cases.

    Args:
        header: the replay without its records.
        records: the baseline's, in the order of the cases.
        facts: by case id; a case that is not there is made of its records.
        replay: the replay's path, below the folder that is written to.
        mapping_said: where the facts are from, for the reader.
    """
    release = str(header["release"]["release_id"])
    seen = _seen(records)
    cases = [_case(id_, each, facts.get(id_)) for id_, each in seen.items()]
    outcomes = sorted({name for case in cases for name in case["expect"].get("outcomes", {})})
    dataset = {
        "schema_version": "eval-dataset-v2",
        "dataset_version": header["dataset_version"],
        "frozen_splits": ["test"],
        "cases": cases,
    }
    rubric = default_rubric(
        release,
        outcomes=outcomes,
        latency=all("latency_ms" in each for each in records),
        cost=all("cost_usd" in each for each in records),
    )
    rubric["errors"]["at_most"] = _errors_at_most(records)
    # Later replays stand beside this one, as JSON or as JSON Lines.
    runs = (Path(replay).parent / "*.json*").as_posix() if Path(replay).parent.name else replay
    texts = {
        DATASET: _json(dataset),
        RUBRIC: _json(rubric),
        sniff.CONFIG: CONFIG.format(
            dataset=_toml(DATASET), rubric=_toml(RUBRIC), runs=_toml(runs), baseline=_toml(release)
        ),
        HOOK_FILE: HOOK,
        WORKFLOW_FILE: WORKFLOW,
    }
    return Scaffold(texts, tuple(_said(cases, facts, seen, mapping_said)))


def _errors_at_most(records: Sequence[Mapping[str, Any]]) -> float:
    """The usual limit, or three times what the baseline shows: an unchanged agent must pass."""
    bad = sum(each.get("status", "ok") != "ok" for each in records)
    limit: float = math.ceil(300 * bad / max(len(records), 1)) / 100
    return min(1.0, max(0.02, limit))


def _said(
    cases: Sequence[Mapping[str, Any]],
    facts: Mapping[str, CaseFacts],
    seen: Mapping[str, _Seen],
    more: Sequence[str],
) -> Iterable[str]:
    critical = sum("critical" in case for case in cases)
    yield f"{len(cases)} cases, all in the split test; {critical} critical"
    yield from more
    yield from _said_of_snapshots(
        [
            case["expect"]
            for case in cases
            if case["id"] not in facts or not facts[case["id"]].expect
        ]
    )
    bare = [
        case["id"] for case in cases if case["expect"] == _ANSWERS and not seen[case["id"]].answered
    ]
    if bare:
        yield (
            f"{len(bare)} cases have no good run here, and expect no more than an answer, "
            f"such as {shown(bare[0])}"
        )
    if len({case.get("family_id", case["id"]) for case in cases}) == len(cases):
        yield "every case is a family of its own: give near-copies one family_id"
    yield "why the rubric is as it is: contractlab explain default-rubric"
    yield "next: contractlab validate"


def _said_of_snapshots(expected: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """What the cases expect of which nothing says what was wanted."""
    did = [expect for expect in expected if expect.keys() & _DID.keys()]
    if did:
        parts = ", ".join(told for key, told in _DID.items() if any(key in each for each in did))
        yield (
            f"{len(did)} cases expect what this replay did ({parts})"
            ": read them, and correct what was wrong"
        )
    graded = [expect["outcomes"] for expect in expected if "outcomes" in expect]
    if graded:
        names = sorted({name for outcomes in graded for name in outcomes})
        yield (
            f"{len(graded)} cases expect every outcome to be true, whatever this replay did "
            f"({listed(names)}): turn round those that mean harm"
        )


_DID = {"tools": "its tools", "label": "its label", "answer": "that it answers"}


def _seen(records: Iterable[Mapping[str, Any]]) -> dict[str, _Seen]:
    cases: dict[str, _Seen] = {}
    for record in records:
        case = cases.setdefault(record["case_id"], _Seen())
        case.outcomes.update(record.get("outcomes") or {})
        if record.get("status", "ok") != "ok":
            continue
        if record.get("label") is not None:
            case.labels[record["label"]] += 1
        case.answered = case.answered or bool(record.get("answer"))
        made = record.get("calls")
        if made is not None:
            names = Counter(call["name"] for call in made if call.get("ok") is not False)
            case.calls = names if case.calls is None else case.calls & names
    return cases


def _case(id_: str, seen: _Seen, facts: CaseFacts | None) -> dict[str, Any]:
    case: dict[str, Any] = {"id": id_}
    if facts is not None and facts.family_id:
        case["family_id"] = facts.family_id
    case["split"] = "test"
    if facts is not None:
        if facts.slice:
            case["slice"] = facts.slice
        if facts.tags:
            case["tags"] = list(facts.tags)
        if facts.risk:
            case["critical"], case["risk"] = True, facts.risk
        if facts.input is not None:
            case["input"] = facts.input
    case["expect"] = dict(facts.expect) if facts is not None and facts.expect else _snapshot(seen)
    return case


def _snapshot(seen: _Seen) -> dict[str, Any]:
    """What the baseline did, and each outcome true, where nothing says what was wanted."""
    expect: dict[str, Any] = {}
    if len(seen.labels) == 1:
        expect["label"] = next(iter(seen.labels))
    if seen.calls:
        calls = [{"name": name} for name in sorted(seen.calls.elements())]
        expect["tools"] = {"mode": "superset", "arguments": "ignore", "calls": calls}
    # A case that expects nothing could never fail: one without a good run is to answer at least.
    if not expect and (seen.answered or not seen.outcomes):
        expect = dict(_ANSWERS)
    if seen.outcomes:
        expect["outcomes"] = dict.fromkeys(sorted(seen.outcomes), True)
    return expect


_ANSWERS: dict[str, Any] = {"answer": {"matches": r"\S"}}


def _facts(
    header: Mapping[str, Any], options: InitOptions
) -> tuple[dict[str, CaseFacts], list[str]]:
    """What the raw files say about the cases, where they are still what was imported."""
    recording = header.get("recording", {})
    sources = recording.get("sources", [])
    format_ = recording.get("format", "")
    if not sources or format_ not in (*FORMATS, "several"):
        return {}, ["the replay names no raw files: the cases are made of its records alone"]
    for each in sources:
        if not Path(each["file"]).is_file() or Source(each["file"]).hash() != each.get("sha256"):
            return {}, [
                f"{each['file']} is not there or not what was imported: the cases are made of"
                " the records alone"
            ]
    facts: dict[str, CaseFacts] = {}
    mapping = None if options.mapping is None else mapping_file.load(options.mapping)

    def keep(id_: str, found: CaseFacts) -> None:
        # Of several trials, one that crashed may not tell what is wanted.
        if id_ not in facts or (found.expect and not facts[id_].expect):
            facts[id_] = found

    wanted = Wanted(
        "auto" if format_ == "several" else format_, tuple(s["file"] for s in sources), mapping
    )
    tally = Tally()
    try:
        for _ in convert(wanted, tally, on_case=keep):
            pass
    except ContractError:
        # Such as several releases in one file: what was found until then is true all the same.
        if not facts:
            return {}, ["the raw files can't be read again: is a --mapping missing?"]
    return facts, [f"{_known(facts.values())} are from the raw {format_} files"]


def _known(facts: Iterable[CaseFacts]) -> str:
    """What the raw files say of some case or other, for the reader."""
    found = list(facts)
    parts = {
        "inputs": any(each.input is not None for each in found),
        "families": any(each.family_id for each in found),
        "slices": any(each.slice for each in found),
        "expectations": any(each.expect for each in found),
    }
    *most, last = [name for name, known in parts.items() if known] or ["the cases"]
    return f"{', '.join(most)} and {last}" if most else last


def _read(name: str, max_bytes: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A checked replay's header and records, of a document or of JSON Lines."""
    data = files.read(name, max_bytes=max_bytes)
    first, _, rest = data.partition(b"\n")
    try:
        header: Any = parse(first)
        lines = isinstance(header, dict) and "records" not in header
    except ContractError:
        lines = False
    if lines:
        return header, [_object(parse(line)) for line in rest.splitlines() if line.strip()]
    document = _object(parse(data, file=name))
    if document.get("schema_version") != "eval-predictions-v2":
        hint = "contractlab import writes one; contractlab upgrade turns version 1 into it"
        raise ContractError(
            [Problem(Rule.UNKNOWN_CONTRACT, "is no replay of version 2", hint, name)]
        )
    return document, document["records"]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _seen_from(name: str, folder: str) -> str:
    """A file's path as seen from a folder; a whole one where no path leads there."""
    try:
        return Path(os.path.relpath(Path(name).resolve(), Path(folder).resolve())).as_posix()
    except ValueError:  # another drive
        return Path(name).resolve().as_posix()


def _there(name: str) -> Problem:
    return Problem(Rule.BAD_USAGE, "is there already", "--force writes over it", name)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise ContractError(
            [Problem(Rule.FILE_UNREADABLE, f"cannot be written: {reason}", "", str(path))]
        ) from error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _toml(text: str) -> str:
    """A TOML text: JSON's escapes are TOML's."""
    return json.dumps(text)
