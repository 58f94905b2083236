"""Throws broken contracts at the reader: it must answer with a value or placed problems.

    python fuzz/fuzz_reader.py [SECONDS] [SEED]

runs with nothing but contractlab, 10 seconds unless told. Where atheris is installed,

    python fuzz/fuzz_reader.py --atheris CORPUS_FOLDER

lets it choose the bytes by coverage. A failure prints the bytes and ends with code 1.
"""

from __future__ import annotations

import json
import random
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from contractlab.contract import SCHEMAS, kind_of
from contractlab.files import checker
from contractlab.jsontext import parse
from contractlab.positions import place
from contractlab.problems import ContractError
from contractlab.render.problems import render_problems

ROOT = Path(__file__).parent.parent
PIECES = [
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud83d", b"\\ude00", b"NaN",
    b"-Infinity", b"1e999", b"-0.0", b"9" * 400, b"9" * 4400, b"\x00", b"\xff", b"\xef\xbb\xbf",
    b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\x1b[31m", b"##[error]", b"::error::", b"\r\n", b"\t",
    b"null", b"true", b" ", b"[" * 70, b'{"a":' * 70, b'"schema_version"', b'"id":"a",',
]  # fmt: skip


def check(data: bytes) -> None:
    """Whether the reader keeps its word on these bytes.

    Raises:
        Exception: it does not.
    """
    try:
        value = parse(data, file="x.json")
    except ContractError as error:
        problems = error.problems
        if not problems or any(each.position is None for each in problems):
            raise ValueError("refused without a placed problem") from error
    else:
        if value != value or json.loads(data) != value:  # noqa: PLR0124 (a NaN)
            raise ValueError("another value than that of Python's json")
        kind = kind_of(value)
        found = checker(SCHEMAS[kind]).check(value, "x.json") if kind else []
        problems = place(found, {"x.json": data})
        if kind and bool(found) == checker(SCHEMAS[kind]).ok(value):
            raise ValueError("the quick and the explaining check disagree")
    text = render_problems(problems)
    if "##[" in text or not text.replace("\n", "").isprintable():
        raise ValueError("something raw in the message")


def mutated(data: bytes, choose: random.Random) -> bytes:
    """The bytes with a few pieces cut out, put in, copied or cut off."""
    for _ in range(choose.randint(1, 4)):
        start = choose.randint(0, len(data))
        end = min(len(data), start + choose.choice([0, 1, 1, 2, 8, 60]))
        match choose.randrange(4):
            case 0:
                data = data[:start] + choose.choice(PIECES) + data[end:]
            case 1:
                data = data[:start] + data[end:]
            case 2:
                data = data[:end] + data[start:]
            case _:
                data = data[:start] + bytes([choose.randrange(256)]) + data[end:]
    return data if choose.random() > 0.05 else data[: choose.randint(0, len(data))]


def seeds() -> list[bytes]:
    """The repository's own contracts, right and wrong; whole ones of at most 20 kB."""
    files = sorted(path for name in ("fixtures", "runs") for path in (ROOT / name).rglob("*.json"))
    found = [path.read_bytes() for path in files]
    return [each for each in found if len(each) < 20_000] or [b'{"schema_version": "x"}']


def main(arguments: list[str]) -> int:
    """Runs for some seconds; 1 after a failure."""
    if arguments[:1] == ["--atheris"]:
        return _atheris(arguments[1:])
    seconds = float(arguments[0]) if arguments else 10.0
    seed = int(arguments[1]) if len(arguments) > 1 else time.time_ns()
    choose, corpus = random.Random(seed), seeds()  # noqa: S311 (not for secrets)
    end, runs = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = mutated(choose.choice(corpus), choose)
        try:
            check(data)
        except Exception as error:
            sys.stdout.write(f"seed {seed}, run {runs}: {error!r}\n{data!r}\n")
            return 1
        runs += 1
    sys.stdout.write(f"seed {seed}: {runs} runs, nothing found\n")
    return 0


def _atheris(arguments: list[str]) -> int:
    fuzzer: Any = import_module("atheris")
    fuzzer.instrument_all()
    fuzzer.Setup([sys.argv[0], *arguments], check)
    fuzzer.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
