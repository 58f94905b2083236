"""The commands: options to an exit code, with what is printed on the way."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from contractlab import config as configuration
from contractlab.canonical import encode_report
from contractlab.choices import DEFAULT_FAIL_ON
from contractlab.crosscheck import check_all
from contractlab.intake import open_documents
from contractlab.model import Verdict
from contractlab.problems import ContractError, Problem, Rule
from contractlab.progress import SILENT, for_person
from contractlab.quick import no_problem
from contractlab.render.escape import terminal
from contractlab.sniff import CONFIG, find_config
from contractlab.streams import NOTHING_DECIDED, deliver, write_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contractlab.judge import Judgement
    from contractlab.options import CompareOptions, HookOptions, ValidateOptions
    from contractlab.progress import Progress

RIGHT, FAILED = 0, 1


def validate(options: ValidateOptions) -> int:
    """Checks contracts: 0 where nothing is wrong, else 2."""
    try:
        options = _with_configured_files(options)
        problems, roles = _validated(options)
    except ContractError as error:
        problems, roles = error.problems, set()
    wrong = [each for each in problems if options.strict or not each.rule.warns]
    code = NOTHING_DECIDED if wrong else RIGHT
    if options.format == "json":
        from contractlab.render.problem_json import problem_as_dict  # noqa: PLC0415 (JSON only)

        value = {"problems": [problem_as_dict(each) for each in problems]}
        return deliver(encode_report(value), code)
    if problems:
        text, count = _told(problems, strict=options.strict)
        write_error(f"{text}{count}\n")
        return code
    said = no_problem(len(options.wanted))
    if "predictions" in roles and "dataset" not in roles:
        said = f"{said.rstrip()} (no dataset named, so coverage is unchecked)\n"
    return deliver("" if options.quiet else said, code)


def _with_configured_files(options: ValidateOptions) -> ValidateOptions:
    """The options with patterns expanded; where no file is named, with the configured ones.

    Raises:
        ContractError: there is none either.
    """
    options = options._replace(files=tuple(configuration.expand(options.files)))
    if not options.wanted:
        config = _config(options.config)
        options = options._replace(
            dataset=config.dataset,
            rubric=config.rubric,
            predictions=config.predictions,
            strict=options.strict or config.strict,
        )
    if not options.wanted:
        raise ContractError([_nothing_named("no contract is named")])
    return options._replace(predictions=tuple(configuration.expand(options.predictions)))


def _validated(options: ValidateOptions) -> tuple[list[Problem], set[str]]:
    """The problems, and the roles of the files that could be opened."""
    wanted = options.wanted
    order = {name: index for index, name in enumerate(wanted)}
    with for_person(quiet=options.quiet) as progress:
        documents, problems = open_documents(
            list(wanted.items()), max_bytes=options.max_bytes, progress=progress
        )
        progress.step("checking")
        problems += check_all(documents, complete=not problems)
    ordered = sorted(problems, key=lambda problem: order.get(problem.file, -1))
    return ordered, {document.role for document in documents}


def hook(options: HookOptions) -> int:
    """Checks the contracts among a commit's files: 0 where nothing is wrong, else 2."""
    from contractlab.hook import check  # noqa: PLC0415 (what only the hook needs)

    try:
        problems = check(options.files, config=options.config, max_bytes=options.max_bytes)
    except ContractError as error:
        problems = error.problems
    wrong = [each for each in problems if options.strict or not each.rule.warns]
    told = wrong if options.quiet else problems
    if told:
        text, count = _told(told, strict=options.strict)
        write_error(f"{text}{count}\n")
    return NOTHING_DECIDED if wrong else RIGHT


