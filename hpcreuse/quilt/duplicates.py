"""Exact duplicates: pages with the same words in the same order as a page before them."""

import hashlib
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.equals import first_of_equals
from hpcreuse.parallel.world import World
from hpcreuse.quilt.pages import Pages

DIGEST_BYTES = 16


def first_of_their_kind(world: World, pages: Pages, round_bytes: int) -> NDArray[np.bool_]:
    """Collective. Tell which pages of this rank no page with a smaller number equals; pages without words all are."""
    found = [(word_digests(words, vocabulary), words.lengths == 0) for _, words, vocabulary in pages.blocks()]
    digests = np.concatenate([dg.empty(DIGEST_BYTES), *(each for each, _ in found)])
    wordless = np.concatenate([np.empty(0, bool), *(each for _, each in found)])
    return wordless | (first_of_equals(world, pages.numbers, digests, round_bytes) == pages.numbers)


def word_digests(words: Ragged, vocabulary: NDArray[np.uint64]) -> dg.Digests:
    """Hash the words of each page."""
    hashes = vocabulary[words.values]
    blob, bounds = memoryview(hashes.tobytes()), (words.offsets * hashes.itemsize).tolist()
    digests = [hashlib.blake2b(blob[a:b], digest_size=DIGEST_BYTES).digest() for a, b in pairwise(bounds)]
    return dg.from_bytes(b"".join(digests), DIGEST_BYTES)
