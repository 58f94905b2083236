"""A version 2 report's cases, trials and rubric, judged again.

They are the contracts' own, so they have to be right as contracts before they are judged.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from contractlab import files
from contractlab.dataset_v2 import CaseLoader
from contractlab.evidence import DIGEST_FORMAT_V2, EVALUATOR_VERSION_V2
from contractlab.judge_v2 import Inputs, judge_v2
from contractlab.model import Dataset, Release
from contractlab.reload_parts import (
    Version,
    cases_named_twice,
    evidence_of,
    of_another_judge,
    of_inputs_and_warnings,
    refuse,
    told,
    warnings_of,
)
from contractlab.replay_v2 import load_record
from contractlab.rubric_v2 import check_gates, load_rubric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from contractlab.judge import Judgement
    from contractlab.model import Case, Rubric
    from contractlab.problems import Path
    from contractlab.reload_parts import Difference
    from contractlab.schema import Checker

    Placed = tuple[Path, Any]
    """A part of the report, after its path."""

_SIDES = ("baseline", "candidate")


def _judged(value: Any, file: str) -> Judgement:
    refuse(
        of_another_judge(value, evaluator=EVALUATOR_VERSION_V2, digest_format=DIGEST_FORMAT_V2),
        file,
    )
    written = {"schema_version": "eval-rubric-v2", **value["rubric"]}
    refuse(_no_rubric(written), file)
    rubric = load_rubric(written)
    cases = _in_order(value)
    refuse(_preconditions(value, rubric, cases), file)
    trials = {side: list(_trials(cases, side)) for side in _SIDES}
    refuse(_no_cases(cases, rubric.split), file)
    refuse(_no_records(chain.from_iterable(trials.values())), file)
    baseline, candidate = (
        Release(
            value[side]["release"],
            tuple(load_record(_as_record(trial)) for _, trial in trials[side]),
            value[side]["manifest"],
        )
        for side in _SIDES
    )
    dataset = Dataset(value["dataset_version"], _loaded(cases, rubric, file), (rubric.split,))
    return judge_v2(
        Inputs(dataset, rubric, baseline, candidate),
        predictions_version=value["prediction_set_version"],
        evidence=evidence_of(value),
        warnings=warnings_of(value),
        # Their records are not in the report, so it is believed how many there were.
        ignored=(
            value["baseline"]["records_of_other_splits"],
            value["candidate"]["records_of_other_splits"],
        ),
    )


def _in_order(value: Any) -> list[Placed]:
    """The cases of the split, in dataset order."""
    cases: list[Placed] = [(("cases", at), case) for at, case in enumerate(value["cases"])]
    for at, case in enumerate(value["unpaired"]):
        # A place that is not its own comes out as another one when the report is made again.
        cases.insert(min(case["place"], len(cases)), (("unpaired", at), case))
    return cases


def _trials(cases: Sequence[Placed], side: str) -> Iterator[Placed]:
    """Each trial of a release, with the id of its case."""
    for path, case in cases:
        for at, trial in enumerate(case[side]["trials"] if case[side] else ()):
            yield (*path, side, "trials", at), {"case_id": case["case_id"], **trial}


def _preconditions(value: Any, rubric: Rubric, cases: Sequence[Placed]) -> Iterator[Difference]:
    yield from of_inputs_and_warnings(value)
    if value["baseline"]["release"] == value["candidate"]["release"]:
        yield ("candidate", "release"), "the candidate is the baseline"
    yield from cases_named_twice(cases)
    for side in _SIDES:
        yield from _trials_twice(cases, side)
    if value["unpaired"] and (rubric.terms is None or rubric.terms.coverage is None):
        yield ("unpaired",), "cases lack a record, and the rubric asks for one of every case"


def _trials_twice(cases: Sequence[Placed], side: str) -> Iterator[Difference]:
    seen = set()
    for path, trial in _trials(cases, side):
        key = (path[:2], trial["trial"])
        if key in seen:
            yield (*path, "trial"), f"trial {trial['trial']} stands twice"
        seen.add(key)


# ── are they right as contracts ─────────────────────────────────────────────────────────────


def _no_rubric(rubric: Any) -> Iterator[Difference]:
    for problem in files.checker("rubric-v2").check(rubric) or check_gates(rubric, ""):
        yield ("rubric", *problem.path), told(problem)


def _no_cases(cases: Iterable[Placed], split: str) -> Iterator[Difference]:
    checker = files.checker("dataset-v2").lines("cases")[1]
    return _misshapen(checker, [(path, _as_case(case, split)) for path, case in cases])


def _no_records(trials: Iterable[Placed]) -> Iterator[Difference]:
    checker = files.checker("predictions-v2").lines("records")[1]
    return _misshapen(checker, [(path, _as_record(trial)) for path, trial in trials])


def _misshapen(checker: Checker, entries: Sequence[Placed]) -> Iterator[Difference]:
    """What a contract's schema says against its entries, at their place in the report."""
    if checker.all_ok([entry for _, entry in entries]):
        return
    for path, entry in entries:
        for problem in checker.check(entry):
            yield (*path, *problem.path), told(problem)


def _as_case(case: Any, split: str) -> dict[str, Any]:
    """The dataset's case of a report's, which calls its id otherwise."""
    same = ("family_id", "slice", "tags", "critical", "input", "expect")
    risk = {} if case["risk"] is None else {"risk": case["risk"]}
    return {"id": case["case_id"], "split": split, **{key: case[key] for key in same}, **risk}


def _as_record(trial: Any) -> dict[str, Any]:
    return {key: of for key, of in trial.items() if key not in ("passed", "checks")}


def _loaded(cases: Sequence[Placed], rubric: Rubric, file: str) -> tuple[Case, ...]:
    """The model of the cases.

    Raises:
        ContractError: an expectation cannot be compiled.
    """
    loader = CaseLoader(file)
    loaded = tuple(
        loader.load(_as_case(case, rubric.split), index) for index, (_, case) in enumerate(cases)
    )
    refuse(
        # A loader's path begins with `cases` and the index; which path that is here, we know.
        (((*cases[int(each.path[1])][0], *each.path[2:]), told(each)) for each in loader.problems),
        file,
    )
    return loaded


VERSION_2 = Version("report-v2", _judged)
