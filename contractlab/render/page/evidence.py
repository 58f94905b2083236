"""What the judgement rests on, what was noticed, and what it does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.evidence import (
    DIGEST_FORMAT,
    DIGEST_FORMAT_V2,
    EVALUATOR_VERSION,
    EVALUATOR_VERSION_V2,
)
from contractlab.render import difference_v2, numbers, report_v2
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.parts import code, more, row, table
from contractlab.render.problems import place
from contractlab.render.report import LIMITATIONS

if TYPE_CHECKING:
    from contractlab.judge import Judgement

_FILES = 40
_WARNINGS = 40


def evidence(judgement: Judgement) -> str:
    """Digest, versions and input files."""
    found = judgement.evidence
    rubric, first = judgement.rubric, judgement.details is None
    facts = (
        ("digest", code(found.sha256)),
        ("digest format", code(DIGEST_FORMAT if first else DIGEST_FORMAT_V2)),
        ("evaluator", code(EVALUATOR_VERSION if first else EVALUATOR_VERSION_V2)),
        ("dataset", code(judgement.dataset_version)),
        ("rubric", code(rubric.version)),
        ("replays", code(clip(judgement.predictions_version, 600))),
        _method(judgement),
    )
    terms = "".join(f"<dt>{term}</dt><dd>{value}</dd>" for term, value in facts)
    files = [
        row(
            html(clip(each.name, 300)), each.role, numbers.count(each.byte_count), code(each.sha256)
        )
        for each in found.inputs[:_FILES]
    ]
    return (
        f"<dl>{terms}</dl>"
        + table("Input files", ("file", "role", "bytes", "SHA-256"), files)
        + more(len(found.inputs) - len(files), "files", "in the JSON report")
    )


def _method(judgement: Judgement) -> tuple[str, str]:
    if judgement.details is not None:
        return "difference", difference_v2.method(judgement, judgement.details)
    rubric = judgement.rubric
    return (
        "bootstrap",
        f"{numbers.count(rubric.resamples)} resamples, seed {rubric.seed},"
        f" {numbers.confidence(rubric.confidence)},"
        f" {code(judgement.comparison.bootstrap.method)}",
    )


def warnings(judgement: Judgement) -> str:
    """What was noticed about the contracts."""
    if not judgement.warnings:
        return "<p>None.</p>"
    items = "".join(
        f"<li><code>{each.rule.code}</code> {html(clip(each.message, 600))}"
        f' <span class="note">{html(place(each))}. {html(clip(each.hint, 300))}</span></li>'
        for each in judgement.warnings[:_WARNINGS]
    )
    rest = more(len(judgement.warnings) - _WARNINGS, "warnings", "in the JSON report")
    return f"<ul>{items}</ul>{rest}"


def limitations(judgement: Judgement) -> str:
    """What a verdict does not say."""
    lines = LIMITATIONS if judgement.details is None else report_v2.LIMITATIONS
    return f"<ul>{''.join(f'<li>{html(each)}</li>' for each in lines)}</ul>"