def compare(options: CompareOptions) -> int:
    """Judges a candidate: 0 PASS, 1 REVIEW or BLOCK, 2 where nothing was decided."""
    targets: dict[str, str] = {}
    given = options
    try:
        options = with_config(options)
        targets = _targets(options)
        places = options.format == "json" or bool(targets)
        with for_person(quiet=options.quiet) as progress:
            judgement = judged(options, places=places, progress=progress)
            progress.step("writing")
            result = _rendered(judgement, options)
    except ContractError as error:
        problems = [_with_way_back(each, given) for each in error.problems]
        text, count = _told(problems, strict=options.strict)
        write_error(f"{text}nothing was decided: {count}\n")
        if targets:
            _report_problems(problems, targets, options)
        return NOTHING_DECIDED
    code = exit_code(judgement.decision.verdict, options.fail_on or DEFAULT_FAIL_ON)
    if targets and _report(judgement, targets):
        code = NOTHING_DECIDED
    # The JSON report carries them, and a program that reads it reads nothing else.
    if judgement.warnings and not options.quiet and options.format != "json":
        write_error(_told(judgement.warnings)[0])
    return deliver(result, code)


def _with_way_back(problem: Problem, given: CompareOptions) -> Problem:
    """The problem; where a release is missing, what --predictions put aside is the way out."""
    if problem.rule is not Rule.UNKNOWN_RELEASE or not given.predictions:
        return problem
    config = _config(given.config)
    if not config.predictions:
        return problem
    hint = f"--predictions replaces the list of {config.file}: name the baseline's replay too"
    return replace(problem, hint=hint)


def _told(problems: Sequence[Problem], *, strict: bool = False) -> tuple[str, str]:
    """The problems in words, and how many they are."""
    from contractlab.render.problems import (  # noqa: PLC0415 (only once something is wrong)
        render_problems,
        summary,
    )

    return render_problems(problems), summary(problems, strict=strict)


def _targets(options: CompareOptions) -> dict[str, str]:
    """The report files by format, none of which is a file that is judged.

    Raises:
        ContractError: one is.
    """
    targets = options.reports
    if targets:
        from contractlab.outputs import check_targets  # noqa: PLC0415 (what few runs need)

        judged_files = [options.dataset, options.rubric, *configuration.expand(options.predictions)]
        check_targets(targets.values(), [name for name in judged_files if name is not None])
    return targets


def _report(judgement: Judgement, targets: dict[str, str]) -> bool:
    """Writes the report files; whether one could not be written, which says the verdict too."""
    from contractlab.outputs import write_reports  # noqa: PLC0415 (what few runs need)
    from contractlab.render.reasons import primary_reason  # noqa: PLC0415

    failed = write_reports(judgement, targets)
    for error in failed:
        write_error(f"contractlab: cannot write the report {terminal(str(error))}\n")
    if failed:
        reason = terminal(primary_reason(judgement.decision))
        write_error(f"contractlab: the verdict was {judgement.decision.verdict}: {reason}\n")
    return bool(failed)


def _report_problems(
    problems: list[Problem], targets: dict[str, str], options: CompareOptions
) -> None:
    from contractlab.outputs import write_problems  # noqa: PLC0415 (what few runs need)

    for error in write_problems(problems, targets, dataset=options.dataset or ""):
        write_error(f"contractlab: cannot write the report {terminal(str(error))}\n")


def exit_code(verdict: Verdict, fail_on: str) -> int:
    """0 where the verdict is milder than what fails: `review`, `block`, or `never`."""
    failing = {
        "review": (Verdict.REVIEW, Verdict.BLOCK),
        "block": (Verdict.BLOCK,),
        "never": (),
    }[fail_on]
    return FAILED if verdict in failing else RIGHT


def judged(
    options: CompareOptions, *, places: bool = False, progress: Progress = SILENT
) -> Judgement:
    """The judgement on the contracts that the options name.

    Args:
        options: with what the configuration adds.
        places: find where failed cases stand.
        progress: told of each step.

    Raises:
        ContractError: nothing can be decided; with the reasons.
    """
    from contractlab.pipeline import run  # noqa: PLC0415 (what only a comparison needs)

    dataset, rubric, predictions = named_files(options)
    return run(
        dataset,
        rubric,
        predictions,
        baseline=options.baseline,
        candidate=options.candidate,
        strict=options.strict,
        max_bytes=options.max_bytes,
        places=places,
        progress=progress,
    )


