"""The words of a shard's pages (`hash --text`), as they lie in the group `text` of the shard.

hash, spelling               the distinct words, sorted by the 64-bit hash of their UTF-8 bytes
word, word_start             of each page its words in order, as numbers of distinct words
links, link_words            of each page the number of its links, and of words inside them
languages, domains, addresses   distinct strings, sorted; `NAME_number` has the number of each page's
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import StoreError
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store import container
from hpcreuse.store.shard import Shard


class ShardText:
    """The text of an open shard; arrays are read when asked for."""

    def __init__(self, shard: Shard):
        if "text" not in shard.file:
            raise StoreError(
                f"{shard.file.filename} has no text: run `hpcreuse hash INPUT... --out RUN --text --fresh` "
                "to keep the words of the pages"
            )
        self.group = shard.file["text"]

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """The distinct words, by hash, sorted."""
        hashes: NDArray[np.uint64] = self.group["hash"][:]
        return hashes

    @cached_property
    def word_start(self) -> NDArray[np.int64]:
        """Where the words of each page start, and where the last ends."""
        starts: NDArray[np.int64] = self.group["word_start"][:]
        return starts

    def spellings(self, first: int = 0, last: int | None = None) -> Ragged:
        """Give the distinct words themselves, as UTF-8, in the order of `hashes`."""
        return container.read_ragged(self.group, "spelling", first, last)

    def numbers(self, first: int = 0, last: int | None = None) -> Ragged:
        """Give the words of pages first to last-1, in order, as places in `hashes`."""
        bounds = self.word_start[first : None if last is None else last + 1]
        return Ragged(self.group["word"][bounds[0] : bounds[-1]], bounds - bounds[0])

    def words(self, first: int = 0, last: int | None = None) -> Ragged:
        """Give the words of pages first to last-1, in order, as 64-bit hashes."""
        numbers = self.numbers(first, last)
        return Ragged(self.hashes[numbers.values], numbers.offsets)

    def column(self, name: str) -> NDArray[np.uint32]:
        """Give `links` or `link_words` of each page."""
        values: NDArray[np.uint32] = self.group[name][:]
        return values

    def names(self, name: str) -> tuple[NDArray[np.uint32], list[bytes]]:
        """Give of each page its number in the list of `languages`, `domains` or `addresses`, and the list."""
        return self.group[f"{name}_number"][:], list(container.read_ragged(self.group, name))
