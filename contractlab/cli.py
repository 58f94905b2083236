"""The command line in full: help, every spelling, and what to do after a mistake."""

from __future__ import annotations

from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contractlab import cli_import, cli_v2, commands
from contractlab.choices import (
    CASES_FORMATS,
    DEFAULT_FAIL_ON,
    FAIL_ON,
    FORMATS,
    RENDER_FORMATS,
    VALIDATE_FORMATS,
)
from contractlab.files import DEFAULT_MAX_BYTES
from contractlab.options import (
    CasesOptions,
    CompareOptions,
    HookOptions,
    RenderOptions,
    ValidateOptions,
)
from contractlab.render.escape import terminal
from contractlab.streams import NOTHING_DECIDED, deliver, write_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

app = typer.Typer(
    name="contractlab",
    help="Blocks a release of an AI agent that behaves worse than the last one.",
    epilog="Exit codes: 0 PASS or nothing wrong, 1 REVIEW or BLOCK, 2 nothing was decided.",
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _one_of(choices: Sequence[str]) -> Callable[[Any], Any]:
    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(f"{terminal(value)} is not one of {', '.join(choices)}")
        return value

    return check


Config = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Read this contractlab.toml."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings count as problems.")]
Dataset = Annotated[str | None, typer.Option("--dataset", metavar="FILE", help="The cases.")]
Rubric = Annotated[str | None, typer.Option("--rubric", metavar="FILE", help="The gates.")]
Predictions = Annotated[
    list[str] | None,
    typer.Option("--predictions", metavar="FILE", help="A replay; give it again for more."),
]
Candidate = Annotated[
    str | None, typer.Option("--candidate", metavar="ID", help="The release to judge.")
]
Baseline = Annotated[
    str | None,
    typer.Option("--baseline", metavar="ID", help="Compared with; default: the rubric's."),
]


def _byte_count(value: str | int) -> int:
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) > 0):
        raise typer.BadParameter(
            f"{terminal(text[:80])} is not a number of bytes, such as {DEFAULT_MAX_BYTES}"
        )
    return int(text)


MaxBytes = Annotated[
    int,
    typer.Option("--max-bytes", metavar="N", parser=_byte_count, help="Size cap of each file."),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        raise typer.Exit(version())


@app.callback()
def contractlab(
    *,
    version_: Annotated[
        bool,
        typer.Option(
            "--version", "-V", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
) -> None:
    """Blocks a release of an AI agent that behaves worse than the last one."""


@app.command()
def validate(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILES", help="Contracts; none: those of contractlab.toml."),
    ] = None,
    *,
    config: Config = None,
    strict: Strict = False,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(VALIDATE_FORMATS),
            callback=_one_of(VALIDATE_FORMATS),
            help="How problems are printed.",
        ),
    ] = "text",
    max_bytes: MaxBytes = DEFAULT_MAX_BYTES,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print problems and warnings only.")
    ] = False,
    dataset: Dataset = None,
    rubric: Rubric = None,
    predictions: Predictions = None,
) -> int:
    """Check contracts: JSON, shape, families, coverage, look-alikes."""
    return commands.validate(
        ValidateOptions(
            files=tuple(files or ()),
            dataset=dataset,
            rubric=rubric,
            predictions=tuple(predictions or ()),
            config=config,
            strict=strict,
            format=format_,
            max_bytes=max_bytes,
            quiet=quiet,
        )
    )


@app.command()
def hook(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILES", help="Files of a commit, contracts or not."),
    ] = None,
    *,
    config: Config = None,
    strict: Strict = False,
    max_bytes: MaxBytes = DEFAULT_MAX_BYTES,
    quiet: Annotated[bool, typer.Option("--quiet", help="Leave warnings out.")] = False,
) -> int:
    """Check those of a commit's files that are contracts (pre-commit)."""
    return commands.hook(
        HookOptions(
            files=tuple(files or ()),
            config=config,
            strict=strict,
            max_bytes=max_bytes,
            quiet=quiet,
        )
    )


def _report_file(format_: str) -> Any:
    help_ = f"Write the {format_} report to a file too."
    return typer.Option(f"--report-{format_.lower()}", metavar="FILE", help=help_)


@app.command()
def compare(
    *,
    dataset: Dataset = None,
    rubric: Rubric = None,
    predictions: Predictions = None,
    candidate: Candidate = None,
    baseline: Baseline = None,
    config: Config = None,
    strict: Strict = False,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            callback=_one_of(FORMATS),
            help="How the judgement is printed.",
        ),
    ] = "text",
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="|".join(FAIL_ON),
            callback=_one_of(FAIL_ON),
            help=f"The mildest verdict that exits 1; default: {DEFAULT_FAIL_ON}.",
        ),
    ] = None,
    max_bytes: MaxBytes = DEFAULT_MAX_BYTES,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print the reasons and the verdict only, no warnings.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Also print how each regressed case changed.")
    ] = False,
    report_json: Annotated[str | None, _report_file("JSON")] = None,
    report_junit: Annotated[str | None, _report_file("JUnit")] = None,
    report_sarif: Annotated[str | None, _report_file("SARIF")] = None,
    report_markdown: Annotated[str | None, _report_file("Markdown")] = None,
    report_html: Annotated[str | None, _report_file("HTML")] = None,
) -> int:
    """Judge a candidate against the baseline: PASS, REVIEW or BLOCK."""
    return commands.compare(
        CompareOptions(
            dataset=dataset,
            rubric=rubric,
            predictions=tuple(predictions or ()),
            candidate=candidate,
            baseline=baseline,
            config=config,
            strict=strict,
            format=format_,
            fail_on=fail_on,
            max_bytes=max_bytes,
            quiet=quiet,
            verbose=verbose,
            report_json=report_json,
            report_junit=report_junit,
            report_sarif=report_sarif,
            report_markdown=report_markdown,
            report_html=report_html,
        )
    )


