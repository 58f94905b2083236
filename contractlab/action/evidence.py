"""The evidence of another run: JSON that a fork's code may have written, so only data.

A report is judged again (`reload`): its verdict, reasons and figures have to be what comes out.
An error report gives problems back as problems. Both are rendered here, never copied.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from contractlab.action.outcome import ERROR_VERSION, Outcome
from contractlab.files import read
from contractlab.jsontext import parse
from contractlab.problems import ContractError, Position, Problem, Related, Rule
from contractlab.reload import judgement_from_report
from contractlab.render.escape import markdown

if TYPE_CHECKING:
    from contractlab.github.environment import Environment

MAX_BYTES = 32 * 1024 * 1024
"""A report of 10,000 cases has some 20 MB; in version 2, with what a run says and calls, 30."""
_MOST_PROBLEMS = 1_000
_MOST_REASONS = 5
"""Of those why evidence is refused, so many are told."""
_MOST_TEXT = 2_000
_RULES = {rule.code: rule for rule in Rule}


def read_evidence(name: str, environment: Environment) -> Outcome:
    """What another run's evidence comes to when it is judged here; an ERROR where it is unfit."""
    if environment.workflow_run is None:
        return Outcome(
            problems=(
                Problem(
                    Rule.BAD_USAGE,
                    "mode: comment reports on another run, and this event names none",
                    "use it in a workflow on workflow_run",
                ),
            ),
            lead="The workflow has to be mended first.",
        )
    reported = _reported(environment)
    try:
        if Path(name).is_symlink():  # it could lead to a file of the runner
            raise ContractError([_unfit(name, "is a link")])
        value: Any = parse(read(name, max_bytes=MAX_BYTES), file=name)
        if isinstance(value, dict) and value.get("schema_version") == ERROR_VERSION:
            return Outcome(problems=_problems(value, name), origin=reported)
        judgement = judgement_from_report(value, name)
    except ContractError as error:
        # What is no report of ours fails in a hundred ways, and one tells as much.
        return Outcome(
            problems=tuple(error.problems[:_MOST_REASONS]),
            origin=reported,
            lead="The evidence of that run is missing or cannot be used.",
        )
    judged = (
        "Its evidence was checked and judged again here; what the agent did was not run again,"
        " and is as that code says."
    )
    return Outcome(judgement=judgement, origin=f"{reported} {judged}")


def _reported(environment: Environment) -> str:
    followed = environment.workflow_run
    if followed is None or followed.run is None or environment.repository is None:
        return "Reported by another run."
    url = f"{environment.server_url}/{environment.repository}/actions/runs/{followed.run.id}"
    of = markdown(followed.head_repository or "a repository that is gone")
    commit = f" at <code>{followed.head_sha[:12]}</code>" if followed.head_sha else ""
    return f"Reported by [a run]({url}) of code from {of}{commit}."


def _problems(value: Any, name: str) -> tuple[Problem, ...]:
    """The problems of an error report.

    Raises:
        ContractError: it names none, or one is of another shape.
    """
    entries = value.get("problems")
    if not isinstance(entries, list) or not entries:
        raise ContractError([_unfit(name, "names no problem")])
    try:
        return tuple(_problem(each) for each in entries[:_MOST_PROBLEMS])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ContractError([_unfit(name, "has a problem of another shape")]) from error


def _problem(value: Any) -> Problem:
    return Problem(
        _RULES[value["code"]],
        _text(value["message"]),
        _text(value["hint"]),
        _text(value["file"] or ""),
        position=_position(value),
        related=tuple(
            Related(_text(each["file"]), (), _text(each["note"]), _position(each))
            for each in value["related"][:20]
        ),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value if len(value) <= _MOST_TEXT else f"{value[:_MOST_TEXT]}…"


def _position(value: Any) -> Position | None:
    line, column = value["line"], value["column"]
    if line is None or column is None:
        return None
    if type(line) is not int or type(column) is not int or not (0 < line < 10**9 > column > 0):
        raise ValueError("no place in a file")
    return Position(line, column)


def _unfit(name: str, what: str) -> Problem:
    return Problem(
        Rule.INCONSISTENT_REPORT,
        f"the evidence {what}",
        "upload the file that the output report-json names, unchanged",
        name,
    )
