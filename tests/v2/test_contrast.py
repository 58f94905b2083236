"""Differences over families and trials, against closed forms, scipy and brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from contractlab.bootstrap import paired_bootstrap
from contractlab.contrast import Method, Values, contrast, needed_cases, sign_flip
from contractlab.stats import PairedCounts, at_k, hat_k, mcnemar, newcombe, newcombe_of_shares

if TYPE_CHECKING:
    from collections.abc import Sequence

C95 = Fraction("0.95")
NEWCOMBE = Method("newcombe", C95, 2000, 7)
BOOTSTRAP = Method("bootstrap", C95, 2000, 7)

OUTCOMES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40)


def alone(outcomes: Sequence[tuple[int, int]]) -> list[Values]:
    """Cases that are families of their own, one trial each."""
    return [Values(str(index), *both) for index, both in enumerate(outcomes)]


def counted(outcomes: Sequence[tuple[int, int]]) -> PairedCounts:
    return PairedCounts(*(outcomes.count(both) for both in ((1, 1), (0, 1), (1, 0), (0, 0))))


@given(OUTCOMES)
@settings(deadline=None)
def test_single_trials_of_lone_cases_are_what_version_1_computes(
    outcomes: list[tuple[int, int]],
) -> None:
    counts = counted(outcomes)
    assert contrast(alone(outcomes), NEWCOMBE).interval == newcombe(counts, C95)
    by_bootstrap = paired_bootstrap(counts.differences, resamples=2000, confidence=C95, seed=7)
    seen = contrast(alone(outcomes), BOOTSTRAP)
    assert seen.interval == by_bootstrap.interval
    assert seen.delta == counts.delta
    assert seen.effective == counts.n
    assert seen.p_worse == pytest.approx(mcnemar(counts.improved, counts.regressed).one_sided)


@given(st.tuples(*[st.integers(0, 60)] * 4).filter(any), st.sampled_from(["0.8", "0.95"]))
def test_newcombe_on_shares_is_newcombe_on_counts(
    cells: tuple[int, int, int, int], confidence: str
) -> None:
    counts = PairedCounts(*cells)
    share = tuple(each / counts.n for each in cells)
    found = newcombe_of_shares(share, counts.n, Fraction(confidence))  # type: ignore[arg-type]
    wanted = newcombe(counts, Fraction(confidence))
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_the_sign_flip_test_counts_every_sign_pattern(totals: list[int]) -> None:
    patterns = list(product((-1, 1), repeat=len(totals)))
    sums = [sum(sign * abs(t) for sign, t in zip(signs, totals, strict=True)) for signs in patterns]
    as_bad = sum(each <= sum(totals) for each in sums)
    assert sign_flip(totals) == pytest.approx(as_bad / len(patterns), abs=1e-12)


def test_the_sign_flip_test_agrees_with_scipys_exact_permutation_test() -> None:
    totals = [-3, 2, -1, -4, 1, -2, 0, -1, 2, -3]
    theirs = scipy.stats.permutation_test(
        (np.array(totals),), np.sum, permutation_type="samples", alternative="less",
        n_resamples=np.inf,
    ).pvalue  # fmt: skip
    assert sign_flip(totals) == pytest.approx(theirs, rel=1e-12)


def test_many_families_of_several_sizes_have_nearly_the_exact_p() -> None:
    totals = [1, -2, 1, -1, 2, -1] * 60
    exact = sign_flip(totals)
    approximate = sign_flip(totals + [1, -1] * 40)
    variance = sum(t * t for t in totals) + 80
    assert approximate == pytest.approx(scipy.stats.norm.cdf(0 / variance**0.5), abs=1e-9)
    assert exact == pytest.approx(0.5, abs=0.05)


def test_copies_in_a_family_are_worth_no_more_than_the_family() -> None:
    outcomes = [(1, 1), (0, 1), (1, 0), (1, 1), (0, 0), (1, 0), (1, 1), (0, 1), (1, 1), (1, 1)]
    copied = [Values(str(index), *both) for index, both in enumerate(outcomes) for _ in range(5)]
    once, five = contrast(alone(outcomes), NEWCOMBE), contrast(copied, NEWCOMBE)
    assert five.units == once.units == 10
    # Cochran's G / (G - 1) makes ten families worth nine cases.
    assert five.effective == pytest.approx(9)
    assert five.interval.low == pytest.approx(once.interval.low, abs=0.02)


def test_trials_that_agree_add_nothing_and_trials_that_vary_narrow_the_interval() -> None:
    stubborn = [Values(str(i), i % 2, (i + i // 7) % 2, trials=4) for i in range(40)]
    single = [each._replace(trials=1) for each in stubborn]
    assert contrast(stubborn, NEWCOMBE).effective <= 40
    flaky = [
        Values(str(i), Fraction(1 + i % 3, 4), Fraction(1 + (i + 1) % 3, 4), trials=4)
        for i in range(40)
    ]
    assert contrast(flaky, NEWCOMBE).effective > 80
    assert contrast(single, NEWCOMBE).effective == 40


def test_where_nothing_differs_each_family_counts_once() -> None:
    same = [Values(str(i // 5), 1, 1) for i in range(50)]
    seen = contrast(same, NEWCOMBE)
    assert seen.effective == 10
    assert seen.interval.low == newcombe(PairedCounts(10, 0, 0, 0), C95).low


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_the_order_of_cases_changes_nothing(data: st.DataObject) -> None:
    values = data.draw(
        st.lists(
            st.builds(
                Values,
                st.sampled_from("abcdef"),
                st.fractions(0, 1, max_denominator=4),
                st.fractions(0, 1, max_denominator=4),
                st.just(4),
            ),
            min_size=1,
            max_size=15,
        )
    )
    shuffled = data.draw(st.permutations(values))
    for method in (NEWCOMBE, BOOTSTRAP):
        one, other = contrast(values, method), contrast(shuffled, method)
        assert one.delta == other.delta
        assert one.interval.low == pytest.approx(other.interval.low, abs=1e-12)
        assert one.p_worse == pytest.approx(other.p_worse)


def test_swapping_the_releases_mirrors_the_difference() -> None:
    values = [Values(str(i // 3), i % 2, (i // 2) % 2) for i in range(30)]
    mirrored = [Values(unit, after, before, trials) for unit, before, after, trials in values]
    one, other = contrast(values, NEWCOMBE), contrast(mirrored, NEWCOMBE)
    assert one.delta == -other.delta
    assert one.interval.low == pytest.approx(-other.interval.high)


# ── how many cases ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("discordance", [0.1, 0.28])
def test_the_bootstraps_size_is_the_textbook_formula(discordance: float) -> None:
    found = needed_cases(
        discordance=discordance, pass_rate=0.7, margin=0.05, method=BOOTSTRAP, power=0.8
    )
    z = scipy.stats.norm.ppf(0.975) + scipy.stats.norm.ppf(0.8)
    assert found == pytest.approx(z**2 * discordance / 0.05**2, abs=1)


def test_the_size_that_is_named_has_the_power_in_simulation() -> None:
    needed = needed_cases(discordance=0.2, pass_rate=0.8, margin=0.1, method=NEWCOMBE, power=0.8)
    assert needed is not None
    draws = np.random.default_rng(1).multinomial(needed, [0.7, 0.1, 0.1, 0.1], 1500)
    shown = [newcombe(PairedCounts(*map(int, cells)), C95).low >= -0.1 for cells in draws]
    assert sum(shown) / len(shown) == pytest.approx(0.8, abs=0.04)


def test_no_number_of_cases_shows_a_margin_of_zero() -> None:
    seen = contrast(alone([(1, 0), (0, 1), (1, 1)] * 20), NEWCOMBE)
    assert seen.needed(0.0) is None


def test_the_cases_that_are_needed_have_the_power_and_one_fewer_has_not() -> None:
    seen = contrast(alone([(1, 0), (0, 1), *[(1, 1)] * 8] * 5), NEWCOMBE)
    needed = seen.needed(0.05)
    assert needed is not None
    assert seen._power(needed, 0.05) >= 0.8 > seen._power(needed - 1, 0.05)


# ── trials ──────────────────────────────────────────────────────────────────────────────────


def test_pass_hat_and_at_k_of_the_reference_cases() -> None:
    assert hat_k(7, 8, 4) == Fraction(1, 2)
    assert hat_k(3, 5, 2) == Fraction(3, 10)
    assert at_k(1, 4, 2) == Fraction(1, 2)


@given(st.integers(1, 7), st.data())
def test_pass_hat_k_and_at_k_are_shares_of_all_draws(trials: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, trials))
    k = data.draw(st.integers(1, trials))
    from itertools import combinations  # noqa: PLC0415

    draws = list(combinations([True] * passed + [False] * (trials - passed), k))
    assert hat_k(passed, trials, k) == Fraction(sum(map(all, draws)), len(draws))
    assert at_k(passed, trials, k) == Fraction(sum(map(any, draws)), len(draws))
