"""Confusion matrices of both releases, and how well each class is told from the others.

Rows are what is expected, columns what was predicted; a run that decided on no label counts in
the column "none". A class beyond the most frequent ones is counted under "others".
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from contractlab.figures import NO_LABEL
from contractlab.metrics import ConfusionMatrix
from contractlab.render import numbers
from contractlab.render.escape import html
from contractlab.render.page.casebook import clip
from contractlab.render.page.parts import more, row, table, verdict_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from contractlab.details import Details
    from contractlab.judge import Judgement
    from contractlab.metrics import Metrics

    Labels = Mapping[tuple[str, str], int]
    """Records by expected and predicted label."""

_WORDED = 3
"""Up to so many columns each cell has room for words."""
_BESIDE = 8
"""Up to so many columns both matrices have room beside each other."""
_COLUMNS = 16
"""Columns of a matrix, beside the one of runs without a label."""
_CLASSES = 60
_OTHER = {"positive": "negative", "negative": "positive"}
"""The other of version 1's two labels."""
_SHADES = 4
_OF_CLASS = ("precision", "recall", "f1")


class _Axis(NamedTuple):
    """The classes of both matrices, in one order."""

    names: Sequence[str]
    """Raw; empty for no label."""
    others: int
    """Classes that are counted together, after all names."""

    def headings(self) -> list[str]:
        """Markup."""
        found = [html(clip(name, 60)) if name else "<i>none</i>" for name in self.names]
        return [*found, *([f"<i>{numbers.count(self.others)} others</i>"] if self.others else [])]


def of_two(judgement: Judgement) -> str:
    """Version 1's: the positive label against the other."""
    positive = judgement.rubric.positive_label
    negative = _OTHER.get(positive, f"not {positive}")
    words = (("true positive", "false negative"), ("false positive", "true negative"))

    def matrix(title: str, of: Metrics) -> str:
        found = of.confusion_matrix
        counts = ((found.tp, found.fn), (found.fp, found.tn))
        axis = _Axis((positive, negative), 0)
        return _matrix(title, axis, counts, lambda at, to: words[at][to])

    return _pair(
        matrix("Baseline: confusion matrix", judgement.baseline),
        matrix("Candidate: confusion matrix", judgement.candidate),
    )


def of_classes(judgement: Judgement, details: Details) -> str:
    """Version 2's: any number of classes, and each one's precision, recall and F1."""
    sides = (("Baseline", details.baseline), ("Candidate", details.candidate))
    axis = _axis([side.labels for _, side in sides])
    matrices = [_of_labels(title, axis, side.labels) for title, side in sides]
    counts = " and ".join(
        f"{numbers.counted(sum(side.labels.values()), 'run')} of the {title.lower()}"
        for title, side in sides
    )
    note = f"Rows: what was expected. Columns: what was predicted, in {counts}."
    if len(axis.headings()) > _WORDED:
        note += " The stronger the colour, the larger is the share of the row."
    shown = _pair(*matrices) if len(axis.headings()) <= _BESIDE else "".join(matrices)
    return f'{shown}<p class="note">{note}</p>{_classes(judgement, details)}'


def _pair(*matrices: str) -> str:
    return f'<div class="pair">{"".join(matrices)}</div>'


def _axis(tables: Iterable[Labels]) -> _Axis:
    """Sorted names; where they are many, the most frequent of them."""
    sizes: dict[str, int] = {}
    for table_ in tables:
        for pair, count in table_.items():
            for name in pair:
                sizes[name] = sizes.get(name, 0) + count
    none = [NO_LABEL] if sizes.pop(NO_LABEL, 0) else []
    kept = sorted(sizes, key=lambda name: (-sizes[name], name))
    if len(kept) > _COLUMNS:
        kept = kept[: _COLUMNS - 1]
    return _Axis((*sorted(kept), *none), len(sizes) - len(kept))


def _of_labels(title: str, axis: _Axis, labels: Labels) -> str:
    place = {name: at for at, name in enumerate(axis.names)}
    size = len(axis.names) + bool(axis.others)
    counts = [[0] * size for _ in range(size)]
    for (expected, predicted), count in labels.items():
        counts[place.get(expected, size - 1)][place.get(predicted, size - 1)] += count
    sums = [sum(line) for line in counts]

    def share(at: int, to: int) -> str:
        return f"{numbers.percent(counts[at][to] / sums[at], 'nearest')} of row" if sums[at] else ""

    return _matrix(f"{title}: confusion matrix", axis, counts, share)


