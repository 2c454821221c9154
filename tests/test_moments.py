"""Exact sums against fractions: moments, thresholds and ratios."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hpcreuse.parallel.moments import ONE, Moments, Threshold, to_fixed
from hpcreuse.reuse.ratios import Limbs, mean_of, ratio, to_limbs

VALUE = (
    st.floats(0, 1)
    | st.builds(lambda a, b: min(a, b) / max(a, b), st.integers(1, 50), st.integers(1, 50))
    | st.sampled_from([0.0, 1.0, 1 / 3, 2 / 3, 2.0**-60, 2.0**-61, 1 - 2.0**-53])
)
VALUES = st.lists(VALUE, max_size=40)
SIGMA = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 0.1, 3.7, -0.5, -1.0])


def fixed(values: list[float]) -> list[int]:
    return [round(Fraction(value) * ONE) for value in values]


def moments_of(values: list[float]) -> Moments:
    return Moments.of(np.array(values, np.float64))


def root(number: Fraction) -> Fraction:
    """Take the square root to 80 digits."""
    with localcontext() as context:
        context.prec = 80
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).sqrt())


def above_bar(value: int, values: list[int], sigma: float) -> bool:
    """Tell whether value > mean + sigma * deviation, with integers alone."""
    count, factor = len(values), Fraction(str(sigma))
    left = count * value - sum(values)
    spread = count * sum(v * v for v in values) - sum(values) ** 2
    right = factor * abs(factor) * spread
    return left * abs(left) > right


@given(VALUES)
def test_moments_are_those_of_integers(values: list[float]) -> None:
    exact = fixed(values)
    assert to_fixed(np.array(values, np.float64)).tolist() == exact
    assert moments_of(values) == Moments(len(exact), sum(exact), sum(v * v for v in exact))


def test_moments_of_many_large_values_do_not_overflow() -> None:
    values = [1.0] * 100_000 + [1 - 2.0**-53] * 50_000
    exact = fixed(values)
    assert moments_of(values) == Moments(len(exact), sum(exact), sum(v * v for v in exact))


@given(st.lists(VALUE, min_size=1, max_size=40))
def test_mean_and_deviation_are_the_nearest_doubles(values: list[float]) -> None:
    moments = moments_of(values)
    exact = [Fraction(v, ONE) for v in fixed(values)]
    mean = sum(exact, Fraction(0)) / len(exact)
    variance = sum(((v - mean) ** 2 for v in exact), Fraction(0)) / len(exact)
    assert moments.mean == float(mean)
    assert moments.deviation == pytest.approx(float(root(variance)), rel=2**-52, abs=0)


@given(VALUE, st.integers(1, 100))
def test_equal_values_have_no_deviation_and_no_target(value: float, count: int) -> None:
    moments = moments_of([value] * count)
    assert moments.deviation == 0.0
    assert moments.mean == fixed([value])[0] / ONE
    assert not Threshold.from_moments(moments, 1.0).above(np.array([value])).any()


@given(VALUES, VALUES, VALUES)
def test_moments_add_up_in_any_order(a: list[float], b: list[float], c: list[float]) -> None:
    whole = moments_of(a + b + c)
    x, y, z = map(moments_of, (a, b, c))
    assert whole == x + y + z == z + (y + x)
    assert whole + Moments() == whole


def test_nothing_has_mean_and_deviation_0() -> None:
    nothing = moments_of([])
    assert nothing == Moments()
    assert (nothing.mean, nothing.deviation) == (0.0, 0.0)
    assert Threshold.from_moments(nothing, 1.0).value == 0.0


@given(st.tuples(VALUE, VALUE), st.integers(1, 50))
@example((1 / 3, 2 / 3), 1)
@example((1 / 3, 2 / 3), 7)
@example((0.0, 1.0), 3)
@example((0.1, 0.7), 1)
def test_two_values_in_equal_numbers_give_no_target(pair: tuple[float, float], times: int) -> None:
    # Mean plus one deviation is the larger of the two, exactly; a target must be strictly above
    values = np.array(list(pair) * times)
    assert not Threshold.from_moments(Moments.of(values), 1.0).above(values).any()


@given(st.lists(VALUE, min_size=1, max_size=30), SIGMA)
def test_targets_are_strictly_above_mean_and_deviations(values: list[float], sigma: float) -> None:
    exact = fixed(values)
    threshold = Threshold.from_moments(moments_of(values), sigma)
    assert threshold.above(np.array(values)).tolist() == [above_bar(v, exact, sigma) for v in exact]
    want = moments_of(values).mean + sigma * moments_of(values).deviation
    assert math.isclose(threshold.value, want, rel_tol=1e-15, abs_tol=1e-18)


@given(st.lists(VALUE, min_size=1, max_size=30), SIGMA)
@example([100 * 2.0**-60, 100 * 2.0**-60, 108 * 2.0**-60], -1.0)
def test_the_bar_itself_is_exact(values: list[float], sigma: float) -> None:
    exact = fixed(values)
    bar = Threshold.from_moments(moments_of(values), sigma).fixed
    assert not above_bar(bar, exact, sigma)
    assert above_bar(bar + 1, exact, sigma)


@given(VALUE)
def test_a_fixed_bar_is_not_above_itself(value: float) -> None:
    bar = Threshold.at(value)
    assert bar.value == value
    assert not bar.above(np.array([value])).any()
    above = value + 2.0**-52
    assert bar.above(np.array([above])).all()


COUNTS = st.integers(0, 10**6).flatmap(lambda chunks: st.tuples(st.integers(0, chunks), st.just(chunks)))
FILES = st.lists(
    COUNTS | st.sampled_from([(0, 0), (1, 1), (1, 3), (2**32, 2**32), (1, 2**32)]), min_size=1, max_size=50
)


def limbs_of(files: list[tuple[int, int]]) -> Limbs:
    table = np.array(files, np.int64)
    return to_limbs(table[:, 0], table[:, 1])


def exact_ratio(bad: int, chunks: int) -> Fraction:
    return Fraction(bad, chunks) if chunks else Fraction(0)


@given(FILES)
def test_limbs_are_ratios_rounded_down(files: list[tuple[int, int]]) -> None:
    high, low = limbs_of(files)
    assert ((low >= 0) & (low < 1 << 30)).all()
    got = [(h << 30) + part for h, part in zip(high.tolist(), low.tolist(), strict=True)]
    assert got == [math.floor(exact_ratio(*file) * ONE) for file in files]


@given(FILES, st.integers(1, 10**6))
def test_the_mean_of_ratios_is_right_to_the_last_digits(files: list[tuple[int, int]], times: int) -> None:
    limbs = limbs_of(files)
    sums = Limbs(limbs.high.sum(keepdims=True) * times, limbs.low.sum(keepdims=True) * times)
    count = len(files) * times
    got = mean_of(sums, np.array([count]))[0]
    want = sum((exact_ratio(*file) for file in files), Fraction(0)) / len(files)
    assert abs(Fraction(float(got)) - want) <= Fraction(1, 10**15) * max(want, Fraction(1, 1000))
    # Not one bit depends on how often the same is added
    assert got == mean_of(Limbs(sums.high // times, sums.low // times), np.array([len(files)]))[0]


@given(FILES)
def test_ratios_are_the_nearest_doubles(files: list[tuple[int, int]]) -> None:
    table = np.array(files, np.int64)
    assert ratio(table[:, 0], table[:, 1]).tolist() == [float(exact_ratio(*file)) for file in files]
