"""Importing 100,000 runs: time as a multiple of decoding the same bytes, and peak memory.

    python benchmarks/imports.py [RUNS]

Both are measured in processes of their own, in processor time (so that a busy machine does not
count), with the garbage collector off, as the command line runs.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jiter

from contractlab.importers.command import ImportOptions, import_runs

RUNS = 100_000


@dataclass(frozen=True, slots=True)
class Measured:
    """What importing costs."""

    runs: int
    megabytes: float
    """Of the raw file."""
    decoding_s: float
    """Strictly, with jiter: what every import has to do."""
    stdlib_s: float
    """The same lines with `json.loads`."""
    importing_s: float
    peak_mb: float

    @property
    def ratio(self) -> float:
        """Importing as a multiple of decoding."""
        return self.importing_s / self.decoding_s


def measure(runs: int = RUNS) -> Measured:
    """Imports made-up runs of the AgentDojo format, each with seven calls."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.jsonl"
        with raw.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(_run(index)) + "\n" for index in range(runs))
        decoding, _ = _apart(_decode, str(raw))
        stdlib, _ = _apart(_decode_stdlib, str(raw))
        importing, peak = _apart(_import, str(raw))
        megabytes = raw.stat().st_size / 1e6
    return Measured(runs, megabytes, decoding, stdlib, importing, peak)


def _run(index: int) -> dict[str, Any]:
    call = {"id": "call_1", "function": "read_file", "args": {"path": f"/a/{index}"}, "error": None}
    return {
        "path": f"runs/m/suite/user_task_{index}/none/none.json",
        "suite_name": "suite",
        "pipeline_name": "m",
        "user_task_id": f"user_task_{index}",
        "injection_task_id": None,
        "attack_type": None,
        "error": None,
        "utility": index % 3 > 0,
        "security": True,
        "duration": 1.25,
        "tool_calls": [call] * 7,
        "prompt": f"Look at file {index} and say what it is about. " * 6,
        "final_answer": "It is about something else. " * 12,
    }


def _decode(raw: str) -> None:
    with open(raw, "rb") as file:  # noqa: PTH123
        for line in file:
            jiter.from_json(line, catch_duplicate_keys=True)


def _decode_stdlib(raw: str) -> None:
    with open(raw, "rb") as file:  # noqa: PTH123
        for line in file:
            json.loads(line)


def _import(raw: str) -> None:
    import_runs(ImportOptions("agentdojo", (raw,), "r", f"{raw}.out.jsonl"))


def _apart(work: Any, raw: str) -> tuple[float, float]:
    """Seconds of processor time and peak mebibytes of work in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_timed, (work, raw))


def _timed(work: Any, raw: str) -> tuple[float, float]:
    gc.disable()
    start = time.process_time()
    work(raw)
    return time.process_time() - start, _peak_mb()


def _peak_mb() -> float:
    try:
        import resource  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 if sys.platform != "darwin" else peak / 1024**2


def main() -> None:
    found = measure(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
    print(
        f"{found.runs:,} runs, {found.megabytes:.0f} MB: decoding {found.decoding_s:.2f} s"
        f" (json.loads {found.stdlib_s:.2f} s), importing {found.importing_s:.2f} s"
        f" = {found.ratio:.1f} times, peak {found.peak_mb:.0f} MB"
    )


if __name__ == "__main__":
    main()
