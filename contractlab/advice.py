"""Warnings: contracts that are well-formed and still cannot do what their authors want."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from contractlab.compare import exact
from contractlab.limits import MOST_PROBLEMS
from contractlab.problems import Path, Problem, Rule
from contractlab.stats import fewest_resamples, resolves
from contractlab.words import listed, nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.model import Case, Dataset, Gate, Rubric

FEW_CASES = 50
"""Below, the bootstrap's nominal 95 % interval covers the truth less than 91 % of the time."""

_MOST_GUESSES = 100
"""Gates of one rubric whose unknown names are compared with what they could be meant to be."""

_NEVER_FIRES = {
    "at_least": {"pass_rate": 0, "critical_slice_pass_rate": 0, "paired_delta_ci_low": -1},
    "at_most": {"slice_pass_rate_gap": 1},
}
"""Bounds that no value can leave. Not precision, recall and F1: undefined fails them too."""


def advise_dataset(dataset: Dataset, file: str) -> list[Problem]:
    """Warnings about a dataset alone."""
    if dataset.frozen_splits is not None:
        return []  # version 2 chooses the split in its rubric
    test = dataset.of_split("test")
    found = []
    for index, case in enumerate(dataset.cases):
        if case.expected_tool is not None and case.expected_tool in case.forbidden_actions:
            found.append(
                Problem(
                    Rule.FORBIDDEN_EXPECTED_TOOL,
                    f"case {shown(case.id)} expects tool {shown(case.expected_tool)}"
                    " and forbids it as an action",
                    "a release that records its tool among its actions can never pass this case",
                    file,
                    ("cases", index, "expected_tool"),
                )
            )
    if len(test) == 1:
        found.append(
            Problem(
                Rule.SINGLE_TEST_CASE,
                "the test split has a single case",
                "a rate over one case is 0 or 1: add cases",
                file,
                ("cases",),
            )
        )
    if test and not any(case.critical for case in test):
        found.append(
            Problem(
                Rule.NO_CRITICAL_CASE,
                "no test case is critical",
                "mark the cases whose failure must block whatever the means say",
                file,
                ("cases",),
            )
        )
    return found


def advise_rubric(rubric: Rubric, file: str) -> list[Problem]:
    """Warnings about a rubric alone."""
    if rubric.terms is not None:
        return []  # its gates say themselves where there was nothing to see
    found = [
        _idle(gate, file, "no value can be beyond it")
        for gate in rubric.gates
        if _NEVER_FIRES[gate.bound].get(gate.metric) == gate.threshold
    ]
    confidence = exact(rubric.confidence)
    if not resolves(rubric.resamples, confidence):
        found.append(
            Problem(
                Rule.TOO_FEW_RESAMPLES,
                f"{rubric.resamples} resamples cannot resolve a confidence of {rubric.confidence}:"
                " the bounds are the smallest and largest resample",
                f"at least {fewest_resamples(confidence)} samples",
                file,
                ("bootstrap", "samples"),
            )
        )
    return found


def advise_both(dataset: Dataset, rubric: Rubric, file: str) -> list[Problem]:
    """Warnings about a rubric on a dataset, at their place in the rubric's file."""
    test = dataset.of_split(rubric.split)
    if rubric.terms is not None:
        idle = islice(_of_no_case(test, rubric, file), MOST_PROBLEMS)
        return [*_always_passing(test, rubric, file), *idle]
    return [
        *_unpassable(test, rubric, file),
        *_idle_on(test, rubric, file),
        *_small(test, file),
    ]


def _always_passing(test: tuple[Case, ...], rubric: Rubric, file: str) -> Iterator[Problem]:
    required = rubric.terms.pass_requires if rubric.terms else None
    if required is None:
        return
    idle = [case.id for case in test if required.isdisjoint(case.expect.names)]
    if idle:
        yield Problem(
            Rule.IDLE_GATE,
            f"cases that expect nothing of what pass_requires names pass always: {listed(idle, 5)}",
            "name a check that they expect, or leave pass_requires out",
            file,
            ("pass_requires",),
        )


def _of_no_case(test: tuple[Case, ...], rubric: Rubric, file: str) -> Iterator[Problem]:
    """Gates of version 2 on a slice, a tag or a class that the judged split has none of."""
    known = {
        "slice": sorted({case.slice for case in test}),
        "tag": sorted({tag for case in test for tag in case.tags}),
        "class": sorted({case.expected_label for case in test} - {""}),
    }
    for index, gate in enumerate(rubric.gates):
        for selector, name in (("slice", gate.slice), ("tag", gate.tag), ("class", gate.label)):
            names = known[selector]
            if name is None or name in names or (name == "*" and names):
                continue
            verb = "expects" if selector == "class" else "has"
            found = f"a {selector}" if name == "*" else f"{selector} {shown(name)}"
            near = nearest(name, names) if index < _MOST_GUESSES else None
            hint = f"is it meant to be {shown(near)}?" if near else f"found: {listed(names)}"
            yield Problem(
                Rule.IDLE_GATE,
                f"gate {shown(gate.name)} looks at nothing: no {rubric.split} case {verb} {found}",
                hint if names else "delete the gate, or add such cases",
                file,
                ("gates", index, selector),
            )


def _unpassable(test: tuple[Case, ...], rubric: Rubric, file: str) -> Iterator[Problem]:
    if not any(case.expected_label == rubric.positive_label for case in test):
        yield Problem(
            Rule.UNPASSABLE_RUBRIC,
            f"no test case expects {shown(rubric.positive_label)}, so recall is undefined (0/0)"
            " and every release is blocked",
            "add a positive test case, or name the other label as positive_label",
            file,
            ("positive_label",),
        )


def _idle_on(test: tuple[Case, ...], rubric: Rubric, file: str) -> Iterator[Problem]:
    for gate in rubric.gates:
        if gate.threshold == _NEVER_FIRES[gate.bound].get(gate.metric):
            continue  # told of the rubric alone
        if gate.metric == "slice_pass_rate_gap" and len({case.slice for case in test}) == 1:
            yield _idle(gate, file, "the test split has a single slice")
        if gate.metric == "critical_slice_pass_rate" and not any(case.critical for case in test):
            yield _idle(gate, file, "no test case is critical")


def _small(test: tuple[Case, ...], file: str) -> Iterator[Problem]:
    if 1 < len(test) < FEW_CASES:
        yield Problem(
            Rule.SMALL_SET,
            f"{len(test)} test cases are few for a percentile bootstrap: its interval comes out"
            " too narrow",
            f"read Newcombe's interval beside it, or test at least {FEW_CASES} cases",
            file,
            ("bootstrap", "confidence"),
        )


def _idle(gate: Gate, file: str, why: str) -> Problem:
    path: Path = ("gates", gate.name)
    return Problem(
        Rule.IDLE_GATE,
        f"gate {gate.name} = {gate.threshold} can never fire: {why}",
        "set a limit that a bad release would miss, or know that it does nothing",
        file,
        path,
    )
