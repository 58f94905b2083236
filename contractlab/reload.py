"""A JSON report back to the judgement that it states, trusting nothing but its data.

What a report concludes is never taken from it: the cases, behaviours and limits in it are
judged again, and a report whose verdict, reasons or figures are not what comes out is
refused. Two things cannot be checked from a report alone, because they speak of what is not
in it: the digests, and the warnings about the contracts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from contractlab import files
from contractlab.canonical import encode_report
from contractlab.checks import expectation_v1
from contractlab.contract import GATES_V1, kind_of, load_rubric
from contractlab.evidence import DIGEST_FORMAT, EVALUATOR_VERSION, Evidence, InputFile
from contractlab.jsontext import parse
from contractlab.judge import Judgement, judge
from contractlab.model import Case, Dataset, Record, Release, Rubric
from contractlab.places import CasePlace, Places
from contractlab.positions import place
from contractlab.problems import ContractError, Path, Position, Problem, Related, Rule
from contractlab.render.report import as_dict
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 20
"""Disagreements that are listed."""


def read_report(name: str, *, max_bytes: int = files.DEFAULT_MAX_BYTES) -> Judgement:
    """The judgement of a report file.

    Raises:
        ContractError: with the problems of its text, its shape, or CL313, placed.
    """
    data = files.read(name, max_bytes=max_bytes)
    value = parse(data, file=name)
    try:
        return judgement_from_report(value, name)
    except ContractError as error:
        raise ContractError(place(error.problems, {name: data})) from error


def judgement_from_report(value: Any, file: str = "") -> Judgement:
    """The judgement of a report's value: rebuilt, judged again, and found to agree.

    Args:
        value: decoded by `jsontext.parse`.
        file: its name, for the problems.

    Raises:
        ContractError: the value is no report of this version, or it disagrees with itself.
    """
    kind = kind_of(value)
    if kind is not None:
        held = kind.split("-")[1]
        message = f"holds {held if held == 'predictions' else f'a {held}'}, not a report"
        hint = "name a JSON report, which contractlab compare --report-json writes"
        path: Path = ("schema_version",)
        raise ContractError([Problem(Rule.UNKNOWN_CONTRACT, message, hint, file, path)])
    if isinstance(value, dict) and value.get("schema_version") == "eval-report-v2":
        # It holds what was recorded, and not what was expected: nothing can be judged again.
        message = "is a version 2 report, whose verdict cannot be checked from the report alone"
        hint = "name the contracts instead: contractlab compare --format, contractlab cases"
        where: Path = ("schema_version",)
        raise ContractError([Problem(Rule.UNKNOWN_CONTRACT, message, hint, file, where)])
    problems = files.checker("report-v1").check(value, file)
    _raise(problems)
    _raise([_inconsistent(file, *each) for each in _preconditions(value)])
    judgement = _judged(value)
    _raise([_inconsistent(file, *each) for each in _places_differ(value, judgement)])
    if value["places"] is not None:
        judgement = replace(judgement, places=_places(value["places"]))
    found: Any = parse(encode_report(as_dict(judgement)))
    # Sentences that are the same under every judgement; a later release may word them anew.
    stated = {**value, "limitations": found["limitations"]}
    if stated != found:
        differences = list(_differences(stated, found, ()))[:_MOST]
        _raise([_inconsistent(file, *each) for each in differences])
    return judgement


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise ContractError(problems)


def _inconsistent(file: str, path: Path, message: str) -> Problem:
    return Problem(
        Rule.INCONSISTENT_REPORT,
        message,
        "make the report again with contractlab compare --report-json",
        file,
        path,
    )


Difference = tuple[Path, str]


def _preconditions(value: Any) -> Iterator[Difference]:
    """What must be so before the cases can be judged at all."""
    if value["evaluator_version"] != EVALUATOR_VERSION:
        said = shown(value["evaluator_version"])
        yield ("evaluator_version",), f"was judged by {said}; this is {EVALUATOR_VERSION}"
    if value["evidence_digest_format"] != DIGEST_FORMAT:
        said = shown(value["evidence_digest_format"])
        yield ("evidence_digest_format",), f"is {said}; this release writes {DIGEST_FORMAT}"
    roles = [each["role"] for each in value["inputs"]]
    if roles[:2] != ["dataset", "rubric"] or set(roles[2:]) != {"predictions"}:
        yield ("inputs",), "are not a dataset, a rubric and then replays"
    if value["baseline_release"] == value["candidate_release"]:
        yield ("candidate_release",), "is the baseline"
    yield from _case_list(value)
    yield from _limits(value)
    for index, each in enumerate(value["warnings"]):
        if each["code"] not in _WARNINGS:
            yield ("warnings", index, "code"), f"{each['code']} is no warning of this release"


_WARNINGS = {rule.code: rule for rule in Rule if rule.warns}


def _case_list(value: Any) -> Iterator[Difference]:
    ids = [case["case_id"] for case in value["cases"]]
    first: dict[str, int] = {}
    for index, id_ in enumerate(ids):
        if first.setdefault(id_, index) != index:
            yield ("cases", index, "case_id"), f"case {shown(id_)} stands twice"
    for metrics in ("baseline_metrics", "candidate_metrics"):
        if [each["case_id"] for each in value[metrics]["case_results"]] != ids:
            yield (metrics, "case_results"), "are not of the same cases, in order, as cases"


def _limits(value: Any) -> Iterator[Difference]:
    rows = [
        (each["gate"], each["metric"], each["bound"], each["verdict"])
        for each in value["rubric"]["gates"]
    ]
    if rows != list(GATES_V1):
        yield ("rubric", "gates"), "are not the gates of a version 1 rubric, in their order"
        return
    for problem in files.checker("rubric-v1").check(_rubric_contract(value)):
        path: Path = ("rubric",)
        if problem.path[:1] == ("gates",):
            index = next(at for at, row in enumerate(rows) if row[0] == problem.path[-1])
            path = ("rubric", "gates", index, "threshold")
        yield path, f"{problem.message}: {problem.hint}"


def _rubric_contract(value: Any) -> Any:
    """The rubric contract that the report's limits and settings were taken from."""
    comparison = value["comparison"]
    return {
        "schema_version": "eval-rubric-v1",
        "rubric_version": value["rubric_version"],
        "positive_label": value["positive_label"],
        "baseline_release": value["rubric"]["baseline_release"],
        "eval_split": value["rubric"]["eval_split"],
        "gates": {each["gate"]: each["threshold"] for each in value["rubric"]["gates"]},
        "bootstrap": {key: comparison[key] for key in ("samples", "seed", "confidence")},
    }


