"""How messages show values and lists: never long, never cut without saying so."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHOWN = 80
"""Characters of a value that a message shows."""
_TRIED = 1000


def shown(value: object) -> str:
    """A value as a message shows it: JSON, cut short; a container by its kind and size."""
    if isinstance(value, dict):
        return f"an object with {len(value)} field{'' if len(value) == 1 else 's'}"
    if isinstance(value, list):
        return f"an array with {len(value)} entr{'y' if len(value) == 1 else 'ies'}"
    text = value if isinstance(value, str) else None
    if text is not None and len(text) > _SHOWN:
        return f"{json.dumps(text[:_SHOWN], ensure_ascii=False)}… ({len(text)} characters)"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_SHOWN:
        return "an integer of more than 80 digits"
    return json.dumps(value, ensure_ascii=False)


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names one after the other, and how many more there are."""
    text = ", ".join(shown(name) for name in names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that another is probably a misspelling of; looks at the first thousand."""
    from difflib import get_close_matches  # noqa: PLC0415 (only once something is wrong)

    near = get_close_matches(name[:_SHOWN], list(islice(known, _TRIED)), 1)
    return near[0] if near else None
