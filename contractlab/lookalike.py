"""Which different texts a person takes for one another.

Two foldings, because "alike" is two relations and joining them would chain:

* ``fold_input``, how a text *reads*: case, compatibility forms, look-alike scripts and marks,
  and what parts words aside. ``ID`` and ``id``, ``get_user`` and ``get-user``, ``Apple`` with a
  Cyrillic first letter and ``apple``.
* ``skeleton``, how a text *looks* (UTS #39), case kept, because a capital looks different:
  ``case-1`` and ``case-l``, ``refund_I`` and ``refund_l``, ``m`` and ``rn``.

Texts are alike when either agrees. One folding for both would make I, i, l, L, 1 and | one
letter, and with them ``XI`` and ``XL``, or ``a_1`` and ``a_i``. What follows is that a text
changed in both ways at once (``CASE-1`` for ``case-l``) is not found: it does not look alike.

All tables are Unicode's own, of the version in ``lookalike_data``, and Python's ``unicodedata``
is not asked, so the answer is the same on every Python. Characters younger than the table stand
for themselves. ASCII text never loads the table; both ways through give the same folding.
"""

from __future__ import annotations

from itertools import chain, groupby

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Embeddings, overrides and isolates: text is shown in another order than it is stored
(Boucher & Anderson 2021, "Trojan Source"). The marks U+061C, U+200E and U+200F do no such thing
to the letters beside them, and right-to-left text needs them."""

_CONTROLS = BIDI_CONTROLS | frozenset(
    map(chr, chain(range(0x20), range(0x7F, 0xA0), (0x2028, 0x2029), range(0xD800, 0xE000)))
)

_KEPT = frozenset("1Im")
"""The look-alikes of ASCII that ``fold_input`` leaves to ``skeleton``: in caseless text they
would make 1 and L, or M and RN, one. (Its others, 0 | % ` and ", are safe in both.)"""

_BLANK = "\u2800"  # braille's empty cell, no White_Space
_HANGUL = range(0xAC00, 0xD7A4)  # composed by rule: The Unicode Standard, section 3.12


def is_invisible_only(text: str) -> bool:
    """Whether nothing in the text can be seen.

    White space, braille blank, controls, formats and Default_Ignorable characters show nothing;
    nor do combining marks alone (Mn, Me), which would land on whatever stands before the text.
    Lone surrogates, private and unassigned characters show as a box, so they are visible.
    """
    if text.isascii():
        return not _ascii_fold(text, _READS)
    return _tables().unseen.issuperset(text)


def has_control(text: str) -> bool:
    """Whether the text holds a character that no id may hold.

    Those are the C0 and C1 controls with DEL (terminals obey them), the line and paragraph
    separators, ``BIDI_CONTROLS``, and lone surrogates (no UTF-8 can hold them). Zero-width
    joiners are none of these: emoji and Persian need them, and the foldings see through them.
    """
    if text.isascii():
        return not text.isprintable()
    return not _CONTROLS.isdisjoint(text)


def fold_input(text: str) -> str:
    """How a text reads: a key that texts alike in all but looks share. Not for display.

    NFKD, case folding, then UTS #39 look-alikes (of ASCII only 0 as o, | as l, and quotes), until
    nothing changes; ignorable characters gone, white space gone at the ends. What parts words
    (a dash, an underscore, a run of white space) is one ``-``: ``get_user`` reads as
    ``get-user``. ``fold_input(fold_input(x)) == fold_input(x)``.
    """
    if text.isascii():
        read = _ascii_fold(text, _READS)
    else:
        tables = _tables()
        read = _table_fold(text, tables.compatible, tables.reads, tables)
    return read.replace(" ", "-").replace("_", "-")


def skeleton(text: str) -> str:
    """How a text looks: the skeleton of UTS #39, with 0, O and o one. Not for display.

    NFD, then UTS #39 look-alikes, then compatibility forms, until nothing changes; dashes as
    ``-``, ignorable characters gone, each run of white space one space, none at the ends; case
    is kept but for O.
    ``skeleton(skeleton(x)) == skeleton(x)``.
    """
    if text.isascii():
        return _ascii_fold(text, _LOOKS).replace("m", "rn")
    tables = _tables()
    return _table_fold(text, tables.canonical, tables.looks, tables)


def skeletons(text: str) -> tuple[str, str]:
    """How a text reads and how it looks. Two texts are alike when either is the same."""
    return fold_input(text), skeleton(text)


def lookalikes(ids: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of different ids that are alike: (one seen before, the later one), in order.

    A later id is in one pair, with the first seen id it is alike to; an id that comes again
    unchanged is in none. Linear time.
    """
    pairs = []
    first_by_key: tuple[dict[str, tuple[int, str]], dict[str, tuple[int, str]]] = ({}, {})
    for place, name in enumerate(dict.fromkeys(suspects(list(ids)))):
        keys = skeletons(name)
        seen = [by[key] for by, key in zip(first_by_key, keys, strict=True) if key in by]
        if seen:
            pairs.append((min(seen)[1], name))
        for by, key in zip(first_by_key, keys, strict=True):
            by.setdefault(key, (place, name))
    return pairs


def are_plain(names: Iterable[str]) -> bool:
    """Whether names can be read, and none looks like another: a quick yes for most columns."""
    different = list(dict.fromkeys(names))
    joined = "".join(different)
    if joined.isascii() and joined.isprintable():
        readable = all(map(str.strip, different))
    else:
        readable = not any(map(has_control, different))
        readable = readable and not any(map(is_invisible_only, different))
    return readable and not lookalikes(different)


# ── ASCII, without the table ─────────────────────────────────────────────────────────────────


def _ascii_table(become: dict[str, str]) -> bytes:
    """A table for bytes.translate: what both foldings do to single characters, and `become`."""
    pairs = {"0": "o", "O": "o", "`": "'", "|": "l", **become}
    return bytes.maketrans("".join(pairs).encode(), "".join(pairs.values()).encode())


_WHITE = "\t\n\v\f\r"
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = dict(zip(_UPPER, _UPPER.lower(), strict=True))
_SPACES = dict.fromkeys(_WHITE, " ")
_UNSEEN = bytes(code for code in (*range(0x20), 0x7F) if chr(code) not in _WHITE)
_READS = _ascii_table(_LOWER | _SPACES)
_LOOKS = _ascii_table({"1": "l", "I": "l"} | _SPACES)
_EITHER = _ascii_table(_LOWER | {"1": "l", "I": "l", "i": "l"})
"""Coarser than both: ids alike by either folding are one by this, and a few others too."""


def _ascii_fold(text: str, table: bytes) -> str:
    text = text.encode().translate(table, _UNSEEN).decode()
    if '"' in text or "%" in text:
        text = text.replace('"', "''").replace("%", "o/o")
    if "  " in text:
        return " ".join(text.split())
    return text.strip()


def suspects(ids: list[str]) -> list[str]:
    """The ids, in order, that another might be alike to. What is not here is alike to none.

    Printable ASCII ids are compared coarsely, in one pass over their joined bytes; one that is
    alone in its coarse class needs no folding of its own. Every other id is a suspect.
    """
    coarse = _coarse([name if name.isascii() and name.isprintable() else "" for name in ids])
    classes = set(coarse)
    if len(classes) == len(ids) and b"" not in classes:
        return []
    folded = chain.from_iterable(
        skeletons(name) for name, key in zip(ids, coarse, strict=True) if not key
    )
    shared = {b"", *_coarse([key for key in folded if key.isascii()])}
    if len(classes) < len(ids):
        from collections import Counter  # noqa: PLC0415 (names that differ never load it)

        shared.update(key for key, size in Counter(coarse).items() if size > 1)
    return [name for name, key in zip(ids, coarse, strict=True) if key in shared]


def _coarse(names: list[str]) -> list[bytes]:
    """The coarse class of each printable ASCII name."""
    joined = "\n".join(names).encode().translate(_EITHER, b" -_")
    for char, become in ((b"m", b"rn"), (b'"', b"''"), (b"%", b"o/o")):
        joined = joined.replace(char, become)
    return joined.split(b"\n") if names else []


# ── the rest, by Unicode's tables ────────────────────────────────────────────────────────────


class _Folding(dict[str, str]):
    """What each character becomes in the end, worked out when it first comes up.

    Of the layers, the first that knows a character is applied, and again to what it gave.
    """

    def __init__(self, *layers: Mapping[str, str]) -> None:
        self.layers = layers

    def step(self, char: str) -> str:
        for layer in self.layers:
            if char in layer:
                return layer[char]
        return _hangul(char)

    def __missing__(self, char: str) -> str:
        text = char
        while (after := "".join(map(self.step, text))) != text:
            text = after
        self[char] = text
        return text


class _Tables:
    # Not a dataclass: loading dataclasses takes longer than folding a thousand texts.
    def __init__(
        self,
        *,
        canonical: _Folding,
        compatible: _Folding,
        reads: _Folding,
        looks: _Folding,
        classes: dict[str, int],
        marked: frozenset[str],
        unseen: frozenset[str],
    ) -> None:
        self.canonical = canonical
        self.compatible = compatible
        self.reads = reads
        self.looks = looks
        self.classes = classes
        """Canonical combining class of each mark that has one: the order marks are put in."""
        self.marked = marked
        """Those marks, and the characters that come apart into one."""
        self.unseen = unseen


_made: list[_Tables] = []


def _tables() -> _Tables:
    if not _made:
        _made.append(_make_tables())
    return _made[0]


def _make_tables() -> _Tables:
    from contractlab import lookalike_data as data  # noqa: PLC0415 - only non-ASCII text pays

    white = _members(data.WHITE) | {_BLANK}
    ignored = _members(data.IGNORED)
    canonical = _entries(data.CANONICAL)
    compatible = _entries(data.COMPATIBLE)
    case = _entries(data.CASE)
    alike = _entries(data.CONFUSABLES)
    classes = {entry[0]: int(entry[1:]) for entry in data.CLASSES.split("\n")}

    # Before the confusables, which would fold the em dash to a katakana mark, not to a hyphen.
    same = dict.fromkeys(_members(data.DASHES), "-")
    same |= dict.fromkeys(white, " ") | dict.fromkeys(ignored, "")
    # Two small letters (U+A77A, U+A7CF) have their own capitals for look-alikes: no way back up.
    rest = {small for capital, small in case.items() if alike.get(small) == capital}
    kept = {char: char for char in _KEPT | rest}
    apart = chain(canonical.items(), compatible.items())
    return _Tables(
        canonical=_Folding(canonical),
        compatible=_Folding(compatible, canonical),
        reads=_Folding(same, compatible, canonical, case, kept, alike),
        looks=_Folding(same, canonical, {"O": "o"}, alike, compatible),
        classes=classes,
        marked=frozenset(classes).union(char for char, parts in apart if parts[0] in classes),
        unseen=white | ignored | _members(data.MARKS),
    )


def _entries(lines: str) -> dict[str, str]:
    return {entry[0]: entry[1:] for entry in lines.split("\n")}


def _members(ends: str) -> frozenset[str]:
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return frozenset(chr(code) for a, b in pairs for code in range(ord(a), ord(b) + 1))


def _hangul(char: str) -> str:
    """The letters of a Hangul syllable; any other character itself."""
    code = ord(char)
    if code not in _HANGUL:
        return char
    lead, rest = divmod(code - _HANGUL.start, 588)
    vowel, tail = divmod(rest, 28)
    return chr(0x1100 + lead) + chr(0x1161 + vowel) + (chr(0x11A7 + tail) if tail else "")


def _table_fold(text: str, parts: _Folding, fold: _Folding, tables: _Tables) -> str:
    classes = tables.classes
    if not tables.marked.isdisjoint(text):
        # Ordered before the folding too, which may make a letter of a mark (U+0345, an iota).
        text = _ordered("".join(map(parts.__getitem__, text)), classes)
    text = "".join(map(fold.__getitem__, text))
    if not classes.keys().isdisjoint(text):
        text = _ordered(text, classes)
    return " ".join(text.split())


def _ordered(text: str, classes: dict[str, int]) -> str:
    """Canonical ordering: each run of marks sorted by class, stably."""
    runs = groupby(text, key=classes.__contains__)
    return "".join(
        char
        for marks, run in runs
        for char in (sorted(run, key=classes.__getitem__) if marks else run)
    )
