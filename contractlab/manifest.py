"""What a release is made of: immutable references, and what changed between two releases."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from contractlab.limits import MOST_PROBLEMS
from contractlab.problems import Path, Problem, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Manifest = Mapping[str, Mapping[str, Any]]

MOVING = frozenset(
    (
        "latest",
        "main",
        "master",
        "head",
        "trunk",
        "current",
        "stable",
        "default",
        "dev",
        "develop",
        "nightly",
        "edge",
        "next",
        "tip",
        "production",
        "prod",
        "staging",
        "live",
        "newest",
        "rolling",
    )
)
"""Words that name something else tomorrow."""

REFERENCES = "commit, digest, a key that ends in sha256, version or snapshot"
_HEX = re.compile(r"[0-9a-f]+\Z", re.IGNORECASE)
_DIGEST = re.compile(r"[a-z0-9+._-]+:[0-9a-f]{32,128}\Z", re.IGNORECASE)
_PARTS = re.compile(r"[:/@\s]+")
_SAYS = {
    "commit": "a commit's full hex name, 40 or 64 digits",
    "digest": "an algorithm, a colon and hex digits, such as sha256:…",
    "sha256": "64 hex digits",
}


def check_manifest(manifest: Manifest, file: str) -> list[Problem]:
    """The references that could name something else tomorrow, and components without one."""
    found = (
        Problem(Rule.MUTABLE_REFERENCE, message, hint, file, ("release", "manifest", *path))
        for component, parts in manifest.items()
        for message, hint, path in _of_component(component, parts)
    )
    return list(islice(found, MOST_PROBLEMS))


def _of_component(name: str, parts: Mapping[str, Any]) -> Iterator[tuple[str, str, Path]]:
    found = False
    for key, value in parts.items():
        kind = "sha256" if key.endswith("sha256") else key
        if kind in _SAYS:
            if not (isinstance(value, str) and _is(kind, value)):
                message = f"{shown(key)} of {name} is {shown(value)}"
                yield message, f"write {_SAYS[kind]}", (name, key)
            found = True
        elif isinstance(value, str) and _moves(value):
            message = f"{shown(key)} of {name} is {shown(value)}, which can name something else"
            yield message, "name what it stood for when the replay was recorded", (name, key)
            found = True
        elif kind in ("version", "snapshot"):
            found = found or (isinstance(value, str | int) and not isinstance(value, bool))
    if not found:
        yield (
            f"{name} has no immutable reference",
            f"add one of {REFERENCES}",
            (name,),
        )


def _is(kind: str, value: str) -> bool:
    if kind == "digest":
        return bool(_DIGEST.match(value))
    sizes = (64,) if kind == "sha256" else (40, 64)
    return len(value) in sizes and bool(_HEX.match(value))


def _moves(value: str) -> bool:
    """Whether a reference is, or ends in, a word that moves: `latest`, `repo:latest`."""
    if "@" in value and _DIGEST.match(value.rpartition("@")[2]):
        return False
    parts = _PARTS.split(value.strip().casefold())
    return parts[-1] in MOVING or (parts[-1].rpartition("-")[2] == "latest")


@dataclass(frozen=True, slots=True)
class ManifestChange:
    """One part of a component that is not the same in both releases."""

    component: str
    part: str
    before: str
    """As compact JSON; empty where it is not there."""
    after: str


def changes(before: Manifest | None, after: Manifest | None) -> tuple[ManifestChange, ...]:
    """What changed, sorted by component and part; empty where a manifest is missing."""
    if before is None or after is None:
        return ()
    found = []
    for component in sorted(before.keys() | after.keys()):
        one, other = before.get(component, {}), after.get(component, {})
        for part in sorted(one.keys() | other.keys()):
            was, now = (_spelled(each, part) for each in (one, other))
            if was != now:
                found.append(ManifestChange(component, part, was, now))
    return tuple(found)


def _spelled(parts: Mapping[str, Any], part: str) -> str:
    if part not in parts:
        return ""
    return json.dumps(parts[part], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
