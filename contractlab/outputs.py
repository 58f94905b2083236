"""Report files: every format of a judgement, written whole or not at all."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from contractlab.problems import ContractError, Problem, Rule
from contractlab.streams import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contractlab.details import Details
    from contractlab.judge import Judgement


def rendered(judgement: Judgement, format_: str) -> str | bytes:
    """A judgement in one of `choices.RENDER_FORMATS`."""
    if judgement.details is not None:
        return rendered_v2(judgement, judgement.details, format_)
    match format_:
        case "json":
            from contractlab.render.report import render_json  # noqa: PLC0415 (one of several)

            return render_json(judgement)
        case "junit":
            from contractlab.render.junit import render_junit  # noqa: PLC0415

            return render_junit(judgement)
        case "sarif":
            from contractlab.render.sarif import render_sarif  # noqa: PLC0415

            return render_sarif(judgement, version=_version())
        case "markdown":
            from contractlab.render.markdown import render_markdown  # noqa: PLC0415

            return render_markdown(judgement)
        case "html":
            from contractlab.render.html import render_html  # noqa: PLC0415

            return render_html(judgement)
        case _:
            from contractlab.render.text import render_text  # noqa: PLC0415

            return render_text(judgement)


def rendered_v2(judgement: Judgement, details: Details, format_: str) -> str | bytes:
    """A version 2 judgement in one of `choices.RENDER_FORMATS`."""
    from contractlab.render import report_v2, text_v2  # noqa: PLC0415 (version 2 only)

    match format_:
        case "json":
            return report_v2.render_json(judgement, details)
        case "junit":
            from contractlab.render.junit import render_junit  # noqa: PLC0415

            return render_junit(judgement)
        case "sarif":
            from contractlab.render.sarif import render_sarif  # noqa: PLC0415

            return render_sarif(judgement, version=_version())
        case "markdown":
            from contractlab.render.markdown import render_markdown  # noqa: PLC0415

            return render_markdown(judgement)
        case "html":
            from contractlab.render.html import render_html  # noqa: PLC0415

            return render_html(judgement)
        case _:
            return text_v2.render_text(judgement, details)


def rendered_problems(
    problems: Sequence[Problem], format_: str, *, dataset: str
) -> str | bytes | None:
    """What kept a judgement from being made, in one format; None where it has no form for it."""
    match format_:
        case "junit":
            from contractlab.render.junit import render_junit_problems  # noqa: PLC0415

            return render_junit_problems(problems)
        case "sarif":
            from contractlab.render.sarif import render_sarif_problems  # noqa: PLC0415

            return render_sarif_problems(problems, version=_version(), dataset=dataset)
        case "markdown":
            from contractlab.render.comment.problems import (  # noqa: PLC0415
                render_problems_markdown,
            )

            return render_problems_markdown(problems)
        case _:
            return None


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 (slow, and SARIF's alone)

    return version("contractlab")


def check_targets(targets: Iterable[str], inputs: Iterable[str]) -> None:
    """Refuses a report that would overwrite another one, or a file that is judged.

    Raises:
        ContractError: with CL006 problems.
    """
    taken = {_identity(name): f"{name} is judged" for name in inputs}
    problems = []
    for name in targets:
        if name.startswith("/dev/"):
            continue
        identity = _identity(name)
        if identity in taken:
            message = f"the report would overwrite a file: {taken[identity]}"
            problems.append(Problem(Rule.BAD_USAGE, message, "give it a name of its own"))
        taken[identity] = f"{name} is another report"
    if problems:
        raise ContractError(problems)


def _identity(name: str) -> str:
    return os.path.normcase(os.path.realpath(name))


def write_reports(judgement: Judgement, targets: Mapping[str, str]) -> list[OutputError]:
    """Writes each report (format to file name); the failures, after all were tried."""
    failed = []
    for format_, name in targets.items():
        try:
            write_file(name, rendered(judgement, format_))
        except OutputError as error:
            failed.append(error)
    return failed


def write_problems(
    problems: Sequence[Problem], targets: Mapping[str, str], *, dataset: str
) -> list[OutputError]:
    """Writes what each format has to say of problems; the failures, after all were tried.

    Where a format has nothing for them, a report of an earlier run is removed: nobody may take
    it for this run's.
    """
    failed = []
    for format_, name in targets.items():
        content = rendered_problems(problems, format_, dataset=dataset)
        try:
            if content is None:
                _remove(name)
            else:
                write_file(name, content)
        except OutputError as error:
            failed.append(error)
    return failed


def write_file(name: str, content: str | bytes) -> None:
    """Writes a file whole or not at all, as UTF-8 with the line ends that the text has.

    A file that is there is replaced, in its folder and under its links; missing folders are
    made. A device or FIFO, such as `/dev/stdout`, is written to.

    Raises:
        OutputError: naming the file and the reason.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        if _is_special(name):
            with open(name, "wb") as stream:  # noqa: PTH123 (the name as it was given)
                stream.write(data)
            return
        target = os.path.realpath(name)
        folder, last = os.path.split(target)
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        beside = os.path.join(folder, f".{last[:100]}.{os.getpid()}.tmp")  # noqa: PTH118
        try:
            with open(beside, "xb") as file:  # noqa: PTH123
                file.write(data)
            os.replace(beside, target)  # noqa: PTH105
        except BaseException:
            if os.path.lexists(beside):
                os.unlink(beside)  # noqa: PTH108
            raise
    except (OSError, ValueError) as error:
        raise _unwritten(name, error) from error


def _is_special(name: str) -> bool:
    """Whether it is there, and neither a file nor a folder; a stream's own name is always."""
    if name.startswith("/dev/"):
        return True
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _remove(name: str) -> None:
    try:
        if os.path.isfile(name):  # noqa: PTH113
            os.unlink(name)  # noqa: PTH108
    except OSError as error:
        raise _unwritten(name, error) from error


def _unwritten(name: str, error: OSError | ValueError) -> OutputError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return OutputError(f"{name}: {reason}")
