"""Files of all shards in order of URL: a sample sort by URL, in passes (DESIGN.md, "Tables")."""

import bisect
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.reuse.catalog import Catalog
from hpcreuse.store.result import FileRows, write_rows
from hpcreuse.store.shard import Shard
from hpcreuse.store.spool import read_found

# Memory per file of a pass beside its URL and matches: Python strings while sorting, copies on the way
BYTES_PER_FILE = 400


@dataclass(frozen=True)
class UrlRun:
    """The files of one shard, readable by range of URLs."""

    shard: Shard
    number: int
    first_file: int
    spool: Path

    def key(self, place: int) -> bytes:
        """Give the URL at a place in the order of URLs."""
        file = int(self.shard.file["files/by_url"][place])
        return self.shard.strings("files/url", file, file + 1)[0]

    def between(self, low: bytes | None, high: bytes | None) -> FileRows:
        """Read the files with URLs from low up to, but not with, high."""
        places = range(self.shard.files)
        first = 0 if low is None else bisect.bisect_left(places, low, key=self.key)
        last = self.shard.files if high is None else bisect.bisect_left(places, high, key=self.key)
        wanted = np.sort(self.shard.column("files/by_url", first, last).astype(np.int64))
        found = read_found(self.spool, self.number)
        rows = np.flatnonzero(np.isin(found.file, wanted, assume_unique=True))
        files = found.file[rows]
        return FileRows(
            self.shard.strings("files/url").take(files),
            files + self.first_file,
            found.chunks[rows],
            found.bad[rows],
            found.matches.take(rows),
        )


def sort_files(world: World, catalog: Catalog, scratch: Path, memory: int, phases: Phases) -> None:
    """Collective. Write the files of all shards in order of URL, one part per pass and rank."""
    with ExitStack() as stack:
        runs = [
            UrlRun(
                stack.enter_context(Shard.open(catalog.shards[n].path)),
                n,
                int(catalog.first_file[n]),
                scratch / "spool",
            )
            for n in catalog.mine
        ]
        with phases("sample"):
            cost = sum(5 * catalog.shards[n].url_bytes + BYTES_PER_FILE * catalog.shards[n].files for n in catalog.mine)
            passes = Passes.plan(world, cost, memory, [(run.shard.files, run.key) for run in runs])
        for number in range(passes.count):
            rows = sort_pass(world, passes.bounds(number), runs, memory, phases)
            with phases("write"):
                write_rows(scratch / "files" / f"part-{passes.range_number(number):05d}.h5", rows)
            world.stop_if_asked()


def sort_pass(world: World, bounds: list[bytes | None], runs: list[UrlRun], memory: int, phases: Phases) -> FileRows:
    """Collective. Bring the files in the ranges of one pass to their ranks and sort them there."""
    with phases("read"):
        mine = FileRows.concatenate([FileRows.empty(), *(run.between(bounds[0], bounds[-1]) for run in runs)])
    with phases("sort"):
        mine, urls = in_order(mine)
        inner = [bisect.bisect_left(urls, bound) for bound in bounds[1:-1] if bound is not None]
        cuts = np.array([0, *inner, len(urls)])
    with phases("exchange"):
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
