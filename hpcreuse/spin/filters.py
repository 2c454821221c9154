"""Which pages can be articles: the paper's filters in their sequence, with how many pages pass each (figure 6)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText


@dataclass(frozen=True)
class Filters:
    """What a page must have; None switches a filter off."""

    visible: bool = True
    """Whether it must have visible text."""
    content_tag: str | None = None
    """An element that matches this CSS selector; only what stands in it counts."""
    min_words: int | None = 50
    links_per_word: float | None = 0.2
    """A page with so many links per word, or more, is not an article."""
    language: str | None = "en"

    def names(self) -> list[str]:
        """Name what is counted, in sequence: all pages, then what is left after each filter."""
        chosen = {
            "visible": self.visible or None,
            "content": self.content_tag,
            "words": self.min_words,
            "links": self.links_per_word,
            "language": self.language,
        }
        return ["pages", *(name for name, value in chosen.items() if value is not None)]


class Texts(NamedTuple):
    """What filters look at, of each page of a block."""

    words: NDArray[np.int64]
    links: NDArray[np.int64]
    languages: list[bytes]


def texts_of(corpus: TextCorpus, block: Block) -> Texts:
    """Read it from the run."""
    with Shard.open(corpus.catalog.shards[block.shard].path) as shard:
        text = ShardText(shard)
        words = np.diff(text.word_start[block.first : block.last + 1])
        links = text.column("links")[block.first : block.last].astype(np.int64)
        numbers, languages = text.names("languages")
        return Texts(words, links, [languages[number] for number in numbers[block.first : block.last].tolist()])


def apply(
    texts: Texts, filters: Filters, contents: Callable[[NDArray[np.int64]], Texts] | None
) -> tuple[NDArray[np.int64], list[int]]:
    """Give the pages of a block that pass all filters, as places in it, and how many are left after each.

    Args:
        contents: gives the same of the content elements of the pages at these places, -1 words where there is none;
            None without a content tag.
    """
    left = np.ones(len(texts.words), bool)
    counts = [len(left)]

    def keep(passing: NDArray[np.bool_]) -> None:
        nonlocal left
        left = left & passing
        counts.append(int(left.sum()))

    if filters.visible:
        keep(texts.words > 0)
    if contents is not None:
        texts = contents(np.flatnonzero(left))
        keep(texts.words >= 0)
    if filters.min_words is not None:
        keep(texts.words >= filters.min_words)
    if filters.links_per_word is not None:
        keep(texts.links < filters.links_per_word * texts.words)
    if filters.language is not None:
        keep(np.array([name == filters.language.encode() for name in texts.languages], bool))
    return np.flatnonzero(left), counts
