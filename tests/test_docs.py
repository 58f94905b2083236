"""What the documents say is what the code does."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tomllib
from fractions import Fraction
from itertools import chain, dropwhile, takewhile
from typing import TYPE_CHECKING, Any

import pytest

from contractlab import config
from contractlab.bootstrap import paired_bootstrap
from contractlab.contract import GATES_V1
from contractlab.decide import CRITICAL
from contractlab.grade import CHECKS
from contractlab.stats import PairedCounts, newcombe
from tools import make_docs, make_walkthrough
from tools.examples import ROOT, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = [*make_docs.pages(), ROOT / "docs" / "rules.md", ROOT / "CONTRIBUTING.md"]
Row = list[str]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(name: str, heading: str) -> str:
    """A document's text from a heading to the next one of the same level."""
    level = heading.split(" ", maxsplit=1)[0]
    after = read(name).split(f"\n{heading}\n", 1)[1]
    return re.split(rf"^{level} ", after, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[Row]:
    """The first table of a text, without its head."""
    lines = dropwhile(lambda line: not line.startswith("|"), text.splitlines())
    table = takewhile(lambda line: line.startswith("|"), lines)
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in table][2:]


def code(text: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


# ── sessions ────────────────────────────────────────────────────────────────────────────────


def steps(session: str) -> list[str]:
    """Each command with what it prints."""
    return re.split(r"(?m)^(?=\$ )", session)[1:]


def comparable(step: str) -> str:
    """A step; of a help text only its options, whose layout versions of typer share."""
    command, _, printed = step.partition("\n")
    if command.endswith("--help"):
        return command + " ".join(printed.split("Options:")[1].replace("\\[", "[").split())
    return step


@pytest.mark.parametrize("page", make_docs.pages(), ids=lambda page: page.name)
def test_sessions_show_what_the_commands_print(page: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with make_docs.folder_of(page) as folder:
        for session in make_docs.sessions(page.read_text(encoding="utf-8")):
            shown, now = steps(session), steps(make_docs.session(session, folder))
            assert list(map(comparable, shown)) == list(map(comparable, now)), (
                "run: python tools/make_docs.py"
            )


@pytest.mark.parametrize("name", make_walkthrough.texts())
def test_the_raw_files_of_the_walkthrough_are_those_of_their_tool(name: str) -> None:
    assert read(f"fixtures/walkthrough/{name}") == make_walkthrough.texts()[name]


def test_the_readme_starts_with_a_sentence_and_a_real_block() -> None:
    title, sentence, report, *_ = read("README.md").split("\n\n", 3)
    assert title == "# contractlab"
    assert sentence.count(".") == 1
    assert report == "This is the comment it leaves on a pull request:"
    assert make_docs.comment().startswith("> ### ⛔ BLOCK: ")
    assert f"<!-- the comment -->\n{make_docs.comment()}<!-- end" in read("README.md")


def test_the_readme_has_two_commands_each_for_two_shells() -> None:
    text = section("README.md", "## Two commands")
    posix, powershell = code(text, "sh"), code(text, "powershell")
    assert [len(block.splitlines()) for block in posix + powershell] == [1, 1, 1, 1]
    assert posix[0].rstrip().endswith("contractlab compare")
    assert powershell[0].rstrip().endswith("contractlab compare")
    assert (posix[1], powershell[1]) == ("python3 tools/test.py\n", "py tools/test.py\n")


def test_the_readmes_case_and_record_are_those_of_the_fixtures() -> None:
    case, record = map(json.loads, code(section("README.md", "## Contracts"), "json"))
    cases = json.loads(read("fixtures/valid/dataset.json"))["cases"]
    whole = next(each for each in cases if each["id"] == case["id"])
    assert whole["input"].startswith(case["input"].removesuffix("..."))
    assert {**case, "input": whole["input"]} == whole
    (release,) = json.loads(read("runs/candidate-regression.json"))["releases"]
    assert record in release["records"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_within_the_repository_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}


# ── contracts ───────────────────────────────────────────────────────────────────────────────

OBJECTS = [
    ("dataset", None, "## Dataset"),
    ("dataset", "case", "### Case"),
    ("rubric", None, "## Rubric"),
    ("rubric", "gates", "### Gates"),
    ("rubric", "bootstrap", "### Bootstrap"),
    ("predictions", None, "## Predictions"),
    ("predictions", "release", "### Release"),
    ("predictions", "record", "### Record"),
]


@pytest.mark.parametrize(("kind", "part", "heading"), OBJECTS, ids=lambda value: value)
def test_the_field_tables_say_what_the_schemas_say(
    kind: str, part: str | None, heading: str
) -> None:
    root = json.loads(read(f"schemas/{kind}-v1.schema.json"))
    schema = root if part is None else {**root["properties"], **root["$defs"]}[part]
    table = rows(section("docs/contracts.md", heading))
    assert [(name, type_) for name, type_, _ in table] == [
        (f"`{name}`", in_words(field, root["$defs"]))
        for name, field in schema["properties"].items()
    ]
    assert all(meaning for _, _, meaning in table)


def test_every_object_of_the_schemas_has_a_table() -> None:
    for kind in ("dataset", "rubric", "predictions"):
        root = json.loads(read(f"schemas/{kind}-v1.schema.json"))
        parts = {**root["properties"], **root["$defs"]}
        objects = {name for name, each in parts.items() if each.get("type") == "object"}
        assert objects == {part for of, part, _ in OBJECTS if of == kind and part}


def in_words(field: dict[str, Any], definitions: dict[str, Any]) -> str:
    """A field's type as the tables spell it."""
    if "$ref" in field:
        name = field["$ref"].rsplit("/", 1)[1]
        return name if name in ("name", "text") else in_words(definitions[name], definitions)
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        *most, last = (f"`{json.dumps(value)}`" for value in field["enum"])
        return f"{', '.join(most)} or {last}"
    if field["type"] == ["string", "null"]:
        return "name or null"
    if field["type"] == "array" and field.get("uniqueItems"):
        return "array of names, each once"
    limits = {"minimum": "from", "maximum": "to"}
    return " ".join(
        [field["type"], *(f"{word} {field[key]}" for key, word in limits.items() if key in field)]
    )


def test_the_gate_tables_have_the_order_in_which_gates_decide() -> None:
    text = section("docs/gates-and-statistics.md", "## The order of decisions")
    assert [(int(order), name, verdict) for order, name, _, verdict in rows(text)] == [
        (1, f"`{CRITICAL}`", "BLOCK"),
        *((at, f"`{name}`", str(each)) for at, (name, *_, each) in enumerate(GATES_V1, 2)),
    ]


def test_the_checks_are_named_in_their_order() -> None:
    text = section("docs/gates-and-statistics.md", "## Checks")
    assert [row[0] for row in rows(text)] == [f"`{name}`" for name in CHECKS]


def test_the_reference_values_are_what_the_code_computes() -> None:
    table = rows(section("docs/gates-and-statistics.md", "### Reference values"))
    assert len(table) >= 6
    confidence = Fraction(95, 100)
    for counts_, interval, quantiles in table:
        counts = PairedCounts(*map(int, counts_.split(",")))
        found = newcombe(counts, confidence)
        assert [found.low, found.high] == pytest.approx(
            [float(bound) for bound in interval.split(",")], abs=1e-9
        )
        exact = paired_bootstrap(
            counts.differences, resamples=100, confidence=confidence, seed=0
        ).exact
        assert [exact.low, exact.high] == [
            float(Fraction(bound.strip())) for bound in quantiles.split(",")
        ]


def test_the_digest_can_be_computed_again_as_the_docs_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (program,) = code(section("docs/gates-and-statistics.md", "## Evidence"), "python")
    monkeypatch.chdir(ROOT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {})  # our own document
    report = json.loads(run(("compare", "--format=json", "--quiet"), ROOT).out)
    assert printed.getvalue().strip() == report["evidence_sha256"]


# ── set-up ──────────────────────────────────────────────────────────────────────────────────


def test_the_dependencies_are_those_that_are_installed() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    table = rows(read("docs/dependencies.md"))
    assert sorted(row[0].strip("`") for row in table) == sorted(project["dependencies"])


def test_every_command_has_its_section_with_its_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = run(("--help",), ROOT).out.split("Commands:\n")[1].split("\n\n")[0]
    for command in re.findall(r"^  ([a-z-]+)", listed, re.MULTILINE):
        assert f"$ contractlab {command} --help\n" in section("docs/cli.md", f"## {command}")


def test_the_configuration_is_documented_key_by_key_and_shown_as_it_is() -> None:
    text = section("docs/cli.md", "## contractlab.toml")
    assert [row[0].strip("`") for row in rows(text)] == list(config._KEYS)
    assert code(text, "toml") == [read("contractlab.toml")]


def test_contributing_names_modules_that_exist() -> None:
    text = read("CONTRIBUTING.md")
    paths = set(re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:py|md|toml|json))`", text))
    layers = chain.from_iterable(re.findall(r"`(\w+/?)`", row[1]) for row in rows(text))
    names = {*(_candidates(paths)), *(f"contractlab/{name}" for name in layers)}
    missing = [name for name in names if not any(_spellings(name))]
    assert missing == []


def _candidates(paths: set[str]) -> Iterator[str]:
    elsewhere = {"rejected.json", "accepted.json", "example.toml"}
    for path in paths - elsewhere:
        if "CLnnn" in path:
            continue
        at_root = (ROOT / path).exists()
        yield path if at_root else f"contractlab/{path}"


def _spellings(name: str) -> Iterator[bool]:
    yield (ROOT / name).exists()
    yield (ROOT / f"{name}.py").exists()


def test_the_changelog_speaks_of_the_version_that_is_installed() -> None:
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    assert f"\n## [{version}]" in read("CHANGELOG.md")
