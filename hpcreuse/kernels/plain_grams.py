"""The kernels of quilts in plain Python: what the compiled ones must equal, and what serves where no compiler was."""

import itertools

import numpy as np
from numpy.typing import NDArray

WEIGHT = 0x9E3779B97F4A7C15


def gram_hashes(words: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
    """Hash every k words in a row: a sum weighted by position, mixed by the finaliser of SplitMix64."""
    if len(words) < k:
        return np.empty(0, np.uint64)
    size = len(words) - k + 1
    h = np.zeros(size, np.uint64)
    for place in range(k):
        h = h * np.uint64(WEIGHT) + words[place : place + size]
    h = (h ^ h >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ h >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return h ^ h >> np.uint64(31)


def page_grams(
    words: NDArray[np.uint32],
    starts: NDArray[np.int64],
    vocabulary: NDArray[np.uint64],
    k: int,
    low: int,
    last: int,
    out: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """Hash the grams of pages and write the hashes from `low` to `last`, those of each page once, page by page.

    Gives how many hashes each page has.
    """
    lengths, found = np.zeros(len(starts) - 1, np.int64), 0
    for page, (first, end) in enumerate(itertools.pairwise(starts.tolist())):
        grams = gram_hashes(vocabulary[words[first:end]], k)
        chosen = grams[(np.uint64(low) <= grams) & (grams <= np.uint64(last))]
        distinct = list(dict.fromkeys(chosen.tolist()))
        lengths[page] = len(distinct)
        out[found : found + len(distinct)] = distinct
        found += len(distinct)
    return lengths


def greedy_covers(
    docs: NDArray[np.int64], starts: NDArray[np.int64], pages: NDArray[np.int64], least: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Cover the sets of each page, each given by the documents that hold it, by few documents.

    Args:
        docs: numbers of documents, those of set i from starts[i] to starts[i + 1], each once.
        pages: the sets of page i are pages[i] to pages[i + 1].
        least: of each page; documents that would cover fewer sets more than those before do are not taken.

    Returns:
        The documents of all pages in the order they are taken, how many sets each covers more, and how many
        documents each page has.
    """
    taken: list[int] = []
    gains: list[int] = []
    counts = []
    for page, bar in enumerate(least.tolist()):
        left: dict[int, set[int]] = {}
        for number in range(pages[page], pages[page + 1]):
            for doc in docs[starts[number] : starts[number + 1]].tolist():
                left.setdefault(doc, set()).add(number)
        before = len(taken)
        while left:
            best = min(left, key=lambda doc: (-len(left[doc]), doc))
            covered = left.pop(best)
            if len(covered) < max(1, bar):
                break
            taken.append(best)
            gains.append(len(covered))
            left = {doc: sets - covered for doc, sets in left.items() if not sets <= covered}
        counts.append(len(taken) - before)
    return np.array(taken, np.int64), np.array(gains, np.int64), np.array(counts, np.int64)
