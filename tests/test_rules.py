"""Every rule has texts, a rejected example with its accepted twin, and a section of the page."""

from __future__ import annotations

import os
import re

import pytest

from contractlab.problems import Rule
from contractlab.rulebook import RULES
from tools import make_rules
from tools.examples import ROOT, Example, examples, run, twins

EXAMPLES = examples()
BY_RULE = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.folder.name)
LONGEST_EDIT = 9
"""Lines of the largest edit: a whole record more or less."""


def test_every_rule_has_one_example_and_every_example_a_rule() -> None:
    assert [example.rule for example in EXAMPLES] == list(Rule)


def test_every_rule_has_its_texts() -> None:
    assert list(RULES) == list(Rule)
    for entry in RULES.values():
        for text in entry:
            assert text.endswith(".")
            assert text[0].isupper() or text[0] == "`"


@BY_RULE
def test_the_rejected_one_gives_its_problem_and_no_other(example: Example) -> None:
    _skip_where_the_system_answers_otherwise(example)
    result = run(example.rejected, example.folder)
    assert result.found == [example.rule.code]
    assert result.code == (0 if example.rule.warns else 2)


@BY_RULE
def test_the_accepted_twin_gives_no_problem(example: Example) -> None:
    result = run(example.accepted, example.folder)
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize(
    "example",
    [each for each in EXAMPLES if each.rejected[0] == "validate"],
    ids=lambda example: example.folder.name,
)
def test_under_strict_a_warning_is_a_problem_too(example: Example) -> None:
    _skip_where_the_system_answers_otherwise(example)
    assert run((*example.rejected, "--strict"), example.folder).code == 2
    assert run((*example.accepted, "--strict"), example.folder).code == 0


@BY_RULE
def test_the_twins_are_one_edit_apart(example: Example) -> None:
    pair = twins(example)
    if pair is None:
        shorter, longer = sorted((example.rejected, example.accepted), key=len)
        changed = [one != other for one, other in zip(shorter, longer, strict=False)]
        assert sum(changed) + (len(longer) - len(shorter)) // 2 == 1
    else:
        assert example.rejected == tuple(
            f"rejected{word.removeprefix('accepted')}" if word.startswith("accepted.") else word
            for word in example.accepted
        )
        ((start, end, other_start, other_end),) = pair.edits()
        assert max(end - start, other_end - other_start) <= LONGEST_EDIT


@pytest.mark.skipif(os.name == "nt", reason="the page shows what POSIX says of CL004's example")
def test_the_page_is_what_its_sources_say() -> None:
    assert make_rules.PAGE.read_bytes().decode() == make_rules.page(), (
        "run: python tools/make_rules.py"
    )


@pytest.mark.parametrize("rule", Rule, ids=lambda rule: rule.code)
def test_explain_prints_the_section_of_one_rule(rule: Rule) -> None:
    result = run(("explain", rule.code.lower()), ROOT)
    assert result.code == 0
    assert result.out.startswith(f"## {rule.code} {rule.title}\n")
    assert re.findall(r"^## ", result.out, re.MULTILINE) == ["## "]
    assert "\nMend: " in result.out


def test_explain_takes_a_name_for_a_code() -> None:
    by_name, by_code = (run(("explain", each), ROOT) for each in _SPELLINGS)
    assert by_name == by_code


_SPELLINGS = ("family-leakage", "CL301")


def _skip_where_the_system_answers_otherwise(example: Example) -> None:
    if example.posix and os.name == "nt":
        pytest.skip("Windows calls this a file that is not there")
