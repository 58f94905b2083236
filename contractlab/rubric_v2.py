"""Checked version 2 rubrics to the model.

What JSON Schema cannot say of one gate (exactly one bound, a metric that there is) is told
here, as problems with a path.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from contractlab.dataset_v2 import CHECKS
from contractlab.figures import METRICS, OF_K, PER_CLASS, SUMMARIES, is_metric, is_per_case
from contractlab.limits import MOST_PROBLEMS
from contractlab.model import Gate, Rubric, Share, Terms, Verdict
from contractlab.problems import Problem, Rule
from contractlab.words import nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

BOUNDS = (
    "at_least", "at_most", "not_worse_by", "no_regression_at", "at_most_times_baseline",
)  # fmt: skip


def load_rubric(value: Any) -> Rubric:
    """The model of a value that `rubric-v2` accepts and `check_gates` finds no fault in."""
    comparison, minimum = value["comparison"], value.get("minimum", {})
    critical = value.get("critical", {"rule": "none_may_fail"})
    margin = comparison.get("margin")
    return Rubric(
        version=value["rubric_version"],
        positive_label="",
        baseline_release=value["baseline_release"],
        split=value["split"],
        gates=tuple(map(_gate, value["gates"])),
        resamples=comparison["resamples"],
        seed=comparison["seed"],
        confidence=comparison["confidence"],
        terms=Terms(
            pass_requires=frozenset(value["pass_requires"]) if "pass_requires" in value else None,
            critical=critical.get("rule", critical.get("at_most_rate")),
            coverage=_share(value, "coverage", "at_least", Verdict.BLOCK),
            errors=_share(value, "errors", "at_most", Verdict.REVIEW),
            flakiness=_share(value, "flakiness", "at_most", Verdict.REVIEW),
            minimum_cases=minimum.get("cases"),
            minimum_power=minimum.get("power"),
            unit=comparison.get("unit", "family"),
            interval=comparison.get("interval", "newcombe"),
            margin=margin,
            adjust=comparison.get("adjust", "holm"),
        ),
        written=value,
    )


def _share(value: Any, name: str, bound: str, usual: Verdict) -> Share | None:
    if name not in value:
        return None
    return Share(value[name][bound], Verdict(value[name].get("else", usual)))


def _gate(value: Any) -> Gate:
    bound = next(each for each in BOUNDS if each in value)
    unmeasured = value.get("if_unmeasured")
    return Gate(
        name=value.get("name") or gate_name(value, bound),
        metric=value["metric"],
        bound=bound,  # type: ignore[arg-type]
        threshold=value[bound],
        verdict=Verdict(value["else"]),
        slice=value.get("slice"),
        tag=value.get("tag"),
        label=value.get("class"),
        k=value.get("k"),
        if_unmeasured=None if unmeasured is None else Verdict(unmeasured),
    )


def gate_name(value: Any, bound: str) -> str:
    """The code of a gate without a name: `pass_rate[slice=*].not_worse_by`."""
    chosen = [f"{key}={value[key]}" for key in ("slice", "tag", "class", "k") if key in value]
    selected = f"[{','.join(chosen)}]" if chosen else ""
    return f"{value['metric']}{selected}.{bound}"


def check_gates(value: Any, file: str) -> list[Problem]:
    """What is wrong with a rubric that `rubric-v2` accepts."""
    found = (
        Problem(Rule.BAD_GATE, message, hint, file, ("gates", index, *path))
        for index, gate in enumerate(value["gates"])
        for message, hint, *path in _gate_problems(gate)
    )
    problems = list(islice(found, MOST_PROBLEMS))
    minimum = value.get("minimum", {})
    if "power" in minimum and not value["comparison"].get("margin"):
        problems.append(
            Problem(
                Rule.BAD_GATE,
                '"power" is about a margin, and the comparison has none',
                "set comparison.margin to the loss of pass rate that you accept",
                file,
                ("minimum", "power"),
            )
        )
    return problems


def _gate_problems(gate: Any) -> Iterator[tuple[str, ...]]:
    metric = gate["metric"]
    bounds = [each for each in BOUNDS if each in gate]
    if len(bounds) != 1:
        found = f"has {len(bounds)} bounds" if bounds else "has no bound"
        yield f"the gate on {shown(metric)} {found}", f"give it one of {', '.join(BOUNDS)}"
    kind, _, name = metric.partition(":")
    if not is_metric(metric) or (kind == "check" and name not in CHECKS):
        yield f"{shown(metric)} is no metric", _metric_hint(metric), "metric"
        return
    if ("class" in gate) != (metric in PER_CLASS):
        if metric in PER_CLASS:
            yield f"{metric} is about a class", 'add "class", or gate macro_f1'
        else:
            yield f"{shown(metric)} is not about a class", "delete it", "class"
    if ("k" in gate) != (metric in OF_K):
        if metric in OF_K:
            yield f"{metric} needs k", 'add "k", the number of trials'
        else:
            yield f"{shown(metric)} has no k", "delete it", "k"
    relative = {"not_worse_by", "no_regression_at"} & set(bounds)
    if relative and not is_per_case(metric):
        (bound,) = sorted(relative)[:1]
        yield (
            f"{bound} pairs cases, and {shown(metric)} is no value of a case",
            "use at_least, at_most or at_most_times_baseline",
            bound,
        )
    own = ("critical_slice_pass_rate", "slice_pass_rate_gap", "paired_delta_ci_low")
    for selector in ("slice", "tag"):
        if selector in gate and metric in own:
            yield f"{metric} is about all cases", "delete it", selector
    if metric in own and bounds and bounds[0] not in ("at_least", "at_most"):
        yield f"{metric} takes at_least or at_most", "use one of the two", bounds[0]


def _metric_hint(metric: str) -> str:
    """The metric that is meant, or all that there are."""
    measures = [f"{each}.{summary}" for each in ("latency_ms", "cost_usd") for summary in SUMMARIES]
    checks = [f"check:{name}" for name in CHECKS]
    plain = [name for name in METRICS if name.islower() and name not in ("latency_ms", "cost_usd")]
    near = nearest(metric, [*plain, *checks, *measures])
    if near is not None:
        return f"is it meant to be {shown(near)}?"
    names = ", ".join([*plain, "outcome:NAME", *checks, "latency_ms.p95", "cost_usd.mean"])
    return f"name one of {names}, ...; contractlab explain pass_rate says what one is"
