"""A report page taken apart, as a browser's parser sees it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from contractlab.render.html import render_html

if TYPE_CHECKING:
    from contractlab.judge import Judgement

_VOID = frozenset({"meta", "input", "br"})
_RAW = frozenset({"script", "style"})


class Page(HTMLParser):
    """Elements, attributes and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[tuple[str, str]] = set()
        self.unbalanced: list[str] = []
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.ids: list[str] = []
        """Texts of the elements that name a case."""
        self.shown = ""
        """All text that a reader without the script sees, open or not."""
        self.island = ""
        self.policy = ""
        self._open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        self.unbalanced += [tag for tag, _ in self._open]

    @property
    def data(self) -> Any:
        """The cases as the script reads them."""
        return json.loads(self.island)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.attributes |= {(tag, name) for name in given}
        self.anchors.add(given.get("id") or "")
        if tag == "a":
            self.links.append(given.get("href") or "")
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given.get("content") or ""
        if given.get("class") == "id":
            self.ids.append("")
        if tag not in _VOID:
            self._open.append((tag, given.get("class") or given.get("id") or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop()[0] != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        tag, name = self._open[-1] if self._open else ("", "")
        if (tag, name) == ("script", "data"):
            self.island += data
        elif tag not in _RAW:
            self.shown += data
        if name == "id":
            self.ids[-1] += data

    def handle_comment(self, data: str) -> None:
        self.unbalanced.append(f"<!--{data}-->")


def page(judgement: Judgement) -> Page:
    """The report of a judgement, taken apart."""
    return Page(render_html(judgement))
