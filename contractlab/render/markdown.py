"""A judgement as Markdown: a plain first version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.render.text import render_text

if TYPE_CHECKING:
    from contractlab.judge import Judgement


def render_markdown(judgement: Judgement) -> str:
    """The verdict, its reasons, and the figures as preformatted text."""
    return f"## contractlab: {judgement.decision.verdict}\n\n```text\n{render_text(judgement)}```\n"
