"""What was judged, bound by a digest that anyone can recompute with Python's json module."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

from contractlab.canonical import encode

DIGEST_FORMAT = "python-json-sorted-utf8-v1"
EVALUATOR_VERSION = "contractlab-gate-v1"
"""Names how contracts are graded and decided. Changes when the same input could be judged
differently; a new report field or a faster reader does not change it."""

DIGEST_FORMAT_V2 = "python-json-sorted-utf8-entries-v2"
"""As the first, of a contract's own digest in its place: SHA-256 over an array of its header
(without its entries) and each entry. JSON and JSON Lines of one content have one digest."""
EVALUATOR_VERSION_V2 = "contractlab-gate-v2"


class InputFile(NamedTuple):
    """A file that was read."""

    name: str
    """As it was given."""
    role: str
    """`dataset`, `rubric` or `predictions`."""
    byte_count: int
    sha256: str
    """Hex digest of its raw bytes."""


class Evidence(NamedTuple):
    """What a judgement rests on."""

    sha256: str
    """Hex digest of the inputs, see `digest`."""
    inputs: tuple[InputFile, ...]

    @property
    def fingerprint(self) -> str:
        """The first 16 hex digits, for people to compare."""
        return self.sha256[:16]


def digest(*values: Any) -> str:
    """SHA-256 of the canonical bytes of an array of values, as 64 hex digits.

    It says that two judgements had the same inputs. It does not say who made them, it is
    no signature, and the encoding is Python's, not RFC 8785's.
    """
    state = sha256(b"[")
    for index, value in enumerate(values):
        if index:
            state.update(b",")
        state.update(encode(value))
    state.update(b"]")
    return state.hexdigest()


def input_file(name: str, role: str, data: bytes) -> InputFile:
    """The entry of one file that was read."""
    # A name that is not UTF-8 has lone surrogates, which no JSON report can carry.
    name = name.encode("utf-8", "backslashreplace").decode()
    return InputFile(name, role, len(data), sha256(data).hexdigest())
