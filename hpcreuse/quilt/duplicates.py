"""Exact duplicates: pages with the same words in the same order as a page before them."""

import hashlib
import itertools

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.world import World
from hpcreuse.quilt.pages import Pages

DIGEST_BYTES = 16
ROW = np.dtype([("high", ">u8"), ("low", ">u8")])


def first_of_their_kind(world: World, pages: Pages, round_bytes: int) -> NDArray[np.bool_]:
    """Collective. Tell which pages of this rank no page with a smaller number equals; pages without words all are."""
    digests = np.concatenate(
        [np.empty(0, ROW), *(word_digests(words.values, words.offsets) for _, words in pages.blocks())]
    )
    order = np.lexsort((pages.numbers, digests["low"], digests["high"]))
    bounds = np.array([rank * (1 << 64) // world.size for rank in range(1, world.size)], np.uint64)
    cuts = np.concatenate([[0], np.searchsorted(digests["high"][order], bounds), [len(order)]])
    (theirs, numbers), sizes = exchange(world, [digests[order], pages.numbers[order]], cuts, round_bytes)
    back = np.concatenate([[0], np.cumsum(sizes)])
    (answers,), _ = exchange(world, [is_first(theirs, numbers).astype(np.uint8)], back, round_bytes)
    first = np.empty(len(order), bool)
    first[order] = answers.astype(bool)
    return first | (digests == word_digests(np.empty(0, np.uint64), np.zeros(2, np.int64)))


def word_digests(words: NDArray[np.uint64], starts: NDArray[np.int64]) -> NDArray:
    """Hash the words of each page."""
    blob, bounds = memoryview(words.tobytes()), (starts * words.itemsize).tolist()
    digests = [hashlib.blake2b(blob[a:b], digest_size=DIGEST_BYTES).digest() for a, b in itertools.pairwise(bounds)]
    return np.frombuffer(b"".join(digests), ROW)


def is_first(digests: NDArray, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which page of those with the same digest has the smallest number."""
    order = np.lexsort((numbers, digests["low"], digests["high"]))
    ordered = digests[order]
    first = np.ones(len(order), bool)
    first[order[1:]] = ordered[1:] != ordered[:-1]
    return first
