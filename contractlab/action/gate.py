"""The step that judges, without a token: files or evidence in, reports and outputs out."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from contractlab import commands
from contractlab.action.changes import changed_files
from contractlab.action.evidence import read_evidence
from contractlab.action.inputs import read_inputs
from contractlab.action.outcome import Outcome, files_of, gate_of
from contractlab.action.remarks import judgement_remarks, problem_remarks
from contractlab.github.environment import (
    Environment,
    MalformedEnvironmentError,
    read_environment,
    runner_files,
)
from contractlab.github.workflow import annotation_commands
from contractlab.options import CompareOptions
from contractlab.problems import ContractError, Problem, Rule
from contractlab.render.problems import render_problems
from contractlab.render.text import render_text
from contractlab.sniff import find_config

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contractlab.action.console import Console
    from contractlab.action.inputs import Inputs
    from contractlab.judge import Judgement

ANNOTATIONS_EACH = 8
"""With the one that counts the rest 9; the runner's tenth is left to the verdict."""
PREFIX = "contractlab-report-"
REPORT_JSON = "contractlab-report.json"
REPORT_MARKDOWN = "contractlab-report.md"
COMMENT = "comment.md"
_INPUTS = "The workflow has to be mended first."


def run(variables: Mapping[str, str], console: Console) -> int:
    """Judges, tells it in every place but the pull request, and fails nothing by itself."""
    inputs, problems = read_inputs(variables)
    environment = Environment()
    try:
        environment = read_environment(variables)
    except MalformedEnvironmentError as error:
        problems.append(Problem(Rule.BAD_USAGE, str(error)))
    outcome = _outcome(inputs, environment, problems, variables)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=runner_files(variables).temp))
    texts = files_of(outcome, details_url=environment.run_url)
    for name, content in zip(
        (REPORT_JSON, REPORT_MARKDOWN, COMMENT),
        (texts.report_json, texts.report_markdown.encode(), texts.comment.encode()),
        strict=True,
    ):
        (folder / name).write_bytes(content)
    _tell(outcome, inputs, environment, console)
    if inputs.summary:
        note = "Cut for length. The whole report is the file that `report-json` names."
        console.summary(texts.report_markdown, note=note)
    console.outputs(
        {
            "decision": outcome.decision,
            "primary-reason": outcome.primary_reason,
            "evidence-sha256": outcome.evidence_sha256,
            "report-json": str(folder / REPORT_JSON),
            "report-markdown": str(folder / REPORT_MARKDOWN),
            "folder": str(folder),
        }
    )
    return 0


def _outcome(
    inputs: Inputs,
    environment: Environment,
    problems: list[Problem],
    variables: Mapping[str, str],
) -> Outcome:
    if problems:
        return Outcome(problems=tuple(problems), lead=_INPUTS)
    try:
        os.chdir(inputs.working_directory)
    except (OSError, ValueError) as error:
        problem = _no_folder(inputs.working_directory, error)
        return Outcome(problems=(problem,), lead=_INPUTS)
    if inputs.mode == "comment":
        return read_evidence(REPORT_JSON, environment)
    blob_base = _blob_base(environment, inputs.working_directory)
    try:
        options = commands.with_config(_options(inputs))
        judgement = commands.judged(options, places=True)
    except ContractError as error:
        return Outcome(problems=tuple(error.problems), blob_base=blob_base)
    return Outcome(
        judgement=judgement,
        blob_base=blob_base,
        changed=_changed(judgement, inputs, variables)
        if environment.event_name == "pull_request"
        else (),
    )


def _changed(judgement: Judgement, inputs: Inputs, variables: Mapping[str, str]) -> tuple[str, ...]:
    config = inputs.config or find_config()
    return changed_files([*gate_of(judgement), *([config] if config else [])], variables)


def _options(inputs: Inputs) -> CompareOptions:
    return CompareOptions(
        dataset=inputs.dataset,
        rubric=inputs.rubric,
        predictions=inputs.predictions,
        candidate=inputs.candidate,
        baseline=inputs.baseline,
        config=inputs.config,
    )


def _no_folder(name: str, error: Exception) -> Problem:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return Problem(
        Rule.BAD_USAGE,
        f"the working-directory cannot be entered: {reason}",
        "name a folder of the checkout; is actions/checkout a step before?",
        name,
    )


def _blob_base(environment: Environment, working_directory: str) -> str | None:
    """Where the judged files are seen on GitHub, as far as they are in the checkout."""
    folder = Path(working_directory)
    if environment.repository is None or environment.head_sha is None or ".." in folder.parts:
        return None
    if folder.is_absolute():
        workspace = environment.workspace
        if workspace is None or not folder.is_relative_to(workspace):
            return None
        folder = folder.relative_to(workspace)
    below = "".join(f"/{quote(part, errors='replace')}" for part in folder.parts)
    return f"{environment.server_url}/{environment.repository}/blob/{environment.head_sha}{below}"


def _tell(outcome: Outcome, inputs: Inputs, environment: Environment, console: Console) -> None:
    """Log and annotations."""
    judgement = outcome.judgement
    if judgement is None:
        console.untrusted(f"{render_problems(outcome.problems)}nothing was decided\n")
        remarks = problem_remarks(outcome.problems)
    else:
        console.untrusted(render_problems(judgement.warnings) + _text(judgement))
        remarks = judgement_remarks(judgement)
    # A run that follows another judges what no file of its own commit says.
    if inputs.annotations and inputs.mode == "gate":
        found = annotation_commands(remarks, workspace=environment.workspace, each=ANNOTATIONS_EACH)
        console.commands(found)


def _text(judgement: Judgement) -> str:
    if judgement.details is None:
        return render_text(judgement)
    from contractlab.render import text_v2  # noqa: PLC0415 (version 2 only)

    return text_v2.render_text(judgement, judgement.details)
