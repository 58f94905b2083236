"""Reading a mapping file, and everything that can be wrong with one."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from typing import Any

from contractlab import files
from contractlab.importers.groups import Groups
from contractlab.importers.mapping import Finding, Mapping, numeric
from contractlab.importers.paths import PathOf
from contractlab.jsontext import parse
from contractlab.problems import ContractError, Problem, Rule
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
    data = files.read(name, max_bytes=_MAX_BYTES)
    if name.endswith(".json"):
        table = parse(data, file=name)
    else:
        try:
            table = tomllib.loads(data.decode("utf-8"))
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ContractError(
                [_bad(name, f"is not TOML: {error}", "see docs/importing.md")]
            ) from error
    if not isinstance(table, dict):
        raise ContractError([_bad(name, "is not a table", "see docs/importing.md")])
    return compiled(table, name)


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
            _compile(value, key, name, groups["fields"], problems)
        elif key in ("outcomes", "tokens") and isinstance(value, dict):
            for inner, rule in value.items():
                _compile(rule, f"{key}.{inner}", name, groups[key], problems)
        elif key == "calls" and isinstance(value, dict):
            _compile_calls(value, name, calls, problems)
        elif key in _TABLES:
            problems.append(_bad(name, f"{key} is {shown(value)}", f"write a table [{key}]"))
        else:
            near = get_close_matches(key, [*FIELDS, *_TABLES], 1)
            hint = f'is it meant to be "{near[0]}"?' if near else f"fields: {', '.join(FIELDS)}"
            problems.append(_bad(name, f"{shown(key)} is no field of a mapping", hint))
    if problems:
        raise ContractError(problems)
    return Mapping(groups["fields"], groups["outcomes"], groups["tokens"], calls)


def _compile(
    value: Any, label: str, file: str, into: dict[str, Finding], problems: list[Problem]
) -> None:
    key = label.partition(".")[2] or label
    given = {"path": value} if isinstance(value, str) else value
    if not isinstance(given, dict) or not isinstance(given.get("path"), str):
        hint = f'{label} = "$.some.path", or a table with path'
        problems.append(_bad(file, f"{label} has no path", hint))
        return
    unknown = [each for each in given if each not in _RULE_KEYS]
    if unknown:
        message = f"{label} has {shown(unknown[0])}, which is no key of a rule"
        problems.append(_bad(file, message, f"keys: {', '.join(_RULE_KEYS)}"))
        return
    try:
        groups = Groups(given["match"]) if isinstance(given.get("match"), str) else None
        mapped = given.get("map")
        true = given.get("true")
        into[key] = Finding(
            PathOf(given["path"]),
            groups,
            mapped if isinstance(mapped, dict) else None,
            None if true is None else tuple(true) if isinstance(true, list) else (true,),
            numeric(given.get("at_least")),
            numeric(given.get("at_most")),
            given.get("default"),
        )
    except ValueError as error:
        problems.append(_bad(file, f"{label}: {error}", "see docs/importing.md"))


def _compile_calls(
    value: dict[str, Any], file: str, into: dict[str, PathOf], problems: list[Problem]
) -> None:
    unknown = [each for each in value if each not in _CALL_KEYS]
    if unknown or not all(isinstance(each, str) for each in value.values()) or "path" not in value:
        hint = f"path says where the calls are; then paths within a call: {', '.join(_CALL_KEYS)}"
        problems.append(_bad(file, "calls is no table of paths", hint))
        return
    for key, path in {"name": "$.name", "arguments": "$.arguments", **value}.items():
        try:
            into[key] = PathOf(path)
        except ValueError as error:
            problems.append(_bad(file, f"calls.{key}: {error}", "see docs/importing.md"))


def _bad(file: str, message: str, hint: str) -> Problem:
    return Problem(Rule.BAD_CONFIG, message, hint, file)