def named_files(options: CompareOptions) -> tuple[str, str, list[str]]:
    """The dataset, the rubric and the replays that the options name.

    Raises:
        ContractError: one of them is not named.
    """
    missing = [name for name in ("dataset", "rubric", "predictions") if not getattr(options, name)]
    if missing or options.dataset is None or options.rubric is None:
        *others, last = missing or ["dataset"]
        names = f"{', '.join(others)} or {last}" if others else last
        raise ContractError([_nothing_named(f"no {names} named")])
    return options.dataset, options.rubric, configuration.expand(options.predictions)


def with_config(options: CompareOptions) -> CompareOptions:
    """The options, with what they leave open taken from the configuration.

    Raises:
        ContractError: an option is an empty text, or the configuration is wrong.
    """
    for name in ("dataset", "rubric", "candidate", "baseline"):
        if getattr(options, name) == "":
            # Not as if it were left out: an unset variable must not choose another release.
            hint = "give it a value, or leave it out"
            raise ContractError([Problem(Rule.BAD_USAGE, f"--{name} is empty", hint)])
    config = _config(options.config)
    return options._replace(
        dataset=options.dataset or config.dataset,
        rubric=options.rubric or config.rubric,
        predictions=options.predictions or config.predictions,
        baseline=options.baseline or config.baseline,
        candidate=options.candidate or config.candidate,
        strict=options.strict or config.strict,
        fail_on=options.fail_on or config.fail_on,
    )


def _config(name: str | None) -> configuration.Config:
    name = name or find_config()
    return configuration.load(name) if name else configuration.Config()


def _nothing_named(message: str) -> Problem:
    hint = f"name the files, or write a {CONFIG}"
    return Problem(Rule.BAD_USAGE, message, hint)


def _colour() -> bool:
    from contractlab.render.style import colour_wanted  # noqa: PLC0415 (text only)

    # An older Windows console shows escapes instead of obeying them.
    obeys = os.name != "nt" or "WT_SESSION" in os.environ
    return colour_wanted(
        no_color=os.environ.get("NO_COLOR"),
        force_color=os.environ.get("FORCE_COLOR"),
        term=os.environ.get("TERM"),
        is_terminal=obeys and sys.stdout is not None and sys.stdout.isatty(),
    )


def _rendered(judgement: Judgement, options: CompareOptions) -> str | bytes:
    if judgement.details is not None and options.format == "text":
        from contractlab.render import text_v2  # noqa: PLC0415 (version 2 only)

        return text_v2.render_text(
            judgement, judgement.details, quiet=options.quiet, verbose=options.verbose
        )
    if judgement.details is not None:
        from contractlab.outputs import rendered_v2  # noqa: PLC0415 (version 2 only)

        return rendered_v2(judgement, judgement.details, options.format)
    if options.format == "text":
        from contractlab.render.text import render_text  # noqa: PLC0415 (one of several)

        return render_text(
            judgement, colour=_colour(), quiet=options.quiet, verbose=options.verbose
        )
    from contractlab.outputs import rendered  # noqa: PLC0415 (what the others need)

    return rendered(judgement, options.format)


def explain(name: str) -> int:
    """Prints what there is to say about a rule, gate or check: 0, or 2 where that is nothing."""
    from contractlab.explain import nothing, page  # noqa: PLC0415 (what this command alone needs)

    found = page(name)
    if found is None:
        told = terminal(name[:80])
        write_error(f"contractlab: there is no rule, gate or check {told}\n{nothing(name)}")
        return NOTHING_DECIDED
    return deliver(found, RIGHT)
