"""Why a value does not fit a schema, in the words of the person who has to fix the file."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from contractlab.jsontext import too_deep
from contractlab.limits import MAX_DEPTH, MOST_PROBLEMS
from contractlab.problems import Path, Problem, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jsonschema.exceptions import ValidationError

    Said = tuple[Rule, str, str]

_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "an array",
    "object": "an object",
}


_OR_NULL: Mapping[str | int, str] = {
    "expected_tool": ", or null, where no tool may be used",
    "tool": ", or null, where none was used",
}
_LARGEST = sys.float_info.max
_MOST_GUESSES = 100
"""Unknown fields of one object that are compared with what they could be meant to be."""


def _is_integer(_checker: object, value: object) -> bool:
    return type(value) is int


def _is_number(_checker: object, value: object) -> bool:
    return type(value) in (int, float)


# JSON Schema calls 2000.0 an integer; a count or a seed is written without a fraction.
_Strict: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)


class Explainer:
    """Turns failing parts of one file's value into problems."""

    def __init__(self, root: dict[str, Any], file: str) -> None:
        self._validator = _Strict(root)
        self._file = file

    def explain(self, schema: dict[str, Any], part: Any, path: Path) -> list[Problem]:
        """The problems of one part, its contents left aside (they are parts of their own)."""
        if isinstance(part, int | float) and not isinstance(part, bool) and abs(part) > _LARGEST:
            message = f"{_at(path)} does not fit a finite double"
            hint = "the largest is about 1.8e308"
            return [Problem(Rule.NON_FINITE_NUMBER, message, hint, self._file, path)]
        if "anyOf" in schema:  # the value is of no alternative's type
            return [self._no_alternative(schema, part, path)]
        if "type" not in schema and not {"const", "enum"} & schema.keys():
            return [self._not_free(part, path)]
        # Unique is told here: jsonschema compares every pair where entries are of mixed types.
        shallow = {
            key: value for key, value in schema.items() if key not in ("items", "uniqueItems")
        }
        if isinstance(schema.get("additionalProperties"), dict):
            shallow["additionalProperties"] = True
        if "properties" in schema:
            shallow["properties"] = dict.fromkeys(schema["properties"], True)
        errors: dict[str, ValidationError] = {}
        for error in self._validator.evolve(schema=shallow).iter_errors(part):
            errors.setdefault(error.validator, error)
        if "type" in errors:
            errors = {"type": errors["type"]}
        found = [
            problem
            for keyword in sorted(errors)
            for problem in islice(
                self._from(keyword, schema[keyword], schema, part, path), MOST_PROBLEMS
            )
        ]
        if schema.get("uniqueItems") and isinstance(part, list):
            found += islice(self._repeated(part, path), MOST_PROBLEMS)
        return found

    def _no_alternative(self, schema: dict[str, Any], part: Any, path: Path) -> Problem:
        kinds: list[str] = []
        for each in schema["anyOf"]:
            inner = self._validator.schema
            for step in each.get("$ref", "#").split("/")[1:]:
                inner = inner[step]
            kind = each.get("type") or inner["type"]
            kinds += [kind] if isinstance(kind, str) else kind
        rule, message, hint = _of_value("type", list(dict.fromkeys(kinds)), part, _at(path))
        return Problem(rule, message, hint, self._file, path)

    def _not_free(self, part: Any, path: Path) -> Problem:
        """What is wrong with a value that may be anything: a number in it, or its depth."""
        if too_deep(part) is not None:
            message = f"{_at(path)} is nested more than {MAX_DEPTH} deep"
            return Problem(Rule.TOO_DEEP, message, "store less of it", self._file, path)
        work: list[tuple[Any, Path]] = [(part, path)]
        for value, place in work:
            if isinstance(value, dict):
                work += [(inner, (*place, key)) for key, inner in value.items()]
            elif isinstance(value, list):
                work += [(inner, (*place, index)) for index, inner in enumerate(value)]
            elif isinstance(value, int | float) and not -_LARGEST <= value <= _LARGEST:
                path = place
                break
        message = f"{_at(path)} does not fit a finite double"
        return Problem(
            Rule.NON_FINITE_NUMBER, message, "the largest is about 1.8e308", self._file, path
        )

    def _from(
        self, keyword: str, limit: Any, schema: dict[str, Any], part: Any, path: Path
    ) -> Iterator[Problem]:
        match keyword:
            case "required":
                yield from self._missing(limit, schema["properties"], part, path)
            case "additionalProperties":
                yield from self._unknown(schema["properties"], part, path)
            case _:
                rule, message, hint = _of_value(keyword, limit, part, _at(path))
                if rule is Rule.BLANK_TEXT and "null" in schema.get("type", ()):
                    hint += _OR_NULL.get(path[-1], ", or null")
                yield Problem(rule, message, hint, self._file, path)

    def _missing(
        self,
        required: list[str],
        known: Mapping[str, object],
        part: Mapping[str, object],
        path: Path,
    ) -> Iterator[Problem]:
        unknown = [name for name in part if name not in known]
        misspelt = {_meant(name, known, part) for name in unknown[:_MOST_GUESSES]}
        for name in known:
            if name in required and name not in part and name not in misspelt:
                message = f'{_holder(path, part)} has no "{name}"'
                yield Problem(Rule.MISSING_FIELD, message, f'add "{name}"', self._file, path)

    def _unknown(
        self, known: Mapping[str, object], part: Mapping[str, object], path: Path
    ) -> Iterator[Problem]:
        unknown = [name for name in part if name not in known]
        for index, name in enumerate(unknown):
            meant = None
            if index < _MOST_GUESSES:
                near = _meant(name, known, part)
                meant = _elsewhere(name, known) or (near and f'"{near}"')
            yield Problem(
                Rule.UNKNOWN_FIELD,
                f"{shown(name)} is not a field of {_holder(path, part)}",
                f"is it meant to be {meant}?"
                if meant
                else f"delete it; fields: {', '.join(known)}",
                self._file,
                (*path, name),
                on_key=True,
            )

    def _repeated(self, part: list[object], path: Path) -> Iterator[Problem]:
        seen: set[str] = set()
        for index, entry in enumerate(part):
            if not isinstance(entry, str):
                continue  # of the wrong type, which is told of the entry
            if entry in seen:
                message = f"{shown(entry)} stands twice in {_at(path)}"
                place = (*path, index)
                yield Problem(Rule.DUPLICATE_ENTRY, message, "name it once", self._file, place)
            seen.add(entry)


