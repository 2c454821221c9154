"""Orders by 64-bit keys against sorted(); keys that tie in their high bits are made on purpose."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.kernels.ordering import group_numbers, order_small

CLOSE = st.builds(lambda high, low: (high << 60) + low, st.integers(0, 15), st.integers(0, 40))
NUMBERS = st.lists(CLOSE | st.integers(0, (1 << 64) - 1), max_size=60)


@given(NUMBERS)
def test_groups_are_the_distinct_numbers_in_order_with_their_rows_rising(numbers: list[int]) -> None:
    groups = group_numbers(np.array(numbers, np.uint64))
    assert groups.order.tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)
    assert [numbers[groups.order[start]] for start in groups.starts] == sorted(set(numbers))
    assert groups.lengths.tolist() == [count for _, count in sorted(Counter(numbers).items())]


def test_many_rows_whose_keys_tie_in_all_but_their_low_bits() -> None:
    numbers = np.random.default_rng(3).integers(0, 5000, 20_000).astype(np.uint64)
    kept = numbers.copy()
    groups = group_numbers(numbers)
    assert np.array_equal(numbers, kept), "what is given is not used up"
    assert np.array_equal(groups.order, np.argsort(numbers, kind="stable"))
    assert np.array_equal(numbers[groups.order[groups.starts]], np.unique(numbers))


@given(st.lists(st.integers(0, 1 << 40), max_size=60))
def test_small_numbers_are_sorted_and_equal_ones_stay_in_order(numbers: list[int]) -> None:
    found = order_small(np.array(numbers, np.int64))
    assert found.tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)
