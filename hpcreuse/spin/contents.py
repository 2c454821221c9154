"""The element of a page that holds the article (DSPIN V-B, "content tag"): read again from the archives.

A run keeps the words of whole pages. With a content tag what stands beside the article, the same on every page of a
site, takes no part: words, links and language are those of the element.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.rereading import reread_pages
from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.crawl.pages import Page
from hpcreuse.crawl.types import decide_type
from hpcreuse.kernels import WordTable
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.language import language
from hpcreuse.page.text import PageText, element_text
from hpcreuse.spin.filters import Texts
from hpcreuse.store import container
from hpcreuse.store.spool import FORMAT, VERSION


@dataclass(frozen=True)
class Contents:
    """The words of the content elements of all ranks' pages; each rank has those of its blocks, on disk."""

    corpus: TextCorpus
    folder: Path
    selector: str

    def read_again(self, block: Block, places: NDArray[np.int64]) -> Texts:
        """Read pages of a block, by place in it, from their archives and keep the words of their elements.

        Returns:
            What filters look at, of the whole block; of pages without the element there are -1 words.
        """
        words, links, languages = np.full(len(block), -1), np.zeros(len(block), np.int64), [b""] * len(block)
        table, numbers = WordTable(), [np.empty(0, np.uint32)] * len(block)
        files = (block.first + places).tolist()
        for file, page in reread_pages(self.corpus.catalog.shards[block.shard].path, files):
            seen = content_of(page, self.selector)
            if seen is not None:
                place = file - block.first
                numbers[place] = table.add(seen.text.lower().encode("utf-8", "replace"))
                words[place], links[place] = len(numbers[place]), seen.links
                languages[place] = language(seen.text).encode()
        hashes, _, _ = table.vocabulary()
        joined = np.concatenate([np.empty(0, np.uint32), *numbers])
        with container.create(self._path(block), FORMAT, VERSION, {}) as file:
            container.write_ragged(file, "words", Ragged.from_lengths(hashes[joined], [len(each) for each in numbers]))
        return Texts(words, links, languages)

    def words(self, block: Block) -> Ragged:
        """Give the words of a block's elements, as 64-bit hashes; of pages without it none."""
        with container.open_container(self._path(block), FORMAT, VERSION) as file:
            return container.read_ragged(file, "words")

    def _path(self, block: Block) -> Path:
        return self.folder / f"contents-{block.page:012d}.h5"


def content_of(page: Page, selector: str) -> PageText | None:
    """Give what a reader sees of the element; None of a page that lacks it, or has no markup."""
    mime = decide_type(page.content_type, page.payload, page.url)
    return element_text(page.payload, mime, page.plain or mime == "text/plain", page.content_type, selector)
