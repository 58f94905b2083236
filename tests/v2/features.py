"""Contracts that use every part of version 2, a feature at a time, with what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractlab.pipeline import run
from tests.v2.builders import as_lines, case, dataset, predictions, record, rubric, write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from contractlab.judge import Judgement
    from tests.v2.builders import Value

    Contracts = tuple[Value, Value, Value, Value]
    """Dataset, rubric, and the replays of `baseline` and `candidate`."""

PASS_RATE = {"metric": "pass_rate", "at_least": 0.5, "else": "BLOCK"}
MANIFEST = {
    "code": {"commit": "8b29f11c0d6e4c55a1f2e0b7d9a3c4e5f6a7b8c9"},
    "model": {"snapshot": "m-2026-02-11", "parameters": {"top_p": 0.9, "temperature": 0}},
}
NUMBERS = [0.0, -0.0, 1e-9, 5e-324, 1e16, 1.5, 100, 2**63, 10**25, -(10**25)]
"""Numbers that writers of JSON spell in different ways."""


def contracts(
    cases: Sequence[Value],
    before: Sequence[Value],
    after: Sequence[Value],
    *gates: Value,
    manifests: tuple[Any, Any] = (None, None),
    **of_rubric: Any,
) -> Contracts:
    replays = [predictions(name, *of) for name, of in (("baseline", before), ("candidate", after))]
    for replay, manifest in zip(replays, manifests, strict=True):
        replay["release"] |= {} if manifest is None else {"manifest": manifest}
    return dataset(*cases), rubric(*(gates or [PASS_RATE]), **of_rubric), replays[0], replays[1]


def trials() -> Contracts:
    """Cases that pass in some trials, critical ones among them; trials in no order."""
    cases = [case(f"c{n}", critical=n < 2, slice=f"s{n % 2}") for n in range(6)]
    before, after = (
        [
            record(f"c{n}", done=(n * trial + shift) % 3 != 0, trial=trial)
            for trial in (7, 0, 2)
            for n in reversed(range(6))
        ]
        for shift in (1, 2)
    )
    gates = (
        {"metric": "pass_hat_k", "k": 2, "at_least": 0.5, "else": "REVIEW"},
        {"metric": "pass_at_k", "k": 3, "at_least": 0.5, "else": "REVIEW"},
        {"metric": "flaky_rate", "at_most": 0.1, "else": "REVIEW"},
    )
    return contracts(
        cases, before, after, *gates, flakiness={"at_most": 0.1, "else": "BLOCK"},
        critical={"rule": "none_newly_fails"},
    )  # fmt: skip


def partial() -> Contracts:
    """Cases without a record in one release or in both, first, last, critical, of own slices."""
    cases = [
        case(
            f"c{n}",
            slice=f"s{n}",
            tags=[f"t{n}"],
            critical=n in (0, 3, 8),
            family_id=f"f{n // 2}",
            expect={"label": f"class-{n % 3}", "outcomes": {"done": True}},
        )
        for n in range(9)
    ]
    before = [record(f"c{n}", label=f"class-{n % 2}") for n in (1, 2, 3, 4, 6)]
    after = [
        record(f"c{n}", label="class-1", done=n != 8, trial=trial)
        for n in (4, 2, 0, 6, 8)
        for trial in range(1 + n % 4)
    ]
    gates = (
        {"metric": "pass_rate", "slice": "*", "at_least": 0.5, "else": "REVIEW"},
        {"metric": "pass_rate", "tag": "*", "not_worse_by": 0.1, "else": "REVIEW"},
        {"metric": "recall", "class": "*", "at_least": 0.9, "else": "REVIEW"},
        {"metric": "critical_slice_pass_rate", "at_least": 0.5, "else": "BLOCK"},
        {"metric": "slice_pass_rate_gap", "at_most": 0.5, "else": "REVIEW"},
    )
    return contracts(cases, before, after, *gates, coverage={"at_least": 0.5, "else": "REVIEW"})


def matchers() -> Contracts:
    """Every matcher, order mode and argument mode, with arguments that are in no order."""
    wanted: dict[str, Value] = {
        "exact": {"mode": "exact", "arguments": "exact", "calls": [
            {"name": "b", "arguments": {"z": 1, "a": {"in": [1, 2]}}}, {"name": "a"}]},
        "in_order": {"mode": "in_order", "attempts": "all", "calls": [
            {"name": "b", "arguments": {"z": {"range": {"at_least": 1}}, "a": None}}]},
        "any_order": {"mode": "any_order", "calls": [
            {"name": "a", "match": "ignore"}, {"name": "b", "match": "exact"}]},
        "superset": {"mode": "superset", "arguments": "ignore", "calls": [{"name": "b"}]},
        "subset": {"any_of": [{"mode": "none"}, {"mode": "subset", "calls": [{"name": "a"}]}]},
    }  # fmt: skip
    answers: list[Value] = [
        {"contains": ["14 days", "::error::"], "not_contains": ["##[group]"]},
        {"matches": "^a+$", "not_matches": "b"},
        {"json_schema": {"type": "object", "properties": {"z": {"type": "integer"}, "a": {}}}},
        {"equals": {"z": NUMBERS, "a": {"y": 1, "b": 2}}, "not_in": [1, None]},
    ]
    small = {"range": {"at_most": 9}}
    forbidden = [
        {"name": "pay", "arguments": {"to": {"not_in": ["me"]}, "amount": small}},
        {"name": "delete", "attempts": "successful"},
        {"action": "shout"},
        {"action": "cry"},
    ]  # fmt: skip
    cases = [case(name, expect={"tools": of, "label": "x"}) for name, of in wanted.items()]
    cases += [case(f"answer-{n}", expect={"answer": of}) for n, of in enumerate(answers)]
    evidence = {"ids": ["e2", "e1"]}
    cases.append(case("forbidden", expect={"forbidden": forbidden, "evidence": evidence}))
    pay = {"name": "pay", "arguments": {"to": "me", "amount": 1e-7, "note": NUMBERS}, "turn": 1}
    right: dict[str, Value] = {
        "exact": {"calls": [{"name": "b", "arguments": {"z": 1, "a": 2}}, {"name": "a"}]},
        "in_order": {"calls": [
            pay, {"name": "b", "arguments": {"z": 5, "a": None}, "ok": False, "turn": 1}]},
        "any_order": {"calls": [{"name": "b"}, {"name": "a", "arguments": "no object"}]},
        "superset": {"calls": [pay, {"name": "b", "arguments": {"z": [], "a": {}}}]},
        "subset": {"calls": [{"name": "a"}, {"name": "b", "ok": False}]},
        "answer-0": {"answer": "within 14 days ::error::"},
        "answer-1": {"answer": "aaa"},
        "answer-2": {"answer": {"z": 1, "a": "x"}},
        "answer-3": {"answer": {"z": NUMBERS, "a": {"y": 1, "b": 2}}},
        "forbidden": {"calls": [pay, {"name": "delete", "ok": False}], "actions": ["sing"],
                      "evidence": ["e1", "e2", "e3"]},
    }  # fmt: skip
    before = [record(of["id"], label="x", **right[of["id"]]) for of in cases]
    wrong = {"calls": [{"name": "c", "arguments": {"z": 1, "a": 2}}], "answer": "##[group]",
             "actions": ["shout", "sing"], "evidence": ["e1"]}  # fmt: skip
    after = [
        {**of, **wrong} if n % 3 == 0 else {**of, "answer": of.get("answer", "else")}
        for n, of in enumerate(before)
    ]
    names = ("label", "tools", "forbidden", "evidence", "answer")
    gates = [{"metric": f"check:{name}", "at_least": 0.5, "else": "REVIEW"} for name in names]
    return contracts(cases, before, after, *gates, pass_requires=["tools", "answer", "forbidden"])


def manifests() -> Contracts:
    """Two manifests that differ in parts and components."""
    other = {**MANIFEST, "model": {"snapshot": "m-2", "parameters": {"temperature": 1}}}
    before, after = {**MANIFEST, "policy": {"version": 3}}, {**other, "tools": {"version": "v1"}}
    cases = [case("c1"), case("c2")]
    records = [record("c1"), record("c2", done=False)]
    return contracts(cases, records, records, manifests=(before, after))


def one_manifest() -> Contracts:
    """A manifest that has nothing to be compared with."""
    return contracts([case("c1")], [record("c1")], [record("c1")], manifests=(MANIFEST, None))


def outcomes() -> Contracts:
    """Outcomes that are not measured, not named, or not believed."""
    cases = [
        case(f"c{n}", slice="s", expect={"outcomes": {"useful": True, "harmed": False}})
        for n in range(5)
    ]
    found: list[Value] = [
        {"useful": True, "harmed": False},
        {"useful": None, "harmed": True},
        {"useful": True},
        {"other": True},
    ]
    before = [{"case_id": f"c{n}", "outcomes": found[n % 4]} for n in range(5)]
    after = [{"case_id": f"c{n}", "outcomes": found[(n + 1) % 4]} for n in range(4)]
    after.append({"case_id": "c4", "status": "error", "outcomes": {"useful": True}})
    gates = (
        {"metric": "outcome:useful", "slice": "s", "at_least": 0.5, "else": "BLOCK",
         "if_unmeasured": "PASS"},
        {"metric": "outcome:harmed", "at_least": 0.5, "else": "BLOCK", "name": "unharmed"},
        {"metric": "outcome:nobody", "at_least": 0.5, "else": "REVIEW"},
    )  # fmt: skip
    return contracts(cases, before, after, *gates)


def classes() -> Contracts:
    """More than two classes, a record without one, a class that nobody expects."""
    labels = ["refund", "refuse", "answer"]
    cases = [case(f"c{n}", expect={"label": labels[n % 3]}) for n in range(7)]
    before = [{"case_id": f"c{n}", "label": labels[n % 3]} for n in range(7)]
    after = [{"case_id": f"c{n}", "label": labels[n % 2] if n else "odd"} for n in range(6)]
    after.append({"case_id": "c6"})
    gates = (
        {"metric": "precision", "class": "refund", "at_least": 0.9, "else": "BLOCK"},
        {"metric": "f1", "class": "*", "at_least": 0.1, "else": "REVIEW"},
        {"metric": "macro_f1", "at_least": 0.9, "else": "REVIEW"},
        {"metric": "accuracy", "not_worse_by": 0.05, "else": "REVIEW"},
        {"metric": "recall", "class": "absent", "at_least": 0.9, "else": "BLOCK"},
    )
    return contracts(cases, before, after, *gates)


def endings() -> Contracts:
    """Runs that did not end well, some after something forbidden; critical, undecided ones."""
    expect = {"outcomes": {"done": True}, "forbidden": [{"name": "pay"}]}
    cases = [case(f"c{n}", critical=n < 3, risk="safety", expect=expect) for n in range(6)]
    statuses = ["error", "timeout", "limit", "ok", "ok", "error"]
    paid = [{"name": "pay", "ok": False}]
    before = [record(f"c{n}", calls=[], latency_ms=1.5) for n in range(6)]
    after = [
        record(f"c{n}", status=status, calls=paid if n == 1 else [], error="it broke", latency_ms=2)
        for n, status in enumerate(statuses)
    ]
    gates = (
        {"metric": "error_rate", "at_most": 0.1, "else": "REVIEW"},
        {"metric": "latency_ms.max", "at_most_times_baseline": 1.1, "else": "REVIEW"},
    )
    return contracts(cases, before, after, *gates, errors={"at_most": 0.1})


def bounds() -> Contracts:
    """Every bound, over slices, tags and all; shares, minimum and margin."""
    cases = [
        case(f"c{n}", slice=f"s{n % 3}", tags=[f"t{n % 2}", "all"][: n % 3], critical=n == 0,
             family_id=f"f{n // 2}")
        for n in range(12)
    ]  # fmt: skip
    tokens = {"input": 100, "output": None, "reasoning": 2**70}
    before = [record(f"c{n}", done=n % 4 != 0, latency_ms=10.0 * n, cost_usd=1e-5 * n,
                     tokens=tokens) for n in range(12)]  # fmt: skip
    after = [record(f"c{n}", done=n % 3 == 0, latency_ms=11 * n, tokens={**tokens, "input": 7})
             for n in range(12)]  # fmt: skip
    gates = (
        {"metric": "pass_rate", "not_worse_by": 0.05, "else": "REVIEW"},
        {"metric": "pass_rate", "slice": "*", "no_regression_at": 0.05, "else": "REVIEW"},
        {"metric": "mean_score", "tag": "all", "not_worse_by": 0.9, "else": "BLOCK"},
        {"metric": "paired_delta_ci_low", "at_least": -1, "else": "REVIEW"},
        {"metric": "tokens.input.mean", "at_most_times_baseline": 1.1, "else": "REVIEW"},
        {"metric": "tokens.reasoning.max", "at_most": 1e30, "else": "REVIEW"},
        {"metric": "cost_usd.p95", "at_most": 0.01, "else": "BLOCK", "if_unmeasured": "BLOCK"},
        {"metric": "latency_ms.p50", "at_most": 50.0, "else": "REVIEW"},
    )
    return contracts(
        cases, before, after, *gates,
        comparison={"margin": 0.1, "interval": "bootstrap", "unit": "case", "adjust": "none",
                    "seed": 2**70},
        minimum={"cases": 50, "power": 0.5}, critical={"at_most_rate": 0.5},
    )  # fmt: skip


def leftovers() -> Contracts:
    """Cases of another split, whose records are left aside; inputs of every kind."""
    inputs = ["a text\n", {"messages": [{"z": 1, "a": "ü"}]}, NUMBERS, 3, True, None]
    cases = [case(f"c{n}", input=of) for n, of in enumerate(inputs)]
    cases[1:1] = [case("t1", split="train"), case("t2", split="development")]
    before = [record(of["id"]) for of in cases]
    after = [record(of["id"], done=of["id"] != "c2") for of in cases if of["id"] != "t1"]
    return contracts(cases, before, after)


def no_gates() -> Contracts:
    """The critical rule alone."""
    of_cases, gates, before, after = contracts([case("c1")], [record("c1")], [record("c1")])
    return of_cases, {**gates, "gates": []}, before, after


FEATURES = {
    each.__name__: each
    for each in (trials, partial, matchers, manifests, one_manifest, outcomes, classes, endings,
                 bounds, leftovers, no_gates)
}  # fmt: skip


def write_contracts(folder: Path, of: Contracts, *, lines: bool = False) -> list[str]:
    """Writes contracts into a folder; their names."""
    names = ("dataset.json", "rubric.json", "baseline.json", "candidate.json")
    fields = ("cases", "", "records", "records")
    for name, field, value in zip(names, fields, of, strict=True):
        write(folder / name, as_lines(value, field) if lines and field else value)
    return [str(folder / name) for name in names]


def judged(folder: Path, of: Contracts, *, lines: bool = False) -> Judgement:
    """The judgement on contracts, as `compare` makes it for a report."""
    names = write_contracts(folder, of, lines=lines)
    return run(
        names[0], names[1], names[2:], baseline=None, candidate=None, strict=False,
        max_bytes=10**8, places=True,
    )  # fmt: skip
