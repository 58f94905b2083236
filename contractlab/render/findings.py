"""Version 2's gates in words: what was seen, what was asked for, and what that means."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from contractlab.decide import CRITICAL, UNDECIDED
from contractlab.render import numbers
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from contractlab.contrast import Contrast
    from contractlab.decide import Finding, GateResult, Value
    from contractlab.figures import Reading

    Writer = Callable[..., str]
    Name = Callable[[str], str]

_FIXED: Mapping[str, tuple[str, Writer]] = {
    "pass_rate": ("overall pass rate", numbers.rate),
    "mean_score": ("mean score", numbers.rate),
    "accuracy": ("accuracy", numbers.rate),
    "precision": ("precision", numbers.rate),
    "recall": ("recall", numbers.rate),
    "f1": ("F1", numbers.rate),
    "macro_f1": ("macro F1", numbers.rate),
    "critical_slice_pass_rate": ("pass rate of critical", numbers.rate),
    "slice_pass_rate_gap": ("slice pass-rate gap", numbers.rate),
    "paired_delta_ci_low": ("paired lower bound", numbers.difference),
    "latency_ms.mean": ("mean latency", numbers.milliseconds),
    "latency_ms.p50": ("median latency", numbers.milliseconds),
    "latency_ms.p95": ("p95 latency", numbers.milliseconds),
    "latency_ms.max": ("longest latency", numbers.milliseconds),
    "cost_usd.mean": ("mean cost", numbers.usd),
    "cost_usd.p50": ("median cost", numbers.usd),
    "cost_usd.p95": ("p95 cost", numbers.usd),
    "cost_usd.max": ("highest cost", numbers.usd),
    "error_rate": ("rate of runs that did not end well", numbers.rate),
    "flaky_rate": ("rate of flaky cases", numbers.rate),
    "pass_hat_k": ("pass^k", numbers.rate),
    "pass_at_k": ("pass@k", numbers.rate),
    "coverage": ("coverage", numbers.rate),
    "minimum_cases": ("cases compared", str),
    "minimum_power": ("power", numbers.rate),
    "critical_failure_rate": ("rate of critical cases that failed", numbers.rate),
    UNDECIDED: ("critical cases without a run that ended well", str),
}
_SIGNS: Mapping[str, str] = {"at_least": "≥ ", "at_most": "≤ "}


def _words(metric: str, quoted: Name = shown) -> tuple[str, Writer]:
    if metric in _FIXED:
        return _FIXED[metric]
    kind, _, name = metric.partition(":")
    if kind == "check":
        return f"rate of check {quoted(name)}", numbers.rate
    if kind == "outcome":
        return f"rate of outcome {quoted(name)}", numbers.rate
    # A kind of token is the recording's word: as it is only where it can be nothing but one.
    about = metric if re.fullmatch(r"tokens\.[a-z_]{1,40}\.[a-z0-9]+", metric) else quoted(metric)
    return about, numbers.tokens


def title(metric: str, k: int | None = None, name: Name = shown) -> str:
    """What a metric is called: `rate of outcome "utility"`, `pass^4`."""
    about = _words(metric, name)[0]
    return about if k is None else f"{about.removesuffix('k')}{k}"


def label(gate: GateResult, finding: Finding, name: Name = shown) -> str:
    """What a gate is about: `recall of class "refund"`."""
    about = title(finding.metric, finding.k, name)
    if finding.metric == "pass_rate" and finding.group:
        about = "pass rate"
    if gate.name == CRITICAL:
        about = "rate of critical cases that failed"
    if finding.metric == "paired_delta_ci_low" and finding.contrast is not None:
        about = f"paired {finding.contrast.method.interval} lower bound"
    if not finding.group:
        return about
    group = ", ".join(f"{selector} {name(chosen)}" for selector, chosen in finding.group)
    # Version 1's own words end in "critical", of a slice.
    return f"{about} {'' if about.endswith('critical') else 'of '}{group}"


def observed(gate: GateResult, finding: Finding) -> str:
    """The observed value, rounded towards the side on which it is worse."""
    if finding.kind == "unmeasured" and gate.name != UNDECIDED:
        return numbers.NOT_MEASURED
    if gate.observed is None:
        return numbers.UNDEFINED
    if finding.contrast is not None and gate.bound in ("not_worse_by", "no_regression_at"):
        return numbers.difference(finding.contrast.delta)
    return number(finding.metric, gate.observed, "down" if gate.bound == "at_least" else "up")


def number(metric: str, value: Value, towards: str = "down") -> str:
    """A value of a metric, in its unit."""
    write = _words(metric)[1]
    if write in (numbers.rate, numbers.difference):
        return write(value, towards)
    return write(value)


def threshold(gate: GateResult, finding: Finding) -> str:
    """The limit as the rubric wrote it."""
    if gate.name == UNDECIDED:
        return "none"
    text = repr(gate.threshold)
    write = _words(finding.metric)[1]
    if write in (numbers.milliseconds, numbers.usd, numbers.tokens):
        text = numbers.limit(gate.threshold)
    match gate.bound:
        case "not_worse_by":
            return f"no worse by {text}"
        case "no_regression_at":
            return f"no loss at level {text}"
        case "at_most_times_baseline":
            return f"{gate.threshold!r} times the baseline"
    return (
        f"{text} ms"
        if write is numbers.milliseconds
        else (f"${text}" if write is numbers.usd else text)
    )


def asked(gate: GateResult) -> str:
    """What a gate asks for, for a table: `≥ 0.8`, `≤ 1.1 × baseline`, `none`."""
    if gate.finding is None or gate.name == UNDECIDED:
        return "none"
    if gate.bound == "at_most_times_baseline":
        return f"≤ {gate.threshold!r} × baseline"
    return f"{_SIGNS.get(gate.bound, '')}{threshold(gate, gate.finding)}"


def message(gate: GateResult, finding: Finding, name: Name = shown, most: int = 20) -> str:
    """Why a gate that does not hold is a reason. Names in it are as `name` makes them."""
    what = label(gate, finding, name)
    if gate.name == UNDECIDED:
        return f"critical cases without a run that ended well: {_cases(gate, name, most)}"
    if finding.kind == "unmeasured":
        return f"{what} was not evaluated: measured on {finding.measured} of {finding.of}"
    if finding.kind == "undefined":
        return f"{what} is undefined (0/0); {_bound(gate)} {threshold(gate, finding)} is required"
    if finding.metric == "minimum_power" and finding.contrast is not None:
        return _weak(gate, finding, finding.contrast)
    if finding.kind == "too_small" and finding.contrast is not None:
        return _too_small(what, gate, finding, finding.contrast)
    if finding.kind == "got_worse" and finding.contrast is not None:
        return _got_worse(what, finding, finding.contrast)
    text = f"{what} {beside(gate, finding)} is {_side(gate, finding)}"
    return f"{text}: {_cases(gate, name, most)}" if gate.case_ids else text


def _cases(gate: GateResult, name: Name, most: int) -> str:
    more = len(gate.case_ids) - most
    names = ", ".join(name(id_) for id_ in gate.case_ids[:most])
    return f"{names} and {more:,} more" if more > 0 else names


def _bound(gate: GateResult) -> str:
    return "at least" if gate.bound == "at_least" else "at most"


def _side(gate: GateResult, finding: Finding) -> str:
    if gate.bound == "at_most_times_baseline":
        before = number(finding.metric, finding.baseline, "down")
        return f"above {gate.threshold!r} times the baseline's {before}"
    return f"{'below' if gate.bound == 'at_least' else 'above'} {threshold(gate, finding)}"


def beside(gate: GateResult, finding: Finding) -> str:
    """The observed value, with every digit where rounding would make it read as the limit."""
    text = observed(gate, finding)
    limit = threshold(gate, finding)
    if text.lstrip("+$") == limit.lstrip("+$") and isinstance(gate.observed, Fraction):
        return f"{text} ({gate.observed})"
    return repr(gate.observed) if text == limit else text


def seen_as(metric: str, reading: Reading, towards: str = "down") -> str:
    """A metric's value over a group of cases, and whether there is none for want of records."""
    if reading.value is None and not reading.undefined:
        return numbers.NOT_MEASURED
    return numbers.UNDEFINED if reading.value is None else number(metric, reading.value, towards)


