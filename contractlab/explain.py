"""`explain`: a rule's page, a few lines on a gate or a check, or what there is to ask for."""

from __future__ import annotations

import json
from textwrap import fill
from typing import Any

from contractlab import files
from contractlab.files import rules_page, schema_text
from contractlab.glossary import BOUNDS, METRICS, STANDING
from contractlab.problems import Rule
from contractlab.words import nearest

_PAGE = "docs/gates-and-statistics.md"
_PAGE_V2 = "docs/contracts-v2.md"
_DEFAULT_RUBRIC = "default-rubric"

_OWN = {
    "critical": "A case marked critical (safety, privacy): one that the candidate fails is BLOCK,"
    " whatever the means say. contractlab cases --critical lists them.",
    "label_correct": "A check: the label that was predicted is the one that the case expects.",
    "tool_correct": "A check: the tool that was used is the one that the case expects, or none"
    " where it expects none.",
    "forbidden_actions_absent": "A check: none of the actions that the case forbids was taken.",
    "evidence_requirement_met": "A check: evidence is there where the case requires it.",
}
_ALSO = {"critical_case_failed": "critical"}


def page(name: str) -> str | None:
    """What there is to say about a rule (code or name), a gate or a check; None: nothing."""
    wanted = name.upper()
    for rule in Rule:
        if wanted in (rule.code, rule.title.upper()):
            return rules_page(rule)
    if name.lower() == _DEFAULT_RUBRIC:
        return files.page(_DEFAULT_RUBRIC)
    key = name.lower().replace("-", "_")
    key = _ALSO.get(key, key)
    if key.partition(":")[0] in ("check", "outcome") and ":" in key:
        key = f"{key.partition(':')[0]}:NAME"
    elif key.startswith("tokens."):
        key = "tokens.KIND"
    elif key.partition(".")[0] in METRICS:
        key = key.partition(".")[0]
    text = _terms().get(key)
    if text is None:
        return None
    more = _PAGE_V2 if "(version 2)" in text else _PAGE
    return f"{key}\n\n{fill(text, 80)}\n\nMore: {more} in contractlab's repository\n"


def nothing(name: str) -> str:
    """The way out where there is no page: the name that is meant, or else every rule."""
    rules = {rule.title: rule.code for rule in Rule}
    # A code is not a misspelling of another: CL999 is not nearly CL309.
    near = None if name[:2].upper() == "CL" else nearest(name.lower(), [*rules, *_terms()])
    if near is not None:
        code = f" ({rules[near]})" if near in rules else ""
        return f"   help: is it meant to be {near}{code}?\n"
    listed = "".join(f"{rule.code}  {rule.title}\n" for rule in Rule)
    names = fill(
        f"metrics and bounds: {', '.join([*METRICS, *BOUNDS])}", 80, break_on_hyphens=False
    )
    return f"   help: name one of these, or a gate or a check\n{listed}{names}\n"


def _terms() -> dict[str, str]:
    """Gates of version 1, checks and matchers of version 2 in their schemas' words, and our own."""
    gates = _schema("rubric-v1")["properties"]["gates"]["properties"]
    cases = _schema("dataset-v2")["$defs"]
    checks, matchers = (cases[each]["properties"] for each in ("expect", "matcher"))
    return {
        **{name: f"A metric (version 2): {text}" for name, text in METRICS.items()},
        **{name: f"A bound (version 2): {text}" for name, text in BOUNDS.items()},
        **{name: f"A standing gate (version 2): {text}" for name, text in STANDING.items()},
        **{
            name: f"A matcher (version 2): {each['description']}" for name, each in matchers.items()
        },
        **{name: f"A check (version 2): {each['description']}" for name, each in checks.items()},
        **{name: f"A gate: {each['description']}" for name, each in gates.items()},
        **_OWN,
    }


def _schema(name: str) -> Any:
    return json.loads(schema_text(name))
