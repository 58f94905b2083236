"""Measures every claim about speed and prints one table: `python -m benchmarks.run`.

Each row is a ratio of two things measured in turn in the same run, as medians, so that a slow
machine slows both; of CPU time where the system tells it, so that a busy one matters less.
What contractlab counts is compared with a plain count first.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import agents, data, peers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parent.parent
COMMAND = str(Path(sys.executable).with_name("contractlab"))
DECODE = (
    "import sys\nfrom {module} import {name} as decode\n"
    "for name in sys.argv[1:]:\n    with open(name, 'rb') as file:\n        decode(file.read())"
)
ORJSON = DECODE.format(module="orjson", name="loads")
MSGSPEC = DECODE.format(module="msgspec.json", name="decode")
# Compiled once, as installers leave it, whatever the caller's environment says.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True, slots=True)
class Row:
    """One claim and what was measured."""

    what: str
    measured: str
    limit: str
    kept: bool


@dataclass(slots=True)
class Bench:
    """Where files go, and how often things are measured."""

    folder: Path
    runs: int
    sizes: tuple[int, int, int]
    """Cases of the small, the large and the largest comparison."""

    def seconds(self, *commands: Sequence[str], runs: int | None = None) -> list[float]:
        """Median time of each command; they take turns."""
        taken: list[list[float]] = [[] for _ in commands]
        for turn in range((runs or self.runs) + 1):
            for own, command in zip(taken, commands, strict=True):
                begun = spent()
                done = subprocess.run(
                    command, check=False, capture_output=True, cwd=self.folder, env=ENVIRONMENT
                )
                if turn or runs == 1:  # the first round only warms up
                    own.append(spent() - begun)
                if done.returncode not in (0, 1):
                    raise SystemExit(f"{command[0]}: {done.stderr.decode()[-500:]}")
            if runs == 1:
                break
        return [statistics.median(own) for own in taken]

    def contracts(self, count: int) -> data.Contracts:
        """Contracts of a size, written and checked once."""
        return data.write_contracts(self.folder, count)


def spent() -> float:
    """Seconds of CPU time of the processes started so far; of wall time on Windows."""
    if sys.platform == "win32":
        return time.perf_counter()
    import resource  # noqa: PLC0415 (not on Windows)

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare_command(files: data.Contracts) -> list[str]:
    return [
        *(COMMAND, "compare", "--dataset", str(files.dataset), "--rubric", str(files.rubric)),
        *("--predictions", str(files.predictions), "--format", "json"),
        *("--max-bytes", str(10**11)),
    ]


def row(what: str, ratio: float, limit: float, *, least: bool = False) -> Row:
    kept = ratio >= limit if least else ratio <= limit
    return Row(what, f"{ratio:.1f}x", f"{'at least' if least else 'at most'} {limit:g}x", kept)


def startup(bench: Bench) -> list[Row]:
    one = data.write_json(bench.folder / "one.json", data.dataset(1000, splits=False))
    many = [
        data.write_json(
            bench.folder / f"many-{index}.json",
            data.dataset(300, splits=False, version=f"agent {index}"),
        )
        for index in range(100)
    ]
    python, ours, hook = bench.seconds(
        [sys.executable, "-c", "pass"],
        [COMMAND, "validate", str(one)],
        [COMMAND, "hook", str(one)],
        runs=bench.runs * 3,
    )
    rows = [
        row("validate 1,000 cases, to `python -c pass`", ours / python, 5),
        row("hook, 1,000 cases, to `python -c pass`", hook / python, 5),
    ]
    peer = peers.install(bench.folder, "check-jsonschema")
    if peer is None:
        return rows
    schema = ROOT / "schemas" / "dataset-v1.schema.json"
    theirs = [str(peer), "--schemafile", str(schema)]
    slow, quick, hook = bench.seconds(
        [*theirs, str(one)], [COMMAND, "validate", str(one)], [COMMAND, "hook", str(one)]
    )
    rows.append(row("validate 1,000 cases, check-jsonschema to us", slow / quick, 10, least=True))
    rows.append(row("hook, 1,000 cases, check-jsonschema to us", slow / hook, 10, least=True))
    names = list(map(str, many))
    slow, quick = bench.seconds(
        [*theirs, *names], [COMMAND, "validate", *names], runs=min(bench.runs, 3)
    )
    rows.append(
        row("validate 100 x 300 cases, check-jsonschema to us", slow / quick, 12, least=True)
    )
    return rows


def comparison(bench: Bench) -> list[Row]:
    small, large, _ = bench.sizes
    rows = []
    for count, script, decoder, limit in (
        (small, ORJSON, "orjson", 5),
        (large, MSGSPEC, "msgspec", 12),
    ):
        files = bench.contracts(count)
        check_counts(files)
        decode = [sys.executable, "-c", script, *map(str, files.paths)]
        base, ours = bench.seconds(decode, compare_command(files))
        rows.append(
            row(f"compare {count:,} cases x 2, to decoding with {decoder}", ours / base, limit)
        )
    return rows


def check_counts(files: data.Contracts) -> None:
    """Holds the report's integer counts to those counted when the data was made."""
    done = subprocess.run(compare_command(files), check=False, capture_output=True, env=ENVIRONMENT)
    report = json.loads(done.stdout)
    found = {
        release: report[f"{release}_metrics"]["confusion_matrix"]
        for release in ("baseline", "candidate")
    }
    if report["comparison"]["counts"] != files.counts.flips or found != files.counts.confusion:
        raise SystemExit("the report does not count what the data was made of")


