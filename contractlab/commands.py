"""The commands: options to an exit code, with what is printed on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contractlab import config as configuration
from contractlab.canonical import encode_report
from contractlab.intake import check_all, open_documents
from contractlab.model import Verdict
from contractlab.problems import ContractError, Problem, Rule
from contractlab.render.problems import render_problems, summary
from contractlab.streams import OutputError, write_error, write_out

if TYPE_CHECKING:
    from contractlab.details import Details
    from contractlab.judge import Judgement
    from contractlab.options import CompareOptions, ValidateOptions

RIGHT, FAILED, NOTHING_DECIDED = 0, 1, 2


def validate(options: ValidateOptions) -> int:
    """Checks contracts: 0 where nothing is wrong, else 2."""
    try:
        problems, names = _validated(options)
    except ContractError as error:
        problems, names = error.problems, []
    wrong = [each for each in problems if options.strict or not each.rule.warns]
    code = NOTHING_DECIDED if wrong else RIGHT
    try:
        if options.format == "json":
            write_out(encode_report({"problems": [problem_as_dict(each) for each in problems]}))
        elif problems:
            write_error(render_problems(problems) + summary(problems, strict=options.strict) + "\n")
        elif not options.quiet:
            write_out(f"{len(names)} contract{'' if len(names) == 1 else 's'}: no problem\n")
    except OutputError as error:
        return _unwritten(error)
    return code


def _validated(options: ValidateOptions) -> tuple[list[Problem], list[str]]:
    names: list[str] = list(configuration.expand(options.files))
    if not names:
        config = _config(options.config)
        named = [config.dataset, config.rubric, *configuration.expand(config.predictions)]
        names = [name for name in named if name is not None]
    if not names:
        raise ContractError([_nothing_named("no contract is named")])
    wanted: list[tuple[str, str | None]] = [(name, None) for name in dict.fromkeys(names)]
    documents, problems = open_documents(wanted, max_bytes=options.max_bytes)
    return [*problems, *check_all(documents)], names


def compare(options: CompareOptions) -> int:
    """Judges a candidate: 0 PASS, 1 REVIEW or BLOCK, 2 where nothing was decided."""
    try:
        options = _with_config(options)
        judgement = judged(options)
    except ContractError as error:
        problems = error.problems
        write_error(f"{render_problems(problems)}nothing was decided: {summary(problems)}\n")
        return NOTHING_DECIDED
    try:
        if judgement.warnings and not options.quiet:
            write_error(render_problems(judgement.warnings))
        write_out(_rendered(judgement, options.format))
    except OutputError as error:
        return _unwritten(error)
    return exit_code(judgement.decision.verdict, options.fail_on or "review")


def exit_code(verdict: Verdict, fail_on: str) -> int:
    """0 where the verdict is milder than what fails: `review`, `block`, or `never`."""
    failing = {
        "review": (Verdict.REVIEW, Verdict.BLOCK),
        "block": (Verdict.BLOCK,),
        "never": (),
    }[fail_on]
    return FAILED if verdict in failing else RIGHT


def judged(options: CompareOptions) -> Judgement:
    """The judgement on the contracts that the options name.

    Raises:
        ContractError: nothing can be decided; with the reasons.
    """
    from contractlab.pipeline import run  # noqa: PLC0415 (what only a comparison needs)

    missing = [name for name in ("dataset", "rubric", "predictions") if not getattr(options, name)]
    if missing or options.dataset is None or options.rubric is None:
        raise ContractError([_nothing_named(f"no {' and no '.join(missing)} is named")])
    return run(
        options.dataset,
        options.rubric,
        configuration.expand(options.predictions),
        baseline=options.baseline,
        candidate=options.candidate,
        strict=options.strict,
        max_bytes=options.max_bytes,
    )


def _with_config(options: CompareOptions) -> CompareOptions:
    """The options, with what they leave open taken from the configuration."""
    config = _config(options.config)
    return replace(
        options,
        dataset=options.dataset or config.dataset,
        rubric=options.rubric or config.rubric,
        predictions=options.predictions or config.predictions,
        baseline=options.baseline or config.baseline,
        candidate=options.candidate or config.candidate,
        strict=options.strict or config.strict,
        fail_on=options.fail_on or config.fail_on,
    )


def _config(name: str | None) -> configuration.Config:
    name = name or configuration.find()
    return configuration.load(name) if name else configuration.Config()


def _nothing_named(message: str) -> Problem:
    hint = f"name the files, or write a {configuration.NAME}"
    return Problem(Rule.BAD_USAGE, message, hint)


def _rendered(judgement: Judgement, format_: str) -> str | bytes:
    if judgement.details is not None:
        return _rendered_v2(judgement, judgement.details, format_)
    match format_:
        case "json":
            from contractlab.render.report import render_json  # noqa: PLC0415

            return render_json(judgement)
        case "markdown":
            from contractlab.render.markdown import render_markdown  # noqa: PLC0415

            return render_markdown(judgement)
        case _:
            from contractlab.render.text import render_text  # noqa: PLC0415

            return render_text(judgement)


def _rendered_v2(judgement: Judgement, details: Details, format_: str) -> str | bytes:
    from contractlab.render import report_v2, text_v2  # noqa: PLC0415

    text = text_v2.render_text(judgement, details)
    match format_:
        case "json":
            return report_v2.render_json(judgement, details)
        case "markdown":
            return text_v2.fenced(f"contractlab: {judgement.decision.verdict}", text)
        case _:
            return text


def problem_as_dict(problem: Problem) -> dict[str, object]:
    """A problem as JSON values; where is null as far as it is unknown."""
    place_ = problem.position
    return {
        "code": problem.rule.code,
        "name": problem.rule.title,
        "warning": problem.rule.warns,
        "message": problem.message,
        "hint": problem.hint,
        "file": problem.file or None,
        "path": list(problem.path),
        "line": place_.line if place_ else None,
        "column": place_.column if place_ else None,
        "related": [
            {
                "file": each.file,
                "path": list(each.path),
                "note": each.note,
                "line": each.position.line if each.position else None,
                "column": each.position.column if each.position else None,
            }
            for each in problem.related
        ],
    }


def _unwritten(error: OutputError) -> int:
    write_error(f"contractlab: cannot write the result to {error}\n")
    return NOTHING_DECIDED


def explain(code: str) -> int:
    """Prints a rule's page: 0, or 2 where there is no such rule."""
    from contractlab.files import rules_page  # noqa: PLC0415
    from contractlab.render.escape import terminal  # noqa: PLC0415

    wanted = code.upper()
    rule = next((each for each in Rule if wanted in (each.code, each.title.upper())), None)
    if rule is None:
        write_error(
            f"contractlab: there is no rule {terminal(code)}\n"
            f"   help: {', '.join(each.code for each in Rule)}\n"
        )
        return NOTHING_DECIDED
    try:
        write_out(rules_page(rule))
    except OutputError as error:
        return _unwritten(error)
    return RIGHT
