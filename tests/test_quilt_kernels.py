"""The kernels of quilts: compiled ones equal their plain twins, whatever comes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse import kernels
from hpcreuse.kernels import plain_grams
from hpcreuse.kernels.ragged import Ragged

# Few words, so that grams repeat within pages and between them
PAGES = st.lists(st.lists(st.integers(0, 3), max_size=30), max_size=12)
HASHES = np.random.default_rng(0).integers(0, 1 << 64, 4, np.uint64)
HALF = 1 << 63


def words_of(pages: list[list[int]]) -> Ragged:
    flat = np.array([word for page in pages for word in page], np.int64)
    return Ragged.from_lengths(HASHES[flat], [len(page) for page in pages])


def same(one: object, other: object) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))  # type: ignore[arg-type]
    return np.asarray(one).dtype == np.asarray(other).dtype and np.array_equal(one, other)  # type: ignore[arg-type]


@given(PAGES, st.integers(1, 6), st.sampled_from([(0, 2 * HALF - 1), (0, HALF - 1), (HALF, 2 * HALF - 1)]))
def test_grams_are_counted_as_by_the_twin(pages: list[list[int]], k: int, grams: tuple[int, int]) -> None:
    words = words_of(pages)
    table, twin = kernels.GramTable(k, *grams, 1), plain_grams.GramTable(k, *grams, 1)
    for _ in range(2):
        assert same(table.count_pages(words.values, words.offsets), twin.count_pages(words.values, words.offsets))
    assert len(table) == len(twin)
    assert same(table.entries(), twin.entries())
    assert same(table.of_pages(words.values, words.offsets, 2, 6), twin.of_pages(words.values, words.offsets, 2, 6))
    known, _ = twin.entries()
    some = known[::2].copy()
    table.add(some, np.full(len(some), (1 << 32) - 2, np.uint32))
    twin.add(some, np.full(len(some), (1 << 32) - 2, np.uint32))
    assert same(table.look_up(known), twin.look_up(known))
    table.assign(np.arange(len(known), dtype=np.uint32))
    twin.assign(np.arange(len(known), dtype=np.uint32))
    assert same(table.look_up(known), twin.look_up(known))
    assert same(table.of_pages(words.values, words.offsets, 1, 9), twin.of_pages(words.values, words.offsets, 1, 9))


@pytest.mark.parametrize("room", [0, 1000, 60_000])
def test_a_table_of_grams_grows_and_stays_in_order(room: int) -> None:
    choose = np.random.default_rng(1)
    grams = choose.integers(HALF, 2 * HALF, 50_000, np.uint64)
    # As close together as hashes never are: all have the same home
    crowd = np.uint64(HALF + 5) + np.arange(300, dtype=np.uint64)
    every = np.concatenate([grams, crowd, grams[:100]])
    table = kernels.GramTable(5, HALF, 2 * HALF - 1, room)
    table.add(every, np.ones(len(every), np.uint32))
    expected, counts = np.unique(every, return_counts=True)
    assert same(table.entries(), (expected, counts.astype(np.uint32)))
    table.assign(np.arange(1, len(expected) + 1, dtype=np.uint32))
    assert table.look_up(expected).tolist() == list(range(1, len(expected) + 1))
    assert table.look_up(expected - np.uint64(1)).astype(bool).sum() == 299


COVERS = st.lists(
    st.tuples(
        st.lists(st.sets(st.integers(0, 9) | st.integers(1 << 40, (1 << 40) + 3)), max_size=12), st.integers(0, 4)
    ),
    max_size=6,
)


@given(COVERS)
def test_covers_are_those_of_the_twin(pages: list[tuple[list[set[int]], int]]) -> None:
    sets = [sorted(one) for page, _ in pages for one in page]
    docs = np.array([doc for one in sets for doc in one], np.int64)
    starts = np.cumsum([0] + [len(one) for one in sets])
    of_page = np.cumsum([0] + [len(page) for page, _ in pages])
    least = np.array([least for _, least in pages], np.int64)
    found = kernels.greedy_covers(docs, starts, of_page, least)
    assert same(found, plain_grams.greedy_covers(docs, starts, of_page, least))
    taken, gains, counts = found
    assert len(taken) == len(gains) == counts.sum()
    if not least.any():
        assert gains.sum() == sum(map(bool, sets))
