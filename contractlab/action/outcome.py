"""What the gate came to, and the texts that are made of it; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from contractlab.canonical import encode_report
from contractlab.render.comment.budget import COMMENT, SUMMARY
from contractlab.render.comment.problems import render_problems_markdown
from contractlab.render.escape import markdown
from contractlab.render.markdown import render_markdown
from contractlab.render.problem_json import problem_as_dict
from contractlab.render.report import render_json

if TYPE_CHECKING:
    from contractlab.judge import Judgement
    from contractlab.problems import Problem
    from contractlab.render.comment.budget import Budget

ERROR_VERSION = "eval-error-v1"
"""`schema_version` of the report where nothing was judged: `problems`, and no verdict."""

_NOTES_ROOM = 8_000
"""Units left for the notes: a few names of 200 characters, each with up to 6 units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A judgement, or the problems that kept it from being made."""

    judgement: Judgement | None = None
    problems: tuple[Problem, ...] = ()
    """At least one where there is no judgement."""
    lead: str = "The contracts have to be mended first."
    """What stands in the way of a judgement, where there is none."""
    blob_base: str | None = None
    """Address of the folder that file names start from, at the judged commit."""
    origin: str = ""
    """Where the evidence came from, in Markdown of ours; "" where it was judged here."""
    changed: tuple[str, ...] = ()
    """Files of the gate itself that the pull request changes."""

    @property
    def decision(self) -> str:
        """PASS, REVIEW, BLOCK or ERROR."""
        return "ERROR" if self.judgement is None else str(self.judgement.decision.verdict)

    @property
    def primary_reason(self) -> str:
        """The stable code of the first reason: a gate's name or a rule's code; "" for PASS."""
        if self.judgement is None:
            return self.problems[0].rule.code
        reasons = self.judgement.decision.reasons
        return reasons[0].name if reasons else ""

    @property
    def evidence_sha256(self) -> str:
        """64 hex digits, or "" where nothing was judged."""
        return "" if self.judgement is None else self.judgement.evidence.sha256


@dataclass(frozen=True, slots=True)
class Texts:
    """An outcome as the files that the next steps and the workflow read."""

    report_json: bytes
    report_markdown: str
    """The long form, as in the job summary."""
    comment: str


def files_of(outcome: Outcome, *, details_url: str | None) -> Texts:
    """Everything that is written of an outcome."""
    return Texts(
        report_json=_json(outcome),
        report_markdown=_text(outcome, SUMMARY, details_url),
        comment=_text(outcome, COMMENT, details_url),
    )


def gate_of(judgement: Judgement) -> list[str]:
    """The files that say what is asked of a candidate: dataset and rubric."""
    return [each.name for each in judgement.evidence.inputs if each.role != "predictions"]


def _text(outcome: Outcome, budget: Budget, details_url: str | None) -> str:
    notes = _notes(outcome)
    if notes:
        budget = replace(budget, limit=budget.limit - _NOTES_ROOM)
    if outcome.judgement is None:
        report = render_problems_markdown(
            outcome.problems,
            budget=budget,
            details_url=details_url,
            blob_base=outcome.blob_base,
            lead=outcome.lead,
        )
    else:
        report = render_markdown(
            outcome.judgement, budget=budget, details_url=details_url, blob_base=outcome.blob_base
        )
    head, line_end, rest = report.partition("\n")
    return f"{head}{line_end}{notes}{rest}"


def _notes(outcome: Outcome) -> str:
    """What a reader must know before the figures; after the verdict's line."""
    notes = [outcome.origin] if outcome.origin else []
    if outcome.changed:
        names = ", ".join(map(markdown, outcome.changed))
        differ = "differs" if len(outcome.changed) == 1 else "differ"
        notes.append(
            f"**This pull request changes its own gate:** {names} {differ} from the base branch."
        )
    return "".join(f"\n> {each}\n" for each in notes)


def _json(outcome: Outcome) -> bytes:
    if outcome.judgement is not None:
        details = outcome.judgement.details
        if details is not None:
            from contractlab.render import report_v2  # noqa: PLC0415 (version 2 only)

            return report_v2.render_json(outcome.judgement, details)
        return render_json(outcome.judgement)
    problems = [problem_as_dict(each) for each in outcome.problems]
    return encode_report({"schema_version": ERROR_VERSION, "action": "ERROR", "problems": problems})