def interval(seen: Contrast) -> str:
    """The interval of a difference: `95 % interval [-0.475, +0.101] on 15 cases`."""
    low, high = numbers.difference(seen.interval.low), numbers.difference(seen.interval.high)
    return (
        f"{numbers.confidence(seen.method.confidence)} interval [{low}, {high}]"
        f" on {numbers.counted(seen.cases, 'case')}"
    )


def enough(finding: Finding) -> str:
    """How many cases a margin needs: `would need about 1,015 cases`."""
    if finding.needed is None:
        return "no number of cases can show it"
    return f"would need about {numbers.counted(finding.needed, 'case')}"


def p_value(finding: Finding) -> str:
    """The corrected p-value: `p 0.0215`; empty where there is none."""
    if finding.p_value is None:
        return ""
    return f"p {numbers.rounded(finding.p_value, 4, 'up'):f}"


def _difference(seen: Contrast) -> str:
    return f"difference {numbers.difference(seen.delta)}, {interval(seen)}"


def _got_worse(what: str, finding: Finding, seen: Contrast) -> str:
    parts = f"{what} got worse: {_difference(seen)}", p_value(finding)
    return ", ".join(filter(None, parts))


def _too_small(what: str, gate: GateResult, finding: Finding, seen: Contrast) -> str:
    return (
        f"{what}: this set is too small for a margin of {gate.threshold!r}:"
        f" {enough(finding)} ({_difference(seen)})"
    )


def _weak(gate: GateResult, finding: Finding, seen: Contrast) -> str:
    need = f"; about {numbers.count(finding.needed)} would" if finding.needed else ""
    margin = numbers.rate(finding.baseline, "nearest")
    verb = "shows" if seen.cases == 1 else "show"
    return (
        f"{numbers.counted(seen.cases, 'case')} {verb} an unchanged agent"
        f" within a margin of {margin}"
        f" with a probability of {numbers.rate(Fraction(gate.observed or 0))} only,"
        f" {gate.threshold!r} is required{need}"
    )
