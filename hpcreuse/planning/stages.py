"""How long each stage takes on each rank and how much memory: sizes times rates (docs/cost-model.md derives it)."""

import math
from dataclasses import dataclass

from hpcreuse.parallel.passes import LARGEST_PASS
from hpcreuse.parallel.splitters import OVERSAMPLING
from hpcreuse.planning import constants as per
from hpcreuse.planning.estimates import Estimates
from hpcreuse.planning.rates import Rates
from hpcreuse.planning.sizes import Job, Sizes
from hpcreuse.store import shard_writer

# What a rank holds of a page while it is hashed: compressed, whole, and as the text that is cut
COPIES_OF_PAYLOAD = 3


@dataclass(frozen=True)
class Stage:
    """One command: seconds of its parts on the busiest rank, and what it takes."""

    name: str
    parts: dict[str, float]
    memory: float
    """Peak of a rank, in bytes."""
    passes: int
    exchanged: float
    """Bytes that leave a rank, on average."""
    written: float
    """Bytes on disk, of all ranks."""

    @property
    def seconds(self) -> float:
        """The whole."""
        return sum(self.parts.values())


def doublings(rows: float) -> float:
    """Give log2 of a number of rows to sort."""
    return math.log2(max(2.0, rows))


@dataclass(frozen=True)
class Passing:
    """What sorting in passes costs beside the sorting: looking for the bounds, and choosing them from samples."""

    look: float
    sample: float
    memory: float

    @classmethod
    def of(cls, job: Job, shards: float, passes: int, reads: float, key: tuple[int, float], rates: Rates) -> "Passing":
        """Work it out.

        Args:
            shards: that one rank holds.
            reads: rows read to find a bound in a shard.
            key: rows read for a key, and its length.
        """
        samples = OVERSAMPLING * passes * job.ranks if passes * job.ranks > 1 else 0
        key_rows, key_bytes = key
        return cls(
            shards * (rates.open_file + 2 * passes * reads * rates.small_read),
            samples * (key_rows * rates.small_read / job.ranks + doublings(samples) * rates.sort_string),
            samples * (key_bytes + per.BYTES_PER_SAMPLE),
        )


def hash_stage(job: Job, sizes: Sizes, estimates: Estimates, rates: Rates) -> Stage:
    """Partitions are handed out one by one: the busiest rank has its share, rounded up to whole ones."""
    share = max(sizes.largest_partition, math.ceil(sizes.partitions / job.ranks) / sizes.partitions, 1 / job.ranks)
    page_memory = COPIES_OF_PAYLOAD * estimates.largest_payload
    collected = (
        sizes.chunks * shard_writer.BYTES_PER_CHUNK + sizes.pages * shard_writer.BYTES_PER_FILE + 3 * sizes.url_bytes
    ) / sizes.shards
    return Stage(
        "hash",
        {
            "start": rates.start,
            "read": share * sizes.input_bytes * rates.read_byte,
            "hash": share * sizes.payload_bytes * rates.hash_byte,
            "write": share * (sizes.chunks * rates.shard_chunk + sizes.shards * rates.shard_file),
        },
        rates.resident + collected + page_memory,
        1,
        0.0,
        sizes.run_bytes,
    )


def discover_stage(job: Job, sizes: Sizes, rates: Rates, network: float) -> Stage:
    """Ranks that hold shards merge what leaves them; all merge what stays and arrives, and keep what repeats."""
    holders = min(job.ranks, sizes.shards)
    read, sent = sizes.shard_distinct / holders, sizes.rank_distinct / holders
    received, kept = sizes.rank_distinct / job.ranks, sizes.repeated_chunks / job.ranks
    in_pass = [rows / sizes.passes_count for rows in (read, received)]
    shards = sizes.shards / holders
    merged = read * doublings(2 * shards) + received * (1 - 1 / job.ranks) * doublings(2 * (shards + job.ranks))
    exchanged = max(sent, received) * (1 - 1 / job.ranks) * sizes.counted_bytes
    counts = kept * sizes.counted_bytes
    passing = Passing.of(job, shards, sizes.passes_count, 2, (1, job.width), rates)
    return Stage(
        "discover",
        {
            "start": rates.start,
            "read": read * (job.width + per.SHARD_BYTES_PER_DISTINCT) * rates.load_byte,
            "look": passing.look,
            "sample": passing.sample,
            "sort": merged * rates.merge_row,
            "exchange": exchanged / network,
            "write": counts * rates.write_byte + sizes.passes_count * rates.shard_file,
            "select": 2 * counts * rates.load_byte,
        },
        rates.resident + per.BYTES_PER_OBJECT * max(in_pass) + passing.memory,
        sizes.passes_count,
        sizes.discover_exchanged / job.ranks,
        sizes.counts_bytes + sizes.labels_bytes,
    )


