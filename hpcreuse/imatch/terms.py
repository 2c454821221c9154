"""The terms of documents: words of at least four characters with at most one digit, each once."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText

LEAST_CHARACTERS, MOST_DIGITS = 4, 1
LEAST_TERMS = 5
"""Documents with fewer different terms are ignored."""


@dataclass(frozen=True)
class Spooled:
    """A corpus with the folder in which this job keeps what it makes of each block, until it is done."""

    corpus: TextCorpus
    folder: Path

    def path(self, block: Block, name: str) -> Path:
        """Name what is kept of a block."""
        return self.folder / f"{name}-{block.page:012d}.h5"


@dataclass(frozen=True)
class BlockTerms:
    """The terms of a block's pages."""

    hashes: NDArray[np.uint64]
    """The distinct terms of the block, sorted."""
    numbers: NDArray[np.int64]
    """Of each its number among the words of the shard."""
    pages: Ragged
    """Of each page its different terms as places in `hashes`, sorted; none of pages with too few."""

    @property
    def documents(self) -> NDArray[np.int64]:
        """In how many of the pages each term occurs."""
        return np.bincount(self.pages.values, minlength=len(self.hashes)).astype(np.int64)


def is_term(spellings: Ragged) -> NDArray[np.bool_]:
    """Tell which words are terms."""
    letters, offsets = spellings.values, spellings.offsets
    # All characters of UTF-8 have one byte that does not go on with another
    characters = counts_between(letters & 0xC0 != 0x80, offsets)
    digits = counts_between((letters >= ord("0")) & (letters <= ord("9")), offsets)
    # Other scripts have digits of their own
    for place in np.flatnonzero(counts_between(letters >= 0x80, offsets)).tolist():
        digits[place] = sum(map(str.isdecimal, spellings[place].decode()))
    return (characters >= LEAST_CHARACTERS) & (digits <= MOST_DIGITS)


def counts_between(flags: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count what is flagged from each offset to the next."""
    running = np.concatenate([[0], np.cumsum(flags, dtype=np.int64)])
    counts: NDArray[np.int64] = np.diff(running[offsets])
    return counts


def read_terms(corpus: TextCorpus, block: Block) -> BlockTerms:
    """Read the terms of a block's pages."""
    path = corpus.catalog.shards[block.shard].path
    with Shard.open(path) as shard:
        words = ShardText(shard).numbers(block.first, block.last)
    vocabulary = vocabulary_of(path)
    return distinct_terms(words, vocabulary.hashes, vocabulary.is_term)


class Vocabulary(NamedTuple):
    """The distinct words of a shard."""

    hashes: NDArray[np.uint64]
    spellings: Ragged
    is_term: NDArray[np.bool_]


@lru_cache(maxsize=1)
def vocabulary_of(path: Path) -> Vocabulary:
    """Read the words of a shard; kept for the next block, which mostly is of the same shard."""
    with Shard.open(path) as shard:
        text = ShardText(shard)
        spellings = text.spellings()
        return Vocabulary(text.hashes, spellings, is_term(spellings))


def distinct_terms(words: Ragged, hashes: NDArray[np.uint64], chosen: NDArray[np.bool_]) -> BlockTerms:
    """Take the different terms of each page from its words."""
    page = np.repeat(np.arange(len(words), dtype=np.uint64), words.lengths)
    kept = chosen[words.values]
    each = page[kept] << np.uint64(32) | words.values[kept].astype(np.uint64)
    # Sorting is several times faster than np.unique, which hashes
    each.sort()
    new = np.ones(len(each), bool)
    new[1:] = each[1:] != each[:-1]
    each = each[new]
    page, word = (each >> np.uint64(32)).astype(np.int64), (each & np.uint64(0xFFFFFFFF)).astype(np.int64)
    counts = np.bincount(page, minlength=len(words))
    enough = counts >= LEAST_TERMS
    word = word[enough[page]]
    known = np.zeros(len(hashes), bool)
    known[word] = True
    numbers, places = np.flatnonzero(known), np.cumsum(known) - 1
    return BlockTerms(hashes[numbers], numbers, Ragged.from_lengths(places[word], np.where(enough, counts, 0)))


def spellings_of(corpus: TextCorpus, block: Block, numbers: NDArray[np.int64]) -> Ragged:
    """Give words of a block's shard by number."""
    return vocabulary_of(corpus.catalog.shards[block.shard].path).spellings.take(numbers)
