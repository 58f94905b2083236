"""The commands that work on a judgement made before: `render` and `cases`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab import commands, outputs
from contractlab.caselist import Filter, select
from contractlab.problems import ContractError, Problem, Rule
from contractlab.reload import read_report
from contractlab.render.caselist import render_cases, render_cases_json
from contractlab.render.escape import terminal
from contractlab.render.problems import render_problems, summary
from contractlab.streams import NOTHING_DECIDED, OutputError, deliver, write_error

if TYPE_CHECKING:
    from contractlab.options import CasesOptions, CompareOptions, RenderOptions


def render(options: RenderOptions) -> int:
    """Renders a JSON report in another format: 0, or 2 where it is no report to trust."""
    try:
        judgement = read_report(options.report, max_bytes=options.max_bytes)
        if options.output is not None:
            outputs.check_targets([options.output], [options.report])
    except ContractError as error:
        return _refused(error)
    content = outputs.rendered(judgement, options.format)
    if options.output is None:
        return deliver(content, commands.RIGHT)
    try:
        outputs.write_file(options.output, content)
    except OutputError as error:
        write_error(f"contractlab: cannot write {terminal(str(error))}\n")
        return NOTHING_DECIDED
    return commands.RIGHT


def cases(options: CasesOptions) -> int:
    """Lists cases of a comparison or a report: 0 whatever the verdict, else 2."""
    try:
        if options.report is not None:
            _alone(options.compare)
            judgement = read_report(options.report, max_bytes=options.compare.max_bytes)
        else:
            judgement = commands.judged(commands.with_config(options.compare))
        wanted = Filter(options.flips, options.slices, options.checks, options.critical)
        pairs = select(judgement, wanted)
    except ContractError as error:
        return _refused(error)
    if options.compare.format == "json":
        return deliver(render_cases_json(judgement, pairs), commands.RIGHT)
    return deliver(render_cases(judgement, pairs), commands.RIGHT)


def _alone(compared: CompareOptions) -> None:
    """Raises a problem where contracts are named beside a report, which holds its own cases."""
    names = ("dataset", "rubric", "predictions", "candidate", "baseline", "config")
    beside = [f"--{name}" for name in names if getattr(compared, name)]
    if beside:
        message = f"--report and {', '.join(beside)} exclude one another"
        hint = "the cases are the report's own; leave out the one or the other"
        raise ContractError([Problem(Rule.BAD_USAGE, message, hint)])


def _refused(error: ContractError) -> int:
    write_error(f"{render_problems(error.problems)}{summary(error.problems)}\n")
    return NOTHING_DECIDED
