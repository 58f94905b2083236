"""`contractlab.toml`: the files of a repository's gate, so that commands need no arguments."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from contractlab import files
from contractlab.choices import FAIL_ON
from contractlab.problems import ContractError, Position, Problem, Rule
from contractlab.sniff import CONFIG, has_pattern
from contractlab.words import shown

_MAX_BYTES = 64 * 1024  # a dotted key takes tomllib time by the square of its length
_KEYS = {
    "dataset": str,
    "rubric": str,
    "predictions": list,
    "baseline": str,
    "candidate": str,
    "fail-on": str,
    "strict": bool,
}


class Config(NamedTuple):
    """What a configuration file says; None and empty where it says nothing."""

    file: str | None = None
    dataset: str | None = None
    rubric: str | None = None
    predictions: tuple[str, ...] = ()
    baseline: str | None = None
    candidate: str | None = None
    fail_on: str | None = None
    strict: bool = False


def load(name: str) -> Config:
    """Reads a configuration file. Its paths are relative to the folder that it is in.

    Raises:
        ContractError: with CL005 problems, or the file's own.
    """
    import tomllib  # noqa: PLC0415 (only where there is a configuration)

    data = files.read(name, max_bytes=_MAX_BYTES)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContractError([_bad(name, f"is not UTF-8: {error.reason}", "")]) from error
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number too long, or brackets too deep
        raise ContractError([_not_toml(name, text, error)]) from error
    problems = [each for key, value in table.items() for each in _check(name, text, key, value)]
    if problems:
        raise ContractError(problems)
    folder = os.path.dirname(name)  # noqa: PTH120
    predictions = table.get("predictions", [])

    def local(path: str | None) -> str | None:
        return path if path is None else os.path.join(folder, path)  # noqa: PTH118

    return Config(
        file=name,
        dataset=local(table.get("dataset")),
        rubric=local(table.get("rubric")),
        predictions=tuple(
            str(local(path))
            for path in ([predictions] if isinstance(predictions, str) else predictions)
        ),
        baseline=table.get("baseline"),
        candidate=table.get("candidate"),
        fail_on=table.get("fail-on"),
        strict=table.get("strict", False),
    )


def roles(config: Config) -> dict[str, str]:
    """What the configuration calls each file that it names, by real path."""
    named = dict.fromkeys(expand(config.predictions), "predictions")
    named |= {name: "rubric" for name in [config.rubric] if name is not None}
    named |= {name: "dataset" for name in [config.dataset] if name is not None}
    return {os.path.realpath(name): role for name, role in named.items()}


def expand(names: tuple[str, ...]) -> list[str]:
    """File names with patterns such as `runs/*.json` replaced by what they match, sorted.

    A name that exists is itself, and a pattern that matches nothing stays as it is, so that
    the message about the missing file names it.
    """
    if not has_pattern(names):
        return list(dict.fromkeys(names))
    import glob  # noqa: PLC0415 (only where there is a pattern)

    found: list[str] = []
    for name in names:
        is_pattern = glob.has_magic(name) and not os.path.lexists(name)
        found += (sorted(glob.glob(name, recursive=True)) if is_pattern else []) or [name]  # noqa: PTH207
    return list(dict.fromkeys(found))


def _check(file: str, text: str, key: str, value: Any) -> list[Problem]:
    if key not in _KEYS:
        from difflib import get_close_matches  # noqa: PLC0415 (only once something is wrong)

        near = get_close_matches(key, _KEYS, 1)
        hint = f'is it meant to be "{near[0]}"?' if near else f"keys: {', '.join(_KEYS)}"
        return [_bad(file, f"{shown(key)} is not a key of {CONFIG}", hint, _where(text, key))]
    kind = _KEYS[key]
    right = isinstance(value, kind) or (key == "predictions" and isinstance(value, str))
    if right and isinstance(value, list):
        right = bool(value) and all(isinstance(each, str) and each for each in value)
    if right and key == "fail-on":
        right = value in FAIL_ON
    if right and value != "":
        return []
    wanted = {
        "predictions": "write one or several file names",
        "fail-on": 'write "block", "review" or "never"',
        "strict": "write true or false",
    }.get(key, "write a text")
    return [_bad(file, f"{key} is {shown(value)}", wanted, _where(text, key))]


def _where(text: str, key: str) -> Position | None:
    match = re.search(rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*[=.\]]", text, re.MULTILINE)
    if match is None:
        return None
    line = text.count("\n", 0, match.start()) + 1
    return Position(line, 1, text.split("\n")[line - 1].rstrip("\r")[:160], 1)


def _not_toml(file: str, text: str, error: Exception) -> Problem:
    at_end = str(error).removesuffix(" (at end of document)")
    match = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
    if match is not None:
        what, position = match[1], Position(int(match[2]), int(match[3]))
    elif at_end != str(error):
        lines = text.split("\n")
        what, position = at_end, Position(len(lines), len(lines[-1]) + 1)
    else:
        return _bad(file, f"is not TOML: {error}", "")
    return _bad(file, f"is not TOML: {what}", "correct the syntax at this place", position)


def _bad(file: str, message: str, hint: str, position: Position | None = None) -> Problem:
    return Problem(Rule.BAD_CONFIG, message, hint, file, position=position)
