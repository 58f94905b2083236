"""Plain CSV, TSV and JSON Lines: a run a row; a mapping says which column is what.

Without one, the columns that carry a record's own field names are taken: `case_id`, `label`,
`answer`, `trial`, `latency_ms`, `cost_usd`, and `outcome_NAME`.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from contractlab.importers.messages import call_of
from contractlab.importers.neutral import BARE, CaseFacts, NeutralRecord, Skipped, Where
from contractlab.importers.values import arr, count, first, name, number, obj, parsed, text, verdict
from contractlab.problems import ContractError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Found
    from contractlab.importers.source import Source

TITLE = "Rows of CSV, TSV or JSON Lines, with a mapping"

_MOST_FIELD = 16 * 1024 * 1024
"""Characters of one CSV field."""


_OWN = {
    *("label", "answer", "outcomes", "calls", "tool_calls", "evidence"),
    *("latency_ms", "cost_usd"),
}
"""Columns that carry a record's own field names, and that others hardly have."""


def looks(value: Any) -> bool:
    """Whether a value is a row that names its case.

    An `id` alone may be anything's: beside it, a column has to carry a field's own name.
    """
    given = obj(value[0] if type(value) is list and value else value)
    if name(first(given, "case_id", "task_id")) is not None:
        return True
    return name(given.get("id")) is not None and _holds_own(given)


def _holds_own(row: dict[str, Any]) -> bool:
    return bool(row.keys() & _OWN) or any(key.startswith("outcome_") for key in row)


def is_table(source_name: str) -> bool:
    """Whether a file's name says that it is a table."""
    return source_name.lower().endswith((".csv", ".tsv"))


def read(source: Source) -> Iterator[Found]:
    """Every row of the file."""
    if is_table(source.name):
        for line, row in rows(source):
            yield _run(row, Where(source.name, line))
        return
    for entry in source.entries():
        several = type(entry.value) is list
        for index, value in enumerate(entry.value if several else [entry.value]):
            where = Where(source.name, entry.line, f"[{index}]" if several else None)
            if type(value) is dict:
                yield _run(value, where)
            else:
                yield Skipped("is no object", where)


def case(record: NeutralRecord) -> CaseFacts:
    """What a row says about its case."""
    row = obj(record.raw)
    return CaseFacts(
        input=first(row, "input", "prompt", "question"),
        family_id=name(row.get("family_id")),
        slice=name(row.get("slice")),
    )


def header(source: Source) -> dict[str, None]:
    """The columns of a table, in order."""
    line = source.head().partition(b"\n")[0].decode("utf-8", "replace")
    try:
        names = next(csv.reader([line], delimiter=_delimiter(source)), [])
    except csv.Error:  # told, with its line, once the rows are read
        names = []
    return dict.fromkeys(each.strip() for each in names)


def _delimiter(source: Source) -> str:
    """A tab or a comma by the file's name; a semicolon where its first line has no comma."""
    if source.name.lower().endswith(".tsv"):
        return "\t"
    line = source.head().partition(b"\n")[0]
    if b"," not in line:
        return next((each for each in (";", "\t") if each.encode() in line), ",")
    return ","


def rows(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows by column name, each with the line it begins on. An empty field is absent."""
    ended = 0

    def texts() -> Iterator[str]:
        nonlocal ended
        for ended, data in source.lines():
            try:
                yield data.decode("utf-8")
            except UnicodeDecodeError as error:
                message = f"is not UTF-8 at byte {error.start} of the line"
                raise ContractError([source.problem(message, "save it as UTF-8", ended)]) from error

    csv.field_size_limit(_MOST_FIELD)
    reader = csv.reader(texts(), delimiter=_delimiter(source), strict=True)
    begins = 1
    header: list[str] | None = None
    try:
        for fields in reader:
            line, begins = begins, ended + 1
            if not fields:
                continue
            if header is None:
                header = [each.strip() for each in fields]
                twice = [each for each in header if each and header.count(each) > 1]
                if twice:
                    message = f"the column {twice[0]!r} stands there twice"
                    raise ContractError([source.problem(message, "give each its own name", line)])
                continue
            if len(fields) > len(header):
                message = f"a row has {len(fields)} fields; the header has {len(header)}"
                raise ContractError([source.problem(message, "quote fields with a comma", line)])
            named = zip(header, fields, strict=False)  # a column without a name is nobody's
            yield line, {key: each for key, each in named if key and each != ""}
    except csv.Error as error:
        raise ContractError(
            [source.problem(f"is no CSV: {error}", "quote and close fields", max(ended, 1))]
        ) from error


def _run(row: dict[str, Any], where: Where) -> Found:
    called = name(first(row, "case_id", "task_id", "id"))
    failed = text(row.get("error"))
    calls = parsed(first(row, "calls", "tool_calls"))
    outcomes = {
        key.removeprefix("outcome_"): verdict(value)
        for key, value in row.items()
        if key.startswith("outcome_")
    }
    given = obj(row.get("outcomes"))
    outcomes |= {key: verdict(value) for key, value in given.items()}
    tokens = {key: much for key in ("input", "output") if (much := count(row.get(f"{key}_tokens")))}
    notes = () if _holds_own(row) else (BARE,)
    status = text(row.get("status"))
    known = status if status in ("ok", "error", "timeout", "limit") else None
    return NeutralRecord(
        # Empty where a mapping has yet to name it.
        called or "",
        where,
        row,
        trial=count(row.get("trial")),
        status=known or ("error" if failed else "ok"),  # type: ignore[arg-type]
        error=failed,
        label=text(row.get("label")),
        outcomes=outcomes if (known or "ok") == "ok" and not failed else dict.fromkeys(outcomes),
        calls=[call_of(obj(each), index) for index, each in enumerate(arr(calls))]
        if type(calls) is list
        else None,
        evidence=[each for each in arr(row.get("evidence")) if text(each)] or None,
        answer=row.get("answer"),
        latency_ms=_float(row.get("latency_ms")),
        cost_usd=_float(row.get("cost_usd")),
        tokens=tokens or None,
        release=name(first(row, "release", "release_id")),
        notes=notes,
    )


def _float(value: Any) -> float | None:
    if type(value) is str:
        try:
            value = float(value)
        except ValueError:
            return None
    return number(value)
