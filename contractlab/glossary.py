"""Version 2's metrics, bounds and standing gates in a sentence or two each, for `explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_CLASS = "Give the class with the gate; 0/0 is undefined, and then the gate fails."
_SUMMARY = (
    "The end of the name says which: mean, p50, p95 or max, over the runs that ended well."
    " Where one of them lacks it there is no value."
)

METRICS: Mapping[str, str] = {
    "pass_rate": "Share of cases that pass. With several trials a case counts by the share of"
    " its trials that pass.",
    "mean_score": "Share of checks that hold, as a mean over the cases.",
    "accuracy": "Share of the cases with an expected label that got it.",
    "check:NAME": "Share of the cases with this check whose check holds, such as check:tools;"
    " what was not recorded does not hold.",
    "outcome:NAME": "Share of the cases that expect this outcome where it is on the wanted side."
    " Where a run that ended well lacks it there is no value.",
    "precision": f"Of the records that got a class, the share that expects it. {_OF_CLASS}",
    "recall": f"Of the records that expect a class, the share that got it. {_OF_CLASS}",
    "f1": f"Harmonic mean of a class's precision and recall. {_OF_CLASS}",
    "macro_f1": "Mean F1 of the classes that are expected or predicted; a class that is never"
    " predicted counts 0.",
    "pass_hat_k": "Probability that k trials of a case all pass (pass^k), as a mean over the"
    " cases. Give k with the gate; every case needs k trials.",
    "pass_at_k": "Probability that one of k trials of a case passes at least (pass@k), as a mean"
    " over the cases. Give k with the gate; every case needs k trials.",
    "critical_slice_pass_rate": "Pass rate of each slice that has a critical case.",
    "slice_pass_rate_gap": "Best minus worst pass rate over the slices.",
    "paired_delta_ci_low": "Lower bound of the interval of candidate minus baseline in pass rate.",
    "error_rate": "Share of runs whose status is not ok. The rubric's errors is a gate on it.",
    "flaky_rate": "Share of cases, of those with several trials, that pass in some trials and"
    " fail in others. The rubric's flakiness is a gate on it.",
    "latency_ms": f"What a run took, in milliseconds, such as latency_ms.p95. {_SUMMARY}",
    "cost_usd": f"What a run cost, in US dollars, such as cost_usd.mean. {_SUMMARY}",
    "tokens.KIND": f"Tokens of one kind in a run, such as tokens.output.mean. {_SUMMARY}",
}
"""Every metric; NAME and KIND stand for names of the contracts, a measure for its summaries."""

BOUNDS: Mapping[str, str] = {
    "at_least": "Holds where the candidate's value is this or more, whatever the baseline does.",
    "at_most": "Holds where the candidate's value is this or less, whatever the baseline does.",
    "not_worse_by": "Holds where the whole interval of candidate minus baseline lies above minus"
    " this margin: the candidate must show that it is no worse. On a small set even an unchanged"
    " agent cannot; the reason then says how many cases it would take.",
    "no_regression_at": "Holds where the records show no loss at this level: the one-sided p,"
    ' corrected over what "*" stands for, is above it. It raises an alarm only where there is a'
    " loss, and proves nothing where the set is small.",
    "at_most_times_baseline": "Holds where the candidate's value is at most so many times the"
    " baseline's, such as 1.1: for latency, cost and tokens.",
}
"""Every bound that a gate can have."""

STANDING: Mapping[str, str] = {
    "none_may_fail": "The critical rule where a rubric names none: one failed trial of one"
    " critical case is BLOCK.",
    "none_newly_fails": "A critical rule: a critical case that the baseline passes in every trial"
    " and the candidate fails is BLOCK.",
    "at_most_rate": "A critical rule: the share of critical cases that fail must not be larger.",
    "critical_case_undecided": "A critical case that nobody knows about, because its run crashed"
    " or is missing, is REVIEW.",
    "coverage": "Smallest share of the split's cases that both releases have records for. Without"
    " it every case needs a record in both, or nothing is judged.",
    "errors": "Largest share of runs that did not end well (error_rate).",
    "flakiness": "Largest share of cases that pass in some trials and fail in others (flaky_rate);"
    " not evaluated where no case has several trials.",
    "minimum_cases": "With fewer cases that both releases have, the verdict is REVIEW at best;"
    " minimum.cases in a rubric.",
    "minimum_power": "With less probability to show an unchanged agent within comparison.margin,"
    " the verdict is REVIEW at best; minimum.power in a rubric.",
}
"""What a rubric asks beside its list of gates, by the rubric's words and the reasons' codes."""
