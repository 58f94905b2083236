"""Inspect logs: `.json`, and `.eval` (a zip with one member a sample). An epoch is a trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.importers.archive import members
from contractlab.importers.messages import walk
from contractlab.importers.neutral import CaseFacts, NeutralRecord, Note, Skipped, Where
from contractlab.importers.values import (
    added,
    arr,
    brief,
    content_text,
    first,
    measured,
    name,
    obj,
    seconds_as_ms,
    text,
    usage,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "Inspect logs (.json or .eval)"


def looks(value: Any) -> bool:
    """Whether a value is a log."""
    given = obj(value)
    return "eval" in given and ("samples" in given or "plan" in given) and "status" in given


def read(source: Source) -> Iterator[Found]:
    """Every sample of the log."""
    if source.head().startswith(b"PK"):
        yield from _archive(source)
        return
    for entry in source.entries():
        log = obj(entry.value)
        yield from _header_notes(log, source.name)
        for index, sample in enumerate(arr(log.get("samples"))):
            where = Where(source.name, entry.line, f"samples[{index}]")
            yield _run(obj(log.get("eval")), sample, where)
        if "samples" not in log:
            yield Skipped("a log without samples", Where(source.name, entry.line))


def case(record: NeutralRecord) -> CaseFacts:
    """The sample's input; the scorers' yes is what is wanted."""
    sample = obj(obj(record.raw).get("sample"))
    given = sample.get("input")
    task = name(obj(obj(record.raw).get("eval")).get("task"))
    if type(given) is list:
        given = walk(given).input
    return CaseFacts(
        input=given, slice=task, expect={"outcomes": dict.fromkeys(sorted(record.outcomes), True)}
    )


def _archive(source: Source) -> Iterator[Found]:
    header: dict[str, Any] = {}
    found = members(source, lambda path: path in _HEADERS or _is_sample(path))
    listed = sorted(found, key=lambda path: (_HEADERS.get(path, 9), path))
    for path in listed:
        value = source.decode(found[path](), path)
        if path in _HEADERS:
            if not header:
                header = obj(value)
                yield from _header_notes(header, source.name)
        else:
            yield _run(obj(header.get("eval")), value, Where(source.name, None, path))
    if not any(map(_is_sample, listed)):
        yield Skipped("a log without samples", Where(source.name))


_HEADERS = {"header.json": 0, "_journal/start.json": 1}


def _is_sample(path: str) -> bool:
    return path.startswith("samples/") and path.endswith(".json")


def _header_notes(log: dict[str, Any], file: str) -> Iterator[Note]:
    status = log.get("status")
    if status not in ("success", None):
        yield Note(f"{file} is the log of a run that is {status}: samples may be missing")


def _run(header: dict[str, Any], value: Any, where: Where) -> Found:
    sample = obj(value)
    called = name(sample.get("id"))
    if called is None:
        return Skipped("a sample without an id", where)
    # In a log without its header the task is unknown.
    task = name(header.get("task"))
    epoch = sample.get("epoch")
    output = obj(sample.get("output"))
    choice = obj((arr(output.get("choices")) or [None])[0])
    seen = walk(arr(sample.get("messages")), guess=False)
    status, error = _ended(sample, choice)
    scores = {key: obj(score) for key, score in obj(sample.get("scores")).items()}
    told = {key: verdict(score.get("value")) for key, score in scores.items()}
    graded = [key for key, score in scores.items() if told[key] is None and score]
    notes = tuple(f"the score {key} is no yes or no, and left out" for key in sorted(graded))
    answer = content_text(obj(choice.get("message")).get("content")) or seen.answer
    return NeutralRecord(
        f"{task}/{called}" if task else called,
        where,
        {"sample": sample, "eval": header},
        trial=epoch - 1 if type(epoch) is int and epoch > 0 else None,
        status=status,
        error=error,
        outcomes={key: told[key] for key in sorted(told) if key not in graded},
        calls=seen.calls,
        answer=answer or text(output.get("completion")),
        latency_ms=seconds_as_ms(sample.get("total_time")),
        tokens=measured(_tokens(sample, output)),
        release=name(header.get("model")),
        notes=notes,
    )


def _tokens(sample: dict[str, Any], output: dict[str, Any]) -> dict[str, int] | None:
    by_model = obj(sample.get("model_usage"))
    return added(map(usage, by_model.values())) or usage(output.get("usage"))


def _ended(sample: dict[str, Any], choice: dict[str, Any]) -> tuple[Any, str | None]:
    if sample.get("error"):
        told = brief(sample["error"])
        return ("timeout" if "timeout" in told.lower()[:80] else "error"), told
    limit = obj(sample.get("limit"))
    if limit:
        kind = first(limit, "type") or "limit"
        return ("timeout" if kind in ("time", "working") else "limit"), f"limit: {kind}"
    if choice.get("stop_reason") in ("max_tokens", "model_length"):
        return "limit", f"limit: {choice['stop_reason']}"
    return "ok", None
