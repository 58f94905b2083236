"""A JSON report back to the judgement that it states, trusting nothing but its data.

What a report concludes is never taken from it: the cases, behaviours and limits in it are
judged again, and a report whose verdict, reasons or figures are not what comes out is
refused. A few things cannot be checked from a report alone, because they speak of what is
not in it: the digests, the warnings about the contracts, the places of cases in them, and in
version 2 how many records of other splits were left aside.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from contractlab import files
from contractlab.contract import kind_of
from contractlab.jsontext import parse
from contractlab.positions import place
from contractlab.problems import ContractError, Problem, Rule
from contractlab.reload_parts import differences, of_places, places_of, refuse
from contractlab.reload_v1 import VERSION_1
from contractlab.render.report import render_json
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contractlab.judge import Judgement
    from contractlab.reload_parts import Difference, Version

_MOST, _MOST_OF_A_FIELD = 20, 5
"""Disagreements that are listed, in all and of one field of the report."""


def read_report(name: str, *, max_bytes: int = files.DEFAULT_MAX_BYTES) -> Judgement:
    """The judgement of a report file.

    Raises:
        ContractError: with the problems of its text, its shape, or CL313, placed.
    """
    data = files.read(name, max_bytes=max_bytes)
    value = parse(data, file=name)
    try:
        return judgement_from_report(value, name)
    except ContractError as error:
        raise ContractError(place(error.problems, {name: data})) from error


def judgement_from_report(value: Any, file: str = "") -> Judgement:
    """The judgement of a report's value: rebuilt, judged again, and found to agree.

    Args:
        value: decoded by `jsontext.parse`.
        file: its name, for the problems.

    Raises:
        ContractError: the value is no report of a known version, or it disagrees with itself.
    """
    version = _version(value)
    if version is None:
        raise ContractError([_no_report(value, file)])
    problems = files.checker(version.schema).check(value, file)
    if problems:
        raise ContractError(problems)
    judgement = version.judged(value, file)
    wrong: list[Difference] = []
    if value["places"] is not None:
        wrong += of_places(value["places"], value["inputs"], judgement)
        judgement = replace(judgement, places=places_of(value["places"]))
    found: Any = parse(_report(judgement))
    # Sentences that are the same under every judgement; a later release may word them anew.
    stated = {**value, "limitations": found["limitations"]}
    refuse(islice(_of_all_fields(chain(wrong, differences(stated, found))), _MOST), file)
    return judgement


def _of_all_fields(found: Iterable[Difference]) -> Iterator[Difference]:
    """The differences without those that would crowd out another field's."""
    told: Counter[str | int] = Counter()
    for path, message in found:
        told[path[0]] += 1
        if told[path[0]] <= _MOST_OF_A_FIELD:
            yield path, message


def _version(value: Any) -> Version | None:
    match value:
        case {"schema_version": "eval-report-v1"}:
            return VERSION_1
        case {"schema_version": "eval-report-v2"}:
            from contractlab.reload_v2 import VERSION_2  # noqa: PLC0415 (version 1 does without)

            return VERSION_2
    return None


def _no_report(value: Any, file: str) -> Problem:
    hint = "name a JSON report, which contractlab compare --report-json writes"
    if not isinstance(value, dict) or "schema_version" not in value:
        message = 'the document has no "schema_version", so it is no report'
        return Problem(Rule.UNKNOWN_CONTRACT, message, hint, file)
    kind = kind_of(value)
    if kind is None:
        said = shown(value["schema_version"])
        message = f'"schema_version" {said} is no report that this release knows'
    else:
        held = kind.split("-")[1]
        message = f"holds {held if held == 'predictions' else f'a {held}'}, not a report"
    return Problem(Rule.UNKNOWN_CONTRACT, message, hint, file, ("schema_version",))


def _report(judgement: Judgement) -> bytes:
    if judgement.details is not None:
        from contractlab.render import report_v2  # noqa: PLC0415 (version 2 only)

        return report_v2.render_json(judgement, judgement.details)
    return render_json(judgement)
