"""`contractlab.toml`: where it is found, what it may say, and what is said of a wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contractlab import config
from contractlab.problems import ContractError, Position
from contractlab.sniff import CONFIG, find_config
from tests.builders import write

if TYPE_CHECKING:
    from pathlib import Path


def refused(folder: Path, text: str | bytes) -> list[tuple[str, int | None]]:
    with pytest.raises(ContractError) as caught:
        config.load(write(folder / CONFIG, text))
    problems = caught.value.problems
    assert {each.rule.code for each in problems} <= {"CL005", "CL003"}
    return [(each.message, each.position.line if each.position else None) for each in problems]


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    text = 'dataset = "d.json"\npredictions = ["runs/*.json"]\nstrict = true\nfail-on = "block"\n'
    found = config.load(write(tmp_path / CONFIG, text))
    assert found.dataset == str(tmp_path / "d.json")
    assert found.predictions == (str(tmp_path / "runs/*.json"),)
    assert (found.strict, found.fail_on, found.rubric) == (True, "block", None)


def test_one_replay_may_be_a_text(tmp_path: Path) -> None:
    found = config.load(write(tmp_path / CONFIG, 'predictions = "a.json"'))
    assert found.predictions == (str(tmp_path / "a.json"),)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("dataset = 1", 1),
        ('\n\nfail-on = "maybe"', 3),
        ("# dataset\nrubric = []", 2),
        ("predictions = []", 1),
        ('predictions = [""]', 1),
        ('predictions = ["a", 1]', 1),
        ('strict = "true"', 1),
        ('candidate = ""', 1),
        ('rubrics = "a.json"', 1),
        ('# \u2028 \x85\ncolour = "red"', 2),
        ('a = "b', 1),
        ("strict = true\nstrict = false", 2),
        ("x = " + "[" * 5000, None),
        ("x = " + "9" * 5000, None),
        (b"x = '\xff'", None),
    ],
    ids=lambda each: ascii(each)[:24],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, text: str | bytes, line: int | None
) -> None:
    (found,) = refused(tmp_path, text)
    if line is not None:
        assert found[1] == line


def test_every_wrong_key_is_told_and_a_misspelt_one_is_recognised(tmp_path: Path) -> None:
    name = write(tmp_path / CONFIG, 'datasett = "a"\nstrict = 1\ncolour = 2\n')
    with pytest.raises(ContractError) as caught:
        config.load(name)
    problems = caught.value.problems
    assert [each.position for each in problems] == [
        Position(1, 1, 'datasett = "a"', 1),
        Position(2, 1, "strict = 1", 1),
        Position(3, 1, "colour = 2", 1),
    ]
    assert '"dataset"' in problems[0].hint


def test_a_dotted_key_of_tens_of_thousands_of_parts_is_refused_by_its_size(tmp_path: Path) -> None:
    # tomllib takes time by the square of the parts of a key.
    assert refused(tmp_path, "a." * 40_000 + "a = 1")


def test_the_file_is_found_from_a_folder_inside_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    write(tmp_path / CONFIG, "")
    monkeypatch.chdir(below)
    found = find_config()
    assert found is not None
    assert (below / found).resolve() == (tmp_path / CONFIG).resolve()


def test_a_file_above_the_repository_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    write(tmp_path / CONFIG, "")
    monkeypatch.chdir(tmp_path / "repository")
    assert find_config() is None


def test_outside_of_a_repository_only_the_current_folders_file_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if any((folder / ".git").exists() for folder in tmp_path.parents):
        pytest.skip("the temporary folder is inside a repository")
    write(tmp_path / CONFIG, "")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_config() == CONFIG
    monkeypatch.chdir(tmp_path / "below")
    assert find_config() is None


def test_patterns_become_the_files_that_match_sorted_and_once(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "[x].json", "c.txt"):
        write(tmp_path / name, "")
    pattern = str(tmp_path / "*.json")
    names = [str(tmp_path / name) for name in ("[x].json", "a.json", "b.json")]
    assert config.expand((pattern,)) == names
    assert config.expand((names[1], pattern)) == [names[1], names[0], names[2]]
    assert config.expand((names[0],)) == [names[0]]


def test_a_pattern_that_matches_nothing_stays_to_be_named_as_missing(tmp_path: Path) -> None:
    pattern = str(tmp_path / "none-*.json")
    assert config.expand((pattern,)) == [pattern]
