"""Writes contractlab/lookalike_data.py from Unicode's own files.

    python tools/make_confusables.py FOLDER > contractlab/lookalike_data.py

FOLDER holds, all of one Unicode version: confusables.txt (UTS #39), UnicodeData.txt,
CaseFolding.txt, DerivedCoreProperties.txt and PropList.txt, or ICU's ppucd.txt in PropList's
place. The source of Debian's icu package has them in source/data/unidata; the table in this
repository is from icu 78.3-2 (``apt-get source icu=78.3-2``), which is Unicode 17.0.0.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

HEADER = '''\
"""Unicode {version}'s look-alike, folding and ordering tables, by tools/make_confusables.py.

A mapping is one entry a line, its first character standing for the rest of the line; a set is
the first and last characters of its ranges, pair by pair. Escapes keep this file plain ASCII.

Derived from Unicode's data files: copyright 1991-2025 Unicode, Inc., SPDX-License-Identifier:
Unicode-3.0, whose notice is in data/UNICODE-LICENSE.txt.
"""

UNICODE_VERSION = "{version}"
'''


def fields(path: Path) -> Iterator[list[str]]:
    """The semicolon-separated fields of each line, comments and blank lines left out."""
    for line in path.read_text("utf-8-sig").splitlines():
        data = line.split("#")[0].strip()
        if data:
            yield [field.strip() for field in data.split(";")]


def text(code_points: str) -> str:
    """The characters of space-separated hexadecimal code points."""
    return "".join(chr(int(code, 16)) for code in code_points.split())


def span(code_points: str) -> range:
    """The code points of ``XXXX`` or ``XXXX..YYYY``."""
    first, _, last = code_points.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


def having(folder: Path, name: str, short: str) -> set[int]:
    """The code points with a binary property of PropList.txt (or of ppucd.txt, by short name)."""
    if (folder / "PropList.txt").exists():
        rows = [row for row in fields(folder / "PropList.txt") if row[1] == name]
        return {code for row in rows for code in span(row[0])}
    rows = [row for row in fields(folder / "ppucd.txt") if row[0] == "cp" and short in row[2:]]
    return {code for row in rows for code in span(row[1])}


def decompositions(rows: Iterable[list[str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Full canonical and full compatibility decompositions, the latter only where they differ."""
    one_step = {chr(int(row[0], 16)): row[5] for row in rows if row[5]}

    def full(char: str, *, compatibility: bool) -> str:
        step = one_step.get(char, "")
        if not step or (step.startswith("<") and not compatibility):
            return char
        parts = text(re.sub(r"<\w+>", "", step))
        return "".join(full(part, compatibility=compatibility) for part in parts)

    canonical = {char: full(char, compatibility=False) for char in one_step}
    compatible = {char: full(char, compatibility=True) for char in one_step}
    return (
        {char: to for char, to in canonical.items() if to != char},
        {char: to for char, to in compatible.items() if to != canonical[char]},
    )


def literal(name: str, value: str) -> str:
    """An assignment of an escaped string, as lines of at most 100 columns."""
    escaped = [
        char if char.isascii() and char.isprintable() and char not in '"\\' else escape(char)
        for char in value
    ]
    lines, line = [], ""
    for piece in escaped:
        if len(line) + len(piece) > 90:
            lines.append(line)
            line = ""
        line += piece
    return f"\n{name} = (\n" + "".join(f'    "{part}"\n' for part in [*lines, line]) + ")\n"


def escape(char: str) -> str:
    """The shortest escape of a character in a string within double quotes."""
    known = {"\n": "\\n", '"': '\\"', "\\": "\\\\"}
    code = ord(char)
    wide = f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"
    return known.get(char) or (f"\\x{code:02x}" if code < 0x100 else wide)


def mapping(entries: dict[str, str]) -> str:
    """Entries in code point order, one a line."""
    return "\n".join(char + entries[char] for char in sorted(entries))


def ranges(codes: set[int]) -> str:
    """The first and last character of each run of code points."""
    firsts = sorted(code for code in codes if code - 1 not in codes)
    lasts = sorted(code for code in codes if code + 1 not in codes)
    return "".join(chr(first) + chr(last) for first, last in zip(firsts, lasts, strict=True))


def main() -> None:
    """Print the module."""
    folder = Path(sys.argv[1])
    head = (folder / "confusables.txt").read_text("utf-8-sig")[:1000]
    version = re.search(r"Version: ([\d.]+)", head)[1]  # type: ignore[index]
    for name in ("CaseFolding", "DerivedCoreProperties"):
        if f"-{version}." not in (folder / f"{name}.txt").read_text("utf-8")[:100]:
            sys.exit(f"{name}.txt is not of Unicode {version}, as confusables.txt is")

    rows = list(fields(folder / "UnicodeData.txt"))
    canonical, compatible = decompositions(rows)
    category: dict[str, set[int]] = {}
    classes: dict[str, str] = {}
    for row in rows:  # the First/Last pairs of ranges have no category or class we ask for
        category.setdefault(row[2], set()).add(int(row[0], 16))
        if row[3] != "0":
            classes[text(row[0])] = row[3]
    ignorable = {
        code
        for row in fields(folder / "DerivedCoreProperties.txt")
        if row[1] == "Default_Ignorable_Code_Point"
        for code in span(row[0])
    }
    white = having(folder, "White_Space", "WSpace")
    signs = having(folder, "Prepended_Concatenation_Mark", "PCM")  # formats that are seen
    dashes = having(folder, "Dash", "Dash")
    if (len(white), len(signs)) != (25, 13) or len(dashes) < 30:
        sys.exit("White_Space, Prepended_Concatenation_Mark or Dash was not read whole")

    folds = [row for row in fields(folder / "CaseFolding.txt") if row[1] in {"C", "F"}]
    alike = [row for row in fields(folder / "confusables.txt") if row[2] == "MA"]
    sys.stdout.write(
        HEADER.format(version=version)
        + literal("WHITE", ranges(white))
        + literal("DASHES", ranges(dashes))
        + literal("IGNORED", ranges((ignorable | category["Cf"] | category["Cc"]) - signs - white))
        + literal("MARKS", ranges(category["Mn"] | category["Me"]))
        + literal("CLASSES", mapping(classes))
        + literal("CANONICAL", mapping(canonical))
        + literal("COMPATIBLE", mapping(compatible))
        + literal("CASE", mapping({text(row[0]): text(row[2]) for row in folds}))
        + literal("CONFUSABLES", mapping({text(row[0]): text(row[1]) for row in alike}))
    )


if __name__ == "__main__":
    main()
