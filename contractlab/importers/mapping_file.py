"""Reading a mapping file, and everything that can be wrong with one."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from contractlab import files
from contractlab.importers.groups import Groups
from contractlab.importers.mapping import Finding, Mapping
from contractlab.importers.paths import PathOf
from contractlab.importers.toml_places import find
from contractlab.jsontext import parse
from contractlab.positions import place
from contractlab.problems import ContractError, Position, Problem, Rule
from contractlab.words import shown

_MAX_BYTES = 1024 * 1024
FIELDS = {
    "case_id": "the case",
    "trial": "which repetition, from 0",
    "trial_from_1": "which repetition, from 1",
    "release": "what the source calls the release",
    "status": "ok, error, timeout or limit, perhaps after `map`",
    "error": "what went wrong; a run that has it is not ok",
    "label": "the class that the agent decided on",
    "answer": "the final answer",
    "evidence": "ids of the evidence, or whether there is some",
    "latency_ms": "milliseconds",
    "latency_s": "seconds",
    "cost_usd": "US dollars",
    "input": "what the agent was given (for `init`)",
    "family_id": "near-copies share one (for `init`)",
    "slice": "the subgroup (for `init`)",
    "tags": "further subgroups (for `init`)",
}
_TABLES = ("outcomes", "tokens", "calls")
_RULE_KEYS = ("path", "match", "map", "true", "at_least", "at_most", "default")
_CALL_KEYS = ("path", "name", "arguments", "ok", "error", "turn")


def load(name: str) -> Mapping:
    """Reads a mapping file.

    Raises:
        ContractError: it can't be read, or says what a mapping can't.
    """
    data = files.read(name, max_bytes=_MAX_BYTES).removeprefix(b"\xef\xbb\xbf")
    if name.endswith(".json"):
        table, text = parse(data, file=name), None
    else:
        table, text = _toml(data, name)
    if not isinstance(table, dict):
        raise ContractError([_bad(name, "is not a table", "see docs/importing.md")])
    try:
        return compiled(table, name)
    except ContractError as error:
        raise ContractError(_placed(error.problems, name, data, text)) from error


def _toml(data: bytes, name: str) -> tuple[dict[str, Any], str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        position = Position(line, len(before.rpartition(b"\n")[2].decode()) + 1)
        problem = _bad(name, "is not UTF-8 here", "save it as UTF-8")
        raise ContractError([replace(problem, position=position)]) from error
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        told = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
        lines = text.split("\n")
        line, column = (
            (len(lines), len(lines[-1]) + 1) if told is None else (int(told[2]), int(told[3]))
        )
        what = str(error).removesuffix(" (at end of document)") if told is None else told[1]
        excerpt = lines[min(line, len(lines)) - 1].rstrip("\r")[:160]
        problem = _bad(name, f"is not TOML: {what}", "correct the syntax at this place")
        position = Position(line, column, excerpt, min(column, len(excerpt) + 1))
        raise ContractError([replace(problem, position=position)]) from error


def _placed(problems: list[Problem], name: str, data: bytes, text: str | None) -> list[Problem]:
    """The problems, each with its line and column."""
    if text is None:
        return place(problems, {name: data})
    placed = [replace(each, position=find(text, tuple(map(str, each.path)))) for each in problems]
    return sorted(placed, key=lambda each: each.position.line if each.position else 0)


def compiled(table: dict[str, Any], name: str) -> Mapping:
    """A mapping from its decoded file.

    Raises:
        ContractError: with everything that is wrong with it.
    """
    problems: list[Problem] = []
    groups: dict[str, dict[str, Finding]] = {"fields": {}, "outcomes": {}, "tokens": {}}
    calls: dict[str, PathOf] = {}
    for key, value in table.items():
        if key in FIELDS:
            _compile(value, (key,), name, groups["fields"], problems)
        elif key in ("outcomes", "tokens") and isinstance(value, dict):
            for inner, rule in value.items():
                _compile(rule, (key, inner), name, groups[key], problems)
        elif key == "calls" and isinstance(value, dict):
            _compile_calls(value, name, calls, problems)
        elif key in _TABLES:
            message = f"{key} is {shown(value)}"
            problems.append(_bad(name, message, f"write a table [{key}]", (key,)))
        else:
            near = get_close_matches(key, [*FIELDS, *_TABLES], 1)
            hint = f'is it meant to be "{near[0]}"?' if near else f"fields: {', '.join(FIELDS)}"
            message = f"{shown(key)} is no field of a mapping"
            problems.append(_bad(name, message, hint, (key,), on_key=True))
    if problems:
        raise ContractError(problems)
    return Mapping(groups["fields"], groups["outcomes"], groups["tokens"], calls)


_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "match": (str, "write a regular expression in quotes"),
    "map": (dict, 'write a table: { from = "to" }'),
    "at_least": ((int, float), "write a number"),
    "at_most": ((int, float), "write a number"),
}
_PATH_HINT = """a step is .name, ['name'], [0], [-1], [*] or [?key == "x"]"""


def _compile(
    value: Any,
    path: tuple[str, ...],
    file: str,
    into: dict[str, Finding],
    problems: list[Problem],
) -> None:
    label = ".".join(path)
    given = {"path": value} if isinstance(value, str) else value
    if not isinstance(given, dict) or not isinstance(given.get("path"), str):
        hint = f'{label} = "$.some.path", or a table with path'
        problems.append(_bad(file, f"{label} has no path", hint, path))
        return
    for key, inner in given.items():
        if key not in _RULE_KEYS:
            message = f"{label} has {shown(key)}, which is no key of a rule"
            hint = f"keys: {', '.join(_RULE_KEYS)}"
            problems.append(_bad(file, message, hint, (*path, key), on_key=True))
            return
        kind, hint = _KINDS.get(key, (object, ""))
        if not isinstance(inner, kind) or (isinstance(inner, bool) and kind is not object):
            message = f"{key} of {label} is {shown(inner)}"
            problems.append(_bad(file, message, hint, (*path, key)))
            return
    where = path if isinstance(value, str) else (*path, "path")
    try:
        found = PathOf(given["path"])
    except ValueError as error:
        problems.append(_bad(file, f"{label}: {error}", _PATH_HINT, where))
        return
    try:
        groups = Groups(given["match"]) if "match" in given else None
    except ValueError as error:
        hint = "no look-around, no back-reference; see docs/importing.md"
        problems.append(_bad(file, f"match of {label}: {error}", hint, (*path, "match")))
        return
    true = given.get("true")
    into[path[-1]] = Finding(
        found,
        groups,
        given.get("map"),
        None if true is None else tuple(true) if isinstance(true, list) else (true,),
        given.get("at_least"),
        given.get("at_most"),
        given.get("default"),
    )


def _compile_calls(
    value: dict[str, Any], file: str, into: dict[str, PathOf], problems: list[Problem]
) -> None:
    hint = f"path says where the calls are; then paths within a call: {', '.join(_CALL_KEYS)}"
    if "path" not in value:
        problems.append(_bad(file, "calls has no path", hint, ("calls",)))
        return
    for key, path in {"name": "$.name", "arguments": "$.arguments", **value}.items():
        at = ("calls", key)
        if key not in _CALL_KEYS or not isinstance(path, str):
            what = f"{shown(path)}" if key in _CALL_KEYS else "no key of a call"
            problems.append(_bad(file, f"calls.{key} is {what}", hint, at))
            continue
        try:
            into[key] = PathOf(path)
        except ValueError as error:
            problems.append(_bad(file, f"calls.{key}: {error}", _PATH_HINT, at))


def _bad(
    file: str, message: str, hint: str, path: tuple[str, ...] = (), *, on_key: bool = False
) -> Problem:
    return Problem(Rule.BAD_CONFIG, message, hint, file, path, on_key=on_key)
