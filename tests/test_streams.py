"""Whatever becomes of standard output, the exit code never lies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.data import write_contracts

FRONT = [sys.executable, "-c", "from contractlab.front import main; main()"]
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


@pytest.fixture(scope="module")
def compare(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A comparison whose JSON report is larger than any pipe's buffer."""
    files = write_contracts(tmp_path_factory.mktemp("contracts"), 300)
    return [
        *("compare", "--format", "json", "--dataset", str(files.dataset)),
        *("--rubric", str(files.rubric), "--predictions", str(files.predictions)),
    ]


def in_shell(argv: list[str], redirection: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *FRONT, *argv],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@posix_only
@pytest.mark.parametrize(
    "redirection",
    [
        ">&-",
        pytest.param(
            ">/dev/full",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here"),
        ),
    ],
    ids=["closed", "full"],
)
@pytest.mark.parametrize("command", ["compare", "validate", "version", "explain"])
def test_a_result_that_cannot_be_written_exits_2(
    command: str, redirection: str, compare: list[str]
) -> None:
    argv = {
        "compare": compare,
        "validate": ["validate", compare[4]],
        "version": ["version"],
        "explain": ["explain", "CL301"],
    }[command]
    done = in_shell(argv, redirection)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "standard output" in done.stderr


@posix_only
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_reader_that_leaves_early_makes_it_exit_2(compare: list[str], unbuffered: str) -> None:
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(
        [*FRONT, *compare], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1) == "{"
        process.stdout.close()
        complaint = process.stderr.read()
        assert process.wait(timeout=60) == 2
    assert "cannot write the result to standard output" in complaint
    assert "Traceback" not in complaint
    assert "Exception ignored" not in complaint


@posix_only
def test_without_standard_error_the_exit_code_still_speaks(compare: list[str]) -> None:
    assert in_shell(["validate", "there-is-no-such-file"], "2>&-").returncode == 2
    assert in_shell(compare, "2>&-").returncode == 0


@posix_only
def test_without_any_stream_it_exits_2(compare: list[str]) -> None:
    assert in_shell(compare, ">&- 2>&- <&-").returncode == 2


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "utf-16"},
        {"PYTHONIOENCODING": "cp1252:strict", "PYTHONUTF8": "0"},
    ],
    ids=lambda environment: "-".join(environment.values()),
)
def test_any_locale_and_encoding_works(
    environment: dict[str, str], compare: list[str], tmp_path: Path
) -> None:
    dataset = json.loads(Path(compare[4]).read_text(encoding="utf-8"))
    dataset["cases"][0]["family_id"] = dataset["cases"][3]["family_id"] = "退款-€"
    leaky = tmp_path / "leaky.json"
    leaky.write_text(json.dumps(dataset), encoding="utf-8")
    env = {**os.environ, **environment}

    done = subprocess.run([*FRONT, *compare], capture_output=True, check=False, env=env)
    assert done.returncode == 0
    assert json.loads(done.stdout)["action"] == "PASS"  # bytes, the same under any encoding

    text = [*compare[:2], "text", *compare[3:]]
    done = subprocess.run([*FRONT, *text], capture_output=True, check=False, env=env)
    assert done.returncode == 0
    encoding = environment.get("PYTHONIOENCODING", "utf-8").partition(":")[0]
    assert "PASS: " in done.stdout.decode(encoding)

    done = subprocess.run(
        [*FRONT, "validate", str(leaky)], capture_output=True, check=False, env=env
    )
    assert done.returncode == 2
    assert "split leakage" in done.stderr.decode(encoding)
    assert b"Traceback" not in done.stderr
