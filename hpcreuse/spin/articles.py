"""The articles of a rank on disk: of each page its immutables and mutables, to be read by block and by page."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.spin.units import Units
from hpcreuse.store.scratch import ScratchFile, ScratchStrings


class Articles:
    """The articles of all ranks; each rank has those of its blocks.

    All of a rank lie in one file each of numbers, immutables and mutables: candidates come in batches, the more the
    less memory there is, and each batch wants articles of many blocks.
    """

    def __init__(self, corpus: TextCorpus, folder: Path):
        """Begin with none; files go to the folder."""
        self.corpus, self.folder = corpus, folder
        self.count, self.immutables, self.units = 0, 0, 0
        """How many articles this rank has, how many immutables these have, and how many units of both kinds."""
        self._pages = ScratchFile(self.spool("pages"))
        self._parts = [ScratchStrings(self.spool(name), np.uint64) for name in Units._fields]

    def append(self, pages: NDArray[np.int64], units: Units) -> None:
        """Keep the articles of the next block: their numbers, in order, and their units."""
        self.count += len(pages)
        self.immutables += len(units.immutables.values)
        self.units += len(units.immutables.values) + len(units.mutables.values)
        self._pages.write(pages)
        for part, strings in zip(self._parts, units, strict=True):
            part.append(strings)

    def of_block(self, block: Block) -> tuple[NDArray[np.int64], Units]:
        """Map the articles of a block: numbers and units."""
        pages = self._pages.map(np.int64)
        first, last = np.searchsorted(pages, [block.page, block.page + len(block)]).tolist()
        return pages[first:last], Units(*(part.map().slice(first, last) for part in self._parts))

    def fetch(self, pages: NDArray[np.int64], round_bytes: int) -> Units:
        """Collective. Get articles of anywhere, by sorted numbers; ranks may ask for different ones, or none."""
        world = self.corpus.world
        owner = self.corpus.owner_of(pages)
        cuts = np.searchsorted(owner, np.arange(world.size + 1))
        (asked,), received = exchange(world, [pages], cuts, round_bytes)
        answers = self.own(asked)
        back = np.concatenate([[0], np.cumsum(received)])
        return Units(*(exchange_ragged(world, part, back, round_bytes) for part in answers))

    def own(self, pages: NDArray[np.int64]) -> Units:
        """Get articles of this rank, by number."""
        places = np.searchsorted(self._pages.map(np.int64), pages)
        return Units(*(part.map().take(places) for part in self._parts))

    @property
    def mean_bytes(self) -> int:
        """How large an article of this rank is, in the mean."""
        return 8 * self.units // max(1, self.count)

    def spool(self, name: str) -> Path:
        """Name a file of this rank for what waits on disk."""
        return self.folder / f"{name}-{self.corpus.world.rank:05d}"
