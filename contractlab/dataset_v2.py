"""Checked version 2 datasets to the model.

What JSON Schema cannot say of one case (a pattern that compiles) is told here, as problems
with a path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from contractlab.canonical import encode, encode_in_order
from contractlab.checks import (
    AnswerIs,
    CallsAre,
    EvidenceIs,
    LabelIs,
    NothingForbidden,
    OutcomesAre,
    expectation,
)
from contractlab.leakage import names_in
from contractlab.limits import MOST_PROBLEMS
from contractlab.match import Pattern, Way, matcher
from contractlab.model import (
    Case,
    Dataset,
    Expectation,
)
from contractlab.problems import Path, Problem, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from contractlab.model import Check

DEFAULT_SLICE = "all"


class _BadError(Exception):
    """Something in an expectation that cannot be compiled."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.message, self.path = message, path


@dataclass(slots=True)
class CaseLoader:
    """Cases one by one; those that expect the same share their checks."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    names: dict[tuple[str, str], Path] = field(default_factory=dict)
    """What expectations name, by kind and name, and where it first stands."""
    _known: dict[bytes, Expectation] = field(default_factory=dict)

    def load_all(self, values: Sequence[Any], first: int) -> list[Case]:
        """The models of cases, the first of which has an index."""
        return [self.load(value, index) for index, value in enumerate(values, first)]

    def load(self, value: Any, index: int) -> Case:
        """The model of a case that `dataset-v2` accepts; what is wrong with it is noted."""
        expect = value["expect"]
        written = encode_in_order(expect)
        checks = self._known.get(written)
        if checks is None:
            checks = self._compiled(expect, written, ("cases", index, "expect"))
            self._known[written] = checks
        id_ = value["id"]
        given = value.get("input")
        return Case(
            id_,
            value.get("family_id", id_),
            value["split"],
            intern(value.get("slice", DEFAULT_SLICE)),
            value.get("critical", False),
            given if isinstance(given, str) else "" if given is None else encode(given).decode(),
            expect.get("label", ""),
            None,
            (),
            False,
            checks,
            tuple(map(intern, value.get("tags", ()))),
            value.get("risk"),
        )

    def _compiled(self, expect: Any, written: bytes, path: Path) -> Expectation:
        if not expect:
            self._note(
                Rule.TOO_FEW, "the case expects nothing, so it could never fail", path,
                "expect a label, outcomes, tools, forbidden, evidence or an answer",
            )  # fmt: skip
        for kind, name, at in names_in(expect, path):
            self.names.setdefault((kind, name), at)
        checks: list[Check] = []
        for name, of in expect.items():
            try:
                checks.append(CHECKS[name](of))
            except _BadError as error:
                self._note(
                    Rule.BAD_MATCHER, error.message, (*path, name, *error.path),
                    "correct it; contractlab explain has each, such as: contractlab explain range",
                )  # fmt: skip
        order = list(CHECKS)
        checks.sort(key=lambda check: order.index(check.name))
        return expectation(*checks, written=written)

    def _note(self, rule: Rule, message: str, path: Path, hint: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(rule, message, hint, self.file, path))


def _outcomes(of: Mapping[str, bool]) -> Check:
    if not of:
        raise _BadError("no outcome is named", ())
    return OutcomesAre(MappingProxyType(dict(of)))


def _calls(of: Any) -> Check:
    if "any_of" in of:
        ways = [_way(way, ("any_of", index)) for index, way in enumerate(of["any_of"])]
    else:
        ways = [_way(of, ())]
    return CallsAre(tuple(ways))


def _way(way: Any, path: Path) -> Way:
    calls = way.get("calls", [])
    if way["mode"] == "none" and calls:
        raise _BadError('mode "none" and calls exclude each other', (*path, "calls"))
    if way["mode"] not in ("none", "subset") and not calls:
        raise _BadError(
            f'mode {shown(way["mode"])} needs calls; no call at all is mode "none"', path
        )
    usual = way.get("arguments", "subset")
    return Way(
        way["mode"],
        way.get("attempts", "successful"),
        tuple(
            Pattern(
                intern(call["name"]),
                _arguments(call.get("arguments", {}), (*path, "calls", index, "arguments")),
                call.get("match", usual),
            )
            for index, call in enumerate(calls)
        ),
    )


def _arguments(of: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    return {name: _matcher(wanted, (*path, name)) for name, wanted in of.items()}


def _matcher(wanted: Any, path: Path) -> Any:
    try:
        return matcher(wanted, answer=not path)
    except ValueError as error:
        raise _BadError(f'"{path[-1] if path else "answer"}" {error}', path) from error


def _forbidden(of: list[Any]) -> Check:
    calls = tuple(
        (
            Pattern(intern(each["name"]), _arguments(each.get("arguments", {}), (i, "arguments"))),
            each.get("attempts", "all") == "all",
        )
        for i, each in enumerate(of)
        if "name" in each
    )
    return NothingForbidden(calls, frozenset(each["action"] for each in of if "action" in each))


def _evidence(of: Any) -> Check:
    if not of:
        raise _BadError('evidence needs "ids" or "present"', ())
    return EvidenceIs(frozenset(of.get("ids", ())))


CHECKS: Mapping[str, Callable[[Any], Check]] = {
    "label": LabelIs,
    "outcomes": _outcomes,
    "tools": _calls,
    "forbidden": _forbidden,
    "evidence": _evidence,
    "answer": lambda of: AnswerIs(_matcher(of, ())),
}
"""Each key of `expect`, in the order that reports show the checks."""


def load_dataset(
    header: Any, cases: list[Case], names: Mapping[tuple[str, str], Path] | None = None
) -> Dataset:
    """The model of a dataset whose cases are loaded, with the names that their loader found."""
    splits = tuple(header["frozen_splits"])
    return Dataset(header["dataset_version"], tuple(cases), splits, names or {})
