"""The synonyms that spinning tools draw from: a text file, a line an entry: `word or phrase TAB synonym|synonym`."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import StoreError
from hpcreuse.kernels import WordTable
from hpcreuse.kernels.mixing import Hashes, phrase_hashes
from hpcreuse.kernels.ragged import Ragged

LONGEST_PHRASE = 4


@dataclass(frozen=True)
class Dictionary:
    """Words and phrases that can be exchanged for others, by hash."""

    phrases: tuple[Hashes, ...]
    """The entries of one word, of two, of three, of four; sorted. Synonyms are entries too."""
    left: Hashes
    right: Hashes
    """Pairs of synonyms, both ways, sorted by the left one."""

    @classmethod
    def load(cls, path: Path) -> "Dictionary":
        """Read a dictionary; phrases of more than four words are left out."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{path} cannot be read as a dictionary of synonyms: {error}") from error
        groups = []
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            entry, tab, synonyms = line.partition("\t")
            if not tab:
                raise StoreError(f"{path}, line {number}: no tab between '{entry[:40]}' and its synonyms")
            groups.append([entry, *synonyms.split("|")])
        return cls.compile(groups)

    @classmethod
    def compile(cls, groups: list[list[str]]) -> "Dictionary":
        """Make it from lists of an entry and its synonyms."""
        speller = Speller()
        pairs: set[tuple[int, int]] = set()
        for entry, *synonyms in groups:
            head = speller.hash_of(entry)
            others = {speller.hash_of(synonym) for synonym in synonyms} - {None, head}
            if head is not None:
                pairs |= {(head, other) for other in others if other is not None}
        both = sorted(pairs | {(b, a) for a, b in pairs})
        table = np.array(both, np.uint64).reshape(-1, 2)
        phrases = tuple(np.array(sorted(speller.known[n]), np.uint64) for n in range(1, LONGEST_PHRASE + 1))
        return cls(phrases, table[:, 0].copy(), table[:, 1].copy())

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


class Speller:
    """Hashes entries the way the words of pages are hashed, and remembers them by their number of words."""

    def __init__(self) -> None:
        self.known: dict[int, set[int]] = {n: set() for n in range(1, LONGEST_PHRASE + 1)}
        self.memo: dict[str, int | None] = {}

    def hash_of(self, entry: str) -> int | None:
        """Hash an entry; None when it has no words or too many."""
        entry = entry.strip().lower()
        if entry not in self.memo:
            self.memo[entry] = self._hash(entry)
        return self.memo[entry]

    def _hash(self, entry: str) -> int | None:
        table = WordTable()
        numbers = table.add(entry.encode("utf-8", "replace"))
        if not 1 <= len(numbers) <= LONGEST_PHRASE:
            return None
        words = table.vocabulary()[0][numbers]
        found = int(phrase_hashes(words, len(words))[0])
        self.known[len(words)].add(found)
        return found


def is_in(hashes: Hashes, known: Hashes) -> NDArray[np.bool_]:
    """Tell which hashes are among sorted known ones."""
    if not len(known):
        return np.zeros(len(hashes), bool)
    place = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    found: NDArray[np.bool_] = known[place] == hashes
    return found
