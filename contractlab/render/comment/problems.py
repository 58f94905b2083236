"""Problems as Markdown: what a pull request is told where nothing could be judged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from contractlab.render.comment.budget import COMMENT, taken
from contractlab.render.comment.layout import left_out
from contractlab.render.escape import markdown, markdown_prose
from contractlab.render.problems import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.problems import Position, Problem
    from contractlab.render.comment.budget import Budget

_CLOSING_ROOM = 2_000


def render_problems_markdown(
    problems: Sequence[Problem],
    *,
    budget: Budget = COMMENT,
    details_url: str | None = None,
    blob_base: str | None = None,
    lead: str = "The contracts have to be mended first.",
) -> str:
    """The report of a contract error: nothing was judged, and why.

    Args:
        problems: in file order, at least one.
        budget: how large it may be.
        details_url: where the whole list is, such as the run's page.
        blob_base: address of the folder that file names start from, at the judged commit, such
            as `https://github.com/owner/name/blob/<sha>`. Places become links to it.
        lead: what stands in the way, where it is not the contracts; Markdown of ours.
    """
    items = taken(
        (problem_item(problem, blob_base=blob_base) for problem in problems),
        most=budget.folded,
        room=budget.limit - _CLOSING_ROOM,
        budget=budget,
    )
    more = left_out(len(problems) - len(items), "problem", whole_report(details_url))
    return (
        f"### ❌ ERROR: nothing was judged ({summary(problems, strict=True)})\n\n"
        f"**{lead}** There is no verdict on the candidate,"
        " neither good nor bad.\n\n"
        f"{''.join(items)}{more}"
    )


def problem_item(problem: Problem, *, blob_base: str | None) -> str:
    """A problem as a list item: where, what, and the way out."""
    rule = problem.rule
    where = _place(problem.file, problem.position, blob_base)
    lines = [
        f"- **{rule.code} {rule.title}**{f' at {where}' if where else ''}",
        markdown_prose(problem.message),
        *(
            f"{markdown_prose(each.note)}: {_place(each.file, each.position, blob_base)}"
            for each in problem.related[:3]
        ),
    ]
    if problem.hint:
        lines.append(f"Help: {markdown_prose(problem.hint)}")
    return "\\\n  ".join(lines) + "\n"


def whole_report(details_url: str | None) -> str:
    """Where everything is, as the end of `more are in`."""
    if details_url is None:
        return "the JSON report"
    return f"[the whole report]({_address(details_url)})"


def _place(file: str, position: Position | None, blob_base: str | None) -> str:
    if not file:
        return ""
    lines = f":{position.line}:{position.column}" if position else ""
    text = markdown(f"{file}{lines}")
    if blob_base is None or not _linkable(file):
        return text
    anchor = f"#L{position.line}" if position else ""
    return f"[{text}]({_address(blob_base.rstrip('/'))}/{quote(file, errors='replace')}{anchor})"


def _linkable(file: str) -> bool:
    """Whether a name leads down from the folder, and not out of it or to another one."""
    steps = file.split("/")
    return not re.match(r"[A-Za-z]:", file) and "\\" not in file and not {"", ".."} & set(steps)


def _address(url: str) -> str:
    # No parenthesis, space or angle bracket that would end the link.
    return quote(url, safe=":/?#&=%~+,;@")
