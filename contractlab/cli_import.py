"""The command line of `import` and `init`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from contractlab.importers.source import MAX_BYTES
from contractlab.problems import ContractError
from contractlab.render.escape import terminal
from contractlab.render.problems import render_problems, summary
from contractlab.streams import OutputError, write_error, write_out

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("import", "init")
_RIGHT, _NOTHING_DECIDED = 0, 2


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("import")(import_)
    app.command("init")(init)


def _said(work: Callable[[], list[str]]) -> int:
    try:
        write_out("".join(f"{terminal(line)}\n" for line in work()))
    except ContractError as error:
        problems = error.problems
        write_error(f"{render_problems(problems)}nothing was written: {summary(problems)}\n")
        return _NOTHING_DECIDED
    except OutputError as error:
        write_error(f"contractlab: cannot write to {error}\n")
        return _NOTHING_DECIDED
    return _RIGHT


def import_(
    format_: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="auto looks at the files. Or one of: otel, openai-chat, openai-responses, "
            "anthropic, inspect, promptfoo, langfuse, atif, agentdojo, tau-bench, table.",
        ),
    ],
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT...", help="Raw files, or patterns: 'logs/*.json'.")
    ],
    *,
    release: Annotated[
        str, typer.Option("--release", metavar="ID", help="Whose behaviour this is.")
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: runs/ID.json."),
    ] = None,
    mapping: Annotated[
        str | None,
        typer.Option("--mapping", metavar="FILE", help="Where case, label, outcomes stand."),
    ] = None,
    dataset_version: Annotated[
        str | None,
        typer.Option(
            "--dataset-version", metavar="NAME", help="Of the dataset; default: the configured one."
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option("--only", metavar="NAME", help="Only this release of several in a file."),
    ] = None,
    manifest: Annotated[
        str | None,
        typer.Option("--manifest", metavar="FILE", help="What the release is made of, as JSON."),
    ] = None,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", min=1, metavar="N", help="Size cap of each file.")
    ] = MAX_BYTES,
) -> int:
    """Make a replay of traces, logs or benchmark runs.

    The first one becomes a gate with `contractlab init`. What each format gives, and how a
    mapping file reads rows of your own: docs/importing.md.
    """
    from contractlab import config  # noqa: PLC0415 (only for this command)
    from contractlab.importers import command  # noqa: PLC0415

    return _said(
        lambda: command.import_runs(
            command.ImportOptions(
                format=format_,
                inputs=tuple(config.expand(tuple(inputs))),
                release=release,
                output=output or command.default_output(release),
                mapping=mapping,
                dataset_version=dataset_version or command.known_dataset_version(),
                only=only,
                manifest=manifest,
                max_bytes=max_bytes,
            )
        )
    )


def init(
    replay: Annotated[
        str, typer.Argument(metavar="REPLAY", help="The baseline's, as import writes it.")
    ],
    *,
    folder: Annotated[
        str, typer.Option("--folder", metavar="FOLDER", help="Where the files are written.")
    ] = ".",
    mapping: Annotated[
        str | None,
        typer.Option("--mapping", metavar="FILE", help="What the replay was imported with."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over what is there.")] = False,
) -> int:
    """Write dataset, rubric, config, hook and workflow from a replay."""
    from contractlab.init import InitOptions  # noqa: PLC0415 (only for this command)
    from contractlab.init import init as scaffold  # noqa: PLC0415

    return _said(
        lambda: scaffold(InitOptions(replay=replay, folder=folder, mapping=mapping, force=force))
    )
