"""The kernels of quilts: compiled ones equal their plain twins, whatever comes."""

from collections.abc import Callable

import numpy as np
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
    return Ragged.from_lengths(flat.astype(np.uint32), [len(page) for page in pages])


def same(one: object, other: object) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))  # type: ignore[arg-type]
    return np.asarray(one).dtype == np.asarray(other).dtype and np.array_equal(one, other)  # type: ignore[arg-type]


def grams(page_grams: Callable[..., np.ndarray], pages: list[list[int]], k: int, low: int, last: int) -> Ragged:
    """Give the grams of each page."""
    words = words_of(pages)
    out = np.zeros(len(words.values), np.uint64)
    lengths = page_grams(words.values, words.offsets, HASHES, k, low, last, out)
    assert lengths.dtype == np.int64 and not out[lengths.sum() :].any()
    return Ragged.from_lengths(out[: lengths.sum()], lengths)


@given(PAGES, st.integers(1, 6), st.sampled_from([(0, 2 * HALF - 1), (0, HALF - 1), (HALF, 2 * HALF - 1)]))
def test_grams_are_those_of_the_twin(pages: list[list[int]], k: int, span: tuple[int, int]) -> None:
    found, expected = (grams(one.page_grams, pages, k, *span) for one in (kernels, plain_grams))
    assert same((found.values, found.offsets), (expected.values, expected.offsets))


@given(PAGES, st.integers(1, 6))
def test_equal_words_give_equal_grams_and_others_others(pages: list[list[int]], k: int) -> None:
    found = grams(kernels.page_grams, pages, k, 0, 2 * HALF - 1)
    each = [dict.fromkeys(tuple(page[i : i + k]) for i in range(len(page) - k + 1)) for page in pages]
    assert found.lengths.tolist() == [len(page) for page in each]
    names: dict[tuple[int, ...], int] = {}
    listed = [gram for page in each for gram in page]
    assert all(names.setdefault(gram, h) == h for gram, h in zip(listed, found.values.tolist(), strict=True))
    assert len(set(names.values())) == len(names)


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
