"""The Action's inputs, as `action.yml` forwards them in `CL_*` variables; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractlab.choices import FAIL_ON
from contractlab.github.marker import COMMENT_ID
from contractlab.problems import Problem, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MODES = ("gate", "comment")
COMMENTS = ("auto", "required", "off")
SWITCHES = ("true", "false")
DEFAULT_ID = "default"
DEFAULT_FAIL_ON = "block"
DECISIONS = ("PASS", "REVIEW", "BLOCK", "ERROR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a workflow asked for. Where a value is none of those allowed, the default stands."""

    mode: str = "gate"
    dataset: str | None = None
    rubric: str | None = None
    predictions: tuple[str, ...] = ()
    """File names and patterns, one a line."""
    candidate: str | None = None
    baseline: str | None = None
    config: str | None = None
    fail_on: str = DEFAULT_FAIL_ON
    comment: str = "auto"
    comment_id: str = DEFAULT_ID
    summary: bool = True
    annotations: bool = True
    working_directory: str = "."


def variable(name: str) -> str:
    """The variable that forwards an input: `CL_FAIL_ON` for `fail-on`."""
    return f"CL_{name.upper().replace('-', '_')}"


def read_inputs(variables: Mapping[str, str]) -> tuple[Inputs, list[Problem]]:
    """The inputs, and a problem for each whose value is none of those allowed."""
    problems: list[Problem] = []

    def text(name: str) -> str:
        return variables.get(variable(name), "").strip()

    def one_of(name: str, allowed: Sequence[str], default: str | None = None) -> str:
        value = text(name)
        if value in allowed:
            return value
        if value:
            problems.append(_not_allowed(name, value, f"write {', '.join(allowed)}"))
        return default or allowed[0]

    comment_id = text("comment-id") or DEFAULT_ID
    if not COMMENT_ID.fullmatch(comment_id):
        hint = "write 1 to 64 letters, digits, dots, dashes or underscores"
        problems.append(_not_allowed("comment-id", comment_id, hint))
    lines = [line.strip() for line in text("predictions").splitlines()]
    inputs = Inputs(
        mode=one_of("mode", MODES),
        dataset=text("dataset") or None,
        rubric=text("rubric") or None,
        predictions=tuple(line for line in lines if line),
        candidate=text("candidate") or None,
        baseline=text("baseline") or None,
        config=text("config") or None,
        fail_on=one_of("fail-on", FAIL_ON, DEFAULT_FAIL_ON),
        comment=one_of("comment", COMMENTS),
        comment_id=comment_id,
        summary=one_of("summary", SWITCHES) == "true",
        annotations=one_of("annotations", SWITCHES) == "true",
        working_directory=text("working-directory") or ".",
    )
    return inputs, problems


def _not_allowed(name: str, value: str, hint: str) -> Problem:
    return Problem(Rule.BAD_USAGE, f"the input {name} is {shown(value)}", hint)
