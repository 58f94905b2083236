"""Ids that deceive the eye: control characters, nothing visible, and look-alikes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contractlab.lookalike import has_control, is_invisible_only, lookalikes
from contractlab.problems import Path, Problem, Related, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterable


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
    first: dict[str, Named] = {}
    for each in named:
        if each.name not in first:
            first[each.name] = each
    problems = [problem for each in first.values() for problem in _unreadable(kind, each)]
    for earlier, later in lookalikes(first):
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
