"""Steps 0 to 2: every partition of the crawl becomes shards of digests (METHODS.md section 1)."""

import logging
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpcreuse.corpus.batches import BATCH_BYTES, digest_batch, next_batch
from hpcreuse.corpus.holding import hold
from hpcreuse.corpus.inputs import must_be_crawls
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.partitions import Partition
from hpcreuse.crawl.read import read
from hpcreuse.crawl.urls import directory
from hpcreuse.errors import StoreError
from hpcreuse.page.domain import registered_domain
from hpcreuse.page.language import can_detect, language
from hpcreuse.page.options import DigestOptions
from hpcreuse.page.text import read_text
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.sharing import WorkQueue
from hpcreuse.parallel.world import World
from hpcreuse.reuse.agenda import Agenda, identity
from hpcreuse.reuse.unread import UNREAD, Warnings, could_not_open, must_have_opened
from hpcreuse.store import atomic, lock
from hpcreuse.store.run import Run, ShardInfo
from hpcreuse.store.shard_writer import ShardWriter

log = logging.getLogger(__name__)

# How long another rank may have to wait for an answer of rank 0, beside the time that a page takes
REPORT_SECONDS = 0.005


@dataclass(frozen=True)
class HashJob:
    """What to hash, how, and where to."""

    inputs: tuple[str, ...]
    run: Path
    options: DigestOptions
    text: bool
    """Whether the words of the pages are kept too."""
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

    @classmethod
    def of(cls, shard: ShardInfo) -> "Tally":
        """Take it from the header of a shard."""
        head = shard.header
        return cls(shard.files, shard.chunks, head["payload_bytes"], head["quarantined"], Counter(head["skipped"]))

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
    # Before anything is made: a mistake in the inputs must not leave an empty run
    world.on_root(must_be_crawls, job.inputs)
    world.on_root(Run.must_be_ours, job.run)
    agenda = world.on_root_only(Agenda, job.inputs, job.url_prefix, job.limits, world.size)
    with hold(world, job.run, lock.inside(job.run)):
        return fill_run(world, job, agenda)


def fill_run(world: World, job: HashJob, agenda: Agenda | None) -> dict[str, Any]:
    """Collective. Hash into a run that no other job writes to.

    Raises CrawlError, when all else is done, for inputs that changed while they were read.
    """
    phases = Phases()
    with phases("plan"):
        run = world.on_root(open_run, job)
    count, total_bytes, done = fill(world, run, agenda, phases)
    hashed = 0
    while count:
        changed = hash_partitions(world, job, run, agenda, total_bytes, phases)
        if agenda:
            agenda.give_up(changed)
        hashed += count
        # A second look: ranges of an archive that do not meet are read again as a whole
        count, total_bytes, _ = fill(world, run, agenda, phases)
    with phases("plan"):
        shards = world.map(ShardInfo.read, world.on_root(run.shard_paths))
        world.on_root(lambda: run.record_shards(shards, agenda.sources) if agenda else None)
    world.on_root(lambda: agenda.must_be_read() if agenda else None)
    keys, sources = world.comm.bcast((agenda.hashed, set(agenda.sources)) if agenda else None)
    world.on_root(must_have_opened, [shard for shard in shards if shard.source in sources])
    mine = [Tally.of(shard) for shard in shards if (shard.source, shard.number) in keys]
    return {
        "out": str(job.run),
        "partitions": hashed,
        "partitions_done_before": done,
        **sum(mine, Tally()).record(),
        "input_quarantined": sum(shard.header["quarantined"] for shard in shards if shard.source in sources),
        "run_files": sum(shard.files for shard in shards),
        "run_chunks": sum(shard.chunks for shard in shards),
        "digest_options": job.options.record(),
        **phases.summary(world),
    }


def open_run(job: HashJob) -> Run:
    """Open or make the run; with `--fresh` an old one is emptied."""
    if job.text and not can_detect():
        log.warning("languages of pages are not kept: install hpcreuse[language] for that")
    if job.fresh and (job.run / "run.json").exists():
        # What says that this is a run goes last: killed on the way, it is still one
        for entry in sorted(job.run.iterdir(), key=lambda entry: entry.name == "run.json"):
            if entry != lock.inside(job.run):
                atomic.remove(entry)
    return Run.create(job.run, job.options, job.text)


def fill(world: World, run: Run, agenda: Agenda | None, phases: Phases) -> tuple[int, int, int]:
    """Collective. Look at the shards there are and find what is left: partitions, bytes, and what is done."""
    with phases("plan"):
        shards = world.map(read_info, world.on_root(run.shard_paths))
        return world.on_root(lambda: agenda.fill([s for s in shards if s]) if agenda else (0, 0, 0))


