"""Addresses of one API: its base, its origin, and the next page of a list; pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[\w-]+\s*=\s*(?:"[^"]*"|[^\s;,"]*))*)')
_REL = re.compile(r';\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))', re.IGNORECASE)


def origin(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an http or https address; None for any other text.

    An address with a user name in it, a space or a control character has no origin here:
    readers disagree on which host such a text names.
    """
    if not url.isprintable() or " " in url or "\\" in url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname
    if parts.scheme not in _DEFAULT_PORTS or not host or "@" in parts.netloc:
        return None
    return parts.scheme, host, _DEFAULT_PORTS[parts.scheme] if port is None else port


def api_base(url: str) -> str | None:
    """The API address without a trailing slash (GitHub Enterprise's ends in /api/v3), or None."""
    if origin(url) is None or "?" in url or "#" in url:
        return None
    return url.rstrip("/")


def next_link(header: str) -> str | None:
    """The address of ``rel="next"`` in a ``Link`` header (RFC 8288), or None on the last page."""
    for match in _LINK.finditer(header):
        relations = _REL.search(match.group(2) or "")
        if relations and "next" in (relations[1] or relations[2] or "").lower().split():
            return match.group(1)
    return None
