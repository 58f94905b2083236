"""Markup that several parts of the report share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render import numbers, sentences
from contractlab.render.escape import html

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FLIPS = tuple(sentences.FLIPS)
_LINE = 12
CRITICAL_TAG = '<span class="tag critical">critical</span>'


def flip_tag(flip: str) -> str:
    """A flip as a label whose meaning is its words."""
    return f'<span class="tag {flip}">{sentences.FLIPS[flip]}</span>'


def verdict_tag(verdict: str, before: str = "") -> str:
    """What a gate led to, as a label; `before` stands in it."""
    return f'<span class="tag {verdict.lower()}">{before}{verdict}</span>'


def section(anchor: str, title: str, *content: str) -> str:
    """A part of the report under its heading."""
    return (
        f'<section id="{anchor}" aria-labelledby="{anchor}-title">'
        f'<h2 id="{anchor}-title">{title}</h2>{"".join(content)}</section>\n'
    )


def table(caption: str, head: Sequence[str], rows: Iterable[str], *, kind: str = "") -> str:
    """A table that scrolls in itself; `caption`, `head` and `rows` are markup."""
    columns = "".join(f'<th scope="col">{each}</th>' if each else "<td></td>" for each in head)
    return scrolled(
        caption,
        f'<table class="{kind}"><caption>{caption}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{''.join(rows)}</tbody></table>",
    )


def scrolled(name: str, content: str) -> str:
    """What may be wider than a narrow screen.

    It can be focused, so that the keyboard reaches what is cut off.
    """
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">{content}</div>'


def row(head: str, *cells: str, kind: str = "") -> str:
    """A table row: its heading, then cells of markup."""
    attribute = f' class="{kind}"' if kind else ""
    return f'<tr{attribute}><th scope="row">{head}</th><td>{"</td><td>".join(cells)}</td></tr>'


def filter_link(query: str, text: str, *, anchor: str = "cases", name: str = "") -> str:
    """A link to the cases that a filter leaves; to their group or list without a script.

    Args:
        query: the filter, URL-encoded: `flip=regressed`.
        text: markup.
        anchor: where it leads without a script.
        name: accessible name where the text alone says too little; markup.
    """
    label = f' aria-label="{name}"' if name else ""
    return f'<a href="#{anchor}" data-filter="{query}"{label}>{text}</a>'


def more(hidden: int, what: str, where: str) -> str:
    """A note on what a list leaves out; empty where it leaves out nothing."""
    if hidden <= 0:
        return ""
    return f'<p class="note">{numbers.count(hidden)} more {what} {where}.</p>'


def limit(text: str) -> str:
    """A gate's limit, raw: a short one stays on one line, such as `≤ 6,000 ms`."""
    return f'<span class="unbroken">{html(text)}</span>' if len(text) <= _LINE else html(text)


def code(text: str) -> str:
    """A raw text as a literal."""
    return f"<code>{html(text)}</code>"
