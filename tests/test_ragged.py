"""Ragged strings against lists of bytes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hpcreuse import kernels
from hpcreuse.corpus.ordering import sort_keys
from hpcreuse.kernels import plain_terms
from hpcreuse.kernels.ragged import Ragged, sort_order

STRINGS = st.lists(st.binary(max_size=12), max_size=20)
RECORD = np.dtype([("position", "<u4"), ("label", "<u4")])
RECORDS = st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2**32 - 1)), max_size=4), max_size=10)


def records(lists: list[list[tuple[int, int]]]) -> Ragged:
    return Ragged.from_lengths(np.array([r for some in lists for r in some], RECORD), [len(some) for some in lists])


def as_lists(strings: Ragged) -> list[list[tuple[int, int]]]:
    return [strings.values[a:b].tolist() for a, b in pairwise(strings.offsets.tolist())]


def places(data: st.DataObject, count: int) -> NDArray[np.int64]:
    some = st.lists(st.integers(0, count - 1), max_size=30) if count else st.just([])
    return np.array(data.draw(some), np.int64)


@given(STRINGS)
def test_strings_come_back(strings: list[bytes]) -> None:
    packed = Ragged.from_strings(iter(strings))
    assert len(packed) == len(strings)
    assert list(packed) == strings
    assert [packed[n] for n in range(len(packed))] == strings
    assert packed.lengths.tolist() == [len(string) for string in strings]
    assert packed.nbytes == sum(map(len, strings)) + 8 * (len(strings) + 1)


@given(STRINGS, st.data())
def test_take_gives_strings_in_any_order_and_number(strings: list[bytes], data: st.DataObject) -> None:
    order = places(data, len(strings))
    assert list(Ragged.from_strings(strings).take(order)) == [strings[n] for n in order]


@given(STRINGS, st.data())
def test_gather_equals_its_twin(strings: list[bytes], data: st.DataObject) -> None:
    packed, order = Ragged.from_strings(strings), places(data, len(strings))
    offsets = Ragged.from_lengths(packed.values, packed.lengths[order]).offsets
    found, expected = (np.empty(offsets[-1], np.uint8) for _ in range(2))
    kernels.gather(packed.values, packed.offsets[order], offsets, found)
    plain_terms.gather(packed.values, packed.offsets[order], offsets, expected)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("offsets", [[0, 2, 5], [0, 3, 1], [-1, 0, 1]])
def test_strings_that_are_not_there_are_an_error(offsets: list[int]) -> None:
    damaged = Ragged(np.zeros(4, np.uint8), np.array(offsets))
    with pytest.raises((IndexError, ValueError)):
        damaged.take(np.arange(2))


@given(st.lists(st.tuples(st.binary(max_size=3).map(lambda s: s.replace(b"\0", b"\1")), st.integers(0, 1 << 40))))
def test_sort_keys_put_rows_in_the_order_of_their_columns(rows: list[tuple[bytes, int]]) -> None:
    strings, numbers = Ragged.from_strings(s for s, _ in rows), np.array([n for _, n in rows], np.int64)
    assert sort_order(list(sort_keys(strings, numbers))).tolist() == sorted(range(len(rows)), key=rows.__getitem__)
    swapped = sorted(range(len(rows)), key=lambda at: rows[at][::-1])
    assert sort_order(list(sort_keys(numbers, strings))).tolist() == swapped


@given(STRINGS, st.data())
def test_slices_are_those_of_lists(strings: list[bytes], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(strings)))
    last = data.draw(st.integers(first, len(strings)))
    packed = Ragged.from_strings(strings)
    part = packed.slice(first, last)
    assert list(part) == strings[first:last]
    assert part.offsets[0] == 0
    assert not part.values.size or np.shares_memory(part.values, packed.values)
    # A slice is as good as any other
    order = places(data, last - first)
    assert list(part.take(order)) == [strings[first:last][n] for n in order]
    assert list(Ragged.concatenate([part, packed])) == strings[first:last] + strings


@given(st.lists(STRINGS, min_size=1, max_size=5))
def test_concatenate_joins_in_order(parts: list[list[bytes]]) -> None:
    joined = Ragged.concatenate([Ragged.from_strings(part) for part in parts])
    assert list(joined) == [string for part in parts for string in part]


@given(RECORDS, RECORDS, st.data())
def test_values_may_be_records(
    lists: list[list[tuple[int, int]]], more: list[list[tuple[int, int]]], data: st.DataObject
) -> None:
    packed = records(lists)
    assert as_lists(packed) == lists
    order = places(data, len(lists))
    taken = packed.take(order)
    assert as_lists(taken) == [lists[n] for n in order]
    assert taken.values.dtype == RECORD
    assert as_lists(packed.slice(len(lists) // 2, len(lists))) == lists[len(lists) // 2 :]
    assert as_lists(Ragged.concatenate([packed, records(more)])) == lists + more


@given(RECORDS)
def test_records_can_be_had_as_bytes(lists: list[list[tuple[int, int]]]) -> None:
    packed = records(lists)
    want = [np.array(some, RECORD).tobytes() for some in lists]
    assert [packed[n] for n in range(len(packed))] == want
    assert list(packed) == want


@given(st.lists(st.binary(max_size=2), max_size=30))
def test_sort_order_sorts_and_keeps_equal_ones_in_place(strings: list[bytes]) -> None:
    assert sort_order(strings).tolist() == [n for _, n in sorted((s, n) for n, s in enumerate(strings))]
