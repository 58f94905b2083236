"""The commands that work on a judgement made before: `render` and `cases`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab import commands, outputs
from contractlab.caselist import Filter, render_cases, render_cases_json, select
from contractlab.problems import ContractError
from contractlab.reload import read_report
from contractlab.render.escape import terminal
from contractlab.render.problems import render_problems, summary
from contractlab.streams import OutputError, deliver, write_error

if TYPE_CHECKING:
    from contractlab.options import CasesOptions, RenderOptions


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
        return commands.NOTHING_DECIDED
    return commands.RIGHT


def cases(options: CasesOptions) -> int:
    """Lists cases of a comparison or a report: 0 whatever the verdict, else 2."""
    try:
        if options.report is not None:
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


def _refused(error: ContractError) -> int:
    write_error(f"{render_problems(error.problems)}{summary(error.problems)}\n")
    return commands.NOTHING_DECIDED
