"""action.yml, the workflows and the examples of the docs, as data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from contractlab.defaults import WORKFLOW

ROOT = Path(__file__).resolve().parents[2]
ACTION_FILE = ROOT / "action.yml"
DOCS = (ROOT / "docs" / "action.md").read_text(encoding="utf-8")
HOOK_DOCS = (ROOT / "docs" / "hook.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def load(text: str) -> Any:
    # YAML 1.1 reads the key `on` as true.
    return yaml.load(re.sub(r"^on:", '"on":', text, flags=re.MULTILINE), Loader=yaml.BaseLoader)


def blocks(text: str) -> list[str]:
    """Every YAML block of a page."""
    return re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)


def examples() -> list[str]:
    """Every workflow that the docs show, and the one that `init` writes."""
    shown = [
        each for each in blocks(DOCS) + blocks(README) if re.search("^on:", each, re.MULTILINE)
    ]
    return [*shown, WORKFLOW]


def table(title: str, text: str = DOCS) -> list[list[str]]:
    """The rows of the first table under a heading, cells stripped."""
    section = text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def action() -> Any:
    return load(ACTION_FILE.read_text(encoding="utf-8"))


def scripts(document: Any) -> list[tuple[str, str]]:
    """Every `run:` of an action or a workflow, with its shell."""
    jobs = document.get("jobs", {}).values()
    steps = [step for job in jobs for step in job["steps"]] or document["runs"]["steps"]
    return [(step.get("shell", "bash"), step["run"]) for step in steps if "run" in step]


def uses(document: Any) -> list[str]:
    jobs = document.get("jobs", {}).values()
    steps = [step for job in jobs for step in job["steps"]]
    return [step["uses"] for step in steps if "uses" in step]
