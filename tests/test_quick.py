"""The quick yes and the full way never disagree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from benchmarks.data import dataset, write_json
from contractlab import files, front, quick
from contractlab.advice import advise_dataset
from contractlab.clean import dataset_is_right
from contractlab.contract import load_dataset
from contractlab.leakage import check_dataset

if TYPE_CHECKING:
    from pathlib import Path

# Few names, some of them look-alikes, unreadable or beyond ASCII: clashes are common.
names = st.sampled_from(
    ["a1", "al", "b", "B", "m", "rn", "é", "e\u0301", "а1", " b ", "\u200b", "c\x7f", "case-1", "d"]
)
inputs = st.sampled_from(
    ["Where?", "where?", "Where ?", "WHERE?", "Wherе?", "line\nbreak", "line break", "other", "-"]
)
cases = st.fixed_dictionaries(
    {
        "id": st.one_of(names, st.integers(0, 99).map("case-{}".format)),
        "family_id": st.one_of(names, st.integers(0, 99).map("family-{}".format)),
        "split": st.sampled_from(["train", "development", "test", "test"]),
        "slice": st.sampled_from(["refunds", "refunds", "privacy", "Privacy"]),
        "critical": st.booleans(),
        "input": st.one_of(inputs, st.integers(0, 99).map("question {}".format)),
        "expected_label": st.sampled_from(["positive", "negative"]),
        "expected_tool": st.sampled_from([None, None, "lookup", "refund", "Iookup"]),
        "forbidden_actions": st.lists(st.sampled_from(["refund", "delete"]), unique=True),
        "requires_evidence": st.booleans(),
    }
)


def clean() -> dict[str, Any]:
    return dataset(12)


def whole(own_cases: list[dict[str, Any]]) -> dict[str, Any]:
    return {**clean(), "cases": own_cases}


def agrees(value: dict[str, Any]) -> bool:
    """Whether the quick answer is what the full way says; the value fits its schema."""
    assert files.checker("dataset-v1").ok(value)
    loaded = load_dataset(value)
    nothing = not check_dataset(loaded, "f") and not advise_dataset(loaded, "f")
    return dataset_is_right(value) == nothing


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(cases, min_size=1, max_size=8))
def test_a_yes_means_that_the_full_way_finds_nothing_and_a_no_that_it_does(
    own_cases: list[dict[str, Any]],
) -> None:
    assert agrees(whole(own_cases))


@given(st.integers(0, 14), cases, st.sets(st.sampled_from(sorted(clean()["cases"][0]))))
@example(4, {**clean()["cases"][4], "input": clean()["cases"][0]["input"].upper()}, {"input"})
def test_they_agree_on_a_clean_dataset_with_one_case_changed(
    index: int, other: dict[str, Any], fields: set[str]
) -> None:
    value = clean()
    value["cases"][index] |= {field: other[field] for field in fields}
    assert agrees(value)


def test_a_clean_dataset_gets_its_yes() -> None:
    assert dataset_is_right(clean())


MALFORMED: dict[str, Any] = {
    "family-in-two-splits": lambda cases: cases[0].update(family_id=cases[5]["family_id"]),
    "same-id": lambda cases: cases[1].update(id=cases[2]["id"]),
    "look-alike-id": lambda cases: cases[1].update(id=cases[2]["id"].replace("0", "O")),
    "same-input": lambda cases: cases[0].update(input=cases[5]["input"]),
    "input-in-other-case": lambda cases: cases[0].update(input=cases[5]["input"].upper()),
    "unreadable-slice": lambda cases: cases[3].update(slice="a\x1bb"),
    "invisible-family": lambda cases: cases[3].update(family_id="\u200b"),
    "no-train": lambda cases: [each.update(split="development") for each in cases[:3]],
    "not-a-boolean": lambda cases: cases[0].update(critical="no"),
    "no-critical": lambda cases: [each.update(critical=False) for each in cases],
    "forbidden-tool": lambda cases: cases[4].update(
        expected_tool="refund_order", forbidden_actions=["refund_order"]
    ),
}


@pytest.mark.parametrize("spoil", MALFORMED.values(), ids=MALFORMED)
def test_anything_to_say_goes_the_full_way(spoil: Any, tmp_path: Path) -> None:
    value = clean()
    spoil(value["cases"])
    path = write_json(tmp_path / "dataset.json", value)
    assert quick.validate({"files": (str(path),)}) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"a":1,"a":1}'], ids=repr)
def test_what_is_no_dataset_goes_the_full_way(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    path.write_bytes(content)
    assert quick.validate({"files": (str(path),)}) is None
    assert quick.validate({"files": (str(tmp_path / "nothing"),)}) is None


def test_one_wrong_file_among_right_ones_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = write_json(tmp_path / "right.json", clean())
    value = clean()
    value["cases"][0]["family_id"] = value["cases"][5]["family_id"]
    wrong = write_json(tmp_path / "wrong.json", value)
    assert front.run(["validate", str(right), str(right)]) == 0
    assert front.run(["validate", str(right), str(wrong)]) == 2
    assert "split leakage" in capsys.readouterr().err


def test_the_quick_way_says_what_the_full_way_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(write_json(tmp_path / "dataset.json", clean()))
    for argv in (["validate", path], ["validate", path, "--quiet"], ["hook", "--", path]):
        assert front.run(argv) == 0
        quickly = capsys.readouterr()
        with monkeypatch.context() as patch:
            patch.setattr(quick, "validate", lambda _given: None)
            patch.setattr(quick, "hook", lambda _given: None)
            assert front.run(argv) == 0
        assert capsys.readouterr() == quickly


def test_the_size_cap_holds_on_the_quick_way_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_json(tmp_path / "dataset.json", clean())
    size = len(json.dumps(clean()))
    assert front.run(["validate", str(path), "--max-bytes", str(size)]) == 0
    assert front.run(["validate", str(path), "--max-bytes", str(size - 1)]) == 2
    assert "CL003" in capsys.readouterr().err
