"""The articles of a rank on disk: of each page its immutables and mutables, to be read by block and by page."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.spin.units import Units
from hpcreuse.store import container
from hpcreuse.store.spool import FORMAT, VERSION


@dataclass
class Articles:
    """The articles of all ranks; each rank has those of its blocks."""

    corpus: TextCorpus
    folder: Path
    count: int = 0
    """How many this rank has, and how many immutables they have together."""
    immutables: int = 0
    units: int = 0
    """How many immutables and mutables together."""

    def write(self, block: Block, pages: NDArray[np.int64], units: Units) -> None:
        """Keep the articles of a block: their numbers, in order, and their units."""
        self.count += len(pages)
        self.immutables += len(units.immutables.values)
        self.units += len(units.immutables.values) + len(units.mutables.values)
        with container.create(self._path(block), FORMAT, VERSION, {}) as file:
            container.write_array(file, "page", pages)
            container.write_ragged(file, "immutables", units.immutables)
            container.write_ragged(file, "mutables", units.mutables)

    def read(self, block: Block) -> tuple[NDArray[np.int64], Units]:
        """Read the articles of a block back."""
        with container.open_container(self._path(block), FORMAT, VERSION) as file:
            units = Units(container.read_ragged(file, "immutables"), container.read_ragged(file, "mutables"))
            return file["page"][:], units

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
        distinct, inverse = np.unique(pages, return_inverse=True)
        none = Ragged.from_lengths(np.empty(0, np.uint64), [])
        immutables, mutables = [none], [none]
        for block in self.corpus.mine:
            first, last = np.searchsorted(distinct, [block.page, block.page + len(block)])
            if last > first:
                # Mapped: of a large block few articles may be wanted
                with container.open_container(self._path(block), FORMAT, VERSION) as file:
                    places = np.searchsorted(container.map_array(file, "page"), distinct[first:last])
                    immutables.append(container.map_ragged(file, "immutables").take(places))
                    mutables.append(container.map_ragged(file, "mutables").take(places))
        return Units(Ragged.concatenate(immutables).take(inverse), Ragged.concatenate(mutables).take(inverse))

    @property
    def mean_bytes(self) -> int:
        """How large an article of this rank is, in the mean."""
        return 8 * self.units // max(1, self.count)

    def spool(self, name: str) -> Path:
        """Name a file of this rank for what waits on disk."""
        return self.folder / f"{name}-{self.corpus.world.rank:05d}"

    def _path(self, block: Block) -> Path:
        return self.folder / f"articles-{block.page:012d}.h5"
