"""`aa` and `power` as they are called."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from contractlab.front import run
from tests.v2.builders import case, dataset, predictions, record, rubric, write_comparison

if TYPE_CHECKING:
    from pathlib import Path

MANY = dataset(*(case(f"case-{index}") for index in range(30)))
STRICT = rubric({"metric": "pass_rate", "no_regression_at": 0.05, "else": "BLOCK"})


def trials(name: str, count: int) -> dict[str, object]:
    return predictions(
        name,
        *(
            record(f"case-{index}", trial=trial, done=(index + trial) % 3 > 0)
            for index in range(30)
            for trial in range(count)
        ),
    )


def test_aa_deals_the_trials_of_one_release(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = write_comparison(tmp_path, MANY, STRICT, trials("baseline", 4))
    assert run(["aa", *options, "--rounds=50", "--format=json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["source"] == "trials"
    assert sum(found["verdicts"].values()) == 50
    assert found["verdicts"]["BLOCK"] <= 10
    assert run(["aa", *options, "--rounds=50", "--format=json"]) == 0
    assert json.loads(capfd.readouterr().out) == found


def test_aa_swaps_the_sides_of_two_releases(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    worse = predictions("candidate", *(record(f"case-{i}", done=False) for i in range(30)))
    options = write_comparison(tmp_path, MANY, STRICT, trials("baseline", 1), worse)
    assert run(["compare", *options]) == 1
    capfd.readouterr()
    assert run(["aa", *options, "--rounds=200", "--format=json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["source"] == "swaps"
    # However different the two are, swapped sides are an unchanged agent: 5 % alarms at most.
    assert found["verdicts"]["BLOCK"] <= 20


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--release=other"], "in none of the replays"),
        (["--format=xml"], "text or json"),
        ([], "two trials"),
    ],
)
def test_aa_says_what_it_cannot_do(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: list[str], why: str
) -> None:
    files = write_comparison(tmp_path, MANY, STRICT, trials("baseline", 1))
    assert run(["aa", *files, *options]) == 2
    assert why in capfd.readouterr().err


def test_power_names_more_cases_for_a_smaller_margin(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["power"]) == 0
    out = capfd.readouterr().out
    cases = [int(each.replace(",", "")) for each in re.findall(r"margin \S+ +([\d,]+)", out)]
    assert len(cases) == 6
    assert cases == sorted(cases, reverse=True)
    assert run(["power", "--margin=0.05", "--discordance=0.3"]) == 0
    assert "945" in capfd.readouterr().out


@pytest.mark.parametrize(
    "options",
    [["--discordance=0.9"], ["--pass-rate=2"], ["--power=1"], ["--confidence=0.2"]],
)
def test_power_refuses_rates_that_no_agent_has(options: list[str]) -> None:
    assert run(["power", *options]) == 2


def test_power_of_a_margin_of_zero_is_never_enough(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["power", "--margin=0"]) == 0
    assert "no number of cases" in capfd.readouterr().out


def manifest(version: str) -> dict[str, object]:
    return {"manifest": {"model": {"version": version}}}


def test_aa_takes_the_files_of_the_configuration(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_comparison(tmp_path, MANY, STRICT, trials("baseline", 4))
    config = 'dataset = "dataset.json"\nrubric = "rubric.json"\npredictions = "replay-*.json"\n'
    (tmp_path / "contractlab.toml").write_text(config)
    assert run(["aa", "--rounds=5", "--predictions=replay-*.json"]) == 0
    given = capfd.readouterr().out
    assert run(["aa", "--rounds=5"]) == 0
    assert capfd.readouterr().out == given
    (tmp_path / "contractlab.toml").unlink()
    assert run(["aa", "--predictions=replay-0.json"]) == 2
    assert "no dataset or rubric named" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("version", "done", "signs"),
    [("1", True, []), ("2", True, ["different manifests"]), ("1", False, ["more than noise"])],
)
def test_aa_warns_of_two_releases_that_are_no_one_agent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], version: str, done: bool, signs: list[str]
) -> None:
    replays = []
    for name, made_of, does in (("baseline", "1", True), ("candidate", version, done)):
        records = [record(f"case-{index}", done=does) for index in range(30)]
        release = {"release_id": name, **manifest(made_of)}
        replays.append(predictions(name, *records, release=release))
    options = write_comparison(tmp_path, MANY, STRICT, *replays)
    assert run(["aa", *options, "--rounds=5", "--format=json"]) == 0
    warnings = json.loads(capfd.readouterr().out)["warnings"]
    assert len(warnings) == len(signs)
    assert all(sign in told for sign, told in zip(signs, warnings, strict=True))
    assert run(["aa", *options, "--rounds=5"]) == 0
    assert capfd.readouterr().err.count("aa is about one") == len(signs)
