"""The front door: `validate` and `compare` as hooks call them, without waiting for a CLI library.

Loading typer takes several times as long as checking a dataset. So the plain spellings
of the two commands are read here, and everything else (help, abbreviations, mistakes,
other commands) goes to `cli`. A test holds both to the same options.

Whatever happens, the exit code is right: 0 and 1 are verdicts, 2 says that nothing was
decided. Python's own 1 for a crash would read as one.
"""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False  # as in typing, which takes as long to load as Python to start
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

NOTHING_DECIDED = 2
INTERRUPTED = 130

VALUES: Mapping[str, Mapping[str, str]] = {
    "validate": {"--config": "config", "--format": "format", "--max-bytes": "max_bytes"},
    "hook": {"--config": "config", "--max-bytes": "max_bytes"},
    "compare": {
        "--dataset": "dataset",
        "--rubric": "rubric",
        "--predictions": "predictions",
        "--candidate": "candidate",
        "--baseline": "baseline",
        "--config": "config",
        "--format": "format",
        "--fail-on": "fail_on",
        "--report-json": "report_json",
        "--report-junit": "report_junit",
        "--report-sarif": "report_sarif",
        "--report-markdown": "report_markdown",
        "--report-html": "report_html",
        "--max-bytes": "max_bytes",
    },
}
"""Options that take a value, by command."""
_COMMON = {"--strict": "strict", "--quiet": "quiet"}
FLAGS: Mapping[str, Mapping[str, str]] = {
    "validate": _COMMON,
    "hook": _COMMON,
    "compare": {**_COMMON, "--verbose": "verbose"},
}
"""Options that take none, by command."""
LISTS = {"validate": "files", "hook": "files", "compare": "predictions"}
"""What may stand several times: operands, or an option of `compare`."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits."""
    # The process is short and makes no cycles; collecting doubles the time to decode.
    gc.disable()
    code = run(sys.argv[1:] if argv is None else argv)
    # Or the interpreter, on its way out, looks three times for cycles in all that it loaded.
    gc.freeze()
    sys.exit(code)


def run(argv: Sequence[str]) -> int:
    """Runs one command line; whatever goes wrong, the code says that nothing was decided."""
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as error:
        return _crashed(error)


def _run(argv: Sequence[str]) -> int:
    plain = read_plainly(argv)
    if plain is None:
        from contractlab import cli  # noqa: PLC0415 (typer)

        return cli.run(argv)
    command, given = plain
    if command != "compare":
        from contractlab import quick  # noqa: PLC0415 (inside the guard)

        code = quick.validate(given) if command == "validate" else quick.hook(given)
        if code is not None:
            return code
    from contractlab import commands, options  # noqa: PLC0415 (what quick does without)

    if command == "validate":
        return commands.validate(options.ValidateOptions(**given))
    if command == "hook":
        return commands.hook(options.HookOptions(**given))
    return commands.compare(options.CompareOptions(**given))


def read_plainly(argv: Sequence[str]) -> tuple[str, dict[str, Any]] | None:
    """The command and its options where they are spelled plainly, else None."""
    if not argv or argv[0] not in VALUES:
        return None
    command, values, flags = argv[0], VALUES[argv[0]], FLAGS[argv[0]]
    given: dict[str, Any] = {}
    several: list[str] = []
    words = iter(argv[1:])
    for word in words:
        if word == "--" and LISTS[command] == "files":
            several += words
            break
        name, has_value, value = word.partition("=")
        if word in flags:
            given[flags[word]] = True
        elif name in values:
            value = value if has_value else next(words, "")
            if not value or value.startswith("-") or values[name] in given:
                return None
            if values[name] == LISTS[command]:
                several.append(value)
            else:
                given[values[name]] = value
        elif word and not word.startswith("-") and LISTS[command] == "files":
            several.append(word)
        else:
            return None
    if several:
        given[LISTS[command]] = tuple(several)
    return (command, given) if _checked(command, given) else None


def _checked(command: str, given: dict[str, Any]) -> bool:
    """Whether the values are of their kind; the number becomes one."""
    from contractlab import choices  # noqa: PLC0415 (inside the guard)

    number = given.get("max_bytes", "1")
    if not (number.isascii() and number.isdigit() and len(number) < 19 and int(number) > 0):
        return False
    if "max_bytes" in given:
        given["max_bytes"] = int(number)
    formats = choices.FORMATS if command == "compare" else choices.VALIDATE_FORMATS
    return (
        given.get("format", "text") in formats and given.get("fail_on", "never") in choices.FAIL_ON
    )


def _crashed(error: BaseException) -> int:
    import os  # noqa: PLC0415 (only once something is wrong)

    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) and error.code != 1 else NOTHING_DECIDED
    try:
        if os.environ.get("CONTRACTLAB_DEBUG"):
            import traceback  # noqa: PLC0415

            traceback.print_exception(error)
        what = f"{type(error).__name__}: {error}"[:500].encode("ascii", "backslashreplace")
        told = "".join(char if char.isprintable() else repr(char)[1:-1] for char in what.decode())
        sys.stderr.write(
            "contractlab: nothing was decided: this is a fault of contractlab itself"
            f" ({told.replace('::', ':.').replace('##[', '#.[')})\n"
            "   help: CONTRACTLAB_DEBUG=1 shows where; please report it\n"
        )
        from contractlab.streams import write_out  # noqa: PLC0415

        write_out("")  # what is left in a stream that takes nothing would fail again at exit
    except BaseException:  # noqa: S110 (a stream is gone too; the code still speaks)
        pass
    return NOTHING_DECIDED
