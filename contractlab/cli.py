"""The command line in full: help, every spelling, and what to do after a mistake."""

from __future__ import annotations

from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contractlab import cli_import, cli_v2, commands
from contractlab.files import DEFAULT_MAX_BYTES
from contractlab.options import (
    FAIL_ON,
    FORMATS,
    VALIDATE_FORMATS,
    CompareOptions,
    ValidateOptions,
)
from contractlab.render.escape import terminal
from contractlab.streams import OutputError, write_error, write_out

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

app = typer.Typer(
    name="contractlab",
    help="Blocks a release of an AI agent that behaves worse than the last one.",
    epilog="Exit codes: 0 PASS or nothing wrong, 1 REVIEW or BLOCK, 2 nothing was decided.",
    no_args_is_help=True,
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
Quiet = Annotated[bool, typer.Option("--quiet", help="Print problems and verdicts only.")]
MaxBytes = Annotated[
    int, typer.Option("--max-bytes", min=1, metavar="N", help="Size cap of each file.")
]


@app.command()
def validate(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILES]...", help="Contracts; none: those of contractlab.toml."),
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
    quiet: Quiet = False,
) -> int:
    """Check contracts: JSON, shape, families, coverage, look-alikes."""
    return commands.validate(
        ValidateOptions(
            files=tuple(files or ()),
            config=config,
            strict=strict,
            format=format_,
            max_bytes=max_bytes,
            quiet=quiet,
        )
    )


@app.command()
def compare(
    *,
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="FILE", help="The cases.")
    ] = None,
    rubric: Annotated[
        str | None, typer.Option("--rubric", metavar="FILE", help="The gates.")
    ] = None,
    predictions: Annotated[
        list[str] | None,
        typer.Option("--predictions", metavar="FILE", help="A replay; give it again for more."),
    ] = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", metavar="ID", help="The release to judge.")
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="ID", help="Compared with; default: the rubric's."),
    ] = None,
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
            help="The mildest verdict that exits 1; default: review.",
        ),
    ] = None,
    max_bytes: MaxBytes = DEFAULT_MAX_BYTES,
    quiet: Quiet = False,
) -> int:
    """Judge a candidate's replay against the baseline's: PASS, REVIEW or BLOCK."""
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
        )
    )


@app.command()
def explain(
    code: Annotated[str, typer.Argument(metavar="CODE", help="A rule, such as CL301.")],
) -> int:
    """Print a rule's page: what it finds, why, and how to mend it."""
    return commands.explain(code)


@app.command()
def version() -> int:
    """Print the version."""
    write_out(f"contractlab {installed_version('contractlab')}\n")
    return 0


cli_v2.register(app)
cli_import.register(app)


def run(argv: Sequence[str]) -> int:
    """Runs one command line. A mistake in it exits 2."""
    try:
        code = app(list(argv), standalone_mode=False, prog_name="contractlab")
    except OutputError as error:
        write_error(f"contractlab: cannot write to {error}\n")
        return commands.NOTHING_DECIDED
    except typer.Exit as exit_:
        return exit_.exit_code
    except typer.Abort:
        return 130
    except Exception as error:
        # A usage error, known by its shape: typer carries click in itself since 0.29.
        if not hasattr(error, "format_message"):
            raise
        command = next((word for word in argv if word in _COMMANDS), "")
        write_error(
            f"contractlab: {terminal(error.format_message())}\n"
            f"   help: contractlab {command + ' ' if command else ''}--help\n"
        )
        return commands.NOTHING_DECIDED
    return code if isinstance(code, int) else 0


_COMMANDS = ("validate", "compare", "explain", "version", *cli_v2.NAMES, *cli_import.NAMES)
