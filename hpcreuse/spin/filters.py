"""Which pages can be articles: the paper's filters in their sequence, with how many pages pass each (figure 6)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText


@dataclass(frozen=True)
class Filters:
    """What a page must have; None switches a filter off."""

    min_words: int | None = 50
    links_per_word: float | None = 0.2
    """A page with so many links per word, or more, is not an article."""
    language: str | None = "en"

    def names(self) -> list[str]:
        """Name what is counted, in sequence: all pages, then what is left after each filter."""
        chosen = [("words", self.min_words), ("links", self.links_per_word), ("language", self.language)]
        return ["pages", "visible", *(name for name, value in chosen if value is not None)]


def apply(corpus: TextCorpus, block: Block, filters: Filters) -> tuple[NDArray[np.int64], list[int]]:
    """Give the pages of a block that pass all filters, as places in it, and how many are left after each."""
    with Shard.open(corpus.catalog.shards[block.shard].path) as shard:
        text = ShardText(shard)
        starts = text.word_start[block.first : block.last + 1]
        links = text.column("links")[block.first : block.last]
        numbers, languages = text.names("languages")
        numbers = numbers[block.first : block.last]
    words = np.diff(starts)
    left = words > 0
    counts = [len(words), int(left.sum())]
    if filters.min_words is not None:
        left &= words >= filters.min_words
        counts.append(int(left.sum()))
    if filters.links_per_word is not None:
        left &= links < filters.links_per_word * words
        counts.append(int(left.sum()))
    if filters.language is not None:
        wanted = [number for number, name in enumerate(languages) if name.decode() == filters.language]
        left &= np.isin(numbers, wanted)
        counts.append(int(left.sum()))
    return np.flatnonzero(left), counts
