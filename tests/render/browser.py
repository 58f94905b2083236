"""A comment in Chromium, in the style that GitHub publishes, and what can be measured there."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.render.rendered import to_html

ROOT = Path(__file__).resolve().parents[2]
STYLE = "github-markdown-css"
STYLE_VERSION = "5.9.0"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MEASURE = """
const body = document.querySelector('.markdown-body');
const box = body.getBoundingClientRect();
const inner = box.right - parseFloat(getComputedStyle(body).paddingRight);
document.documentElement.dataset.found = JSON.stringify({
  width: box.width,
  page: document.documentElement.scrollWidth,
  tables: [...document.querySelectorAll('table')].map(table => ({
    overflow: table.scrollWidth - table.clientWidth,
    columns: table.rows[0].cells.length,
    first: table.rows[0].cells[0].innerText,
  })),
  outside: [...body.querySelectorAll('*')]
    .filter(each => !each.closest('table') && each.getBoundingClientRect().right > inner + 1)
    .map(each => each.outerHTML.slice(0, 200)),
  height: [...body.children].slice(0, 2).at(-1).getBoundingClientRect().bottom - box.top,
  requests: performance.getEntriesByType('resource').length,
});
"""


def missing(what: str) -> NoReturn:
    """Skips on a newcomer's machine; fails where everything is to be checked."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is not here, and CI checks everything")
    pytest.skip(f"{what} is not here")


def find_chromium() -> str:
    """The browser's program."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    return found or missing("Chromium")


def find_style(folder: Path) -> Path:
    """The folder of the npm package with GitHub's style, installed into one where it is not."""
    for root in (ROOT, folder):
        if (root / "node_modules" / STYLE).is_dir():
            return root / "node_modules" / STYLE
    npm = shutil.which("npm")
    if npm is None:
        missing(f"npm, for {STYLE}")
    package = f"{STYLE}@{STYLE_VERSION}"
    options = ["--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", "--no-save"]
    done = subprocess.run([npm, "install", *options, package], check=False, capture_output=True)
    if done.returncode:
        missing(f"the npm package {package}")
    return folder / "node_modules" / STYLE


def measured(
    text: str, *, chromium: str, style: Path, width: int, theme: str = "light", opened: bool = False
) -> Any:
    """Sizes of a comment on a page of so many pixels.

    Args:
        text: Markdown.
        chromium: the program.
        style: folder of the style sheets.
        width: of the window; the comment has GitHub's margins in it.
        theme: `light` or `dark`.
        opened: every fold is opened.
    """
    body = to_html(text)
    if opened:
        body = body.replace("<details>", "<details open>")
    css = (style / f"github-markdown-{theme}.css").read_text(encoding="utf-8")
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>comment</title>'
        f"<style>{css} body {{margin: 8px; width: {width - 16}px}}"
        " .markdown-body {padding: 16px; box-sizing: border-box; font-size: 14px;"
        " overflow-wrap: break-word}</style>"
        f'<article class="markdown-body">{body}</article><script>{_MEASURE}</script>'
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "comment.html")
        file.write_text(page, encoding="utf-8")
        arguments = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium has no sandbox for root
        done = subprocess.run(
            [
                chromium,
                *arguments,
                f"--user-data-dir={folder}/profile",
                f"--window-size={max(width, 500)},1000",
                "--dump-dom",
                file.as_uri(),
            ],
            check=True,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=180,
        )
    found = re.search(r'data-found="([^"]*)"', done.stdout)
    if found is None:
        raise RuntimeError(f"the page was not measured: {done.stderr[-500:]}")
    return json.loads(html.unescape(found[1]))