def read_info(path: Path) -> ShardInfo | None:
    """Read the header of a shard; a damaged one is removed, so that it is made anew."""
    try:
        return ShardInfo.read(path)
    except StoreError as error:
        log.warning("%s: it is made anew", error)
        path.unlink(missing_ok=True)
        return None


def hash_partitions(
    world: World, job: HashJob, run: Run, agenda: Agenda | None, total_bytes: int, phases: Phases
) -> set[str]:
    """Collective. Share the partitions of the agenda out and hash them; give the sources that changed meanwhile."""
    queue = WorkQueue(world, agenda.todo if agenda else None)
    progress = Progress("hash", "B", total_bytes, job.progress_seconds if world.root else 0)
    hasher = Hasher(world, job, run, queue, progress, phases)
    for partition in queue:
        hasher.hash(partition)
    progress.finish()
    with phases("wait"):
        world.wait()
    world.stop_if_asked()
    return set().union(*world.comm.allgather(hasher.changed))


class Hasher:
    """One rank's part of the hashing: takes partitions, writes shards, tells how far it is."""

    def __init__(
        self,
        world: World,
        job: HashJob,
        run: Run,
        queue: WorkQueue[Partition],
        progress: Progress,
        phases: Phases,
    ):
        self.world, self.job, self.run = world, job, run
        self.queue, self.progress, self.phases = queue, progress, phases
        self.files = 0
        self.input_bytes = 0
        """Bytes of the partitions this rank has finished."""
        self.changed: set[str] = set()
        """Sources that are not what they were when the work was planned."""
        self.warnings = Warnings()
        self.report_due = 0.0

    def hash(self, partition: Partition) -> None:
        """Hash one partition into shards: one, or several when the memory does not hold it whole.

        A partition that a signal interrupts, or whose input changed while it was read, is dropped: without its
        last part it counts as not done.
        """
        ledger, writer, part = Ledger(), self._new_writer(), 0
        pages = read(partition, ledger, self.job.limits)
        while batch := self._next_batch(pages):
            with self.phases("hash"):
                self._add(writer, batch)
            if time.monotonic() >= self.report_due:
                self._report(self.input_bytes + min(max(0, batch[-1].offset - partition.number), partition.bytes))
            if self.world.stopping:
                return
            if writer.nbytes > self.job.memory // 2:
                self._write(writer, ledger, partition, part, last=False)
                ledger.skipped, ledger.quarantined = Counter(), []
                writer, part = self._new_writer(), part + 1
        self.queue.ask()
        if partition.is_unchanged():
            self.warnings.tell(partition, ledger, len(writer.lengths) + part)
            self._write(writer, ledger, partition, part, last=True)
        else:
            self.changed.add(partition.source)
        self.input_bytes += partition.bytes
        self._report(self.input_bytes)

    def _new_writer(self) -> ShardWriter:
        return ShardWriter(self.job.options.width, self.job.text)

    def _next_batch(self, pages: Iterator[Page]) -> list[Page]:
        with self.phases("read"):
            return next_batch(pages, min(BATCH_BYTES, self.job.memory // 8))

    def _add(self, writer: ShardWriter, batch: list[Page]) -> None:
        """Digest pages and keep what becomes of them."""
        for page, mime, plain, digests in digest_batch(batch, self.job.options):
            folder = directory(page.url)
            writer.add_page(page.url, folder, page.archive, page.offset, len(page.payload), mime)
            writer.add_digests(*digests)
            if writer.text:
                seen = read_text(page.payload, mime, plain, page.content_type)
                domain = registered_domain(folder.partition("/")[0])
                writer.text.add(*seen, language(seen.text), domain, page.ip)
        self.files += len(batch)

    def _write(self, writer: ShardWriter, ledger: Ledger, partition: Partition, part: int, last: bool) -> None:
        """Write what was collected as one shard."""
        for entry in ledger.quarantined:
            writer.add_quarantined(*entry)
        header = {
            "source": partition.source,
            "number": partition.number,
            "part": part,
            "last": last,
            "begin": ledger.begin,
            "end": ledger.end,
            "stop": partition.stop,
            "final": partition.final,
            "identity": identity(partition, self.job.limits) + (UNREAD if could_not_open(ledger) else ""),
            "url_prefix": partition.url_prefix,
            "digest_options": self.job.options.record(),
            "skipped": dict(sorted(ledger.skipped.items())),
            "quarantined": len(ledger.quarantined),
            "payload_bytes": sum(writer.lengths),
        }
        with self.phases("write"):
            writer.write(self.run.shard_path(partition.source, partition.number, part), header)

    def _report(self, input_bytes: int) -> None:
        """Serve or tell the other ranks, and show on rank 0 how far all are."""
        self.queue.attend((input_bytes, self.files))
        if self.world.root:
            news = self.queue.news.values()
            self.progress.update(sum(b for b, _ in news), f"{sum(f for _, f in news):,} files")
        self.report_due = time.monotonic() + REPORT_SECONDS
