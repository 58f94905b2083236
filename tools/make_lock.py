"""Makes requirements-action.lock: what the Action installs, with the hash of every wheel.

    python tools/make_lock.py            writes it anew
    python tools/make_lock.py --check    says whether the project's bounds still agree with it

One file for every operating system and Python that the Action runs on. typer is left out: the
Action reads its inputs from variables and starts no command line. So is backports.zstd: it imports
no logs. Needs uv.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-action.lock"
UNUSED = ("backports.zstd", "typer")
OPTIONS = (
    *("--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"),
    *("--no-header", "--no-annotate", "--no-emit-index-url"),
)
HEAD = "# What the Action installs. Made by tools/make_lock.py; do not edit.\n"


def wanted() -> list[str]:
    """The project's dependencies that the Action uses."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [each for each in project["dependencies"] if not each.startswith(UNUSED)]


def locked() -> dict[str, str]:
    """Every package in the lock and its version."""
    return dict(
        re.findall(r"^([\w.-]+)==([^ ;\\]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    if parser.parse_args().check:
        missing = [each for each in wanted() if re.split("[<>=!~ ]", each)[0] not in locked()]
        print("\n".join(f"not locked: {each}" for each in missing))
        return 1 if missing else 0
    made = subprocess.run(
        ["uv", "pip", "compile", "-", *OPTIONS],
        input="\n".join(wanted()),
        capture_output=True,
        text=True,
        check=True,
    )
    LOCK.write_text(HEAD + made.stdout, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
