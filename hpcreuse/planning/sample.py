"""The sample: blocks of the real input, really read and hashed, kept as a few numbers per page."""

import hashlib
import os
import tempfile
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.batches import digest_batch, next_batch
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.partitions import Partition
from hpcreuse.crawl.read import read
from hpcreuse.crawl.urls import directory
from hpcreuse.errors import CrawlError
from hpcreuse.kernels import digests as dg
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.world import World
from hpcreuse.planning.blocks import Block, choose, entered, is_enterable
from hpcreuse.store.shard_writer import ShardWriter


@dataclass
class BlockSample:
    """What one block held; keys are the first 64 bits of digests, enough to estimate with."""

    input_bytes: int = 0
    timed_bytes: float = 0.0
    """Those that `read_seconds` were spent on: finding the first record of a range is not part of the work."""
    read_seconds: float = 0.0
    hash_seconds: float = 0.0
    largest_payload: int = 0
    payload_bytes: int = 0
    url_bytes: int = 0
    files: list[bytes] = field(default_factory=list)
    chunk_counts: list[int] = field(default_factory=list)
    chunks: list[NDArray[np.uint64]] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)

    @property
    def pages(self) -> int:
        """How many pages it held."""
        return len(self.files)


@dataclass(frozen=True)
class Sample:
    """All blocks, in an order that does not depend on the ranks that read them."""

    blocks: list[BlockSample]
    input_bytes: int
    """Bytes of the whole input."""

    @property
    def bytes_read(self) -> int:
        """Bytes of the input that were read."""
        return sum(block.input_bytes for block in self.blocks)

    def column(self, name: str) -> NDArray[np.float64]:
        """Give a number of each block."""
        return np.array([getattr(block, name) for block in self.blocks], np.float64)

    @property
    def chunks(self) -> NDArray[np.float64]:
        """Chunks of each block."""
        return np.array([sum(block.chunk_counts) for block in self.blocks], np.float64)


def partitions_with_bytes(partitions: list[Partition]) -> list[Partition]:
    """Leave out what is empty; refuse an input in which nothing is left."""
    found = [p for p in partitions if p.bytes]
    if not found:
        raise CrawlError("the input is empty: there is no byte to sample. Name archives or folders that hold pages")
    return found


def take_sample(
    world: World,
    partitions: list[Partition],
    sample_bytes: int,
    seed: int,
    options: DigestOptions,
    limits: Limits,
    writer: ShardWriter,
) -> tuple[list[BlockSample], Sample | None]:
    """Collective. Read and hash a seeded choice of blocks; give this rank's, and to rank 0 the whole sample.

    Args:
        writer: takes what this rank hashes, so that writing it can be measured.
    """
    blocks = choose(partitions, sample_bytes, seed)
    sources = sorted({block.partition.source for block in blocks if block.partition.is_range})
    blocks = entered(blocks, dict(zip(sources, world.map(is_enterable, sources), strict=True)))
    mine = [read_block(block, options, limits, writer) for block in blocks[world.rank :: world.size]]
    everyones = world.comm.gather(mine)
    if everyones is None:
        return mine, None
    ordered = [everyones[i % world.size][i // world.size] for i in range(len(blocks))]
    return mine, Sample(ordered, sum(p.bytes for p in partitions))


def read_block(block: Block, options: DigestOptions, limits: Limits, writer: ShardWriter) -> BlockSample:
    """Read and hash one block as `hash` does."""
    found, ledger, before_first = BlockSample(), Ledger(), 0
    with closing(_pages(block, ledger, limits)) as pages:
        while True:
            begin = time.perf_counter()
            # The first page comes alone: where it is in a range has to be found first
            batch = next_batch(pages) if found.pages else next_batch(pages, 0)
            middle = time.perf_counter()
            found.read_seconds += middle - begin
            if not batch:
                break
            _add(found, batch, options, writer)
            found.hash_seconds += time.perf_counter() - middle
            if found.pages == 1 and block.partition.is_range:
                found.read_seconds, before_first = 0.0, found.payload_bytes
    found.input_bytes = _bytes_read(block, ledger)
    found.timed_bytes = found.input_bytes * (1 - before_first / max(1, found.payload_bytes))
    return found


def _add(found: BlockSample, batch: list[Page], options: DigestOptions, writer: ShardWriter) -> None:
    for page, mime, _, digests in digest_batch(batch, options):
        parent = directory(page.url)
        writer.add_page(page.url, parent, page.archive, page.offset, len(page.payload), mime)
        writer.add_digests(*digests)
        found.files.append(digests.file[:8])
        found.chunk_counts.append(len(digests.offsets))
        found.chunks.append(dg.prefixes(dg.from_bytes(digests.chunks, options.width)))
        found.directories.append(parent)
        found.payload_bytes += len(page.payload)
        found.largest_payload = max(found.largest_payload, len(page.payload))
        found.url_bytes += len(page.url)


def _pages(block: Block, ledger: Ledger, limits: Limits) -> Generator[Page, None, None]:
    """Give the pages of a block; a head is copied out and read as an archive that was cut off."""
    if block.head is None:
        yield from read(block.partition, ledger, limits)
        return
    with tempfile.TemporaryDirectory(prefix="hpcreuse-plan-") as folder:
        source = Path(block.partition.source)
        copy = Path(folder) / source.name
        with source.open("rb") as whole, copy.open("wb") as head:
            left = block.head
            while left and (data := whole.read(min(left, 1 << 20))):
                left -= head.write(data)
        cut_off = replace(block.partition, source=str(copy), number=0, bytes=block.head, stop=block.head, final=True)
        yield from read(cut_off, ledger, limits)


def _bytes_read(block: Block, ledger: Ledger) -> int:
    """Tell how much of the input the pages of a block stand for."""
    partition = block.partition
    if block.head is not None:
        return block.head
    if partition.names:
        paths = [os.path.join(partition.source, name) for name in partition.names]  # noqa: PTH118 (bytes that are no UTF-8)
        return sum(Path(path).stat().st_size for path in paths if os.path.isfile(path))  # noqa: PTH113
    return ledger.end - ledger.begin if partition.is_range else partition.bytes


def key_of(text: str) -> int:
    """Give a 64-bit key for a string."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).digest(), "big")
