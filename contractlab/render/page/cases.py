"""The case explorer: its controls, and the worst cases ready to read without the script.

`script.js` builds the same markup from the island; a browser test compares both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers, sentences
from contractlab.render.behaviour import MEASURED
from contractlab.render.escape import html
from contractlab.render.page.casebook import input_shown
from contractlab.render.page.parts import CRITICAL_TAG, flip_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.model import Case
    from contractlab.render.page.casebook import Casebook, Entry, Facts, Outcomes, Story, Values

_NONE = '<span class="none">none</span>'
_NOT_RECORDED = '<span class="none">no such trial</span>'
LISTED = ("calls",)
"""Aspects whose values stand one below the other: they are long, and their order counts."""

CONTROLS = (
    '<div id="filters" role="search" aria-label="Filter the cases" hidden>'
    '<label>Search <input type="search" id="q" autocomplete="off" spellcheck="false"></label>'
    '<label>Outcome <select id="flip"><option value="">all</option></select></label>'
    '<label>Slice <select id="slice"><option value="">all</option></select></label>'
    '<label>Tag <select id="tag"><option value="">all</option></select></label>'
    '<label>Check <select id="check"><option value="">all</option></select></label>'
    '<label class="box"><input type="checkbox" id="critical"> critical only</label>'
    '<button type="button" id="reset">Clear filters</button></div>'
    '<p id="count" role="status" hidden></p>'
    '<div id="explorer" hidden></div>'
    '<nav id="pages" aria-label="Pages of cases" hidden>'
    '<button type="button" id="previous">Previous</button> <span id="page"></span> '
    '<button type="button" id="next">Next</button></nav>'
)
"""The filters; the script fills them, and nothing shows of them without it."""


def static_cases(book: Casebook, budget: int) -> tuple[str, int]:
    """The worst cases, grouped by outcome, and how many there was room for.

    Args:
        book: in the order of concern.
        budget: bytes of UTF-8.
    """
    parts: list[str] = []
    size = shown = 0
    flip = ""
    for place in range(len(book)):
        entry = book[place]
        text = _case(entry)
        size += len(text.encode())
        if size > budget:
            break
        if entry.story.flip != flip:
            flip = entry.story.flip
            parts.append(
                f'<h3 id="cases-{flip}">{sentences.FLIPS[flip].capitalize()}:'
                f" {numbers.count(book.counts[flip])}</h3>\n"
            )
        parts.append(text)
        shown += 1
    return f'<div id="static">{"".join(parts)}</div>', shown


def _case(entry: Entry) -> str:
    case, story = entry.case, entry.story
    critical = CRITICAL_TAG if case.critical else ""
    words = f'<span class="what">{html(story.words)}</span>' if story.words else ""
    return (
        f'<details class="case"><summary>{flip_tag(story.flip)}'
        f'<span class="id">{html(case.id)}</span><span class="slice">{html(case.slice)}</span>'
        f"{critical}{words}</summary>"
        f'<div class="body">{_input(case)}{_meta(case)}{_facts(entry)}{_runs(story)}</div>'
        "</details>\n"
    )


def _input(case: Case) -> str:
    return f'<p class="input">{html(input_shown(case))}</p>' if case.input else ""


def _meta(case: Case) -> str:
    parts = [f"family {html(case.family_id)}"]
    if case.tags:
        parts.append(f"tags {html(', '.join(case.tags))}")
    if case.risk:
        parts.append(f"risk {html(case.risk)}")
    return f'<p class="meta">{"; ".join(parts)}</p>'


def _facts(entry: Entry) -> str:
    story, asked = entry.story, dict(entry.expected)
    count = len(MEASURED)
    before = dict((*(story.before or ()), *_measured(entry.measures[:count])))
    after = dict((*(story.after or ()), *_measured(entry.measures[count:])))
    rows = [
        _fact_row(aspect, story, asked, before, after)
        for aspect in dict.fromkeys([*asked, *before, *after])
    ]
    had, has = _by_name(story.outcomes_before), _by_name(story.outcomes_after)
    for name in dict.fromkeys([*had, *has]):
        changed = _changed(not _same(had.get(name), has.get(name)))
        rows.append(
            f'<tr{changed[0]}><th scope="row">check {html(name)}{changed[1]}</th><td></td>'
            f"<td>{_outcome(had.get(name))}</td><td>{_outcome(has.get(name))}</td></tr>"
        )
    heads = "".join(
        f'<th scope="col">{title}{f", {trial}" if trial else ""}</th>'
        for title, trial in zip(("baseline", "candidate"), story.shown, strict=True)
    )
    return (
        '<table class="facts"><thead><tr><td></td><th scope="col">expected</th>'
        f"{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _runs(story: Story) -> str:
    """What came of each trial; empty where there is one of each release."""
    if not story.runs:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{html(trial)}</th>'
        f"<td>{html(before) or _NOT_RECORDED}</td><td>{html(after) or _NOT_RECORDED}</td></tr>"
        for trial, before, after in story.runs
    )
    return (
        '<table class="runs"><thead><tr><th scope="col">trial</th><th scope="col">baseline</th>'
        f'<th scope="col">candidate</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _measured(texts: Sequence[str]) -> Facts:
    return tuple((aspect, (text,)) for aspect, text in zip(MEASURED, texts, strict=True))


def _by_name(outcomes: Outcomes) -> dict[str, tuple[int, int]]:
    return {name: (held, runs) for name, held, runs in outcomes}


def _same(one: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    """Whether a check holds in as large a share of the runs."""
    if one is None or other is None:
        return one is other
    return one[0] * other[1] == other[0] * one[1]


def _fact_row(
    aspect: str,
    story: Story,
    asked: dict[str, Values],
    before: dict[str, Values],
    after: dict[str, Values],
) -> str:
    changed = aspect in story.changed
    kind, word = _changed(changed)
    had, has = before.get(aspect), after.get(aspect)
    # What is forbidden is a call or an action, whatever tool or label has its name.
    done = aspect in ("calls", "actions")
    bad = (story.forbidden_before, story.forbidden_after) if done else ((), ())
    listed = aspect in LISTED
    wanted = asked.get(aspect)
    ways = listed and wanted is not None and len(wanted) > 1
    return (
        f'<tr{kind}><th scope="row">{html(aspect)}{word}</th>'
        f"<td>{'one of: ' if ways else ''}{_values(wanted, listed=ways)}</td>"
        f"<td>{_values(had, has if changed else None, 'del', bad[0], listed=listed)}</td>"
        f"<td>{_values(has, had if changed else None, 'ins', bad[1], listed=listed)}</td></tr>"
    )


def _changed(changed: bool) -> tuple[str, str]:
    return (' class="changed"', ' <span class="tag">changed</span>') if changed else ("", "")


def _values(
    values: Values | None,
    other: Values | None = None,
    mark: str = "",
    forbidden: Values = (),
    *,
    listed: bool = False,
) -> str:
    """Values one after the other, marked where the other release lacks them, or forbidden."""
    if values is None:
        return ""
    if not values:
        return f"<{mark}>{_NONE}</{mark}>" if other else _NONE
    marked = [
        _value(value, mark if other is not None and value not in other else "", forbidden)
        for value in values
    ]
    return f"<ol><li>{'</li><li>'.join(marked)}</li></ol>" if listed else ", ".join(marked)


def _value(value: str, mark: str, forbidden: Values) -> str:
    if value not in forbidden:
        return f"<{mark}>{html(value)}</{mark}>" if mark else html(value)
    tag = mark or "span"
    return f'<{tag} class="forbidden">{html(value)} (forbidden)</{tag}>'


def _outcome(held: tuple[int, int] | None) -> str:
    """`holds`, `fails`; of several trials also in how many."""
    if held is None:
        return "not checked"
    count, runs = held
    of = f" in {runs - count:,} of {runs:,}" if runs > 1 and count < runs else ""
    kind, word = ("held", "holds") if count == runs else ("failed", "fails")
    return f'<span class="{kind}">{word}{of}</span>'
