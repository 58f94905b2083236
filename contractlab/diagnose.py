"""What is wrong with a text that is not strict JSON, and where: the slow way, every finding."""

from __future__ import annotations

import json
import re
from itertools import islice
from json.decoder import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING

from contractlab.limits import MAX_DEPTH, MAX_DIGITS, MOST_PROBLEMS
from contractlab.positions import Text, members
from contractlab.problems import Position, Problem, Related, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contractlab.problems import Path

_BOMS = {
    b"\xef\xbb\xbf": "UTF-8 with a byte order mark",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
# In valid JSON a backslash stands only inside strings, and starts an escape there.
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
# A string without an end reaches to the end of the text, also where that is a lone
# backslash: tried again from each quote inside it, a hostile text would take hours.
_STRING = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_STRING_OR_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
# Digits before the point: a number starts here, where none of its other parts stands before.
_STRING_OR_DIGITS = re.compile(
    rf"{_STRING}|(?<![0-9.eE+-])-?(?P<digits>[0-9]{{{MAX_DIGITS + 1},}}+)", re.DOTALL
)
_STRING_OR_CONSTANT = re.compile(rf"{_STRING}|NaN|-?Infinity", re.DOTALL)
_PLACE = re.compile(r"(.*) at line (\d+) column (\d+)$", re.DOTALL)


def diagnose(data: bytes, *, file: str, refusal: str) -> list[Problem]:
    """Every problem of a text that the strict parser refused, placed, in file order.

    Args:
        data: the text.
        file: its name, for the problems.
        refusal: the strict parser's own words, used where nothing here knows better.
    """
    for bom, name in _BOMS.items():
        if data.startswith(bom):
            return [_bom(file, bom, name)]
    if 0 in data[:2]:  # the other half of an ASCII character
        return [_bom(file, b"", "UTF-16")]
    try:
        text = Text(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return [_not_utf8(file, data, error)]
    findings = _syntax(text, file)
    if not findings and refusal.startswith("recursion"):
        findings = _deep(text, file)
    if not findings:
        finders = (_repeats, _constants, _surrogates, _long_numbers)
        findings = [
            each for finder in finders for each in islice(finder(text, file), MOST_PROBLEMS)
        ]
    findings.sort(
        key=lambda problem: (
            (problem.position and (problem.position.line, problem.position.column)) or (0, 0)
        )
    )
    return findings[:MOST_PROBLEMS] or [_in_the_parsers_words(file, refusal)]


def _bom(file: str, bom: bytes, name: str) -> Problem:
    rule = Rule.BYTE_ORDER_MARK if len(bom) == 3 else Rule.NOT_UTF8
    return Problem(
        rule,
        f"the file is {name}",
        "save it as UTF-8 without a byte order mark",
        file,
        position=Position(1, 1),
    )


def _not_utf8(file: str, data: bytes, error: UnicodeDecodeError) -> Problem:
    before = data[: error.start].decode("utf-8")
    position = Text(before).position(len(before))
    return Problem(
        Rule.NOT_UTF8,
        f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8 ({error.reason})",
        "save the file as UTF-8 without a byte order mark",
        file,
        position=position,
    )


def nested_too_deep(file: str, path: Path = (), position: Position | None = None) -> Problem:
    """More arrays and objects inside one another than a contract has, by far."""
    message = f"nested more than {MAX_DEPTH} deep"
    hint = "a contract nests 5 deep; is this the right file?"
    return Problem(Rule.TOO_DEEP, message, hint, file, path, position=position)


def _deep(text: Text, file: str) -> list[Problem]:
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text.text):
        bracket = match[0]
        if bracket in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return [nested_too_deep(file, position=text.position(match.start()))]
        elif bracket in "]}":
            depth -= 1
    return []


def _syntax(text: Text, file: str) -> list[Problem]:
    """What ends every parser's reading of a text: a fault of syntax, or too many brackets."""
    try:
        _scanner().decode(text.text)
    except RecursionError:
        return _deep(text, file)
    except JSONDecodeError as error:
        return [_mistake(error, text, file)]
    return []


def _scanner(pairs_hook: Callable[[list[tuple[str, object]]], None] | None = None) -> JSONDecoder:
    """Python's parser with values dropped at once, so that they never pile up."""
    return JSONDecoder(
        object_pairs_hook=pairs_hook or (lambda _pairs: None),
        parse_int=lambda _digits: None,
        parse_float=lambda _digits: None,
        parse_constant=lambda _name: None,
    )


def _mistake(error: JSONDecodeError, text: Text, file: str) -> Problem:
    """In words and at a place of our own: Python's differ from one version to the next."""
    offset, rest = error.pos, text.text[error.pos :].lstrip(_WHITE)
    comma = _trailing_comma(text.text, error)
    if comma is not None:
        offset = comma
        said = "a comma before the closing bracket", "delete the comma"
    elif not text.text.strip(_WHITE):
        said = "the file is empty", "write a contract into it, or delete it"
    elif error.msg == "Extra data":
        said = (
            "text after the end of the document",
            "one JSON document a file; JSON Lines begin with a header of version 2",
        )
    elif not rest or error.msg.startswith("Unterminated"):
        said = f"the text ends too early: {_expected(error)[0]}", "was it cut off while written?"
    else:
        expected, hint = _expected(error)
        found = json.dumps(text.text[error.pos], ensure_ascii=False)
        said = f"not JSON: {expected} (found {found})", _cause(rest) or hint
    return Problem(Rule.SYNTAX, *said, file, position=text.position(offset))


_WHITE = " \t\n\r"
_EXPECTED = {
    "Expecting property name": ("a key is expected here", "keys stand in double quotes"),
    "Expecting value": (
        "a value is expected here",
        "a value is a string, number, object, array, true, false or null",
    ),
    "Expecting ',' delimiter": (
        "a comma or the closing bracket is expected here",
        "is one missing before this place?",
    ),
    "Expecting ':' delimiter": ("a colon is expected here", "it stands between key and value"),
    "Unterminated string": ("a string without its closing quote", ""),
    "Invalid control character": (
        "a control character stands in a string",
        "write it as an escape, such as \\n or \\t",
    ),
    "Invalid \\": ("this is no escape", "a backslash itself is written \\\\"),
}
_CAUSES = {
    "'": 'strings and keys stand in double quotes: "',
    "True": "JSON writes true in small letters",
    "False": "JSON writes false in small letters",
    "None": "JSON writes null",
    "//": "JSON has no comments",
    "/*": "JSON has no comments",
    "#": "JSON has no comments",
}


def _expected(error: JSONDecodeError) -> tuple[str, str]:
    known = (said for start, said in _EXPECTED.items() if error.msg.startswith(start))
    return next(known, ("the syntax is wrong here", "correct it"))


def _cause(rest: str) -> str:
    """What was probably meant, from what stands where the parser stopped."""
    return next((cause for start, cause in _CAUSES.items() if rest.startswith(start)), "")


def _trailing_comma(text: str, error: JSONDecodeError) -> int | None:
    """Where the comma before a closing bracket stands, if that is the mistake."""
    if error.msg.startswith("Illegal trailing comma"):  # since Python 3.13
        return error.pos
    before = text[max(0, error.pos - 4096) : error.pos].rstrip(_WHITE)
    if text[error.pos : error.pos + 1] in ("}", "]") and before.endswith(","):
        return max(0, error.pos - 4096) + len(before) - 1
    return None


def _repeats(text: Text, file: str) -> Iterator[Problem]:
    """Each key that stands again in its object (an escaped spelling is the same key)."""
    repeated = False

    def note(pairs: list[tuple[str, object]]) -> None:
        nonlocal repeated
        repeated = repeated or len({key for key, _ in pairs}) != len(pairs)

    scan = _scanner(note).scan_once  # type: ignore[attr-defined]  # the C scanner
    top = len(text.text) - len(text.text.lstrip(" \t\n\r"))
    scan(text.text, top)
    work = [top] if repeated else []
    while work:
        start = work.pop()
        seen: dict[str | int, int] = {}

        def skip(inner: str, offset: int) -> int:
            nonlocal repeated
            repeated = False
            end: int = scan(inner, offset)[1]
            if repeated:
                work.append(offset)
            return end

        for key, key_at, _ in members(text.text, start, skip):
            if key in seen:
                yield Problem(
                    Rule.DUPLICATE_KEY,
                    f"key {json.dumps(key, ensure_ascii=False)} stands twice in one object",
                    "keep one of the two: parsers differ in which one they believe",
                    file,
                    position=text.position(key_at),
                    related=(Related(file, (), "first seen here", text.position(seen[key])),),
                )
            seen.setdefault(key, key_at)


def _constants(text: Text, file: str) -> Iterator[Problem]:
    for match in _STRING_OR_CONSTANT.finditer(text.text):
        if match[0][0] != '"':
            yield Problem(
                Rule.NON_FINITE_NUMBER,
                f"{match[0]} is not a JSON number",
                "write a finite number",
                file,
                position=text.position(match.start()),
            )


def _surrogates(text: Text, file: str) -> Iterator[Problem]:
    for offset, unit in _lone_surrogates(text.text):
        yield Problem(
            Rule.LONE_SURROGATE,
            f"\\u{unit} is half of a surrogate pair, and no character",
            "write the character itself, or both halves",
            file,
            position=text.position(offset),
        )


def _long_numbers(text: Text, file: str) -> Iterator[Problem]:
    for match in _STRING_OR_DIGITS.finditer(text.text):
        if match["digits"]:
            is_integer = text.text[match.end() : match.end() + 1] not in (".", "e", "E")
            digits = f"{len(match['digits'])} digits"
            yield Problem(
                Rule.TOO_MANY_DIGITS,
                f"an integer of {digits}" if is_integer else f"a number of {digits} and more",
                f"at most {MAX_DIGITS} digits, and a value that fits a finite double",
                file,
                position=text.position(match.start()),
            )


def _lone_surrogates(text: str) -> Iterator[tuple[int, str]]:
    high: re.Match[str] | None = None
    for match in _ESCAPE.finditer(text):
        unit = match[1]
        value = int(unit, 16) if unit else 0
        follows = high is not None and high.end() == match.start()
        if high is not None and not (follows and 0xDC00 <= value <= 0xDFFF):
            yield high.start(), high[1]
        elif high is not None:
            high = None
            continue
        high = match if 0xD800 <= value <= 0xDBFF else None
        if 0xDC00 <= value <= 0xDFFF:
            yield match.start(), unit
    if high is not None:
        yield high.start(), high[1]


def _in_the_parsers_words(file: str, refusal: str) -> Problem:
    match = _PLACE.match(refusal)
    message, line = (match[1], int(match[2])) if match else (refusal, 1)
    return Problem(
        Rule.SYNTAX,
        f"not strict JSON: {message}",
        "correct the syntax at this place",
        file,
        position=Position(line, int(match[3]) if match else 1),
    )
