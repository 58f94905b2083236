"""The rejected and accepted examples under fixtures/invalid: found, run, and compared.

A folder is named for its rule. The commands are `contractlab validate rejected.json` and the
same with `accepted.json`, run inside the folder, unless its `example.toml` says otherwise:

    rejected = ["validate", "datasets.json"]
    accepted = ["validate", "dataset.json"]
    posix = true      # the system's own answer differs on Windows

Twins that are contractlab's own output name the command (`printed-by`) and the edit that makes
the rejected one of it; `write_printed` writes both.
"""

from __future__ import annotations

import io
import re
import sys
import tomllib
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from contractlab import front
from contractlab.problems import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "fixtures" / "invalid"
_CODE = re.compile(r"\b(CL\d{3}) [a-z0-9-]+:")


@dataclass(frozen=True, slots=True)
class Example:
    """One rule's rejected input and its accepted twin."""

    rule: Rule
    folder: Path
    rejected: tuple[str, ...]
    """The arguments of contractlab, inside the folder."""
    accepted: tuple[str, ...]
    posix: bool
    """Whether only a POSIX system answers so."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one command line led to."""

    code: int
    out: str
    err: str

    @property
    def found(self) -> list[str]:
        """The rule codes that it printed, in order."""
        return _CODE.findall(self.err)


@dataclass(frozen=True, slots=True)
class Twins:
    """The lines of the file that is not the same in both."""

    name: str
    rejected: list[str]
    accepted: list[str]

    def edits(self) -> list[tuple[int, int, int, int]]:
        """The line ranges (rejected from, to; accepted from, to) that differ."""
        matcher = SequenceMatcher(None, self.rejected, self.accepted, autojunk=False)
        return [each[1:] for each in matcher.get_opcodes() if each[0] != "equal"]


def examples(folder: Path = FOLDER) -> list[Example]:
    """Every example, by rule code."""
    return [_example(each) for each in sorted(folder.iterdir()) if each.is_dir()]


def _example(folder: Path) -> Example:
    code, _, name = folder.name.partition("-")
    rule = next(each for each in Rule if each.code == code)
    if name != rule.title:
        raise ValueError(f"{folder.name} is not named {code}-{rule.title}")
    told = folder / "example.toml"
    table = tomllib.loads(told.read_text(encoding="utf-8")) if told.is_file() else {}
    rejected, accepted = (
        tuple(table.get(twin, ("validate", f"{twin}.json"))) for twin in ("rejected", "accepted")
    )
    return Example(rule, folder, rejected, accepted, table.get("posix", False))


def write_printed(folder: Path = FOLDER) -> None:
    """Writes the twins that contractlab prints itself."""
    for told in sorted(folder.glob("*/example.toml")):
        table = tomllib.loads(told.read_text(encoding="utf-8"))
        if "printed-by" in table:
            text = run(tuple(table["printed-by"]), told.parent).out
            right, wrong = table["edit"]
            for twin, content in (("accepted", text), ("rejected", text.replace(right, wrong, 1))):
                path = told.parent / f"{twin}.json"
                path.write_text(content, encoding="utf-8", newline="\n")


def run(arguments: tuple[str, ...], folder: Path) -> Run:
    """Runs contractlab in this process, inside a folder."""
    with chdir(folder), _streams() as (out, err):
        code = front.run(arguments)
    return Run(code, _text(out), _text(err))


@contextmanager
def _streams() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    kept = sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(each, encoding="utf-8", write_through=True) for each in (out, err)
    )
    try:
        yield out, err
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.detach()
        sys.stdout, sys.stderr = kept


def _text(stream: io.BytesIO) -> str:
    return stream.getvalue().decode("utf-8")


def twins(example: Example) -> Twins | None:
    """The example's two files; None where only the commands differ."""
    for ending in ("json", "toml"):
        rejected, accepted = (
            example.folder / f"{twin}.{ending}" for twin in ("rejected", "accepted")
        )
        if rejected.is_file():
            return Twins(rejected.name, _lines(rejected), _lines(accepted))
    return None


def _lines(path: Path) -> list[str]:
    # Some are not UTF-8 on purpose; their bytes show as escapes.
    return path.read_bytes().decode("utf-8", "backslashreplace").removesuffix("\n").split("\n")