def _of_value(keyword: str, limit: Any, part: Any, what: str) -> Said:
    """Rule, message and hint of one value that breaks one keyword."""
    match keyword:
        case "type":
            kinds = [limit] if isinstance(limit, str) else limit
            wanted = " or ".join(_TYPES[kind] for kind in kinds)
            hint = f"write {wanted}"
            if isinstance(part, float) and part.is_integer() and "integer" in kinds:
                hint = f"write {int(part)}"
            return Rule.WRONG_TYPE, f"{what} is {shown(part)}, not {wanted}", hint
        case "enum" | "const":
            allowed = limit if keyword == "enum" else [limit]
            choice = ", ".join(json.dumps(each, ensure_ascii=False) for each in allowed)
            choice = f"one of {choice}" if len(allowed) > 1 else choice
            hint = _nearest(part, allowed) or f"write {choice}"
            return Rule.NOT_ONE_OF, f"{what} is {shown(part)}, not {choice}", hint
        case "minimum" | "maximum":
            side = "at least" if keyword == "minimum" else "at most"
            hint = f"{side} {limit}"
            if side == "at most" and limit == 1 and 2 <= part <= 100:  # per cent
                hint += f"; is it meant to be {_hundredth(part)}?"
            return Rule.OUT_OF_RANGE, f"{what} is {shown(part)}", hint
        case "pattern" if limit != r"\S":
            return Rule.NOT_ONE_OF, f"{what} is {shown(part)}, not of the form {limit}", ""
        case "pattern":
            return Rule.BLANK_TEXT, f"{what} is blank", "write a text with visible characters"
        case "maxLength":
            return (
                Rule.TOO_LONG,
                f"{what} is too long: {shown(part)}",
                f"at most {limit} characters",
            )
        case "minItems":
            entries = "1 entry" if len(part) == 1 else f"{len(part)} entries"
            return Rule.TOO_FEW, f"{what} has {entries}", f"at least {limit}"
        case "maxItems":
            return Rule.OUT_OF_RANGE, f"{what} has {len(part)} entries", f"at most {limit}"
        case other:  # a keyword that the compiled check does not know either
            raise ValueError(f"no words for the keyword {other!r}")


_BOUNDS = {
    **dict.fromkeys(("min", "minimum", "gte", "ge", "gt"), "at_least"),
    **dict.fromkeys(("max", "maximum", "lte", "le", "lt"), "at_most"),
}
_MATCHERS = {
    **dict.fromkeys(("eq", "equal", "const"), "equals"),
    **dict.fromkeys(("regex", "regexp", "pattern", "match"), "matches"),
}


def _elsewhere(name: str, known: Mapping[str, object]) -> str | None:
    """What another tool's word for a bound or a matcher is called here, where it may stand."""
    word = name.lower().lstrip("$")
    bound, matcher = _BOUNDS.get(word), _MATCHERS.get(word)
    if bound in known:
        return f'"{bound}"'
    if bound is not None and "range" in known:
        return f'"range": {{"{bound}": ...}}'
    return f'"{matcher}"' if matcher in known else None


def _meant(name: str, known: Mapping[str, object], part: Mapping[str, object]) -> str | None:
    """The missing field that an unknown one is a misspelling of: one mistake, one problem."""
    return _closest(name, [key for key in known if key not in part])


def _nearest(value: object, allowed: list[object]) -> str:
    if not isinstance(value, str):
        return ""
    near = _closest(value, [each for each in allowed if isinstance(each, str)])
    return f"is it meant to be {json.dumps(near)}?" if near else ""


def _closest(word: str, choices: list[str]) -> str | None:
    if len(word) > 2 * max(map(len, choices), default=0):
        return None  # nothing is near, and finding that out takes time by the length
    abbreviated = [each for each in choices if len(word) > 2 and each.startswith(word)]
    near = abbreviated if len(abbreviated) == 1 else get_close_matches(word, choices, 1)
    return near[0] if near else None


def _hundredth(percent: float) -> str:
    return str(float(Decimal(repr(percent)) / 100))


def _holder(path: Path, part: Mapping[str, object]) -> str:
    """The name of an object: a case, record or release by its id, where it has one."""
    among = str(path[-2]) if len(path) > 1 and isinstance(path[-1], int) else ""
    for key, name, holder in _IDS:
        # An entry that is checked alone has no holder.
        if (among == holder or not path) and isinstance(part.get(key), str) and part[key]:
            return f"{name} {shown(part[key])}"
    return _at(path)


_IDS = (
    ("id", "case", "cases"),
    ("case_id", "the record of", "records"),
    ("release_id", "release", "releases"),
)
"""The field that identifies an entry, words for it, and what it is an entry of."""


def _at(path: Path) -> str:
    """The name of a place: its last key, or what holds it."""
    if not path:
        return "the document"
    if isinstance(path[-1], int):
        holder = path[-2] if len(path) > 1 else "the document"
        return f"entry {path[-1]} of {holder}"
    return f'"{path[-1]}"'
