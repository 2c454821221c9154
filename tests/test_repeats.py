"""The kernels that look for repeats: they equal their plain twins, and never miss a number that occurs twice."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hpcreuse import kernels
from hpcreuse.kernels import plain_repeats
from hpcreuse.parallel.repeats import repeats_here

# Equal ones, and ones that differ in one half only
HASHES = st.lists(st.sampled_from([0, 1, 7, 1 << 32, 7 << 32, (1 << 64) - 1]) | st.integers(0, (1 << 64) - 1))
SLOTS = st.integers(0, 12).map(lambda bits: 1 << bits)


@given(HASHES, SLOTS, st.sampled_from([np.uint32, np.uint64]))
def test_what_occurs_twice_is_never_let_go(
    listed: list[int], slots: int, kind: Callable[[NDArray], NDArray[np.unsignedinteger]]
) -> None:
    numbers = np.array(listed, np.uint64).astype(kind)
    found = kernels.may_repeat(numbers, slots)
    assert found.dtype == np.bool_
    assert found.tolist() == plain_repeats.may_repeat(numbers, slots).tolist()
    counts = Counter(numbers.tolist())
    assert all(passes for number, passes in zip(numbers.tolist(), found, strict=True) if counts[number] > 1)


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
def test_most_of_what_occurs_once_is_let_go(kind: type[np.unsignedinteger]) -> None:
    numbers = np.random.default_rng(5).integers(0, np.iinfo(kind).max, 100_000, kind, endpoint=True)
    assert kernels.may_repeat(numbers, 1 << 20).mean() < 0.12


@given(HASHES)
def test_repeats_on_one_rank_are_those_of_a_counter(listed: list[int]) -> None:
    repeated, first = repeats_here(np.array(listed, np.uint64))
    counts = Counter(listed)
    assert repeated.tolist() == [counts[number] > 1 for number in listed]
    assert first.tolist() == [number not in listed[:place] for place, number in enumerate(listed)]


@given(HASHES, st.data(), st.sampled_from([1, 2, 3, 7, 1000]))
def test_what_is_dealt_out_comes_back_to_its_hash(listed: list[int], data: st.DataObject, ranks: int) -> None:
    hashes = np.array(listed, np.uint64)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(listed), max_size=len(listed))), np.bool_)
    halves, cuts = kernels.deal(hashes, chosen, ranks)
    expected, expected_cuts = plain_repeats.deal(hashes, chosen, ranks)
    assert (halves.tolist(), cuts.tolist()) == (expected.tolist(), expected_cuts.tolist())
    assert (halves.dtype, cuts.dtype) == (expected.dtype, expected_cuts.dtype)
    # Each rank answers with something of what it was told: it must come back to where that came from
    answers = (halves % 251).astype(np.uint8)
    back = kernels.collect(hashes, chosen, cuts, answers)
    assert back.tolist() == np.where(chosen, hashes.astype(np.uint32) % 251, 0).tolist()
    assert back.tolist() == plain_repeats.collect(hashes, chosen, cuts, answers).tolist()
