"""A problem as JSON values: in a list of problems, and as a warning of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contractlab.problems import Position, Problem


def problem_as_dict(problem: Problem) -> dict[str, Any]:
    """A problem as JSON values; where is null as far as it is unknown."""
    return {
        "code": problem.rule.code,
        "name": problem.rule.title,
        "warning": problem.rule.warns,
        "message": problem.message,
        "hint": problem.hint,
        "file": problem.file or None,
        "path": list(problem.path),
        **_place(problem.position),
        "related": [
            {
                "file": each.file,
                "path": list(each.path),
                "note": each.note,
                **_place(each.position),
            }
            for each in problem.related
        ],
    }


def warning_as_dict(problem: Problem) -> dict[str, Any]:
    """The same for a report, which has all that is needed to show the lines again."""
    value = problem_as_dict(problem)
    del value["warning"]
    return {
        **value,
        "file": name_as_text(problem.file),
        "on_key": problem.on_key,
        **_excerpt(problem.position),
        "related": [
            {**each, "file": name_as_text(related.file), **_excerpt(related.position)}
            for each, related in zip(value["related"], problem.related, strict=True)
        ],
    }


def name_as_text(name: str) -> str:
    """A file's name without lone surrogates, which JSON cannot carry."""
    return name.encode("utf-8", "backslashreplace").decode()


def _place(position: Position | None) -> dict[str, Any]:
    return {
        "line": position.line if position else None,
        "column": position.column if position else None,
    }


def _excerpt(position: Position | None) -> dict[str, Any]:
    return {
        "excerpt": position.excerpt if position else None,
        "excerpt_column": position.excerpt_column if position else None,
    }