def largest(bench: Bench) -> list[Row]:
    _, large, largest_ = bench.sizes
    large_files, files = bench.contracts(large), bench.contracts(largest_)
    (base,) = bench.seconds(compare_command(large_files), runs=1)
    (ours,) = bench.seconds(compare_command(files), runs=1)
    rows = [row(f"compare {largest_:,} cases x 2, to {large:,}", ours / base, 12)]
    much = peak_memory(compare_command(files))
    if much is not None:
        each = much * 1000 / largest_ / 2
        what = f"memory of {largest_:,} cases x 2, a case and release"
        rows.append(Row(what, f"{each:.2f} KB", "at most 2.5 KB", each <= 2.5))
    return rows


def peak_memory(command: Sequence[str]) -> float | None:
    """Most memory that a command held, in MB; None where the system does not tell."""
    if sys.platform != "linux":
        return None
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command], check=True, capture_output=True, env=ENVIRONMENT
    )
    return int(done.stdout) * 1.024 / 1000


def gates(bench: Bench) -> list[Row]:
    count = bench.sizes[0]
    files = bench.contracts(count)
    cases = json.loads(files.dataset.read_text(encoding="utf-8"))["cases"]
    predictions = json.loads(files.predictions.read_text(encoding="utf-8"))
    rows = []
    for name, prepare, limit in (
        ("holdline", peers.holdline, 50),
        ("toolkit-eval", peers.toolkit_eval, 10),
    ):
        peer = peers.install(bench.folder, name)
        if peer is not None:
            theirs = prepare(bench.folder, peer, cases, predictions)
            *slow, ours = bench.seconds(*theirs, compare_command(files), runs=1)
            what = f"compare {count:,} cases x 2, {name} to us"
            rows.append(row(what, sum(slow) / ours, limit, least=True))
    return rows


