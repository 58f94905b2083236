"""Ids that deceive the eye: control characters, nothing visible, and look-alikes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from contractlab.limits import MOST_PROBLEMS
from contractlab.lookalike import has_control, is_invisible_only, lookalikes
from contractlab.problems import Path, Problem, Related, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Named(NamedTuple):
    """A name where it first stands."""

    name: str
    file: str
    path: Path


def check_names(kind: str, named: Iterable[Named], why: str) -> list[Problem]:
    """Problems of the names of one kind (case ids, or families, or actions and tools, ...).

    Args:
        kind: what they name, for the messages, such as `case`.
        named: each name where it stands; where one stands several times, its first counts.
        why: what a look-alike of this kind would evade, for the hint.
    """
    first = _first(named)
    problems = _all_unreadable(kind, first)
    told = {(problem.file, problem.path) for problem in problems}
    for earlier, later in islice(lookalikes(first), MOST_PROBLEMS):
        if told & {first[each][1:] for each in (earlier, later)}:
            continue  # one mistake, one problem
        here, there = first[later], first[earlier]
        problems.append(
            Problem(
                Rule.LOOK_ALIKE,
                f"{kind} {shown(later)} looks like {shown(earlier)}",
                f"use one spelling, or names that differ to the eye: {why}",
                here.file,
                here.path,
                related=(Related(there.file, there.path, f"{shown(earlier)} stands here"),),
            )
        )
    return problems


def check_readable(kind: str, named: Iterable[Named]) -> list[Problem]:
    """Problems of names that may look like one another: only whether each can be read.

    Args:
        kind: what they name, for the messages.
        named: each name where it stands; where one stands several times, its first counts.
    """
    return _all_unreadable(kind, _first(named))


def _all_unreadable(kind: str, first: Mapping[str, Named]) -> list[Problem]:
    found = (problem for each in first.values() for problem in _unreadable(kind, each))
    return list(islice(found, MOST_PROBLEMS))


def _first(named: Iterable[Named]) -> dict[str, Named]:
    first: dict[str, Named] = {}
    for each in named:
        if each.name not in first:
            first[each.name] = each
    return first


def _unreadable(kind: str, named: Named) -> list[Problem]:
    if has_control(named.name):
        rule, what = Rule.CONTROL_CHARACTER, "has a control or direction character"
        hint = "write it with visible characters only"
    elif is_invisible_only(named.name):
        rule, what = Rule.INVISIBLE_TEXT, "shows nothing on a screen"
        hint = "give it a visible name"
    else:
        return []
    return [Problem(rule, f"{kind} {shown(named.name)} {what}", hint, named.file, named.path)]
