"""The synonyms that spinning tools draw from, by hash."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import WordTable
from hpcreuse.kernels.mixing import Hashes, phrase_hashes, phrase_hashes_of
from hpcreuse.kernels.ragged import Ragged

LONGEST_PHRASE = 4

# More hashes than this are looked up by a table of their first bits
MANY, TABLE_BITS = 1 << 15, 20


@dataclass(frozen=True)
class Dictionary:
    """Words and phrases that can be exchanged for others, by hash."""

    phrases: tuple[Hashes, ...]
    """The entries of one word, of two, of three, of four; sorted. Synonyms are entries too."""
    left: Hashes
    right: Hashes
    """Pairs of synonyms, both ways, sorted by the left one."""

    @classmethod
    def compile(cls, groups: Iterable[list[str]]) -> "Dictionary":
        """Make it from lists of an entry and its synonyms; phrases of more than four words are left out."""
        groups = list(groups)
        by_length = hash_entries({entry for group in groups for entry in group})
        hashes = {entry: found for known in by_length for entry, found in known.items()}
        phrases = tuple(np.unique(np.array(list(known.values()), np.uint64)) for known in by_length)
        left, right = [], []
        for entry, *synonyms in groups:
            head = hashes.get(entry)
            others = [hashes[synonym] for synonym in synonyms if synonym in hashes] if head is not None else []
            left += [head] * len(others)
            right += others
        pairs = np.array([left + right, right + left], np.uint64)
        pairs = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
        return cls(phrases, pairs[0].copy(), pairs[1].copy())

    def __len__(self) -> int:
        return sum(map(len, self.phrases))

    def matches(self, words: Hashes, room: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Tell how many words the longest entry that starts at each word has; 0 for none.

        Args:
            room: how many words there are from each to the end of its page.
        """
        longest = np.zeros(len(words), np.uint8)
        for length, known in enumerate(self.phrases, 1):
            hashes = phrase_hashes(words, length)
            longest[: len(hashes)][is_in(hashes, known) & (room[: len(hashes)] >= length)] = length
        return longest

    def synonyms(self, entries: Hashes) -> Hashes:
        """Give all synonyms of some entries, sorted, each once."""
        first = np.searchsorted(self.left, entries, side="left")
        last = np.searchsorted(self.left, entries, side="right")
        runs = Ragged.from_lengths(np.empty(0, np.int64), last - first)
        places = np.repeat(first - runs.offsets[:-1], last - first) + np.arange(runs.offsets[-1])
        return np.unique(self.right[places])


def hash_entries(entries: Iterable[str]) -> list[dict[str, int]]:
    """Hash entries of one word, of two, and so on, the way the words of pages are hashed."""
    table = WordTable()
    numbers = {entry: table.add(entry.lower().encode("utf-8", "replace")) for entry in entries}
    words, _, _ = table.vocabulary()
    hashes = []
    for length in range(1, LONGEST_PHRASE + 1):
        chosen = [entry for entry, each in numbers.items() if len(each) == length]
        rows = words[np.array([numbers[entry] for entry in chosen], np.int64).reshape(-1, length)]
        found = rows[:, 0] if length == 1 else phrase_hashes_of(list(rows.T))
        hashes.append(dict(zip(chosen, found.tolist(), strict=True)))
    return hashes


def is_in(hashes: Hashes, known: Hashes) -> NDArray[np.bool_]:
    """Tell which hashes are among sorted known ones."""
    if not len(known):
        return np.zeros(len(hashes), bool)
    if len(hashes) > MANY:
        # Most are not: a table that fits the cache says so sooner than a search
        first_bits = np.zeros(1 << TABLE_BITS, bool)
        first_bits[known >> np.uint64(64 - TABLE_BITS)] = True
        found = first_bits[hashes >> np.uint64(64 - TABLE_BITS)]
        maybe = np.flatnonzero(found)
        for first in range(0, len(maybe), MANY):
            some = maybe[first : first + MANY]
            found[some] = is_in(hashes[some], known)
        return found
    place = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    equal: NDArray[np.bool_] = known[place] == hashes
    return equal
