"""Keeps the sessions in README.md and docs/ true: runs their commands, writes what they print.

A block that starts with ```` ```console ```` holds commands, `$ contractlab ...`, run in the
repository's folder, each with all that it prints, and `$ echo $?` with the exit code.

`python tools/make_docs.py` rewrites them; `--check` only names the files that are not so.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from tools.examples import ROOT, run

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """The documents with sessions; docs/rules.md has a tool of its own."""
    docs = (ROOT / "docs").glob("*.md")
    return [ROOT / "README.md", *sorted(path for path in docs if path.name != "rules.md")]


def sessions(text: str) -> list[str]:
    """The sessions of a document, without their fences."""
    return _BLOCK.findall(text)


def renewed(text: str) -> str:
    """A document with its sessions as they come out now."""
    return _BLOCK.sub(lambda match: f"```console\n{session(match[1])}```", text)


def session(text: str) -> str:
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
            result = run(tuple(words[1:]), ROOT)
            code = result.code
            lines += [result.err, result.out]
        else:
            raise ValueError(f"not a command of ours: {command}")
    return "".join(lines)


def main() -> int:
    """Rewrites the documents, or checks them: 0 where they are as they should be."""
    stale = []
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if renewed(text) != text:
            stale.append(path.name)
            if "--check" not in sys.argv[1:]:
                path.write_text(renewed(text), encoding="utf-8", newline="\n")
    if stale and "--check" in sys.argv[1:]:
        print(f"not what the commands print: {', '.join(stale)}: python tools/make_docs.py")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
