"""The terms of documents: words of at least four characters with at most one digit, each once."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.kernels import page_terms
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText

LEAST_CHARACTERS, MOST_DIGITS = 4, 1
LEAST_TERMS = 5
"""Documents with fewer different terms are ignored."""


@dataclass(frozen=True)
class BlockTerms:
    """The terms of a block's pages."""

    hashes: NDArray[np.uint64]
    """The distinct terms of the block, sorted."""
    numbers: NDArray[np.int64]
    """Of each its number among the words of the shard."""
    documents: NDArray[np.int64]
    """In how many of the pages each occurs."""
    pages: Ragged
    """Of each page its different terms as places in `hashes`, sorted; none of pages with too few."""

    @property
    def nbytes(self) -> int:
        """Memory taken."""
        return self.hashes.nbytes + self.numbers.nbytes + self.documents.nbytes + self.pages.nbytes


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
    documents, offsets, places = page_terms(words.offsets, words.values, chosen.view(np.uint8), LEAST_TERMS)
    numbers = np.flatnonzero(documents)
    return BlockTerms(hashes[numbers], numbers, documents[numbers], Ragged(places, offsets))


def spellings_of(corpus: TextCorpus, block: Block, numbers: NDArray[np.int64]) -> Ragged:
    """Give words of a block's shard by number."""
    return vocabulary_of(corpus.catalog.shards[block.shard].path).spellings.take(numbers)
