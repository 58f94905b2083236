"""Writes docs/rules.md from the rules' texts, their examples and what contractlab says to them.

`python tools/make_rules.py` writes it; `--check` only says whether it is as it should be.
"""

from __future__ import annotations

import sys
from difflib import unified_diff
from itertools import chain, zip_longest
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from contractlab.problems import Rule
from contractlab.render.escape import terminal
from contractlab.rulebook import RULES
from tools.examples import ROOT, Example, Twins, examples, run, twins, write_printed

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = ROOT / "docs" / "rules.md"
WIDTH = 88
"""Characters of an example's line that are shown."""

INTRODUCTION = """\
# Rules

Every problem that contractlab finds has a code and a name. Neither is ever changed or used again
for something else, so you can search for them, and refer to them in a review.

`contractlab explain CL301` prints the section of one rule.

{codes}

The stages stop in this order: a file whose JSON is broken is not asked about its shape. So one
mistake is one problem. All problems of a stage come in one run.

Each section shows a rejected file and its accepted twin, one edit apart, from
[fixtures/invalid](../fixtures/invalid), and what the command prints. This page is generated from
them (`python tools/make_rules.py`), and a test keeps it so.
"""


GROUPS = {
    "CL0": ("files and usage", "2"),
    "CL1": ("the JSON text", "2"),
    "CL2": ("the shape: fields, types, ranges", "2"),
    "CL3": ("what holds across records and files", "2"),
    "CL4": (
        "warnings: well-formed, and still not what you want",
        "0, or 2 under `--strict`",
    ),
}


def page() -> str:
    """The whole page."""
    by_rule = {example.rule: example for example in examples()}
    sections = [_section(rule, by_rule.get(rule)) for rule in Rule]
    return "\n".join([INTRODUCTION.format(codes="\n".join(_codes())), *sections])


def _codes() -> Iterator[str]:
    yield "| Codes | About | Exit code |"
    yield "| --- | --- | --- |"
    for group, (about, exit_code) in GROUPS.items():
        codes = [rule.code for rule in Rule if rule.code.startswith(group)]
        yield f"| {codes[0]} to {codes[-1]} | {about} | {exit_code} |"


def _section(rule: Rule, example: Example | None) -> str:
    entry = RULES[rule]
    parts = [f"## {rule.code} {rule.title}", _wrapped(entry.finds), _wrapped(f"Why: {entry.why}")]
    pair = None if example is None else twins(example)
    if pair is not None:
        parts.append(_block("diff", _diff(pair)))
    if example is not None:
        parts.append(_block("console", _session(example)))
    parts.append(_wrapped(f"Mend: {entry.mend}"))
    return "\n\n".join(parts) + "\n"


def _wrapped(text: str) -> str:
    return fill(text, WIDTH + 8, break_on_hyphens=False, break_long_words=False)


def _block(language: str, lines: Iterator[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```"])


def _session(example: Example) -> Iterator[str]:
    rejected, accepted = (
        run(each, example.folder) for each in (example.rejected, example.accepted)
    )
    if rejected.found != [example.rule.code]:
        raise ValueError(f"{example.folder.name} gives {rejected.found}")
    yield f"$ {_command(example.rejected)}"
    yield from (rejected.out + rejected.err).splitlines()
    yield f"$ echo $?\n{rejected.code}"
    if twins(example) is None:
        yield f"$ {_command(example.accepted)}"
        # A judgement is not what the example is about.
        yield from accepted.out.splitlines()[-1:]


def _command(arguments: tuple[str, ...]) -> str:
    return " ".join(("contractlab", *arguments))


def _diff(pair: Twins) -> Iterator[str]:
    ((start, end, other_start, other_end),) = pair.edits()
    places = {}
    for old, new in zip_longest(pair.rejected[start:end], pair.accepted[other_start:other_end]):
        places[f"-{old}"] = places[f"+{new}"] = _differ(old or "", new or "")
    names = (pair.name, pair.name.replace("rejected", "accepted"))
    for line in unified_diff(pair.rejected, pair.accepted, *names, n=2, lineterm=""):
        if not line.startswith("@@"):
            yield (line[0] + _shortened(line[1:], places.get(line, 0))).rstrip()


def _differ(one: str, other: str) -> int:
    """Where two texts first differ."""
    pairs = chain(
        enumerate(zip(one, other, strict=False)), [(min(len(one), len(other)), ("", "-"))]
    )
    return next(index for index, (left, right) in pairs if left != right)


def _shortened(line: str, at: int) -> str:
    """A line's start and the part round a place, in what a terminal shows."""
    if len(line) > WIDTH:
        start = line[: WIDTH // 3] + "…" if at > WIDTH - 20 else ""
        begin = max(at - WIDTH // 3, 0) if start else 0
        end = begin + WIDTH - len(start)
        line = start + line[begin:end] + ("…" if end < len(line) else "")
    return terminal(line)


def main() -> int:
    """Writes the page, or checks it: 0 where it is as it should be."""
    if "--check" not in sys.argv[1:]:
        write_printed()
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/rules.md is not what its sources say: python tools/make_rules.py")
        return 1
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