def _judged(value: Any) -> Judgement:
    rubric: Rubric = load_rubric(_rubric_contract(value))
    results = value["candidate_metrics"]["case_results"]
    cases = tuple(
        Case(
            case["case_id"],
            case["family_id"],
            rubric.split,
            result["slice"],
            result["critical"],
            case["input"],
            case["expected"]["label"],
            case["expected"]["tool"],
            tuple(case["expected"]["forbidden_actions"]),
            case["expected"]["requires_evidence"],
            expectation_v1(
                case["expected"]["label"],
                case["expected"]["tool"],
                tuple(case["expected"]["forbidden_actions"]),
                case["expected"]["requires_evidence"],
            ),
        )
        for case, result in zip(value["cases"], results, strict=True)
    )
    return judge(
        Dataset(value["dataset_version"], cases),
        rubric,
        baseline=_release(value, "baseline"),
        candidate=_release(value, "candidate"),
        predictions_version=value["prediction_set_version"],
        evidence=Evidence(
            value["evidence_sha256"],
            tuple(
                InputFile(each["name"], each["role"], each["byte_count"], each["sha256"])
                for each in value["inputs"]
            ),
        ),
        warnings=tuple(_warning(each) for each in value["warnings"]),
    )


def _release(value: Any, side: str) -> Release:
    records = []
    for case in value["cases"]:
        record = case[side]
        records.append(
            Record(
                case["case_id"],
                record["label"],
                record["tool"],
                tuple(record["actions"]),
                record["evidence_present"],
                record["latency_ms"],
                record["estimated_cost_usd"],
            )
        )
    return Release(value[f"{side}_release"], tuple(records))


def _warning(value: Any) -> Problem:
    return Problem(
        _WARNINGS[value["code"]],
        value["message"],
        value["hint"],
        value["file"],
        tuple(value["path"]),
        value["on_key"],
        _position(value),
        tuple(
            Related(each["file"], tuple(each["path"]), each["note"], _position(each))
            for each in value["related"]
        ),
    )


def _position(value: Any) -> Position | None:
    parts = [value[key] for key in ("line", "column", "excerpt", "excerpt_column")]
    return None if None in parts else Position(*parts)


def _places_differ(value: Any, judgement: Judgement) -> Iterator[Difference]:
    places = value["places"]
    if places is None:
        return
    for key, roles in (("dataset_file", ("dataset",)), ("candidate_file", ("predictions",))):
        if places[key] not in [each["name"] for each in value["inputs"] if each["role"] in roles]:
            yield ("places", key), f"{shown(places[key])} is none of the inputs of that kind"
    failed = [each.case.id for each in judgement.candidate.results if not each.passed]
    if [each["case_id"] for each in places["cases"]] != failed:
        yield ("places", "cases"), "are not the cases that the candidate failed, in order"


def _places(value: Any) -> Places:
    return Places(
        value["dataset_file"],
        value["candidate_file"],
        {
            each["case_id"]: CasePlace(Position(*each["dataset"]), Position(*each["candidate"]))
            for each in value["cases"]
        },
    )


def _differences(stated: Any, found: Any, path: Path) -> Iterator[Difference]:
    """Where the report says something else than its cases, the smallest parts."""
    if stated == found:
        return
    if isinstance(stated, dict) and isinstance(found, dict):
        if stated.keys() != found.keys():
            names = sorted(stated.keys() ^ found.keys())
            yield path, f"{shown(names[0])} stands on one side only"
        for key, part in stated.items():
            if key in found:
                yield from _differences(part, found[key], (*path, key))
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for index, pair in enumerate(zip(stated, found, strict=True)):
            yield from _differences(*pair, (*path, index))
    else:
        name = path[-1] if isinstance(path[-1], str) else f"{path[-2]} {path[-1]}"
        yield path, f"{name} is {shown(stated)}; judged again it is {shown(found)}"
