"""Names that contracts can hold: what can't be seen in one is spelled out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contractlab.lookalike import has_control, is_invisible_only
from contractlab.unseen import seen

if TYPE_CHECKING:
    from contractlab.importers.neutral import NeutralRecord

_NOTE = "a name of it holds what can't be seen, which is written as its escape"


def readable(record: NeutralRecord) -> None:
    """Spells out control characters and the like in the names of a run.

    A model may call a tool by any text; a case id of a CSV may hold a line's end.
    """
    texts = [record.case_id, *[call.name for call in record.calls or ()]]
    texts += [record.label] if record.label else []
    texts += record.evidence if type(record.evidence) is list else []
    texts += record.outcomes
    together = "".join(texts)
    if (together.isascii() and together.isprintable()) or all(map(_is_plain, texts)):
        return
    record.case_id = _spelled(record.case_id)
    record.label = _spelled(record.label) if record.label else record.label
    record.outcomes = {_spelled(key): value for key, value in record.outcomes.items()}
    for call in record.calls or ():
        call.name = _spelled(call.name)
    if type(record.evidence) is list:
        record.evidence = list(map(_spelled, record.evidence))
    record.notes = (*record.notes, _NOTE)


def _is_plain(text: str) -> bool:
    if text.isascii() and text.isprintable():
        return True
    return not (has_control(text) or (text.strip() and is_invisible_only(text)))


def _spelled(text: str) -> str:
    return text if _is_plain(text) else seen(text)
