"""`upgrade`, `aa` and `power`: options to an exit code."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contractlab import config as configuration
from contractlab import files
from contractlab.canonical import encode_report
from contractlab.commands import RIGHT, named_files, with_config
from contractlab.contrast import Method, needed_cases
from contractlab.intake import open_contracts, open_documents
from contractlab.options import CompareOptions
from contractlab.problems import ContractError, Problem, Rule
from contractlab.render import numbers
from contractlab.render.escape import terminal
from contractlab.render.problems import render_problems, summary
from contractlab.streams import NOTHING_DECIDED, OutputError, write_error, write_out
from contractlab.upgrade import upgrade_dataset, upgrade_predictions, upgrade_rubric
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contractlab.aa import AgainstItself
    from contractlab.intake import Document
    from contractlab.judge_v2 import Inputs
    from contractlab.sample import Sample

MARGINS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2)


def _guarded(work: Callable[[], str | bytes]) -> int:
    try:
        write_out(work())
    except ContractError as error:
        problems = error.problems
        write_error(f"{render_problems(problems)}nothing was done: {summary(problems)}\n")
        return NOTHING_DECIDED
    except OutputError as error:
        write_error(f"contractlab: cannot write the result to {error}\n")
        return NOTHING_DECIDED
    return RIGHT


def _usage(message: str, hint: str) -> ContractError:
    return ContractError([Problem(Rule.BAD_USAGE, message, hint)])


# ── upgrade ─────────────────────────────────────────────────────────────────────────────────


def upgrade(
    names: tuple[str, ...], *, folder: str, force: bool, max_bytes: int = files.DEFAULT_MAX_BYTES
) -> int:
    """Writes version 1 contracts as version 2 into a folder, one replay a release."""
    return _guarded(lambda: _upgraded(names, folder, force, max_bytes))


def _upgraded(names: tuple[str, ...], folder: str, force: bool, max_bytes: int) -> str:
    wanted: list[tuple[str, str | None]] = [(name, None) for name in configuration.expand(names)]
    documents, problems = open_documents(wanted, max_bytes=max_bytes)
    if problems:
        raise ContractError(problems)
    written: dict[Path, Any] = {}
    for name, value in (each for document in documents for each in _values(document)):
        path = Path(folder) / name
        if path in written or (path.exists() and not force):
            raise _usage(f"{path} is there already", "name another folder, or give --force")
        written[path] = value
    for path, value in written.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())
        except OSError as error:
            raise _usage(f"{path} cannot be written: {error.strerror}", "check it") from error
    return "".join(f"{terminal(str(path))}\n" for path in written)


def _values(document: Document) -> Iterator[tuple[str, Any]]:
    if document.digest is not None:
        raise _usage(f"{document.name} is of version 2 already", "leave it out")
    stem = Path(document.name).stem
    match document.role:
        case "dataset":
            yield f"{stem}.json", upgrade_dataset(document.value)
        case "rubric":
            yield f"{stem}.json", upgrade_rubric(document.value)
        case _:
            replays = upgrade_predictions(document.value)
            for index, (id_, value) in enumerate(replays):
                # An id may hold anything; a file name must not.
                safe = re.sub(r"[^A-Za-z0-9._-]+", "-", id_).strip(".-")[:80] or f"release-{index}"
                yield f"{stem}.{safe}.json" if len(replays) > 1 else f"{stem}.json", value


# ── aa ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class AaOptions:
    """`contractlab aa`."""

    dataset: str | None = None
    """None and empty take the configured ones, as `compare` does."""
    rubric: str | None = None
    predictions: tuple[str, ...] = ()
    config: str | None = None
    release: str | None = None
    """Whose trials are dealt; None: of the only release, or two releases are swapped."""
    baseline: str | None = None
    candidate: str | None = None
    rounds: int = 200
    seed: int = 7
    format: str = "text"
    max_bytes: int = files.DEFAULT_MAX_BYTES


def aa(options: AaOptions) -> int:
    """Says how often a rubric stops an unchanged agent: always 0, or 2 where it cannot."""

    def work() -> str | bytes:
        if options.format not in ("text", "json"):
            raise _usage(f"--format {shown(options.format)}", "text or json")
        found, warnings = against_itself(options)
        if options.format == "json":
            return encode_report(_as_dict(found, warnings))
        for each in warnings:
            write_error(f"warning: {terminal(each)}\n")
        return "".join(f"{line}\n" for line in _aa_lines(found))

    return _guarded(work)


def against_itself(options: AaOptions) -> tuple[AgainstItself, list[str]]:
    """The rubric's verdicts on an unchanged agent, and why it may not be unchanged.

    Raises:
        ContractError: the contracts do not allow it; with the reasons.
    """
    from contractlab.aa import from_swaps, from_trials  # noqa: PLC0415
    from contractlab.judge_v2 import sample_of  # noqa: PLC0415
    from contractlab.pipeline_v2 import inputs_of  # noqa: PLC0415

    named = with_config(
        CompareOptions(
            dataset=options.dataset,
            rubric=options.rubric,
            predictions=options.predictions,
            candidate=options.candidate,
            baseline=options.baseline,
            config=options.config,
        )
    )
    contracts = open_contracts(*named_files(named), max_bytes=options.max_bytes)
    if contracts.rubric.terms is None:
        raise _usage("aa needs version 2 contracts", "contractlab upgrade writes them")
    releases = {each.id: each for of in contracts.replays.values() for each in of.releases}
    release = options.release or (next(iter(releases)) if len(releases) == 1 else None)
    if release is None:
        inputs, _ = inputs_of(contracts, baseline=named.baseline, candidate=named.candidate)
        sample = sample_of(inputs)
        found = from_swaps(inputs, sample, rounds=options.rounds, seed=options.seed)
        return found, list(_unlike(inputs, sample))
    if release not in releases:
        raise _usage(f"release {shown(release)} is in none of the replays", "name a recorded one")
    dealt = from_trials(
        contracts.dataset,
        contracts.rubric,
        releases[release],
        rounds=options.rounds,
        seed=options.seed,
    )
    if dealt is None:
        raise _usage(
            f"release {shown(release)} has no case with two trials",
            "record more trials, or name two releases: their sides are then swapped at random",
        )
    return dealt, []


def _unlike(inputs: Inputs, sample: Sample) -> Iterator[str]:
    """Signs that two releases are no two recordings of one agent."""
    one, other = inputs.baseline, inputs.candidate
    both = f"{shown(one.id)} and {shown(other.id)}"
    about = "these are two releases, and aa is about one: what really changed is counted as noise"
    if one.manifest is not None and other.manifest is not None and one.manifest != other.manifest:
        yield f"{both} have different manifests: {about}"
    seen = sample.contrast("pass_rate", sample.everything(), inputs.rubric)
    if seen is not None and not seen.interval.low <= 0 <= seen.interval.high:
        yield (
            f"{both} differ by more than noise: difference {numbers.points(seen.delta)} points,"
            f" {numbers.confidence(seen.method.confidence)} interval"
            f" {numbers.interval(seen.interval)}: {about}"
        )


def _aa_lines(found: AgainstItself) -> Iterator[str]:
    how = (
        "trials of one release dealt into two halves"
        if found.source == "trials"
        else "two releases with their sides swapped at random"
    )
    cases = numbers.counted(found.cases, "case")
    yield f"{found.rounds} comparisons of an unchanged agent, {cases} ({how})"
    for verdict, count in found.verdicts.items():
        bounds = found.interval(verdict)
        span = (
            f"   [{numbers.percent(bounds.low)}, {numbers.percent(bounds.high, 'up')}]"
            if bounds
            else ""
        )
        share = numbers.percent(Fraction(count, found.rounds), "nearest")
        yield f"  {verdict.ljust(6)} {share:>8}{span}"
    if found.reasons:
        yield "gates that did not hold, and how often"
    for name, count in found.reasons.items():
        share = numbers.percent(Fraction(count, found.rounds), "nearest")
        yield f"  {share:>8}  {terminal(name)}"


def _as_dict(found: AgainstItself, warnings: list[str]) -> dict[str, Any]:
    return {
        "source": found.source,
        "rounds": found.rounds,
        "cases": found.cases,
        "verdicts": {str(verdict): count for verdict, count in found.verdicts.items()},
        "reasons": dict(found.reasons),
        "warnings": warnings,
    }


# ── power ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class PowerOptions:
    """`contractlab power`."""

    margin: float | None = None
    """None: a table of usual margins."""
    discordance: float = 0.1
    pass_rate: float = 0.8
    power: float = 0.8
    confidence: float = 0.95
    interval: str = "newcombe"


def power(options: PowerOptions) -> int:
    """Says how many cases a margin needs."""
    return _guarded(lambda: "".join(f"{line}\n" for line in _power_lines(options)))


def _power_lines(options: PowerOptions) -> Iterator[str]:
    for name in ("discordance", "pass_rate"):
        if not 0 <= getattr(options, name) <= 1:
            raise _usage(f"--{name.replace('_', '-')} is a rate", "from 0 to 1")
    if not 0 < options.power < 1 or not 0.5 <= options.confidence <= 0.999:
        raise _usage("--power is between 0 and 1, --confidence from 0.5 to 0.999", "")
    most = 2 * min(options.pass_rate, 1 - options.pass_rate)
    if options.discordance > most:
        raise _usage(
            f"a pass rate of {options.pass_rate!r} leaves room for a discordance of {most:.3g}",
            "discordance is the share of cases that come out differently when the same agent"
            " runs again",
        )
    method = Method(options.interval, Fraction(repr(options.confidence)), 2000, 0)
    yield (
        f"independent cases that show an unchanged agent within a margin, with a power of"
        f" {numbers.percent(options.power, 'nearest')}"
    )
    yield (
        f"(pass rate {options.pass_rate!r}, {numbers.percent(options.discordance, 'nearest')} of"
        f" cases come out differently, {numbers.confidence(options.confidence)}"
        f" {options.interval} interval)"
    )
    for margin in MARGINS if options.margin is None else (options.margin,):
        found = needed_cases(
            discordance=options.discordance,
            pass_rate=options.pass_rate,
            margin=margin,
            method=method,
            power=options.power,
        )
        cases = "no number of cases" if found is None else numbers.count(found)
        yield f"  margin {margin!r:<6} {cases:>10}"
