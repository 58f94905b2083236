"""A judgement as JUnit XML: a test case for each gate, and one for each case.

There is no one JUnit format. What is written here is valid under the two schemas that CI
systems follow, Jenkins' (xUnit plugin, junit-10.xsd) and Ant's (Windy Road, JUnit.xsd), and
so stays within what both allow. Ant's demands a time stamp and a host name; they are fixed,
so that the same judgement gives the same bytes.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from contractlab.render.problems import place
from contractlab.render.reasons import label, message, observed, primary_reason, threshold
from contractlab.render.sentences import changed, failed, missed
from contractlab.unseen import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contractlab.compare import Pair
    from contractlab.decide import GateResult
    from contractlab.judge import Judgement
    from contractlab.problems import Problem

TIMESTAMP = "1970-01-01T00:00:00"
"""Of every report: the recording's time is not known, and that of the judging says nothing."""
HOSTNAME = "localhost"
"""Ant's own word for a host that is not known."""

_INPUT = 2_000
"""Characters of an input that are shown."""


class _Test(NamedTuple):
    """One `testcase`; its texts are raw."""

    classname: str
    name: str
    milliseconds: int = 0
    kind: str = ""
    """`failure`, `error`, or empty for what passed."""
    type: str = ""
    message: str = ""
    details: Sequence[str] = ()
    """Lines. A line end inside one is shown as its escape, so that no text forges another."""


def render_junit(judgement: Judgement) -> str:
    """The gates as one suite and the cases as another, both in their order."""
    decision, evidence = judgement.decision, judgement.evidence
    about = {
        "verdict": str(decision.verdict),
        "primary_reason": primary_reason(decision),
        "baseline_release": judgement.baseline_release,
        "candidate_release": judgement.candidate_release,
        "dataset_version": judgement.dataset_version,
        "rubric_version": judgement.rubric.version,
        "evidence_sha256": evidence.sha256,
    }
    suites = (
        _suite(0, "gates", [_gate(gate) for gate in decision.gates], about),
        _suite(1, "cases", [_case(pair) for pair in judgement.comparison.pairs], about),
    )
    return _document(suites)


def render_junit_problems(problems: Sequence[Problem]) -> str:
    """Problems as errors, where nothing was decided: a suite that no CI system takes for green."""
    tests = [
        _Test(
            "contractlab.contracts",
            f"{each.rule.code} {each.rule.title} at {place(each)}",
            kind="error",
            type=each.rule.code,
            message=each.message,
            details=[each.message, *([f"help: {each.hint}"] if each.hint else [])],
        )
        for each in problems
    ]
    return _document((_suite(0, "contracts", tests, {"verdict": "ERROR"}),))


_SIDES = {"at_least": "at least ", "at_most": "at most ", "at_most_times_baseline": "at most "}


def _gate(gate: GateResult) -> _Test:
    group = gate.finding.group if gate.finding else ()
    name = gate.name if gate.slice is None else f"{gate.name} [{gate.slice}]"
    if group:
        name = f"{gate.name} [{', '.join(chosen for _, chosen in group)}]"
    if gate.held:
        return _Test("contractlab.gates", name)
    side = _SIDES.get(gate.bound, "")
    wanted = threshold(gate)
    wanted = wanted if wanted == "none" else f"{side}{wanted}"
    return _Test(
        "contractlab.gates",
        name,
        kind="failure",
        type=str(gate.verdict),
        message=message(gate),
        details=[f"{label(gate)}: observed {observed(gate)}, wanted {wanted}"],
    )


def _case(pair: Pair) -> _Test:
    graded = pair.candidate
    case = graded.case
    # Jenkins takes what stands before the last dot for a package.
    classname = f"contractlab.cases.{case.slice.replace('.', '_')}"
    latency = round(graded.record.latency_ms or 0)
    if graded.passed:
        return _Test(classname, case.id, latency)
    wrong, differs = missed(pair), changed(pair)
    lines = [*wrong, *(f"changed: {each}" for each in differs)]
    lines.append(f"input: {case.input[:_INPUT]}{'…' if len(case.input) > _INPUT else ''}")
    return _Test(
        classname,
        case.id,
        latency,
        kind="failure",
        type=f"critical {pair.flip}" if case.critical else pair.flip,
        message=failed(pair),
        details=lines,
    )


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds // 1000}.{milliseconds % 1000:03d}"


def _document(suites: Sequence[str]) -> str:
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    return f"{head}{''.join(suites)}</testsuites>\n"


def _suite(id_: int, name: str, tests: Sequence[_Test], about: dict[str, str]) -> str:
    failures, errors = (sum(test.kind == kind for test in tests) for kind in ("failure", "error"))
    lines = [
        f'  <testsuite id="{id_}" name="{name}" package="contractlab" timestamp="{TIMESTAMP}"'
        f' hostname="{HOSTNAME}" tests="{len(tests)}" failures="{failures}" errors="{errors}"'
        f' time="{_seconds(sum(test.milliseconds for test in tests))}">',
        "    <properties>",
        *(f'      <property name="{key}" value="{xml(each)}"/>' for key, each in about.items()),
        "    </properties>",
        *(line for test in tests for line in _lines(test)),
        "    <system-out/>",
        "    <system-err/>",
        "  </testsuite>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _lines(test: _Test) -> Iterator[str]:
    head = (
        f'    <testcase classname="{xml(test.classname)}" name="{xml(test.name)}"'
        f' time="{_seconds(test.milliseconds)}"'
    )
    if not test.kind:
        yield f"{head}/>"
        return
    yield f"{head}>"
    newline = "\n"
    yield (
        f'      <{test.kind} type="{xml(test.type)}" message="{xml(test.message)}">'
        f"{newline.join(map(xml, test.details))}</{test.kind}>"
    )
    yield "    </testcase>"


_ILLEGAL = re.compile("[^ -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COMMANDS = re.compile(r"::|##\[")
_PLAIN = re.compile(r"[A-Za-z0-9 ._,;()/=+-]*")


def xml(text: str) -> str:
    r"""Untrusted text for an attribute or an element of XML 1.0, on one line.

    What XML cannot carry (most controls, lone surrogates, U+FFFE and U+FFFF), what hides text,
    line ends and tabs are shown as their escapes, such as `\x1b`. `::` and `##[`, which command
    a runner that prints the file, come with a character reference: a parser reads them
    unchanged.
    """
    if _PLAIN.fullmatch(text):
        return text
    text = visible(text.replace("\n", "\\n").replace("\t", "\\t"))
    text = _ILLEGAL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return _COMMANDS.sub(
        lambda match: f"{match[0][0]}&#{ord(match[0][1])};{match[0][2:]}", escape(text)
    )
