"""Annotations: contract problems, gates that do not hold and cases that failed, at their place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from contractlab.decide import CRITICAL
from contractlab.files import read
from contractlab.github.workflow import Annotation, neutralise
from contractlab.model import Verdict
from contractlab.positions import find
from contractlab.problems import ContractError, Path, Position
from contractlab.render.reasons import message
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.compare import Pair
    from contractlab.github.workflow import Level
    from contractlab.judge import Judgement
    from contractlab.model import Rubric
    from contractlab.problems import Problem

_TERMS = {
    "critical_case_undecided": "critical",
    "error_rate": "errors",
    "flaky_rate": "flakiness",
    "minimum_cases": "minimum",
    "minimum_power": "minimum",
}
"""Keys of a version 2 rubric beside its gates, by what their reasons are called."""


def problem_remarks(problems: Sequence[Problem], *, warn: bool = False) -> list[Annotation]:
    """One a problem, in file order."""
    return [_problem(each, "warning" if warn else "error") for each in problems]


def judgement_remarks(judgement: Judgement) -> list[Annotation]:
    """Cases that got worse or are critical, gates that do not hold, then contract warnings.

    Critical cases are errors where they block; what only asks for a review is a warning.
    """
    remarks = [*_cases(judgement), *_gates(judgement)]
    return [*remarks, *problem_remarks(judgement.warnings, warn=True)]


def _problem(problem: Problem, level: Level) -> Annotation:
    hint = f"\nhelp: {problem.hint}" if problem.hint else ""
    return _annotation(
        level,
        f"{problem.message}{hint}",
        f"{problem.rule.code} {problem.rule.title}",
        problem.file,
        problem.position,
    )


def _cases(judgement: Judgement) -> Iterator[Annotation]:
    places = judgement.places
    failed = [each for each in judgement.comparison.pairs if not each.candidate.passed]
    failed.sort(key=lambda pair: not pair.candidate.case.critical)
    reasons = judgement.decision.reasons
    blocking = {id_ for each in reasons if each.name == CRITICAL for id_ in each.case_ids}
    for pair in failed:
        case = pair.candidate.case
        blocks = case.id in blocking
        if not (blocks or pair.baseline.passed):
            continue
        place = places.cases.get(case.id) if places else None
        yield _annotation(
            "error" if blocks else "warning",
            _said(pair),
            "critical case failed" if blocks else "case got worse",
            places.candidate_file if places and place else "",
            place.candidate if place else None,
        )


def _said(pair: Pair) -> str:
    broken = [name for name, held in pair.candidate.checks.items() if not held]
    than = " (the baseline passes it)" if pair.baseline.passed else ""
    return f"case {shown(pair.candidate.case.id)} fails {', '.join(broken)}{than}"


def _gates(judgement: Judgement) -> Iterator[Annotation]:
    """At the limit in the rubric; the critical cases were told one by one."""
    failed = [gate for gate in judgement.decision.reasons if gate.name != CRITICAL]
    rubric = next(each.name for each in judgement.evidence.inputs if each.role == "rubric")
    paths = [_path(judgement.rubric, gate.name) for gate in failed]
    places = _places(rubric, paths) if failed else {}
    for gate, path in zip(failed, paths, strict=True):
        place = places.get(path)
        yield _annotation(
            "error" if gate.verdict is Verdict.BLOCK else "warning",
            message(gate),
            f"gate does not hold: {gate.verdict}",
            rubric if place else "",
            place,
        )


def _path(rubric: Rubric, name: str) -> Path:
    """Where the limit of a gate stands: by its key, or in the list of version 2."""
    if rubric.terms is None:
        return ("gates", name)
    for index, gate in enumerate(rubric.gates):
        if gate.name == name:
            return ("gates", index)
    return (_TERMS.get(name, name),)


def _places(file: str, paths: Sequence[Path]) -> dict[Path, Position]:
    """Where the keys stand; nothing where the file is not the one that was judged any more."""
    try:
        found = find(read(file), [(path, True) for path in paths])
    except (ContractError, ValueError, LookupError):
        return {}
    return {path: found[path, True] for path in paths if (path, True) in found}


def _annotation(
    level: Level, text: str, title: str, file: str, place: Position | None
) -> Annotation:
    return Annotation(
        level=level,
        message=neutralise(text),
        title=title,
        file=os.path.realpath(file) if file else None,
        line=place.line if place else None,
        column=place.column if place else None,
    )
