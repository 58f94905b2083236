"""The command line of `upgrade`, `aa` and `power`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from contractlab import commands_v2

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("upgrade", "aa", "power")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    commands: tuple[Callable[..., int], ...] = (upgrade, aa, power)
    for command in commands:
        app.command()(command)


def upgrade(
    files: Annotated[list[str], typer.Argument(metavar="FILES...", help="Version 1 contracts.")],
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="Where they are written.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Write over what is there.")] = False,
) -> int:
    """Write version 1 contracts as version 2, without loss."""
    return commands_v2.upgrade(tuple(files), folder=output, force=force)


def aa(
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
    config: Annotated[
        str | None,
        typer.Option("--config", metavar="FILE", help="Read this contractlab.toml."),
    ] = None,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="ID", help="Deal this release's trials in two halves."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="ID", help="Or swap this one's sides ...")
    ] = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", metavar="ID", help="... with this one's.")
    ] = None,
    rounds: Annotated[
        int,
        typer.Option("--rounds", min=1, max=100_000, metavar="N", help="Comparisons to simulate."),
    ] = 200,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="N", help="Names the random stream.")
    ] = 7,
    format_: Annotated[
        str, typer.Option("--format", metavar="text|json", help="How the answer is printed.")
    ] = "text",
) -> int:
    """How often would this rubric stop an unchanged agent?"""
    return commands_v2.aa(
        commands_v2.AaOptions(
            dataset=dataset,
            rubric=rubric,
            predictions=tuple(predictions or ()),
            config=config,
            release=release,
            baseline=baseline,
            candidate=candidate,
            rounds=rounds,
            seed=seed,
            format=format_,
        )
    )


def power(
    *,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            min=0,
            max=1,
            metavar="X",
            help="Accepted loss of pass rate; none: a table.",
        ),
    ] = None,
    discordance: Annotated[
        float,
        typer.Option(
            "--discordance", metavar="X", help="Share of cases that come out differently by chance."
        ),
    ] = 0.1,
    pass_rate: Annotated[
        float, typer.Option("--pass-rate", metavar="X", help="Of the agent.")
    ] = 0.8,
    wanted: Annotated[
        float, typer.Option("--power", metavar="X", help="Probability to show it.")
    ] = 0.8,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="X", help="Of the interval.")
    ] = 0.95,
    bootstrap: Annotated[
        bool, typer.Option("--bootstrap", help="Percentile bootstrap instead of Newcombe.")
    ] = False,
) -> int:
    """How many cases does a margin need?"""
    return commands_v2.power(
        commands_v2.PowerOptions(
            margin=margin,
            discordance=discordance,
            pass_rate=pass_rate,
            power=wanted,
            confidence=confidence,
            interval="bootstrap" if bootstrap else "newcombe",
        )
    )
