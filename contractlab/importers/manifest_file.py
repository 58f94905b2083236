"""The manifest of a release that is imported: from a file of its own, or from an older replay."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contractlab import files
from contractlab.diagnose import nested_too_deep
from contractlab.jsontext import parse, too_deep
from contractlab.limits import MAX_DEPTH
from contractlab.manifest import check_manifest
from contractlab.positions import place
from contractlab.problems import ContractError
from contractlab.schema import Checker

if TYPE_CHECKING:
    from contractlab.manifest import Manifest

_MAX_BYTES = 1024 * 1024
_DEEPEST = MAX_DEPTH - 2
"""How deep a manifest may nest within a replay."""


def load(name: str) -> Manifest:
    """Reads a manifest as a replay has it under `release.manifest`.

    Raises:
        ContractError: it can't be read, or a replay with it would be refused.
    """
    data = files.read(name, max_bytes=_MAX_BYTES)
    value: Any = parse(data, file=name)
    deep = too_deep(value, _DEEPEST)
    problems = _checker().check(value, name) if deep is None else [nested_too_deep(name, deep)]
    if not problems:
        # Paths begin at the release, of which this file is a part.
        problems = [replace(each, path=each.path[2:]) for each in check_manifest(value, name)]
    if problems:
        raise ContractError(place(problems, {name: data}))
    manifest: Manifest = value
    return manifest


def of_replay(name: str, release: str, *, max_bytes: int) -> Manifest | None:
    """The manifest of the replay that a file is; None where it is none of that release."""
    if not Path(name).is_file():
        return None
    try:
        data = files.read(name, max_bytes=max_bytes)
        # Most replays have none, and are not decoded for it.
        header = _header(data, name) if b'"manifest"' in data else {}
    except ContractError:
        return None
    of = header.get("release")
    if header.get("schema_version") != "eval-predictions-v2" or not isinstance(of, dict):
        return None
    manifest: Manifest | None = of.get("manifest")
    same = of.get("release_id") == release and _checker().ok(manifest)
    return manifest if same else None


def _header(data: bytes, name: str) -> dict[str, Any]:
    first = data.partition(b"\n")[0] if name.endswith((".jsonl", ".ndjson")) else data
    value = parse(first)
    return value if isinstance(value, dict) else {}


@cache
def _checker() -> Checker:
    """The check of a manifest by itself."""
    schema: Any = parse(files.schema_text("predictions-v2"))
    definitions = schema["$defs"]
    return Checker({"$defs": definitions, **definitions["release"]["properties"]["manifest"]})