def inside(bench: Bench) -> list[Row]:
    """What is measured within one process."""
    import gc  # noqa: PLC0415
    from fractions import Fraction  # noqa: PLC0415

    import orjson  # noqa: PLC0415

    from contractlab import pipeline  # noqa: PLC0415
    from contractlab.bootstrap import DifferenceCounts, paired_bootstrap  # noqa: PLC0415
    from contractlab.render.report import render_json  # noqa: PLC0415

    def seconds(work: Callable[[], object]) -> float:
        taken = []
        for _ in range(bench.runs):
            begun = time.process_time()
            work()
            taken.append(time.process_time() - begun)
        return statistics.median(taken)

    counts = DifferenceCounts(worse=40_000, same=910_000, better=50_000)
    confidence = Fraction(95, 100)
    took = seconds(
        lambda: paired_bootstrap(counts, resamples=100_000, confidence=confidence, seed=7)
    )
    rows = [
        Row("bootstrap, 1,000,000 cases, 100,000 resamples", f"{took:.2f} s", "at most 0.3 s",
            took <= 0.3)
    ]  # fmt: skip

    gc.disable()  # as in the command
    files = bench.contracts(bench.sizes[1])
    judgement = pipeline.run(
        str(files.dataset), str(files.rubric), [str(files.predictions)],
        baseline=None, candidate=None, strict=False, max_bytes=10**11, places=True,
    )  # fmt: skip
    plain = orjson.loads(render_json(judgement))
    same = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2
    ours = seconds(lambda: render_json(judgement))
    alike = seconds(lambda: orjson.dumps(plain, option=same))
    bare = seconds(lambda: orjson.dumps(plain))
    what = f"report of {bench.sizes[1]:,} cases, to orjson.dumps"
    rows.append(row(f"{what}, sorted and indented", ours / alike, 3))
    rows.append(Row(f"{what}, plain", f"{ours / bare:.1f}x", "", kept=True))
    gc.enable()
    return rows


def formats(bench: Bench) -> list[Row]:
    """Each report of a comparison, to making the comparison."""
    import gc  # noqa: PLC0415

    from contractlab import outputs, pipeline  # noqa: PLC0415
    from contractlab.choices import RENDER_FORMATS  # noqa: PLC0415

    gc.disable()  # as in the command
    files = bench.contracts(bench.sizes[0])
    taken: dict[str, list[float]] = {name: [] for name in ("judged", *RENDER_FORMATS)}
    for _ in range(bench.runs):
        begun = time.process_time()
        judgement = pipeline.run(
            str(files.dataset), str(files.rubric), [str(files.predictions)],
            baseline=None, candidate=None, strict=False, max_bytes=10**11, places=True,
        )  # fmt: skip
        taken["judged"].append(time.process_time() - begun)
        for name in RENDER_FORMATS:
            begun = time.process_time()
            outputs.rendered(judgement, name)
            taken[name].append(time.process_time() - begun)
    gc.enable()
    base = statistics.median(taken["judged"])
    return [
        row(f"{name} of {bench.sizes[0]:,} cases, to judging them",
            statistics.median(taken[name]) / base, 1)
        for name in RENDER_FORMATS
    ]  # fmt: skip


def stages(bench: Bench) -> list[Row]:
    """Where the time of one large comparison goes, as shares."""
    import gc  # noqa: PLC0415

    from contractlab import files, intake, judge, pipeline  # noqa: PLC0415
    from contractlab.render.report import render_json  # noqa: PLC0415

    spent: dict[str, float] = {}

    def timed(name: str, module: Any, function: str) -> None:
        original = getattr(module, function)

        def wrapped(*args: Any, **options: Any) -> Any:
            begun = time.process_time()
            try:
                return original(*args, **options)
            finally:
                spent[name] = spent.get(name, 0) + time.process_time() - begun

        setattr(module, function, wrapped)
        undo.append((module, function, original))

    undo: list[tuple[Any, str, Any]] = []
    timed("read", files, "read")
    timed("decode", intake, "parse")
    timed("digest", pipeline, "digest")
    timed("digest", pipeline, "input_file")
    timed("grade", judge, "grade_release")
    timed("grade", judge, "measure")
    timed("compare", judge, "compare")
    timed("find places", pipeline, "find_places")
    names = bench.contracts(bench.sizes[1])
    gc.disable()
    begun = time.process_time()
    judgement = pipeline.run(
        str(names.dataset), str(names.rubric), [str(names.predictions)],
        baseline=None, candidate=None, strict=False, max_bytes=10**11, places=True,
    )  # fmt: skip
    spent["check and load"] = time.process_time() - begun - sum(spent.values())
    begun = time.process_time()
    render_json(judgement)
    spent["report"] = time.process_time() - begun
    gc.enable()
    for module, function, original in undo:
        setattr(module, function, original)
    whole = sum(spent.values())
    order = ("read", "decode", "check and load", "digest", "grade", "compare", "find places",
             "report")  # fmt: skip
    return [Row(f"  {name}", f"{spent[name] / whole:.0%}", "", kept=True) for name in order]


