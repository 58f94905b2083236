"""Every check of this project, in one command, on a machine that has only Python.

    python3 tools/test.py            everything
    python3 tools/test.py --quick    the linters and one plain run of the tests

Makes an environment of its own (.venv-test), installs the project with its test extra,
then runs formatter, linter, type checker, layers, and the tests: plain, with -O, with
-W error, and with both; then once more on the oldest dependencies that we claim.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODES = {
    "plain": [],
    "-O": ["-O"],
    "-W error": ["-W", "error"],
    "-O -W error": ["-O", "-W", "error"],
}
ASSERTS_STAY = "ignore:assertions not in test modules:pytest.PytestConfigWarning"
"""Under -O pytest warns about asserts outside test modules; ours are inside, and rewritten."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one plain run, current dependencies")
    arguments = parser.parse_args()
    python = environment(ROOT / ".venv-test")
    install(python, ["-e", f"{ROOT}[test]"])
    steps = {
        "format": [python, "-m", "ruff", "format", "--check", "."],
        "lint": [python, "-m", "ruff", "check", "."],
        "types": [python, "-m", "mypy"],
        "layers": [python, "-c", "from importlinter.cli import lint_imports_command as run; run()"],
        **{f"tests, {mode}": tests(python, flags) for mode, flags in MODES.items()},
    }
    if arguments.quick:
        steps = {name: step for name, step in steps.items() if name in QUICK}
    failed = [name for name, step in steps.items() if not succeeds(name, step)]
    if not arguments.quick and not oldest_dependencies():
        failed.append("tests, oldest dependencies")
    print(f"\nfailed: {', '.join(failed)}" if failed else "\nall checks passed", flush=True)
    return 1 if failed else 0


QUICK = ("format", "lint", "types", "layers", "tests, plain")


def tests(python: str, flags: list[str]) -> list[str]:
    # What starts browsers, runners and package builds says nothing new in another mode.
    selection = [] if not flags else ["-m", "not once"]
    quiet = ["-W", ASSERTS_STAY] if "-O" in flags else []
    return [python, *flags, "-m", "pytest", "-q", "-n", "auto", *quiet, *selection]


def oldest_dependencies() -> bool:
    """The tests with each dependency at the lower bound that pyproject.toml claims."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = [re.sub(r">=", "==", each) for each in project["dependencies"]]
    python = environment(ROOT / ".venv-oldest")
    # In two steps: some of the tests' tools ask for newer ones than we do, and are not run here.
    install(python, ["-e", f"{ROOT}[test]"])
    install(python, oldest)
    # openapi-core rests on a pydantic that takes only its own, newer pydantic-core.
    selection = ["-m", "not once", "--ignore=tests/github/test_conformance.py"]
    return succeeds("tests, oldest dependencies", [*tests(python, []), *selection])


def environment(folder: Path) -> str:
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    return str(python)


def install(python: str, what: list[str]) -> None:
    uv = shutil.which("uv")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command = [uv, "pip", "install", "--quiet", "--python", python] if uv else pip
    print(f"installing: {' '.join(what)}", flush=True)
    subprocess.run([*command, *what], cwd=ROOT, check=True)


def succeeds(name: str, command: list[str]) -> bool:
    print(f"\n== {name}", flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
