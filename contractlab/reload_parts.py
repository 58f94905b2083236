"""A JSON report back to the model: what both versions' reports have, and where one is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contractlab.evidence import Evidence, InputFile
from contractlab.places import CasePlace, Places
from contractlab.problems import ContractError, Path, Position, Problem, Related, Rule
from contractlab.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from contractlab.judge import Judgement

Difference = tuple[Path, str]
"""Where a report is wrong, and how."""

_WARNINGS = {rule.code: rule for rule in Rule if rule.warns}


@dataclass(frozen=True, slots=True)
class Version:
    """How the reports of one version are judged again."""

    schema: str
    """The packaged schema's name."""
    judged: Callable[[Any, str], Judgement]
    """A report's value and its file's name to what its cases come to, without places; raises
    what `refuse` raises."""


def refuse(differences: Iterable[Difference], file: str) -> None:
    """Raises CL313 problems where there is any difference."""
    problems = [
        Problem(
            Rule.INCONSISTENT_REPORT,
            message,
            "make the report again with contractlab compare --report-json",
            file,
            path,
        )
        for path, message in differences
    ]
    if problems:
        raise ContractError(problems)


def told(problem: Problem) -> str:
    """A contract's problem as the message of a report's."""
    return f"{problem.message}: {problem.hint}" if problem.hint else problem.message


# ── what must be so before the cases can be judged at all ───────────────────────────────────


def of_another_judge(value: Any, *, evaluator: str, digest_format: str) -> Iterator[Difference]:
    """Whether another release of the gate made the report."""
    if value["evaluator_version"] != evaluator:
        said = shown(value["evaluator_version"])
        yield ("evaluator_version",), f"the report was judged by {said}; this is {evaluator}"
    if value["evidence_digest_format"] != digest_format:
        said = shown(value["evidence_digest_format"])
        yield (
            ("evidence_digest_format",),
            f"the format is {said}; this release's is {digest_format}",
        )


def of_inputs_and_warnings(value: Any) -> Iterator[Difference]:
    """Whether the files are those of a comparison, and the warnings known ones."""
    roles = [each["role"] for each in value["inputs"]]
    if roles[:2] != ["dataset", "rubric"] or set(roles[2:]) != {"predictions"}:
        yield ("inputs",), "inputs are not a dataset, a rubric and then replays"
    for index, each in enumerate(value["warnings"]):
        if each["code"] not in _WARNINGS:
            yield ("warnings", index, "code"), f"{each['code']} is no warning of this release"


def cases_named_twice(cases: Iterable[tuple[Path, Any]]) -> Iterator[Difference]:
    """Cases, each with its path, whose id an earlier one has."""
    seen = set()
    for path, case in cases:
        if case["case_id"] in seen:
            yield (*path, "case_id"), f"case {shown(case['case_id'])} stands twice"
        seen.add(case["case_id"])


# ── what a report says of its inputs ────────────────────────────────────────────────────────


def evidence_of(value: Any) -> Evidence:
    """The digest, which cannot be computed again, and the files that it is of."""
    return Evidence(
        value["evidence_sha256"],
        tuple(
            InputFile(each["name"], each["role"], each["byte_count"], each["sha256"])
            for each in value["inputs"]
        ),
    )


def warnings_of(value: Any) -> tuple[Problem, ...]:
    """What was noticed about the contracts."""
    return tuple(map(_warning, value["warnings"]))


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


# ── where the failed cases stand ────────────────────────────────────────────────────────────


def places_of(places: Any) -> Places:
    """The places that a report has of the cases that the candidate failed."""
    return Places(
        places["dataset_file"],
        places["candidate_file"],
        {
            each["case_id"]: CasePlace(Position(*each["dataset"]), Position(*each["candidate"]))
            for each in places["cases"]
        },
    )


def of_places(places: Any, inputs: Any, judgement: Judgement) -> Iterator[Difference]:
    """Whether they are of the files that were read and the cases that the candidate failed."""
    for key, role in (("dataset_file", "dataset"), ("candidate_file", "predictions")):
        if places[key] not in [each["name"] for each in inputs if each["role"] == role]:
            yield ("places", key), f"{shown(places[key])} is none of the inputs of that kind"
    failed = [each.case.id for each in judgement.candidate.results if not each.passed]
    if [each["case_id"] for each in places["cases"]] != failed:
        yield ("places", "cases"), "places are not of the cases that the candidate failed, in order"


# ── what comes out beside what is said ──────────────────────────────────────────────────────


def differences(stated: Any, found: Any, path: Path = ()) -> Iterator[Difference]:
    """Where the report says something else than its cases, the smallest parts."""
    if stated == found:
        return
    if isinstance(stated, dict) and isinstance(found, dict):
        if stated.keys() != found.keys():
            names = sorted(stated.keys() ^ found.keys())
            yield path, f"{shown(names[0])} stands on one side only"
        for key, part in stated.items():
            if key in found:
                yield from differences(part, found[key], (*path, key))
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for index, pair in enumerate(zip(stated, found, strict=True)):
            yield from differences(*pair, (*path, index))
    else:
        name = path[-1] if isinstance(path[-1], str) else f"{path[-2]} {path[-1]}"
        yield path, f"{name} is {shown(stated)}; judged again it is {shown(found)}"
