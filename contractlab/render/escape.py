"""Untrusted text, made harmless: one function a medium, and every renderer goes through it."""

from __future__ import annotations

import re

from contractlab.unseen import seen, visible

_COMMANDS = re.compile(r"::|##\[")

MOST = 200
"""Characters of a string that a report shows, unless a caller says otherwise."""

# Between backticks these are text to every Markdown reader, also in a table cell or where a
# line stands inside raw HTML by mistake, and no command to a runner that has it in its log.
# All else gets <code> and character references.
_PLAIN = re.compile(r"(?!.*(?:::|##\[))[^ `|\\<>&$](?:[^`|\\<>&$]*[^ `|\\<>&$])?")
_SAID = re.compile(r'"(?:[^"\\]|\\.)*"|\b[a-z0-9]{1,40}(?:_[a-z0-9]{1,40})+\b')
_OWN_WORDS = re.compile(r"[A-Za-z0-9 .,;:()/%=+'-]*")
_BEGINS = re.compile(r'[A-Za-z"]|\d+ ')  # and no list, heading or indented code
# What GitHub makes of bare words: a commit, GH-12, an address, :emoji:.
_BARE = re.compile(r"[0-9a-fA-F]{7}|[A-Za-z]-\d|://|www\.|:\w", re.IGNORECASE)


def terminal(text: str) -> str:
    r"""Text that moves no cursor, hides nothing and commands no runner, on one line.

    Whatever can't be seen (controls, ESC, bidi, line separators, invisible characters,
    lone surrogates) is shown as its escape. The Actions runner obeys `##[` anywhere in a
    line and `::` at its start, so both are broken up by escaping a character of theirs.
    """
    return _COMMANDS.sub(
        lambda match: rf"{match[0][0]}\x{ord(match[0][1]):02x}{match[0][2:]}", seen(text)
    )


def html(text: str) -> str:
    """Text for an HTML element or a quoted attribute: no tag, no entity, nothing hidden.

    No command to a runner that has the page in its log, either.
    """
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = text.replace('"', "&quot;").replace("'", "&#39;")
    return text.replace("::", ":&#58;").replace("##[", "#&#35;[")


def markdown(text: str, most: int = MOST) -> str:
    r"""Untrusted text as one inline code element of Markdown, for prose, lists and tables.

    GitHub looks for mentions, references, commits, addresses and emoji outside of code only,
    so nothing in it notifies, links, loads or hides. What does not print is shown as its
    escape.

    Args:
        text: any string, also an empty one.
        most: characters that are shown; a longer text is cut, and says so.
    """
    kept = seen(text[: most + 1])
    note = ""
    if len(text) > most or len(kept) > most + 1:
        kept, note = kept[:most], f"… (cut; {len(text):,} characters)"
    if not kept:
        return "(empty)"
    if _PLAIN.fullmatch(kept):
        return f"`{kept}`{note}"
    return f"<code>{_referenced(kept)}</code>{note}"


def markdown_prose(text: str) -> str:
    """A message of ours, which quotes values as JSON does: those and field names become code.

    Where anything but plain words is left outside of the quotes, all of it becomes code.
    """
    if len(text) > 2_000 or not text.isprintable() or not _BEGINS.match(text):
        return markdown(text, 1_000)
    parts, end = [], 0
    for quoted in _SAID.finditer(text):
        parts += [text[end : quoted.start()], quoted[0]]
        end = quoted.end()
    parts.append(text[end:])
    words = [part.replace("…", "") for part in parts[::2]]
    if all(_OWN_WORDS.fullmatch(part) and not _BARE.search(part) for part in words):
        parts[1::2] = [markdown(part) for part in parts[1::2]]
        return "".join(parts)
    return markdown(text, 1_000)


def _referenced(text: str) -> str:
    """ASCII punctuation and outer spaces as character references; letters as they are."""
    inner = text.strip(" ")
    before = len(text) - len(text.lstrip(" ")) if inner else len(text)
    after = len(text) - before - len(inner)
    middle = "".join(map(_reference, inner))
    return f"{'&#32;' * before}{middle}{'&#32;' * after}"


def _reference(char: str) -> str:
    if char.isalnum() or char > "~" or char == " ":
        return char
    # cmark-gfm finds mail addresses in decoded text, also inside of <code>; but not across tags.
    return "&#64;<span></span>" if char == "@" else f"&#{ord(char)};"
