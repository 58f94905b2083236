"""`contractlab import`: raw files to `runs/ID.json`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contractlab import config as configuration
from contractlab import files
from contractlab.importers import manifest_file, mapping_file
from contractlab.importers.convert import (
    Tally,
    Wanted,
    convert,
    none_left,
    recording,
    summary,
    unread,
)
from contractlab.importers.source import MAX_BYTES
from contractlab.importers.write import write_replay
from contractlab.jsontext import parse
from contractlab.problems import ContractError, Problem, Rule
from contractlab.sniff import find_config

if TYPE_CHECKING:
    from collections.abc import Callable

    from contractlab.importers.neutral import CaseFacts
    from contractlab.manifest import Manifest

FIRST_DATASET = "1"
"""The dataset version of a replay that came before its dataset."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """`contractlab import FORMAT INPUT... --release ID -o FILE`."""

    format: str
    inputs: tuple[str, ...]
    release: str
    output: str
    mapping: str | None = None
    dataset_version: str | None = None
    """The dataset that the runs are replays of; None: to be named once there is one."""
    only: str | None = None
    manifest: str | None = None
    """What the release is made of, a file; None: as the replay that is there has it."""
    max_bytes: int = MAX_BYTES


def import_runs(
    options: ImportOptions, *, on_case: Callable[[str, CaseFacts], object] | None = None
) -> list[str]:
    """Imports, writes, and says what happened, a line each.

    Raises:
        ContractError: nothing was written.
    """
    if not options.inputs:
        raise ContractError([unread(options.inputs)])
    _check_output(options)
    mapping = None if options.mapping is None else mapping_file.load(options.mapping)
    wanted = Wanted(options.format, options.inputs, mapping, options.only, options.max_bytes)
    tally = Tally()
    release: dict[str, Any] = {"release_id": options.release}
    manifest = _manifest(options)
    if manifest is not None:
        release["manifest"] = manifest
    header: dict[str, Any] = {
        "schema_version": "eval-predictions-v2",
        "dataset_version": options.dataset_version or FIRST_DATASET,
        "release": release,
    }

    def reject(record: dict[str, Any], why: str) -> None:
        tally.records -= 1
        source = record["source"]
        line = f":{source['line']}" if "line" in source else ""
        tally.skip(why, f"{source['file']}{line}")

    def finished() -> dict[str, Any]:
        if tally.records <= 0:
            raise ContractError([none_left(tally)])
        return recording(tally)

    write_replay(
        options.output,
        header,
        convert(wanted, tally, on_case=on_case),
        finished,
        reject,
    )
    lines = [*summary(tally), f"written: {options.output} (release {options.release})"]
    if manifest is not None and options.manifest is None:
        lines.append("kept the manifest of the replay that was there")
    return lines


def _manifest(options: ImportOptions) -> Manifest | None:
    """The release's manifest: the one that is named, else what was added to the last replay."""
    if options.manifest is not None:
        return manifest_file.load(options.manifest)
    return manifest_file.of_replay(options.output, options.release, max_bytes=options.max_bytes)


def default_output(release: str) -> str:
    """`runs/ID.json`, with what no file name can hold as dashes."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", release).strip(".-")[:80]
    return f"runs/{safe or 'release'}.json"


def known_dataset_version() -> str | None:
    """The version of the dataset that the configuration names, where there is one."""
    found = find_config()
    dataset = None if found is None else configuration.load(found).dataset
    if dataset is None:
        return None
    value = parse(files.read(dataset).partition(b"\n")[0]) if _is_lines(dataset) else None
    value = value or parse(files.read(dataset), file=dataset)
    version = value.get("dataset_version") if isinstance(value, dict) else None
    return version if isinstance(version, str) else None


def _is_lines(name: str) -> bool:
    return name.endswith((".jsonl", ".ndjson"))


def _check_output(options: ImportOptions) -> None:
    read = (*options.inputs, options.mapping, options.manifest)
    for name in filter(None, read):
        same = os.path.abspath(name) == os.path.abspath(options.output)  # noqa: PTH100
        if same or (os.path.exists(options.output) and _samefile(name, options.output)):  # noqa: PTH110
            raise ContractError(
                [
                    Problem(
                        Rule.BAD_USAGE,
                        "the output is one of the files that are read",
                        "name another file with -o",
                        name,
                    )
                ]
            )


def _samefile(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121
    except OSError:
        return False
