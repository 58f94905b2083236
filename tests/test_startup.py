"""What a hook waits for: a clean check loads little, by name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.data import dataset, write_contracts, write_json

SLOW = {
    *("typer", "click", "rich", "jsonschema", "orjson", "pydantic", "importlib.metadata"),
    *("json", "re", "enum", "typing", "dataclasses", "inspect", "functools", "collections"),
    *("contextlib", "pathlib", "tomllib", "decimal", "fractions", "statistics", "random"),
    *("contractlab.cli", "contractlab.commands", "contractlab.model", "contractlab.stats"),
    *("contractlab.compare", "contractlab.bootstrap", "contractlab.shape"),
    "contractlab.lookalike_data",
}
"""What takes a millisecond or more to load, and that a clean check does without."""

OWN = {
    "contractlab",
    *(
        f"contractlab.{name}"
        for name in (
            *(
                "choices",
                "clean",
                "files",
                "front",
                "jsontext",
                "kinds",
                "limits",
                "lookalike",
                "quick",
                "schema",
            ),
            *("sniff", "streams"),
        )
    ),
}


def loaded(argv: list[str], folder: Path, *, code: int = 0) -> set[str]:
    """The modules that a command line loads in a fresh interpreter."""
    script = (
        "import sys; before = set(sys.modules)\n"
        "from contractlab import front\n"
        f"code = front.run({argv!r})\n"
        "print(code, *sorted(set(sys.modules) - before))"
    )
    # Isolated, and without site: a .pth file of the environment may load anything.
    paths = [str(Path(__file__).parent.parent), *sys.path]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {paths!r}\n{script}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    exit_code, *modules = done.stdout.splitlines()[-1].split()
    assert int(exit_code) == code, done.stderr
    return set(modules)


@pytest.mark.parametrize("command", [["validate"], ["hook", "--"]], ids=["validate", "hook"])
def test_a_clean_dataset_is_checked_without_anything_slow(
    command: list[str], tmp_path: Path
) -> None:
    write_json(tmp_path / "dataset.json", dataset(60))
    modules = loaded([*command, "dataset.json"], tmp_path)
    assert not modules & SLOW
    assert {each for each in modules if each.startswith("contractlab")} == OWN


def test_text_beyond_ascii_loads_the_table_and_still_nothing_else_slow(tmp_path: Path) -> None:
    value = dataset(60)
    value["cases"][0]["input"] = "Où est mon colis ? 我的包裹"
    write_json(tmp_path / "dataset.json", value)
    modules = loaded(["validate", "dataset.json"], tmp_path)
    assert modules & SLOW == {"contractlab.lookalike_data"}


def test_a_clean_set_of_contracts_waits_for_neither_typer_nor_jsonschema(tmp_path: Path) -> None:
    files = write_contracts(tmp_path, 60)
    modules = loaded(["validate", *(path.name for path in files.paths)], tmp_path)
    assert not modules & {"typer", "click", "rich", "jsonschema", "pydantic", "contractlab.cli"}


def test_a_comparison_waits_for_neither_typer_nor_jsonschema(tmp_path: Path) -> None:
    files = write_contracts(tmp_path, 60)
    argv = [
        *("compare", "--dataset", files.dataset.name, "--rubric", files.rubric.name),
        *("--predictions", files.predictions.name, "--format", "json", "--fail-on", "never"),
    ]
    modules = loaded(argv, tmp_path)
    assert not modules & {"typer", "click", "rich", "jsonschema", "pydantic", "contractlab.cli"}


def test_what_is_wrong_is_explained_all_the_same(tmp_path: Path) -> None:
    value = dataset(60)
    value["cases"][0]["critical"] = "yes"
    (tmp_path / "dataset.json").write_text(json.dumps(value), encoding="utf-8")
    assert "jsonschema" in loaded(["validate", "dataset.json"], tmp_path, code=2)
