"""Keeps the sessions in README.md and docs/ true: runs their commands, writes what they print.

Between `<!-- the comment -->` and `<!-- end of the comment -->` stands the report of
`contractlab compare --format markdown`, quoted.

A block that starts with ```` ```console ```` holds commands, `$ contractlab ...`, run in the
repository's folder, each with all that it prints, and `$ echo $?` with the exit code. Those of
docs/walkthrough.md run one after the other in a copy of fixtures/walkthrough; there `$ cat FILE`
is a command too.

`python tools/make_docs.py` rewrites them; `--check` only names the files that are not so.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from tools.examples import ROOT, run

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(
    r"(?<=<!-- the comment -->\n).*?(?=<!-- end of the comment -->$)", re.DOTALL | re.MULTILINE
)


def pages() -> list[Path]:
    """The documents with sessions; docs/rules.md has a tool of its own."""
    docs = (ROOT / "docs").glob("*.md")
    return [ROOT / "README.md", *sorted(path for path in docs if path.name != "rules.md")]


def sessions(text: str) -> list[str]:
    """The sessions of a document, without their fences."""
    return _BLOCK.findall(text)


@contextmanager
def folder_of(page: Path) -> Iterator[Path]:
    """Where the commands of a page run."""
    files = ROOT / "fixtures" / page.stem
    if not files.is_dir():
        yield ROOT
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(shutil.copytree(files, Path(name) / page.stem))


def renewed(page: Path) -> str:
    """A document with its sessions, and the comment, as they come out now."""
    text = _COMMENT.sub(lambda _match: comment(), page.read_text(encoding="utf-8"))
    with folder_of(page) as folder:
        return _BLOCK.sub(lambda match: f"```console\n{session(match[1], folder)}```", text)


def comment() -> str:
    """The comment on the candidate that contractlab.toml names, as a quotation."""
    said = run(("compare", "--format", "markdown"), ROOT).out
    return "".join(f"> {line}\n" if line else ">\n" for line in said.splitlines())


def session(text: str, folder: Path = ROOT) -> str:
    """The commands of a session with what they print now, as a terminal of 80 columns shows it.

    Raises:
        ValueError: a command is not one of ours.
    """
    os.environ["COLUMNS"] = "80"
    lines = []
    code = 0
    for command in (line for line in text.splitlines() if line.startswith("$ ")):
        lines.append(f"{command}\n")
        words = shlex.split(command)[1:]
        if words == ["echo", "$?"]:
            lines.append(f"{code}\n")
        elif words[0] == "contractlab":
            result = run(tuple(words[1:]), folder)
            code = result.code
            lines += [result.err, result.out]
        elif words[0] == "cat" and folder != ROOT:
            lines.append((folder / words[1]).read_text(encoding="utf-8"))
        else:
            raise ValueError(f"not a command of ours: {command}")
    return "".join(lines)


def main() -> int:
    """Rewrites the documents, or checks them: 0 where they are as they should be."""
    stale = []
    for path in pages():
        text = path.read_text(encoding="utf-8")
        now = renewed(path)
        if now != text:
            stale.append(path.name)
            if "--check" not in sys.argv[1:]:
                path.write_text(now, encoding="utf-8", newline="\n")
    if stale and "--check" in sys.argv[1:]:
        print(f"not what the commands print: {', '.join(stale)}: python tools/make_docs.py")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
