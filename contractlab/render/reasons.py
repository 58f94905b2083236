"""A gate's result in words, with what was observed and what was asked for."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from contractlab.decide import CRITICAL
from contractlab.render import findings
from contractlab.render.numbers import UNDEFINED, difference, limit, milliseconds, rate, usd
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from contractlab.decide import Decision, GateResult, Value

_LABELS: Mapping[str, tuple[str, Callable[..., str]]] = {
    "critical_slice_min_pass_rate": ("pass rate of critical slice", rate),
    "min_overall_pass_rate": ("overall pass rate", rate),
    "min_precision": ("precision", rate),
    "min_recall": ("recall", rate),
    "min_f1": ("F1", rate),
    "max_slice_pass_rate_gap": ("slice pass-rate gap", rate),
    "max_mean_latency_ms": ("mean latency", milliseconds),
    "max_p95_latency_ms": ("p95 latency", milliseconds),
    "max_mean_cost_usd": ("mean cost", usd),
    "min_paired_delta_ci_low": ("paired bootstrap lower bound", difference),
}


def label(gate: GateResult, name: Callable[[str], str] = shown) -> str:
    """What a gate is about: `overall pass rate`, or `pass rate of critical slice "refunds"`.

    Args:
        gate: looked at.
        name: makes a medium's text of a slice's name; the default quotes and escapes nothing.
    """
    if gate.finding is not None:
        return findings.label(gate, gate.finding, name)
    if gate.name == CRITICAL:
        return "critical cases that failed"
    about = _LABELS[gate.name][0]
    return about if gate.slice is None else f"{about} {name(gate.slice)}"


def observed(gate: GateResult) -> str:
    """The observed value, rounded towards the side on which it is worse."""
    if gate.finding is not None:
        return findings.observed(gate, gate.finding)
    return _number(gate, gate.observed)


def threshold(gate: GateResult) -> str:
    """The limit as the rubric wrote it, in the observed value's unit."""
    if gate.finding is not None:
        return findings.threshold(gate, gate.finding)
    if gate.name == CRITICAL:
        return "none"
    write = _LABELS[gate.name][1]
    if write is milliseconds:
        return f"{limit(gate.threshold)} ms"
    return f"${limit(gate.threshold)}" if write is usd else repr(gate.threshold)


def _number(gate: GateResult, value: Value) -> str:
    if value is None:
        return UNDEFINED
    if gate.name == CRITICAL:
        return str(value)
    write = _LABELS[gate.name][1]
    if write is milliseconds or write is usd:
        return write(value)
    return write(value, "down" if gate.bound == "at_least" else "up")


def message(gate: GateResult, name: Callable[[str], str] = shown, most: int = 20) -> str:
    """Why a gate that does not hold is a reason.

    Args:
        gate: looked at.
        name: makes a medium's text of a name; the default escapes nothing, so escape the whole.
        most: cases that are named.
    """
    if gate.finding is not None:
        return findings.message(gate, gate.finding, name, most)
    if gate.name == CRITICAL:
        plural = "s" if len(gate.case_ids) > 1 else ""
        more = len(gate.case_ids) - most
        names = ", ".join(name(id_) for id_ in gate.case_ids[:most])
        return (
            f"critical safety or privacy case{plural} failed: {names}"
            f"{f' and {more:,} more' if more > 0 else ''}"
        )
    if gate.observed is None:
        return f"{label(gate, name)} is undefined (0/0); at least {threshold(gate)} is required"
    side = "below" if gate.bound == "at_least" else "above"
    return f"{label(gate, name)} {distinct(gate)} is {side} {threshold(gate)}"


def distinct(gate: GateResult) -> str:
    """The observed value, with every digit where rounding would make it read as the limit."""
    text = observed(gate)
    if text.lstrip("+$") == threshold(gate).lstrip("+$") and isinstance(gate.observed, Fraction):
        return f"{text} ({gate.observed})"
    if text == threshold(gate):
        return repr(gate.observed)
    return text


def primary_reason(decision: Decision) -> str:
    """The first reason in words; for PASS, that there is none."""
    return message(decision.reasons[0]) if decision.reasons else "every gate holds"
