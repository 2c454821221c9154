"""The kernels of quilts in plain Python: what the compiled ones must equal, and what serves where no compiler was."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

WEIGHT = 0x9E3779B97F4A7C15
MOST = (1 << 32) - 1


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


class GramTable:
    """Grams with hashes from `low` to `last`, each with a number of 32 bits."""

    def __init__(self, k: int, low: int, last: int, room: int):
        """Make an empty table; `room` is what the compiled one takes memory for."""
        self.k, self.low, self.last = k, np.uint64(low), np.uint64(last)
        self.numbers: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self.numbers)

    def _of_page(self, words: NDArray[np.uint64]) -> list[int]:
        """Give the distinct grams of a page that are in the range, in the order in which they come."""
        grams = gram_hashes(words, self.k)
        return list(dict.fromkeys(grams[(self.low <= grams) & (grams <= self.last)].tolist()))

    def count_pages(self, words: NDArray[np.uint64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add 1 to the number of each gram of each page; give how many distinct grams of the range each has."""
        distinct = np.zeros(len(starts) - 1, np.int64)
        for page in range(len(distinct)):
            grams = self._of_page(words[starts[page] : starts[page + 1]])
            for gram in grams:
                self.numbers[gram] = min(self.numbers[gram] + 1, MOST)
            distinct[page] = len(grams)
        return distinct

    def of_pages(
        self, words: NDArray[np.uint64], starts: NDArray[np.int64], least: int, most: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.int64]]:
        """List the distinct grams of each page whose number is in the table and within bounds.

        Returns their numbers and hashes, and where those of each page start.
        """
        found: list[int] = []
        firsts = [0]
        for page in range(len(starts) - 1):
            grams = self._of_page(words[starts[page] : starts[page + 1]])
            found += [gram for gram in grams if gram in self.numbers and least <= self.numbers[gram] <= most]
            firsts.append(len(found))
        hashes = np.array(found, np.uint64)
        return self.look_up(hashes), hashes, np.array(firsts, np.int64)

    def add(self, grams: NDArray[np.uint64], values: NDArray[np.uint32]) -> None:
        """Add numbers to those of grams; what is not there yet is taken in."""
        for gram, value in zip(grams.tolist(), values.tolist(), strict=True):
            self.numbers[gram] = min(self.numbers[gram] + value, MOST)

    def look_up(self, grams: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Give the numbers of grams, 0 of those that are not there."""
        return np.array([self.numbers.get(gram, 0) for gram in grams.tolist()], np.uint32)

    def entries(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Give all grams in order, and their numbers."""
        grams = np.array(sorted(self.numbers), np.uint64)
        return grams, self.look_up(grams)

    def assign(self, values: NDArray[np.uint32]) -> None:
        """Set the numbers of all grams, in order."""
        self.numbers = Counter(dict(zip(sorted(self.numbers), values.tolist(), strict=True)))


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
