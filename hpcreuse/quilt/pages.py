"""The pages of this rank that take part, with their words."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.kernels.ragged import Ragged

# Words stay in memory when they take no more than this part of it
SHARE_OF_MEMORY = 8
BYTES_PER_WORD = 8


class Words(NamedTuple):
    """The words of pages in order, as places in a vocabulary: the 64-bit hashes of the distinct words of a shard."""

    numbers: Ragged
    vocabulary: NDArray[np.uint64]


@dataclass(frozen=True)
class Reader:
    """The words of this rank's blocks; read once if they fit the memory, else each time."""

    corpus: TextCorpus
    keeps: bool
    kept: dict[int, Words] = field(default_factory=dict)

    def read(self, block: Block) -> Words:
        """Read the words of a block's pages."""
        if (known := self.kept.get(block.page)) is not None:
            return known
        words = Words(*self.corpus.word_numbers(block))
        if self.keeps:
            self.kept[block.page] = words
        return words


@dataclass(frozen=True)
class Pages:
    """Pages of this rank in order; the place of a page is its place among them."""

    corpus: TextCorpus
    numbers: NDArray[np.int64]
    """Their numbers in the run, rising."""
    reader: Reader

    @classmethod
    def all(cls, corpus: TextCorpus, memory: int) -> "Pages":
        """Take all pages of this rank."""
        numbers = [np.arange(block.page, block.page + len(block)) for block in corpus.mine]
        words = sum(block.words for block in corpus.mine)
        keeps = BYTES_PER_WORD * words <= memory // SHARE_OF_MEMORY
        return cls(corpus, np.concatenate([np.empty(0, np.int64), *numbers]), Reader(corpus, keeps))

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def words(self) -> int:
        """How many words this rank has at most."""
        return sum(block.words for block in self.corpus.mine)

    def only(self, places: NDArray[np.integer]) -> "Pages":
        """Give some of these pages."""
        return replace(self, numbers=self.numbers[places])

    def blocks(self) -> Iterator[tuple[slice, Ragged, NDArray[np.uint64]]]:
        """Read the words block by block: the places of the pages, the words of each, and the vocabulary."""
        for block in self.corpus.mine:
            first, last = np.searchsorted(self.numbers, [block.page, block.page + len(block)]).tolist()
            if last > first:
                words, vocabulary = self.reader.read(block)
                few = last - first < len(block)
                chosen = words.take(self.numbers[first:last] - block.page) if few else words
                yield slice(first, last), chosen, vocabulary
