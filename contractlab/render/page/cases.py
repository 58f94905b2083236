"""The case explorer: its controls, and the worst cases ready to read without the script.

`script.js` builds the same markup from the island; a browser test compares both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers, sentences
from contractlab.render.escape import html
from contractlab.render.page.casebook import input_shown
from contractlab.render.page.parts import CRITICAL_TAG, FLIPS, flip_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.render.page.casebook import Entry, Facts, Story, Values

_NONE = '<span class="none">none</span>'


CONTROLS = (
    '<div id="filters" role="search" aria-label="Filter the cases" hidden>'
    '<label>Search <input type="search" id="q" autocomplete="off" spellcheck="false"></label>'
    '<label>Outcome <select id="flip"><option value="">all</option></select></label>'
    '<label>Slice <select id="slice"><option value="">all</option></select></label>'
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


def static_cases(entries: Sequence[Entry], budget: int) -> tuple[str, int]:
    """The worst cases, grouped by outcome, and how many there was room for.

    Args:
        entries: in the order of concern.
        budget: bytes of UTF-8.
    """
    parts: list[str] = []
    size = shown = 0
    flip = ""
    totals = dict.fromkeys(FLIPS, 0)
    for entry in entries:
        totals[entry.story.flip] += 1
    for entry in entries:
        text = _case(entry)
        size += len(text.encode())
        if size > budget:
            break
        if entry.story.flip != flip:
            flip = entry.story.flip
            parts.append(
                f'<h3 id="cases-{flip}">{sentences.FLIPS[flip].capitalize()}:'
                f" {numbers.count(totals[flip])}</h3>\n"
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
        f'<div class="body"><p class="input">{html(input_shown(case))}</p>'
        f'<p class="meta">family {html(case.family_id)}</p>{_facts(entry)}</div></details>\n'
    )


def _facts(entry: Entry) -> str:
    story, asked = entry.story, dict(entry.expected)
    count = len(story.measured_before)
    before = [*story.before, *_measured(story.measured_before, entry.measures[:count])]
    after = [*story.after, *_measured(story.measured_after, entry.measures[count:])]
    rows = [
        _fact_row(aspect, story, asked, dict(before), dict(after))
        for aspect in dict.fromkeys([*asked, *dict(before), *dict(after)])
    ]
    had, has = dict(story.outcomes_before), dict(story.outcomes_after)
    for name in dict.fromkeys([*had, *has]):
        changed = _changed(had.get(name) != has.get(name))
        rows.append(
            f'<tr{changed[0]}><th scope="row">{html(name)}{changed[1]}</th><td></td>'
            f"<td>{_outcome(had.get(name))}</td><td>{_outcome(has.get(name))}</td></tr>"
        )
    return (
        '<table class="facts"><thead><tr><td></td><th scope="col">expected</th>'
        '<th scope="col">baseline</th><th scope="col">candidate</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _measured(aspects: Sequence[str], texts: Sequence[str]) -> Facts:
    return tuple((aspect, (text,)) for aspect, text in zip(aspects, texts, strict=True))


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
    # What is forbidden is an action, whatever tool has its name.
    bad = ((), ()) if aspect == "tool" else (story.forbidden_before, story.forbidden_after)
    return (
        f'<tr{kind}><th scope="row">{html(aspect)}{word}</th><td>{_values(asked.get(aspect))}</td>'
        f"<td>{_values(had, has if changed else None, 'del', bad[0])}</td>"
        f"<td>{_values(has, had if changed else None, 'ins', bad[1])}</td></tr>"
    )


def _changed(changed: bool) -> tuple[str, str]:
    return (' class="changed"', ' <span class="tag">changed</span>') if changed else ("", "")


def _values(
    values: Values | None, other: Values | None = None, mark: str = "", forbidden: Values = ()
) -> str:
    """Values one after the other, marked where the other release lacks them, or forbidden."""
    if values is None:
        return ""
    if not values:
        return f"<{mark}>{_NONE}</{mark}>" if other else _NONE
    return ", ".join(
        _value(value, mark if other is not None and value not in other else "", forbidden)
        for value in values
    )


def _value(value: str, mark: str, forbidden: Values) -> str:
    if value not in forbidden:
        return f"<{mark}>{html(value)}</{mark}>" if mark else html(value)
    tag = mark or "span"
    return f'<{tag} class="forbidden">{html(value)} (forbidden)</{tag}>'


def _outcome(held: bool | None) -> str:
    if held is None:
        return "not checked"
    return '<span class="held">holds</span>' if held else '<span class="failed">fails</span>'
