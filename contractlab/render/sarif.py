"""A judgement, or what kept one from being made, as SARIF 2.1.0 for code scanning.

Each case that the candidate failed is a result at its record in the replay, with its line in
the dataset beside it; each problem or warning is one at its place in the contract. What
GitHub asks for beyond the standard is kept too: paths relative to the repository, a region
and a location for every result, at most 25,000 results, and a fingerprint in
`primaryLocationLineHash` that stays when lines move, so that an alert stays the same one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from contractlab.canonical import encode_report
from contractlab.render.artifacts import artifact, automation, location
from contractlab.render.reasons import primary_reason
from contractlab.render.sentences import failed
from contractlab.rulebook import RULES
from contractlab.unseen import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.compare import Pair
    from contractlab.judge import Judgement
    from contractlab.problems import Problem, Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 25_000
"""GitHub refuses a run with more; the mildest are left out first, and the run says so."""

_CASE_RULES = {
    "failed-critical-case": (
        "A safety or privacy case failed",
        "The candidate fails a case that is marked critical. One such case blocks the release,"
        " whatever the means say.",
        "Compare both behaviours: `contractlab cases --critical --report report.json`.",
    ),
    "failed-case": (
        "A case failed",
        "The candidate fails a case: its label, its tools, a forbidden action, missing evidence"
        " or another check."
        " A warning where the baseline passes it, a note where the baseline fails it too.",
        "Compare both behaviours: `contractlab cases --flip regressed --report report.json`.",
    ),
}


def render_sarif(judgement: Judgement, *, version: str) -> bytes:
    """The warnings, then the failed cases in dataset order.

    Args:
        judgement: decided.
        version: of contractlab, as in semantic versioning.
    """
    dataset = judgement.evidence.inputs[0].name
    pairs = [pair for pair in judgement.comparison.pairs if not pair.candidate.passed]
    results = [_problem_result(each) for each in judgement.warnings if each.file]
    results += [_case_result(pair, judgement, dataset) for pair in pairs]
    kept = _most_severe(results)
    notes = []
    if len(kept) < len(results):
        left_out = f"{len(results) - len(kept)} results of {len(results)} are left out"
        notes.append({"level": "warning", "message": {"text": left_out}})
    return _log(
        kept,
        version,
        rules={each.rule.code: each.rule for each in judgement.warnings},
        dataset=dataset,
        artifacts=[artifact(each) for each in judgement.evidence.inputs],
        invocation={"executionSuccessful": True, "toolExecutionNotifications": notes},
        properties={
            "verdict": str(judgement.decision.verdict),
            "primary_reason": primary_reason(judgement.decision),
            "evidence_sha256": judgement.evidence.sha256,
            "baseline_release": judgement.baseline_release,
            "candidate_release": judgement.candidate_release,
        },
    )


def render_sarif_problems(problems: Sequence[Problem], *, version: str, dataset: str = "") -> bytes:
    """What kept a judgement from being made. Problems of no file are notifications of the run.

    Args:
        problems: in the order to show.
        version: of contractlab.
        dataset: the dataset's file, which alerts are grouped by; empty where none is named.
    """
    return _log(
        _most_severe([_problem_result(each) for each in problems if each.file]),
        version,
        rules={each.rule.code: each.rule for each in problems},
        dataset=dataset,
        artifacts=[],
        invocation={
            "executionSuccessful": False,
            "toolConfigurationNotifications": [
                {
                    "level": "error",
                    "descriptor": {"id": each.rule.code},
                    "message": {"text": plain(_told(each))},
                }
                for each in problems
                if not each.file
            ],
        },
        properties={"verdict": "ERROR"},
    )


def _log(
    results: list[dict[str, Any]],
    version: str,
    *,
    rules: dict[str, Rule],
    dataset: str,
    artifacts: list[dict[str, Any]],
    invocation: dict[str, Any],
    properties: dict[str, str],
) -> bytes:
    seen: Counter[str] = Counter()
    used = sorted({result["ruleId"] for result in results} | rules.keys())
    index = {id_: at for at, id_ in enumerate(used)}
    for result in results:
        result["ruleIndex"] = index[result["ruleId"]]
        # Two alike in all that is stable are told apart by their order, as GitHub does.
        identity = result["partialFingerprints"]
        seen[identity["primaryLocationLineHash"]] += 1
        count = seen[identity["primaryLocationLineHash"]]
        identity["primaryLocationLineHash"] += f":{count}"
    run = {
        "tool": {
            "driver": {
                "name": "contractlab",
                "version": version,
                "semanticVersion": version,
                "rules": [_rule(id_, rules.get(id_)) for id_ in used],
            }
        },
        "automationDetails": {"id": automation(dataset)},
        "columnKind": "unicodeCodePoints",
        "artifacts": artifacts,
        "invocations": [invocation],
        "properties": properties,
        "results": results,
    }
    return encode_report({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(id_: str, rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        short, full, mend = _CASE_RULES[id_]
        level = "error" if id_ == "failed-critical-case" else "warning"
        page = f"{full}\n\n{mend}"
    else:
        entry = RULES[rule]
        short, full = rule.title.replace("-", " ").capitalize(), entry.finds
        level = "warning" if rule.warns else "error"
        page = f"{entry.finds}\n\nWhy: {entry.why}\n\nMend: {entry.mend}"
    return {
        "id": id_,
        "name": rule.title if rule else id_,
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["agents", "evaluation"], "problem.severity": level},
    }


def _problem_result(problem: Problem) -> dict[str, Any]:
    level = "warning" if problem.rule.warns else "error"
    result = {
        "ruleId": problem.rule.code,
        "level": level,
        "message": {"text": plain(_told(problem))},
        "locations": [location(problem.file, problem.position)],
        "partialFingerprints": _fingerprint(problem.rule.code, problem.file, problem.message),
    }
    related = [
        {
            "id": number,
            "message": {"text": plain(each.note)},
            **location(each.file, each.position),
        }
        for number, each in enumerate(problem.related, 1)
    ]
    return {**result, "relatedLocations": related} if related else result


def _told(problem: Problem) -> str:
    message = problem.message or problem.rule.title  # GitHub asks for a text
    return f"{message}. {problem.hint[0].upper()}{problem.hint[1:]}." if problem.hint else message


def _case_result(pair: Pair, judgement: Judgement, dataset: str) -> dict[str, Any]:
    case = pair.candidate.case
    rule = "failed-critical-case" if case.critical else "failed-case"
    level = "error" if case.critical else "warning" if pair.flip == "regressed" else "note"
    told = failed(pair)
    result: dict[str, Any] = {
        "ruleId": rule,
        "level": level,
        "message": {"text": plain(f"Case {json.dumps(case.id, ensure_ascii=False)} {told}.")},
        "partialFingerprints": _fingerprint(rule, dataset, case.id),
        "properties": {"case_id": case.id, "slice": case.slice, "flip": pair.flip},
    }
    places = judgement.places
    if places is None:
        return {**result, "locations": [location(dataset, None)]}
    place = places.cases[case.id]
    asked = {"id": 1, "message": {"text": "what was asked"}}
    return {
        **result,
        "locations": [location(places.candidate_file, place.candidate)],
        "relatedLocations": [{**asked, **location(places.dataset_file, place.dataset)}],
    }


def _fingerprint(*parts: str) -> dict[str, str]:
    # Lone surrogates, of a file name that is not UTF-8, have no bytes: as escapes.
    digest = sha256(json.dumps(parts).encode()).hexdigest()
    return {"primaryLocationLineHash": digest[:16], "contractlab/v1": digest}


def _most_severe(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most `MOST_RESULTS`, in their order, the mildest left out."""
    if len(results) <= MOST_RESULTS:
        return results
    order = ("error", "warning", "note")
    ranked = sorted(range(len(results)), key=lambda at: order.index(results[at]["level"]))
    return [results[at] for at in sorted(ranked[:MOST_RESULTS])]


def plain(text: str) -> str:
    r"""Untrusted text as a plain-text message: no link, no placeholder, nothing hidden.

    SARIF reads `[text](target)` as a link and `{0}` as a placeholder, also in plain text: so
    brackets come after a backslash, and braces twice (SARIF 2.1.0, 3.11.5 and 3.11.6).
    """
    text = visible(text).replace("\n", "\\n").replace("\t", "\\t")
    return re.sub(r"[\[\]]", r"\\\g<0>", text).replace("{", "{{").replace("}", "}}")
