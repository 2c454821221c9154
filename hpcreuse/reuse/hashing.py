"""Steps 0 to 2: every partition of the crawl becomes shards of digests (METHODS.md section 1)."""

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.partitions import Partition, plan
from hpcreuse.crawl.read import read
from hpcreuse.crawl.types import decide_type, is_textual
from hpcreuse.crawl.urls import directory
from hpcreuse.errors import StoreError
from hpcreuse.page.digest import digest_page
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.sharing import WorkQueue
from hpcreuse.parallel.world import World
from hpcreuse.store import atomic
from hpcreuse.store.run import Run, ShardInfo, incomplete
from hpcreuse.store.shard_writer import ShardWriter

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HashJob:
    """What to hash, how, and where to."""

    inputs: tuple[str, ...]
    run: Path
    options: DigestOptions
    limits: Limits
    url_prefix: str | None
    memory: int
    progress_seconds: float
    fresh: bool


@dataclass
class Tally:
    """What came of the input: files + skipped + quarantined is all that went in."""

    files: int = 0
    chunks: int = 0
    payload_bytes: int = 0
    quarantined: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.files + other.files,
            self.chunks + other.chunks,
            self.payload_bytes + other.payload_bytes,
            self.quarantined + other.quarantined,
            self.skipped + other.skipped,
        )

    def record(self) -> dict[str, Any]:
        """Give it for a summary, with the sum that must hold."""
        skipped = dict(sorted(self.skipped.items()))
        return {
            "records": self.files + sum(skipped.values()) + self.quarantined,
            "files": self.files,
            "skipped": skipped,
            "quarantined": self.quarantined,
            "chunks": self.chunks,
            "payload_bytes": self.payload_bytes,
        }


def hash_crawl(world: World, job: HashJob) -> dict[str, Any]:
    """Collective. Hash what a run does not hold yet; give a summary."""
    phases = Phases()
    with phases("plan"):
        run = world.on_root(open_run, job)
        shards = world.map(read_info, world.on_root(run.shard_paths))
        todo, done = world.on_root(what_to_do, job, run, [shard for shard in shards if shard])
    queue = WorkQueue(world, todo)
    total_bytes = sum(partition.bytes for partition in todo)
    progress = Progress("hash", "B", total_bytes, job.progress_seconds if world.root else 0)
    hasher = Hasher(world, job, run, queue, progress)
    for partition in queue:
        hasher.hash(partition)
    progress.finish()
    with phases("wait"):
        world.wait()
    world.stop_if_asked()
    phases.seconds |= hasher.phases.seconds
    return {
        "out": str(job.run),
        "partitions": len(todo),
        "partitions_done_before": done,
        **sum(world.comm.allgather(hasher.tally), Tally()).record(),
        "digest_options": job.options.record(),
        **phases.summary(world),
    }


def open_run(job: HashJob) -> Run:
    """Open or make the run; with `--fresh` an old one is thrown away."""
    if job.fresh and (job.run / "run.json").exists():
        atomic.remove(job.run)
    return Run.create(job.run, job.options)


def read_info(path: Path) -> ShardInfo | None:
    """Read the header of a shard; a damaged one counts as missing, so it is made anew."""
    try:
        return ShardInfo.read(path)
    except StoreError as error:
        log.warning("%s: it will be made anew", error)
        return None


def what_to_do(job: HashJob, run: Run, shards: list[ShardInfo]) -> tuple[list[Partition], int]:
    """Plan the partitions and leave out those that are done; remove shards that no longer fit their input."""
    partitions = plan(job.inputs, job.url_prefix)
    planned = {(p.source, p.number): p for p in partitions}
    sources = {p.source for p in partitions}
    shards = sorted(shards, key=lambda s: (s.source, s.number, s.part))
    broken = set(incomplete(shards))
    done = set()
    for shard in shards:
        key = (shard.source, shard.number)
        partition = planned.get(key)
        fits = partition is not None and key not in broken and shard.identity == shard_identity(job, partition)
        if fits:
            done.add(key)
        elif shard.source in sources or key in broken:
            shard.path.unlink(missing_ok=True)
    todo = [p for key, p in planned.items() if key not in done]
    # The largest first, so that the small ones fill the gaps at the end
    return sorted(todo, key=lambda p: (-p.bytes, p.source, p.number)), len(done)


