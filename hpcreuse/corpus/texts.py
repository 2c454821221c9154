"""The words of a run, shared out in blocks of pages: ranks get about as many words, however few shards there are.

A page has a number: its place in the run's table of files. Numbers are the same on any number of ranks.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.kernels.ragged import Ragged, cut_evenly
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.world import World
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText

# Blocks per rank: enough that their sizes even out
BLOCKS_PER_RANK = 4

# Memory a word takes while a block is worked on, beside what the method itself makes of it
BYTES_PER_WORD = 12
LARGEST_BLOCK = 1 << 24


@dataclass(frozen=True)
class Block:
    """Pages of one shard that one rank works on."""

    shard: int
    first: int
    last: int
    """Pages first to last-1 of the shard."""
    page: int
    """Number of the first of them in the run."""
    words: int

    def __len__(self) -> int:
        return self.last - self.first


@dataclass(frozen=True)
class TextCorpus:
    """The pages of a run with their words."""

    world: World
    catalog: Catalog
    blocks: list[Block]
    """All blocks, in the order of their pages."""
    owner: NDArray[np.int64]
    """The rank of each block."""

    @classmethod
    def open(cls, world: World, path: Path, memory: int) -> "TextCorpus":
        """Collective. Share the pages of a run out; it must have been hashed with `--text`."""
        catalog = Catalog.open(world, path)
        world.on_root(catalog.run.must_have_text)
        words = sum(shard.words for shard in catalog.shards)
        most = max(1, min(words // (BLOCKS_PER_RANK * world.size), memory // (8 * BYTES_PER_WORD), LARGEST_BLOCK))

        def cut(number: int) -> list[Block]:
            with Shard.open(catalog.shards[number].path) as shard:
                starts = ShardText(shard).word_start
            return [
                Block(number, first, last, int(catalog.first_file[number]) + first, int(starts[last] - starts[first]))
                for first, last in cut_evenly(starts, most)
            ]

        cuts = world.map(cut, range(len(catalog.shards)))
        blocks = [block for shard_blocks in cuts for block in shard_blocks]
        return cls(world, catalog, blocks, share_out([block.words + len(block) for block in blocks], world.size))

    @property
    def mine(self) -> list[Block]:
        """The blocks this rank works on, in order."""
        return [self.blocks[number] for number in np.flatnonzero(self.owner == self.world.rank)]

    @property
    def pages(self) -> int:
        """How many pages there are in all."""
        return int(self.catalog.first_file[-1])

    def owner_of(self, pages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the rank that has each page."""
        firsts = np.array([block.page for block in self.blocks], np.int64)
        return self.owner[np.searchsorted(firsts, pages, side="right") - 1]

    def words(self, block: Block) -> Ragged:
        """Read the words of a block's pages, as 64-bit hashes."""
        with Shard.open(self.catalog.shards[block.shard].path) as shard:
            return ShardText(shard).words(block.first, block.last)

    def word_numbers(self, block: Block) -> tuple[Ragged, NDArray[np.uint64]]:
        """Read the words of a block's pages as places among the distinct words of its shard, and these as hashes."""
        with Shard.open(self.catalog.shards[block.shard].path) as shard:
            text = ShardText(shard)
            return text.numbers(block.first, block.last), text.hashes

    def urls(self, block: Block) -> Ragged:
        """Read the URLs of a block's pages."""
        with Shard.open(self.catalog.shards[block.shard].path) as shard:
            return shard.strings("files/url", block.first, block.last)

    def urls_of(self, pages: NDArray[np.int64], round_bytes: int) -> Ragged:
        """Collective. Give the URLs of pages anywhere, by number; ranks may ask for different ones, or none."""
        owner = self.owner_of(pages)
        order = np.argsort(owner, kind="stable")
        cuts = np.searchsorted(owner[order], np.arange(self.world.size + 1))
        (asked,), counts = exchange(self.world, [pages[order]], cuts, round_bytes)
        answers = self._own_urls(asked)
        back = exchange_ragged(self.world, answers, np.concatenate([[0], np.cumsum(counts)]), round_bytes)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return back.take(place)

    def _own_urls(self, pages: NDArray[np.int64]) -> Ragged:
        """Read the URLs of pages of this rank."""
        distinct, inverse = np.unique(pages, return_inverse=True)
        found = [Ragged.from_strings([])]
        for block in self.mine:
            first, last = np.searchsorted(distinct, [block.page, block.page + len(block)])
            if last > first:
                found.append(self.urls(block).take(distinct[first:last] - block.page))
        return Ragged.concatenate(found).take(inverse)


def share_out(costs: list[int], ranks: int) -> NDArray[np.int64]:
    """Give each block to a rank: neighbours stay together, all ranks get about as much."""
    done = np.cumsum([0, *costs])
    middle = (done[:-1] + done[1:]) / 2
    return np.minimum(middle * ranks // max(1, done[-1]), ranks - 1).astype(np.int64)
