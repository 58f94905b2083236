"""Markdown as GitHub's own parser renders it, and what a page then says outside of code."""

from __future__ import annotations

from html.parser import HTMLParser

import cmarkgfm  # type: ignore[import-untyped]
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]

_VOID = frozenset({"br", "hr", "img", "input", "wbr"})


def to_html(text: str, *, comment: bool = True) -> str:
    """HTML with raw HTML left in, as GitHub parses before it sanitises.

    Args:
        text: Markdown.
        comment: as a comment, where a line end is a line break; else as a job summary.
    """
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    if comment:
        options |= Options.CMARK_OPT_HARDBREAKS
    return str(cmarkgfm.github_flavored_markdown_to_html(text, options))


class Page(HTMLParser):
    """A page taken apart."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.links: list[str] = []
        self.code: list[str] = []
        """The texts of code elements."""
        self.prose = ""
        """All text outside of code."""
        self.rows: list[int] = []
        """Cells of each table row."""
        self.comments: list[str] = []
        self.unbalanced: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        self.unbalanced += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}
        if tag == "a":
            self.links.append(dict(attrs).get("href") or "")
        if tag == "code":
            self.code.append("")
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if "code" in self._open:
            self.code[-1] += data
        else:
            self.prose += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_decl(self, decl: str) -> None:
        self.comments.append(decl)

    def unknown_decl(self, data: str) -> None:
        self.comments.append(data)

    def handle_pi(self, data: str) -> None:
        self.comments.append(data)