@app.command()
def render(
    report: Annotated[str, typer.Argument(metavar="REPORT", help="A JSON report.")],
    *,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(RENDER_FORMATS),
            callback=_one_of(RENDER_FORMATS),
            help="What to make of it.",
        ),
    ] = "text",
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it to a file; default: print."),
    ] = None,
    max_bytes: MaxBytes = DEFAULT_MAX_BYTES,
) -> int:
    """Render a JSON report in another format, after judging it again."""
    from contractlab import reports  # noqa: PLC0415 (what this command alone needs)

    options = RenderOptions(report, format=format_, output=output, max_bytes=max_bytes)
    return reports.render(options)


@app.command()
def cases(
    *,
    dataset: Dataset = None,
    rubric: Rubric = None,
    predictions: Predictions = None,
    candidate: Candidate = None,
    baseline: Baseline = None,
    config: Config = None,
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="A JSON report, in place of contracts."),
    ] = None,
    flip: Annotated[
        list[str] | None,
        typer.Option(
            "--flip",
            metavar="regressed|improved|neither|both",
            help="How the outcomes differ; give it again for more.",
        ),
    ] = None,
    slice_: Annotated[
        list[str] | None,
        typer.Option("--slice", metavar="NAME", help="A slice; give it again for more."),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(
            "--check",
            metavar="NAME",
            help="A check that failed, such as tool_correct: for the candidate or, where it"
            " passes the case, for the baseline.",
        ),
    ] = None,
    critical: Annotated[bool, typer.Option("--critical", help="Critical cases only.")] = False,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(CASES_FORMATS),
            callback=_one_of(CASES_FORMATS),
            help="How the list is printed.",
        ),
    ] = "text",
    max_bytes: MaxBytes = DEFAULT_MAX_BYTES,
) -> int:
    """List the cases of a comparison: what failed and what changed."""
    from contractlab import reports  # noqa: PLC0415 (what this command alone needs)

    compared = CompareOptions(
        dataset=dataset,
        rubric=rubric,
        predictions=tuple(predictions or ()),
        candidate=candidate,
        baseline=baseline,
        config=config,
        format=format_,
        max_bytes=max_bytes,
    )
    return reports.cases(
        CasesOptions(
            compared,
            report=report,
            flips=tuple(flip or ()),
            slices=tuple(slice_ or ()),
            checks=tuple(check or ()),
            critical=critical,
        )
    )


@app.command()
def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A rule, such as CL301, a gate, a metric, a bound or a check."
        ),
    ],
) -> int:
    """Print a rule's page: what it finds, why, and how to mend it."""
    return commands.explain(name)


@app.command()
def version() -> int:
    """Print the version."""
    return deliver(f"contractlab {installed_version('contractlab')}\n", 0)


cli_v2.register(app)
cli_import.register(app)


def run(argv: Sequence[str]) -> int:
    """Runs one command line. A mistake in it exits 2."""
    if not argv:
        write_error(_help())
        return NOTHING_DECIDED
    if argv[0] == "help":  # the word that other tools have for it
        argv = [*argv[1:2], "--help"]
    try:
        code = app(list(argv), standalone_mode=False, prog_name="contractlab")
    except typer.Exit as exit_:
        return _help_arrived(argv, exit_.exit_code)
    except typer.Abort:
        return 130
    except Exception as error:
        # A usage error, known by its shape: typer carries click in itself since 0.29.
        if not hasattr(error, "format_message"):
            raise
        command = next((word for word in argv if word in _COMMANDS), "")
        message = error.format_message()
        way_out = f"contractlab {command + ' ' if command else ''}--help"
        if command in _WITHOUT_OPERANDS and message.startswith("Got unexpected extra arg"):
            # Most often runs/*.json without quotes, which a shell replaces by its files.
            way_out = "give --predictions once a file, or quote the pattern: 'runs/*.json'"
        write_error(f"contractlab: {terminal(message)}\n   help: {way_out}\n")
        return NOTHING_DECIDED
    return _help_arrived(argv, code if isinstance(code, int) else 0)


def _help_arrived(argv: Sequence[str], code: int) -> int:
    """The code, or 2 where help was asked for and the stream took none: typer does not look."""
    if code or not {"--help", "-h"} & set(argv):
        return code
    return deliver("", code)


def _help() -> str:
    command = typer.main.get_command(app)
    with command.make_context("contractlab", [], resilient_parsing=True) as context:
        return f"{command.get_help(context)}\n"


_COMMANDS = (
    *("validate", "hook", "compare", "render", "cases", "explain", "version"),
    *cli_v2.NAMES,
    *cli_import.NAMES,
)
_WITHOUT_OPERANDS = ("compare", "cases", "aa")
