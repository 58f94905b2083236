"""Checked values to the model: how the version 2 files spell it.

What JSON Schema cannot say of one case or one gate (a pattern that compiles, exactly one
bound) is told here, as problems with a path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, islice, repeat
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from contractlab.batches import rows_of
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
from contractlab.figures import OF_K, PER_CLASS, is_metric, is_per_case
from contractlab.leakage import names_in
from contractlab.limits import MOST_PROBLEMS
from contractlab.match import Pattern, Way, matcher
from contractlab.model import (
    Call,
    Case,
    Dataset,
    Expectation,
    Gate,
    Record,
    Release,
    Rubric,
    Run,
    Share,
    Terms,
    Verdict,
)
from contractlab.problems import Path, Problem, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from contractlab.model import Check

ENTRIES: Mapping[str, str] = {"eval-dataset-v2": "cases", "eval-predictions-v2": "records"}
"""What stands on the lines after the first where a contract is JSON Lines."""

DEFAULT_SLICE = "all"
BOUNDS = (
    "at_least", "at_most", "not_worse_by", "no_regression_at", "at_most_times_baseline",
)  # fmt: skip


class _BadError(Exception):
    """Something in an expectation that cannot be compiled."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.message, self.path = message, path


# ── datasets ────────────────────────────────────────────────────────────────────────────────


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
                checks.append(_CHECKS[name](of))
            except _BadError as error:
                self._note(
                    Rule.BAD_MATCHER, error.message, (*path, name, *error.path),
                    "correct it; docs/contracts-v2.md has every matcher",
                )  # fmt: skip
        order = list(_CHECKS)
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


_CHECKS: Mapping[str, Callable[[Any], Check]] = {
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


# ── predictions ─────────────────────────────────────────────────────────────────────────────


def load_record(value: Any) -> Record:
    """The model of a record that `predictions-v2` accepts."""
    return load_records([value])[0]


def load_records(values: Sequence[Any]) -> list[Record]:
    """The models of records that `predictions-v2` accepts, a column at a time."""
    column = _columns(values)
    label, evidence, actions = column("label"), column("evidence"), column("actions")
    runs = rows_of(
        Run,
        column("trial", 0),
        map(intern, column("status", "ok")),
        [_recorded(sides) if sides else _NO_OUTCOMES for sides in column("outcomes")],
        _called(column("calls")),
        [names is not None for names in actions],
        [tuple(ids) if type(ids) is list else None for ids in evidence],
        column("answer"),
        [None if counts is None else _recorded(counts) for counts in column("tokens")],
    )
    records = rows_of(
        Record,
        column("case_id"),
        [None if name is None else intern(name) for name in label],
        repeat(None),
        [tuple(map(intern, names)) if names else () for names in actions],
        [None if shown is None else bool(shown) for shown in evidence],
        column("latency_ms"),
        column("cost_usd"),
        runs,
    )
    return list(records)


def _columns(values: Iterable[Any]) -> Callable[..., list[Any]]:
    """What objects have under a name, or a default."""
    gets = [value.get for value in values]
    return lambda name, default=None: [get(name, default) for get in gets]


def _recorded(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those that are not null."""
    if None not in values.values():
        return values
    return {name: value for name, value in values.items() if value is not None}


_NO_OUTCOMES: Mapping[str, bool] = MappingProxyType({})


def _called(lists: Sequence[Any]) -> list[tuple[Call, ...] | None]:
    """The calls of each record; None where none were recorded."""
    column = _columns(chain.from_iterable(filter(None, lists)))
    calls = rows_of(
        Call,
        map(intern, column("name")),
        column("arguments"),
        [ok is not False for ok in column("ok")],
        column("turn"),
    )
    return [None if each is None else tuple(islice(calls, len(each))) for each in lists]


def load_release(header: Any, records: list[Record]) -> Release:
    """The model of a replay whose records are loaded."""
    release = header["release"]
    return Release(release["release_id"], tuple(records), release.get("manifest"))


# ── rubrics ─────────────────────────────────────────────────────────────────────────────────


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
    if not is_metric(metric) or (kind == "check" and name not in _CHECKS):
        yield f"{shown(metric)} is no metric", "docs/contracts-v2.md has all of them", "metric"
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
