"""The report's style sheet and script, read once, with the hashes that its policy allows."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files


def _text(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _source(text: str) -> str:
    """The Content-Security-Policy source of an inline text: its hash alone."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


STYLE = _text("style.css")
SCRIPT = _text("script.js")
POLICY = (
    f"default-src 'none'; style-src {_source(STYLE)}; script-src {_source(SCRIPT)};"
    " base-uri 'none'; form-action 'none'"
)
"""Nothing is loaded or sent, and nothing runs or styles but these two texts."""
