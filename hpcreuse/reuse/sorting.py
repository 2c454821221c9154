"""Files of all shards in order of URL: a sample sort by URL, in passes (DESIGN.md, "Tables")."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.store.result import FileRows, write_rows
from hpcreuse.store.run import ShardInfo
from hpcreuse.store.shard import Shard
from hpcreuse.store.spool import Spool

# Memory per file of a pass beside its URL and matches: Python strings while sorting, copies on the way
BYTES_PER_FILE = 400
COPIES_OF_URL = 5


@dataclass(frozen=True)
class ShardUrls:
    """The files of one shard in order of URL; it is open only while it is read."""

    info: ShardInfo
    number: int
    first_file: int
    spool: Spool

    def __len__(self) -> int:
        return self.info.files

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the URLs at these places in the order of URLs."""
        with Shard.open(self.info.path) as shard:
            return [shard.url_at(place) for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> FileRows:
        """Read the files with URLs from low up to, but not with, high."""
        found = self.spool.read(self.number)
        with Shard.open(self.info.path) as shard:
            first, last = shard.cut_urls(low, high)
            wanted = shard.column("files/by_url", first, last).astype(np.int64)
            rows = np.flatnonzero(np.isin(found.file, wanted, assume_unique=True))
            urls = shard.strings("files/url").take(found.file[rows])
        return FileRows(
            urls,
            found.file[rows] + self.first_file,
            found.chunks[rows],
            found.bad[rows],
            found.matches.take(rows),
        )


def sort_files(world: World, catalog: Catalog, scratch: Path, spool: Spool, memory: int, phases: Phases) -> None:
    """Collective. Write the files of all shards in order of URL, one part per pass and rank."""
    runs = [
        ShardUrls(catalog.shards[number], number, int(catalog.first_file[number]), spool) for number in catalog.mine
    ]
    with phases("sample"):
        cost = sum(COPIES_OF_URL * run.info.url_bytes + BYTES_PER_FILE * run.info.files for run in runs)
        passes = Passes.plan(world, cost, memory, runs)
    for number in range(passes.count):
        rows = sort_pass(world, passes.bounds(number), runs, memory, phases)
        with phases("write"):
            write_rows(scratch / "files" / f"part-{passes.range_number(number):05d}.h5", rows)
        with phases("wait"):
            world.stop_if_asked()


def sort_pass(world: World, bounds: list[bytes | None], runs: list[ShardUrls], memory: int, phases: Phases) -> FileRows:
    """Collective. Bring the files in the ranges of one pass to their ranks and sort them there."""
    with phases("read"):
        mine = FileRows.concatenate([FileRows.empty(), *(run.between(bounds[0], bounds[-1]) for run in runs)])
    with phases("sort"):
        mine, urls = in_order(mine)
        inner = [bisect.bisect_left(urls, bound) for bound in bounds[1:-1] if bound is not None]
        cuts = np.array([0, *inner, len(urls)])
    with phases.together("exchange", world):
        (number, chunks, bad), _ = exchange(world, [mine.number, mine.chunks, mine.bad], cuts, memory // 4)
        url: Ragged = exchange_ragged(world, mine.url, cuts, memory // 4)
        matches = exchange_ragged(world, mine.matches, cuts, memory // 4)
    with phases("sort"):
        return in_order(FileRows(url, number, chunks, bad, matches))[0]


def in_order(rows: FileRows) -> tuple[FileRows, list[bytes]]:
    """Sort by URL; captures of the same URL stand in the order of the run. Give the URLs too."""
    urls, numbers = list(rows.url), rows.number.tolist()
    order = sorted(range(len(urls)), key=lambda i: (urls[i], numbers[i]))
    return rows.take(np.array(order, np.int64)), [urls[i] for i in order]