def recorded(bench: Bench) -> list[Row]:
    """Raw runs of two releases, imported and judged, to decoding the bytes that are read."""
    count = bench.sizes[1] // 2
    releases = ("baseline", "candidate")
    raw = [bench.folder / f"{name}.jsonl" for name in releases]
    replays = [bench.folder / "runs" / f"{name}.jsonl" for name in releases]
    lifted = ("--max-bytes", str(10**11))
    imports = [
        [COMMAND, "import", "agentdojo", str(runs), "--release", name, "-o", str(replay), *lifted]
        for name, runs, replay in zip(releases, raw, replays, strict=True)
    ]
    for name, runs, command in zip(releases, raw, imports, strict=True):
        agents.write_runs(runs, count, name, mistakes=0.1)
        subprocess.run(command, check=True, capture_output=True)
    init = [COMMAND, "init", str(replays[0]), "--folder", str(bench.folder)]
    subprocess.run(init, check=True, capture_output=True)
    contracts = [bench.folder / "evals" / name for name in ("dataset.json", "rubric.json")]
    judge = [
        *(COMMAND, "compare", "--dataset", str(contracts[0]), "--rubric", str(contracts[1])),
        *("--predictions", str(replays[0]), "--predictions", str(replays[1]), *lifted),
    ]
    every = list(map(str, (*raw, *contracts, *replays)))
    python, orjson_, *ours = bench.seconds(
        [sys.executable, "-c", DECODE_LINES.format(module="json"), *every],
        [sys.executable, "-c", DECODE_LINES.format(module="orjson"), *every],
        *imports,
        judge,
        runs=min(bench.runs, 3),
    )
    what = f"import and judge {2 * count:,} runs, to decoding with"
    rows = [
        row(f"{what} Python's json", sum(ours) / python, 3),
        Row(f"{what} orjson", f"{sum(ours) / orjson_:.1f}x", "", kept=True),
    ]
    for command, name in ((imports[1], "importing"), (judge, "judging")):
        much = peak_memory(command)
        if much is not None:
            rows.append(
                Row(f"  memory, {name}", f"{much:,.0f} MB", "at most 1,000 MB", much <= 1000)
            )
    return rows


DECODE_LINES = """
import sys
from {module} import loads
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        for text in file if name.endswith(".jsonl") else [file.read()]:
            loads(text)
"""


PARTS: dict[str, Callable[[Bench], list[Row]]] = {
    "startup": startup,
    "compare": comparison,
    "largest": largest,
    "gates": gates,
    "inside": inside,
    "formats": formats,
    "recorded": recorded,
    "stages": stages,
}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--runs", type=int, default=5, help="runs that a median is of")
    parser.add_argument(
        "--sizes", type=int, nargs=3, default=(10_000, 100_000, 1_000_000),
        metavar=("SMALL", "LARGE", "LARGEST"), help="cases of the comparisons",
    )  # fmt: skip
    options = parser.parse_args(argv)
    rows: list[Row] = []
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="contractlab-bench-") as folder:
            rows += PARTS[name](Bench(Path(folder), options.runs, tuple(options.sizes)))
        print(f"{name}: measured", file=sys.stderr)
    width = max(len(each.what) for each in rows)
    for each in rows:
        mark = "" if each.kept else "   MISSED"
        print(f"{each.what.ljust(width)}  {each.measured:>9}  {each.limit}{mark}".rstrip())
    return 0 if all(each.kept for each in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
