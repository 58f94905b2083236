"""Inspect logs: `.json`, and `.eval` (a zip with one member a sample). An epoch is a trial."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

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
    number,
    obj,
    seconds_as_ms,
    text,
    total,
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
    wanted = {"outcomes": dict.fromkeys(sorted(record.outcomes), True)} if record.outcomes else {}
    return CaseFacts(input=given, slice=task, expect=wanted)


def _archive(source: Source) -> Iterator[Found]:
    from contractlab.importers.archive import members  # noqa: PLC0415 (only for archives)

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
    outcomes, notes = _scored(sample)
    if arr(sample.get("error_retries")):
        notes += ("an error came before it, and it was run again",)
    answer = content_text(obj(choice.get("message")).get("content")) or seen.answer
    used, cost = _used(sample, output, name(header.get("model")))
    return NeutralRecord(
        f"{task}/{called}" if task else called,
        where,
        {"sample": sample, "eval": header},
        trial=epoch - 1 if type(epoch) is int and epoch > 0 else None,
        status=status,
        error=error,
        outcomes=outcomes,
        calls=seen.calls,
        answer=answer or text(output.get("completion")),
        latency_ms=seconds_as_ms(sample.get("total_time")),
        cost_usd=cost,
        tokens=measured(used),
        release=name(header.get("model")),
        notes=notes,
        run_id=text(sample.get("uuid")),
    )


def _scored(sample: dict[str, Any]) -> tuple[dict[str, bool | None], tuple[str, ...]]:
    """The scorers' yes and no; a score of several values is an outcome each."""
    scores = dict(obj(sample.get("scores")))
    if not scores and obj(sample.get("score")):
        scores = {"score": sample["score"]}  # logs of before several scorers
    told: dict[str, bool | None] = {}
    graded = []
    for key, score in scores.items():
        value = obj(score).get("value")
        parts = value if type(value) is dict else {None: value}
        for part, inner in parts.items():
            called = key if part is None else f"{key}.{part}"
            found = _yes_or_no(inner)
            if found is None and inner is not None:
                graded.append(called)
            else:
                told[called] = found
    notes = tuple(f"the score {key} is no yes or no, and left out" for key in sorted(graded))
    return {key: told[key] for key in sorted(told)}, notes


def _yes_or_no(value: Any) -> bool | None:
    # N is an answer that was not given: Inspect counts it as 0, like a wrong one.
    return False if value == "N" else verdict(value)


def _used(
    sample: dict[str, Any], output: dict[str, Any], model: str | None
) -> tuple[dict[str, int] | None, float | None]:
    """Tokens and dollars of the model that is evaluated: a grader's are not the agent's."""
    by_model = obj(sample.get("model_usage"))
    if model is not None and model in by_model:
        by_model = {model: by_model[model]}
    used = [obj(each) for each in by_model.values()] or [obj(output.get("usage"))]
    cost = total(number(each.get("total_cost")) for each in used)
    return added(map(usage, used)), cost


def _ended(sample: dict[str, Any], choice: dict[str, Any]) -> tuple[Any, str | None]:
    if sample.get("error"):
        told = brief(sample["error"])
        return ("timeout" if _TIMEOUT.search(told[:80]) else "error"), told
    limit = obj(sample.get("limit"))
    if limit:
        kind = first(limit, "type") or "limit"
        return ("timeout" if kind in ("time", "working") else "limit"), f"limit: {kind}"
    if choice.get("stop_reason") in ("max_tokens", "model_length"):
        return "limit", f"limit: {choice['stop_reason']}"
    return "ok", None


_TIMEOUT = re.compile(r"\w*Timeout|timed out")
