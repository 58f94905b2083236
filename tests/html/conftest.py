"""A real browser for the report. It needs Chromium (`apt-get install chromium`), playwright
and axe-playwright-python; a machine without them skips, CI (`CI=true`) fails."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.render.html import render_html
from tests.render.browser import find_chromium, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contractlab.judge import Judgement


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, started once."""
    binary = find_chromium()
    if find_spec("playwright") is None:
        missing("playwright")
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=binary, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    if find_spec("axe_playwright_python") is None:
        missing("axe-core (axe-playwright-python)")
    folder = Path(str(import_module("axe_playwright_python").__file__)).parent
    return (folder / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a judgement's report from disk; afterwards, holds that all was quiet.

    Nothing may be said on the console, and nothing but the file be asked for.
    """
    contexts: list[Any] = []
    said: list[str] = []
    asked: list[str] = []
    path = tmp_path / "report.html"

    def open_(
        judgement: Judgement,
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        script: bool = True,
        hash_: str = "",
    ) -> Any:
        path.write_text(render_html(judgement), encoding="utf-8", newline="\n")
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            java_script_enabled=script,
        )
        contexts.append(context)
        context.on("request", lambda request: asked.append(request.url))
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(f"{path.as_uri()}{hash_}")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []
    assert {url.partition("#")[0] for url in asked} == {path.as_uri()}
