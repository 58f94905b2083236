"""What version 2 records of a run and asks of it, as facts: several calls, named outcomes, trials.

All texts are raw: escape them.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from contractlab.checks import (
    AnswerIs,
    CallsAre,
    EvidenceIs,
    LabelIs,
    NothingForbidden,
    OutcomesAre,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from contractlab.grade import Graded
    from contractlab.match import Matcher, Pattern, Way
    from contractlab.model import Call, Case, Check, Record

NOT_RECORDED = "not recorded"
_TEXT = 300
"""Characters of a call, an answer or an expectation."""
_OTHER_KIND = re.compile(
    r"\s*(?:[\[{].*[\]}]|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*",
    re.DOTALL | re.ASCII,
)
"""A text that reads as a number, a literal, an array or an object."""
_PART = 60
"""Characters of one argument in a call, so that the next one is seen too."""


class Aspect(NamedTuple):
    """One aspect of a behaviour or an expectation."""

    name: str
    values: tuple[str, ...]
    several: bool = False
    """Whether it is a list by nature."""


class Lack(NamedTuple):
    """A check that a record does not meet."""

    check: str
    did: tuple[str, ...]
    wanted: tuple[str, ...]
    forbidden: bool = False


def behaviour(record: Record) -> list[Aspect]:
    """What was recorded of a run; what was not recorded of it is not there."""
    run = record.run
    found = [Aspect("status", (run.status,))]
    if record.predicted_label is not None:
        found.append(Aspect("label", (record.predicted_label,)))
    found += [
        Aspect(f"outcome {json.dumps(name, ensure_ascii=False)}", (_side(side),))
        for name, side in sorted(run.outcomes.items())
    ]
    if run.calls is not None:
        found.append(Aspect("calls", tuple(map(call_text, run.calls)), several=True))
    if run.actions_recorded:
        found.append(Aspect("actions", record.actions, several=True))
    if record.evidence_present is not None:
        found.append(Aspect("evidence", _evidence(record), several=run.evidence is not None))
    if run.answer is not None:
        found.append(Aspect("answer", (_text(run.answer),)))
    return found


def compared(case: Case, record: Record) -> list[Aspect]:
    """The aspects whose change is worth a word: two answers are never spelled alike."""
    asked = "answer" in case.expect.names
    return [aspect for aspect in behaviour(record) if asked or aspect.name != "answer"]


def expected(case: Case) -> list[Aspect]:
    """What a case asks for, an aspect a check; one an outcome."""
    return [aspect for check in case.expect.checks for aspect in _asked(check)]


def lacks(graded: Graded) -> list[Lack]:
    """What one run of a case does not meet, and that it did not end well."""
    record = graded.record
    found = []
    if record.run.status != "ok":
        found.append(Lack("status", (record.run.status,), ("ok",)))
    checks = graded.case.expect.checks
    return found + [_lack(check, record) for check in checks if not graded.checks[check.name]]


def violations(graded: Graded) -> tuple[str, ...]:
    """The forbidden calls and actions that were made, spelled as in `behaviour`."""
    return tuple(
        text
        for check in graded.case.expect.checks
        if isinstance(check, NothingForbidden)
        for text in _violations(check, graded.record)
    )


def call_text(call: Call) -> str:
    """A call as `name(argument="value")`; a failed one says so."""
    if isinstance(call.arguments, dict):
        given = ", ".join(f"{name}={_argument(value)}" for name, value in call.arguments.items())
    else:
        given = "" if call.arguments is None else _text(call.arguments)
    return f"{_cut(f'{call.name}({given})')}{'' if call.ok else ' failed'}"


def _side(side: bool) -> str:
    return "true" if side else "false"


def _evidence(record: Record) -> tuple[str, ...]:
    if record.run.evidence is not None:
        return record.run.evidence
    return ("present" if record.evidence_present else "absent",)


def _asked(check: Check) -> Iterator[Aspect]:
    match check:
        case LabelIs():
            yield Aspect("label", (check.label,))
        case OutcomesAre():
            for name, side in sorted(check.wanted.items()):
                yield Aspect(f"outcome {json.dumps(name, ensure_ascii=False)}", (_side(side),))
        case CallsAre():
            yield Aspect("calls", tuple(map(_way, check.ways)))
        case NothingForbidden():
            yield Aspect("forbidden", tuple(_forbidden(check)), several=True)
        case EvidenceIs():
            yield Aspect("evidence", tuple(sorted(check.ids)) or ("present",))
        case AnswerIs():
            yield Aspect("answer", (_text(check.matcher.written),))
        case _:
            yield Aspect(check.name, ())


def _lack(check: Check, record: Record) -> Lack:
    name = check.name
    if not check.measured(record):
        return Lack(name, (NOT_RECORDED,), _wanted(check))
    match check:
        case OutcomesAre():
            wrong = {
                outcome: side
                for outcome, side in sorted(check.wanted.items())
                if record.run.outcomes.get(outcome) is not side
            }
            return Lack(name, _sides(record.run.outcomes, wrong), _sides(wrong, wrong))
        case CallsAre():
            return Lack(name, tuple(map(call_text, record.run.calls or ())), _wanted(check))
        case NothingForbidden():
            return Lack(name, tuple(_violations(check, record)), (), forbidden=True)
        case EvidenceIs():
            missing = sorted(check.ids.difference(record.run.evidence or ()))
            return Lack(name, _evidence(record), tuple(missing) or ("evidence",))
        case AnswerIs():
            return Lack(name, (_text(record.run.answer),), _wanted(check))
        case _:
            label = record.predicted_label
            return Lack(name, () if label is None else (label,), _wanted(check))


def _wanted(check: Check) -> tuple[str, ...]:
    if isinstance(check, OutcomesAre):
        return _sides(check.wanted, check.wanted)
    if isinstance(check, NothingForbidden):
        return ("a record of it",)
    return tuple(value for aspect in _asked(check) for value in aspect.values)


def _sides(of: Mapping[str, bool], names: Mapping[str, bool]) -> tuple[str, ...]:
    return tuple(
        f"{name}: {_side(of[name]) if name in of else NOT_RECORDED}" for name in sorted(names)
    )


def _violations(check: NothingForbidden, record: Record) -> Iterator[str]:
    for call in record.run.calls or ():
        if any((attempts or call.ok) and pattern.fits(call) for pattern, attempts in check.calls):
            yield call_text(call)
    yield from (action for action in record.actions if action in check.actions)


def _forbidden(check: NothingForbidden) -> Iterator[str]:
    yield from (_pattern(pattern) for pattern, _ in check.calls)
    yield from sorted(check.actions)


def _way(way: Way) -> str:
    if way.mode == "none":
        return "no call"
    calls = ", ".join(map(_pattern, way.calls))
    return _cut(f"{way.mode.replace('_', ' ')}: {calls}")


def _pattern(pattern: Pattern) -> str:
    if pattern.mode == "ignore":
        return pattern.name
    wanted = ", ".join(f"{name}={_matcher(each)}" for name, each in pattern.arguments.items())
    return _cut(f"{pattern.name}({wanted})") if wanted else pattern.name


def _matcher(matcher: Matcher) -> str:
    return _argument(matcher.written)


def _argument(value: Any) -> str:
    """As `_text`, in quotes where a text reads as another kind: "900" is not 900."""
    if isinstance(value, str) and _OTHER_KIND.fullmatch(value[:_TEXT]):
        value = json.dumps(value[:_TEXT], ensure_ascii=False)
    return _cut(_text(value), _PART)


def _text(value: Any) -> str:
    """A text as it is, any other value as JSON; a few hundred characters of it."""
    if isinstance(value, str):
        return _cut(value)
    spelled = json.JSONEncoder(ensure_ascii=False).iterencode(value)
    # Parts of a few characters each: so many are enough, however large the value is.
    return _cut("".join(islice(spelled, _TEXT)))


def _cut(text: str, most: int = _TEXT) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