def _matrix(
    caption: str,
    axis: _Axis,
    counts: Sequence[Sequence[int]],
    words: Callable[[int, int], str],
) -> str:
    """One release's matrix; without words in its cells where it has many columns."""
    headings = axis.headings()
    if len(headings) <= _WORDED:
        head = ["", *(f"predicted {each}" for each in headings)]
        rows = [
            row(
                f"expected {heading}",
                *(
                    f'<b>{numbers.count(count)}</b> <span class="note">{words(at, to)}</span>'
                    for to, count in enumerate(counts[at])
                ),
            )
            for at, heading in enumerate(headings)
            if axis.names[at : at + 1] != (NO_LABEL,)
        ]
        return table(caption, head, rows, kind="matrix")
    return _wide(caption, axis, headings, counts)


def _wide(
    caption: str, axis: _Axis, headings: Sequence[str], counts: Sequence[Sequence[int]]
) -> str:
    heads = ["", *(f"<span>{each}</span>" for each in headings)]
    named = len(axis.names)  # two of the others need not be the same class
    lines = [
        row(
            heading,
            *(
                _cell(count, sum(counts[at]), same=at == to < named)
                for to, count in enumerate(counts[at])
            ),
        )
        for at, heading in enumerate(headings)
        if axis.names[at : at + 1] != (NO_LABEL,)
    ]
    return table(caption, heads, lines, kind="classes")


def _cell(count: int, of: int, *, same: bool) -> str:
    """A count on a ground that is the darker the larger its share of the row is."""
    kind = "same" if same else "confused" if count else "zero"
    shade = -(-count * _SHADES // of) if of else 0
    return f'<span class="{kind} shade-{shade}">{numbers.count(count)}</span>'


# ── classes ─────────────────────────────────────────────────────────────────────────────────


def _classes(judgement: Judgement, details: Details) -> str:
    """Each class against the rest, the largest loss of F1 first, and the means over classes."""
    fails = {
        (gate.finding.metric, gate.finding.group[0][1]): gate.verdict
        for gate in judgement.decision.reasons
        if gate.finding and [selector for selector, _ in gate.finding.group] == ["class"]
    }
    before, after = details.baseline.classes, details.candidate.classes
    none = ConfusionMatrix(0, 0, 0, 0)
    found = [
        (name, before.get(name, none), after.get(name, none)) for name in sorted({*before, *after})
    ]
    found.sort(key=lambda each: _f1(each[2]) - _f1(each[1]))
    rows = [
        row(
            html(clip(name, 60)),
            _counts(one.tp + one.fn, other.tp + other.fn),
            *(
                _change(getattr(one, of), getattr(other, of)) + _failed(fails.get((of, name)))
                for of in _OF_CLASS
            ),
        )
        for name, one, other in found[:_CLASSES]
    ]
    sides = [each for _, *each in found]
    means = (
        _change(*(_mean([getattr(each[side], of) for each in sides]) for side in (0, 1)))
        for of in _OF_CLASS[:2]
    )
    f1 = _change(details.baseline.macro_f1, details.candidate.macro_f1)
    rows.append(row("<b>macro</b>: mean over classes, 0/0 as 0", "", *means, f1))
    head = ("class", "expected", *("F1" if of == "f1" else of for of in _OF_CLASS))
    caption = "Each class against the rest, baseline → candidate, the largest loss of F1 first"
    return table(caption, head, rows, kind="n4") + more(
        len(found) - _CLASSES, "classes, which lost less,", "in the JSON report"
    )


def _failed(verdict: str | None) -> str:
    return f" {verdict_tag(verdict)}" if verdict else ""


def _f1(of: ConfusionMatrix) -> Fraction:
    """As `macro_f1` has it: 0 where precision or recall is 0/0."""
    return Fraction(2 * of.tp, max(2 * of.tp + of.fp + of.fn, 1))


def _mean(values: Sequence[Fraction | None]) -> Fraction | None:
    return (
        sum((value or Fraction() for value in values), Fraction()) / len(values) if values else None
    )


def _counts(before: int, after: int) -> str:
    one, other = numbers.count(before), numbers.count(after)
    return one if one == other else f"{one} → {other}"


def _change(before: Fraction | None, after: Fraction | None) -> str:
    return f"{numbers.rate(before)} → {numbers.rate(after)}"
