"""Gates to a verdict: a fixed order, worst first, every reason kept."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple

from contractlab.compare import exact
from contractlab.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.compare import Comparison
    from contractlab.contrast import Contrast
    from contractlab.metrics import Metrics
    from contractlab.model import Gate, Rubric

Value = Fraction | float | int | None

CRITICAL = "critical_case_failed"
"""The reason that no rubric can set aside."""
UNDECIDED = "critical_case_undecided"
"""Version 2: critical cases of which nobody knows, because a run crashed or is missing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a gate of version 2 saw."""

    metric: str
    kind: Literal[
        "value", "undefined", "unmeasured", "shown", "got_worse", "too_small", "not_shown_worse"
    ]
    """`value`: a figure beside its limit; `shown`: no worse, within the margin; `too_small`:
    the cases cannot show that; `not_shown_worse`: no loss is shown."""
    group: tuple[tuple[str, str], ...] = ()
    """The cases it is about: selector and name, such as `slice`, `refunds`; empty for all."""
    measured: int = 0
    of: int = 0
    """Cases or records that have the value, and that should."""
    baseline: Value = None
    """The baseline's value, where the bound is relative to it."""
    contrast: Contrast | None = None
    p_value: float | None = None
    """One-sided, corrected over the gate's groups."""
    needed: int | None = None
    """Cases that would show an unchanged agent within the margin with 80 % power."""
    k: int | None = None
    """How many trials, of pass^k and pass@k."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate, looked at. A gate that does not hold is a reason."""

    name: str
    """Stable code: the rubric's key, or `critical_case_failed`."""
    verdict: Verdict
    """What it leads to when it does not hold."""
    held: bool
    bound: str
    """`at_least` or `at_most`."""
    observed: Value
    """None where undefined (0/0), and then it does not hold."""
    threshold: float
    slice: str | None = None
    """The slice it is about; None for all cases."""
    case_ids: tuple[str, ...] = ()
    """The cases it names, in dataset order."""
    finding: Finding | None = None
    """More of what was seen, where version 2 looked."""


class Decision(NamedTuple):
    """The verdict and all that led to it."""

    verdict: Verdict
    gates: tuple[GateResult, ...]
    """Every gate in the order they decide."""

    @property
    def reasons(self) -> tuple[GateResult, ...]:
        """The gates that do not hold, worst first; empty for PASS."""
        return tuple(gate for gate in self.gates if not gate.held)


def decide(candidate: Metrics, comparison: Comparison, rubric: Rubric) -> Decision:
    """The verdict on a candidate.

    Critical cases first: one that failed blocks, whatever the means say. Then the
    rubric's gates in their order, BLOCK before REVIEW. Undefined never holds.
    """
    return concluded((_critical(candidate), *_gates(candidate, comparison, rubric)))


def concluded(gates: tuple[GateResult, ...]) -> Decision:
    """The verdict of gates that were looked at."""
    failed = [gate.verdict for gate in gates if not gate.held]
    if Verdict.BLOCK in failed:
        verdict = Verdict.BLOCK
    else:
        verdict = Verdict.REVIEW if failed else Verdict.PASS
    return Decision(verdict, gates)


def _critical(candidate: Metrics) -> GateResult:
    failures = candidate.critical_failures
    return GateResult(
        CRITICAL, Verdict.BLOCK, not failures, "at_most", len(failures), 0, case_ids=failures
    )


def _gates(candidate: Metrics, comparison: Comparison, rubric: Rubric) -> Iterator[GateResult]:
    for severity in (Verdict.BLOCK, Verdict.REVIEW):
        for gate in rubric.gates:
            if gate.verdict is severity:
                for slice_, observed in observations(gate.metric, candidate, comparison):
                    yield GateResult(
                        gate.name,
                        gate.verdict,
                        holds(gate, observed),
                        gate.bound,
                        observed,
                        gate.threshold,
                        slice_,
                    )


def observations(
    metric: str, candidate: Metrics, comparison: Comparison
) -> list[tuple[str | None, Value]]:
    """The values a metric takes: one a slice where it is about slices, else one."""
    matrix = candidate.confusion_matrix
    match metric:
        case "critical_slice_pass_rate":
            return [
                (name, each.pass_rate)
                for name, each in candidate.by_slice.items()
                if each.critical_count
            ]
        case "precision" | "recall" | "f1":
            return [(None, getattr(matrix, metric))]
        case "paired_delta_ci_low":
            return [(None, comparison.bootstrap.interval.low)]
        case _:
            return [(None, getattr(candidate, metric))]


def holds(gate: Gate, observed: Value) -> bool:
    """Whether a value is within a gate's bound; on the bound it is, exactly."""
    if observed is None:
        return False
    if isinstance(observed, Fraction):
        threshold: Fraction | float = exact(gate.threshold)
    else:
        threshold = gate.threshold
    return observed >= threshold if gate.bound == "at_least" else observed <= threshold
