"""An input gone through once by all ranks together, without hashing it into a run first."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar

from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.partitions import Partition, plan
from hpcreuse.crawl.read import read
from hpcreuse.crawl.shares import share_out
from hpcreuse.errors import CrawlError
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.sharing import WorkQueue
from hpcreuse.parallel.world import World
from hpcreuse.store.run import is_chain

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Piece(Generic[T]):
    """What came of one partition, and where it began and ended."""

    source: str
    number: int
    begin: int
    end: int
    final: bool
    quarantined: int
    outcome: T


def go_through(
    world: World,
    inputs: Sequence[str],
    url_prefix: str | None,
    limits: Limits,
    work: Callable[[Iterator[Page]], T],
    progress: Progress,
) -> tuple[list[T], int]:
    """Collective. Read an input, all ranks sharing it, each partition by one call of `work`.

    Which partitions there are depends on the number of ranks: outcomes must add up to the same in any case.

    Returns:
        The outcomes of this rank, and how many records of the whole input could not be read.
    """
    planned = world.on_root(plan, inputs, url_prefix)
    if not planned:
        raise CrawlError(f"there is no file in {', '.join(inputs)}: nothing to read")
    shares = share_out(planned, world.size, sum(partition.bytes for partition in planned))
    pieces = _read_shares(world, shares, limits, work, progress)
    world.stop_if_asked()
    broken = broken_sources(world, pieces)
    if broken:
        # Ranges that do not meet: some bytes inside a page look like a record. One rank reads it all.
        pieces = [piece for piece in pieces if piece.source not in broken]
        again = [partition for partition in planned if partition.source in broken]
        pieces += _read_shares(world, again, limits, work, progress)
    progress.finish()
    world.stop_if_asked()
    return [piece.outcome for piece in pieces], world.comm.allreduce(sum(piece.quarantined for piece in pieces))


def broken_sources(world: World, pieces: Sequence[Piece[Any]]) -> set[str]:
    """Collective. Name the archives whose ranges do not follow on each other."""
    ranges: dict[str, list[Piece[None]]] = {}
    mine = [Piece(p.source, p.number, p.begin, p.end, p.final, 0, None) for p in pieces]
    for piece in chain.from_iterable(world.comm.allgather(mine)):
        ranges.setdefault(piece.source, []).append(piece)
    in_order = {source: sorted(pieces, key=lambda piece: piece.number) for source, pieces in ranges.items()}
    return {source for source, pieces in in_order.items() if not is_chain(pieces)}


def _read_shares(
    world: World,
    partitions: list[Partition],
    limits: Limits,
    work: Callable[[Iterator[Page]], T],
    progress: Progress,
) -> list[Piece[T]]:
    """Collective. Hand partitions out and do the work on each."""
    queue = WorkQueue(world, partitions)
    pieces: list[Piece[T]] = []
    seen = 0
    for partition in queue:
        ledger = Ledger()

        def attended(partition: Partition = partition, ledger: Ledger = ledger) -> Iterator[Page]:
            nonlocal seen
            for page in read(partition, ledger, limits):
                yield page
                if world.stopping:
                    # What was read is thrown away: pages may take seconds each, and a partition has thousands
                    return
                seen += 1
                queue.attend(seen)
                if world.root:
                    progress.update(sum(queue.news.values()))

        outcome = work(attended())
        pieces.append(
            Piece(
                partition.source,
                partition.number,
                ledger.begin,
                ledger.end,
                partition.final,
                len(ledger.quarantined),
                outcome,
            )
        )
    return pieces