def detect_stage(job: Job, sizes: Sizes, estimates: Estimates, rates: Rates, network: float) -> Stage:
    """Match shards one by one, sort their files by URL, add directories up to neighborhoods."""
    holders = min(job.ranks, sizes.shards)
    distinct, chunks = sizes.shard_distinct / holders, sizes.chunks / holders
    files, directories = sizes.chunked_pages / holders, sizes.rank_directories / holders
    depth = sizes.neighborhoods / max(1.0, sizes.directories) + 1
    # Every pass looks at the URLs and the spool of all shards anew
    again = (sizes.passes_sort * (sizes.url_bytes + sizes.spool_bytes) + sizes.spool_bytes) / holders
    loaded = distinct * (job.width + per.SHARD_BYTES_PER_DISTINCT) + chunks * 4 + again
    strings = sum(rows * doublings(rows / sizes.passes_sort) for rows in (files, sizes.chunked_pages / job.ranks))
    names = sum(rows * doublings(rows) for rows in (directories, sizes.directories / job.ranks))
    label_table = min(sizes.labels * (job.width + 8), job.memory / 4)
    matching = chunks / (sizes.shards / holders) * per.BYTES_PER_MATCHED_CHUNK + sizes.shard_distinct / sizes.shards * (
        job.width + per.BYTES_PER_MATCHED_DISTINCT
    )
    # A bound is searched by halves; spooled findings are opened in each pass and once more to write them
    shards = sizes.shards / holders
    halves = [doublings(rows / sizes.shards) for rows in (sizes.chunked_pages, sizes.rank_directories)]
    by_url = Passing.of(job, shards, sizes.passes_sort, 3 * halves[0], (3, sizes.url_bytes / sizes.pages), rates)
    by_name = Passing.of(
        job, shards, sizes.passes_neighborhoods, 2 * halves[1], (2, estimates.directories.length), rates
    )
    spool = shards * (2 + sizes.passes_sort + sizes.passes_neighborhoods) * rates.open_file
    held = min(job.memory, LARGEST_PASS)
    sort_cost = per.COPIES_OF_URL * sizes.url_bytes + per.BYTES_PER_SORTED_FILE * sizes.pages
    sorting = sort_cost / holders / sizes.passes_sort
    adding = min(per.BYTES_PER_DIRECTORY * directories / sizes.passes_neighborhoods, held)
    return Stage(
        "detect",
        {
            "start": rates.start,
            "read": loaded * rates.load_byte,
            "look": by_url.look + by_name.look + spool,
            "sample": by_url.sample + by_name.sample,
            "join": distinct * rates.find_row,
            "match": chunks * rates.match_chunk,
            "sort": (strings + names) * rates.sort_string,
            "exchange": sizes.detect_exchanged / holders / network,
            "add up": directories * depth * rates.add_up,
            "write": (sizes.spool_bytes + sizes.result_bytes) / holders * rates.write_byte
            + (shards + sizes.passes_sort + sizes.passes_neighborhoods) * rates.shard_file,
        },
        rates.resident + label_table + max(matching, sorting + by_url.memory, adding + by_name.memory),
        max(sizes.passes_sort, sizes.passes_neighborhoods),
        sizes.detect_exchanged / job.ranks,
        sizes.result_bytes,
    )


def all_stages(job: Job, sizes: Sizes, estimates: Estimates, rates: Rates, network: float) -> list[Stage]:
    """Give the stages in the order they run."""
    return [
        hash_stage(job, sizes, estimates, rates),
        discover_stage(job, sizes, rates, network),
        detect_stage(job, sizes, estimates, rates, network),
    ]