def shard_identity(job: HashJob, partition: Partition) -> str:
    """Identify what a shard was made of: its input, and how the input was read."""
    limits = "-".join(str(value) for value in asdict(job.limits).values())
    return f"{partition.identity}-{limits}-{partition.url_prefix}"


class Hasher:
    """One rank's part of the hashing: takes partitions, writes shards, tells how far it is."""

    def __init__(self, world: World, job: HashJob, run: Run, queue: WorkQueue[Partition], progress: Progress):
        self.world, self.job, self.run, self.queue, self.progress = world, job, run, queue, progress
        self.phases = Phases()
        self.tally = Tally()
        self.input_bytes = 0
        """Bytes of the partitions this rank has finished."""

    def hash(self, partition: Partition) -> None:
        """Hash one partition into shards: one, or several when the memory does not hold it whole.

        A partition that a signal interrupts is dropped: without its last part it counts as not done.
        """
        ledger, writer, part = Ledger(), ShardWriter(self.job.options.width), 0
        pages = read(partition, ledger, self.job.limits)
        while (page := self._next_page(pages)) is not None:
            with self.phases("hash"):
                self._add(writer, page)
            self._report(self.input_bytes + min(page.offset, partition.bytes))
            if self.world.stopping:
                return
            if writer.nbytes > self.job.memory // 2:
                self._write(writer, ledger, partition, part, last=False)
                ledger.skipped, ledger.quarantined = Counter(), []
                writer, part = ShardWriter(self.job.options.width), part + 1
        self._write(writer, ledger, partition, part, last=True)
        self.input_bytes += partition.bytes
        self._report(self.input_bytes)

    def _next_page(self, pages: Iterator[Page]) -> Page | None:
        with self.phases("read"):
            return next(pages, None)

    def _add(self, writer: ShardWriter, page: Page) -> None:
        """Digest a page and keep what becomes of it."""
        mime = decide_type(page.content_type, page.payload, page.url)
        plain = page.plain or mime == "text/plain"
        digests = digest_page(page.payload, mime, is_textual(mime), plain, self.job.options)
        writer.add_page(page.url, directory(page.url), page.archive, page.offset, len(page.payload), mime)
        writer.add_digests(*digests)
        self.tally.files += 1
        self.tally.chunks += len(digests.offsets)
        self.tally.payload_bytes += len(page.payload)

    def _write(self, writer: ShardWriter, ledger: Ledger, partition: Partition, part: int, last: bool) -> None:
        """Write what was collected as one shard."""
        for entry in ledger.quarantined:
            writer.add_quarantined(*entry)
        self.tally.quarantined += len(ledger.quarantined)
        self.tally.skipped += ledger.skipped
        header = {
            "source": partition.source,
            "number": partition.number,
            "part": part,
            "last": last,
            "identity": shard_identity(self.job, partition),
            "url_prefix": partition.url_prefix,
            "digest_options": self.job.options.record(),
            "skipped": dict(sorted(ledger.skipped.items())),
        }
        with self.phases("write"):
            writer.write(self.run.shard_path(partition.source, partition.number, part), header)

    def _report(self, input_bytes: int) -> None:
        """Serve or tell the other ranks, and show on rank 0 how far all are."""
        self.queue.attend((input_bytes, self.tally.files))
        if self.world.root:
            news = self.queue.news.values()
            self.progress.update(sum(b for b, _ in news), f"{sum(f for _, f in news):,} files")
