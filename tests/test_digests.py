"""Digest arrays against sorted(), dict and bisect on bytes; prefixes that clash are made on purpose."""

import bisect
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.kernels import digests as dg

# Few heads and few tails: most examples hold equal digests and different ones with the same 64-bit prefix
HEADS = st.sampled_from([bytes(8), b"\xff" * 8, b"\0" * 7 + b"\1", b"\x7f" + b"\xff" * 7, b"\x80" + bytes(7)])
TAILS = st.sampled_from([bytes(12), b"\xff" * 12, b"\1" + bytes(11), bytes(11) + b"\1"])
DIGEST = st.builds(bytes.__add__, HEADS, TAILS) | st.binary(min_size=20, max_size=20)
DIGESTS = st.lists(DIGEST, max_size=60)


def array(digests: list[bytes], width: int = 20) -> dg.Digests:
    return dg.from_bytes(b"".join(digests), width)


@given(DIGESTS)
def test_prefixes_sort_as_the_bytes_do(digests: list[bytes]) -> None:
    got = dg.prefixes(array(digests))
    assert got.dtype == np.uint64
    assert got.tolist() == [int.from_bytes(digest[:8], "big") for digest in digests]


@given(DIGESTS)
def test_groups_are_the_distinct_digests_in_order(digests: list[bytes]) -> None:
    order, starts = dg.group(array(digests))
    assert sorted(order.tolist()) == list(range(len(digests)))
    assert [digests[row] for row in order] == sorted(digests)
    assert [digests[order[start]] for start in starts] == sorted(set(digests))
    sizes = np.diff([*starts, len(digests)]).tolist() if digests else []
    assert sizes == [count for _, count in sorted(Counter(digests).items())]


@pytest.mark.parametrize("width", [8, 32])
@given(st.data())
def test_groups_of_other_widths(width: int, data: st.DataObject) -> None:
    some = st.lists(st.binary(min_size=width, max_size=width), min_size=1, max_size=5)
    pool = data.draw(some)
    pool += [digest[:8] + bytes(width - 8) for digest in pool]
    digests = data.draw(st.lists(st.sampled_from(pool), max_size=30))
    order, starts = dg.group(array(digests, width))
    assert [digests[row] for row in order] == sorted(digests)
    assert [digests[order[start]] for start in starts] == sorted(set(digests))


def test_groups_of_many_digests_of_one_prefix() -> None:
    rng = np.random.default_rng(1)
    digests = [b"\7" * 8 + bytes(11) + bytes([n]) for n in rng.integers(0, 256, 5000)]
    order, starts = dg.group(array(digests))
    assert [digests[row] for row in order] == sorted(digests)
    assert len(starts) == len(set(digests))


@given(DIGESTS, DIGESTS, st.booleans())
def test_find_gives_what_a_dict_gives(table: list[bytes], queries: list[bytes], ordered: bool) -> None:
    rows = sorted(set(table))
    queries = queries + table[::2]
    queries = sorted(queries) if ordered else queries
    numbers = {digest: row for row, digest in enumerate(rows)}
    got = dg.find(array(rows), array(queries))
    assert got.tolist() == [numbers.get(query, -1) for query in queries]


@given(DIGESTS, DIGESTS)
def test_find_among_gives_what_find_gives(table: list[bytes], queries: list[bytes]) -> None:
    table, queries = sorted(set(table)), sorted(set(queries))
    assert dg.find_among(array(table), array(queries)).tolist() == dg.find(array(table), array(queries)).tolist()


@given(DIGESTS)
def test_equal_digests_keep_the_order_of_their_rows(digests: list[bytes]) -> None:
    order, _ = dg.group(array(digests))
    assert order.tolist() == sorted(range(len(digests)), key=digests.__getitem__)


@given(DIGESTS, DIGESTS)
def test_cuts_are_those_of_bisect(digests: list[bytes], splitters: list[bytes]) -> None:
    rows = sorted(digests)
    splitters = splitters + digests[::3]
    got = dg.cut(array(rows), array(splitters))
    assert got.tolist() == [bisect.bisect_left(rows, splitter) for splitter in splitters]


def test_no_digests() -> None:
    none = dg.empty(20)
    assert none.shape == (0, 20)
    assert dg.from_bytes(b"", 20).shape == (0, 20)
    assert [len(part) for part in dg.group(none)] == [0, 0]
    assert dg.find(none, array([bytes(20)])).tolist() == [-1]
    assert dg.find(array([bytes(20)]), none).tolist() == []
    assert dg.cut(none, array([bytes(20)])).tolist() == [0]
    assert dg.cut(array([bytes(20)]), none).tolist() == []
