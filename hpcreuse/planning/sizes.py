"""How much there will be: pages, chunks, distinct digests, files on disk, rows between ranks.

Nothing here is measured in seconds: the same sample gives the same sizes, however many ranks took it.
"""

import math
from dataclasses import dataclass

from hpcreuse.crawl.partitions import Partition
from hpcreuse.crawl.shares import share_out
from hpcreuse.parallel.passes import LARGEST_PASS
from hpcreuse.planning import constants as per
from hpcreuse.planning.estimates import Estimates
from hpcreuse.store import shard_writer


@dataclass(frozen=True)
class Job:
    """What is planned: on how many ranks, with how much memory each, for how many pages."""

    ranks: int
    memory: int
    width: int
    threshold: int
    pages: int | None = None


@dataclass(frozen=True)
class Sizes:
    """The job in numbers; bytes exchanged are those that leave a rank, summed over all."""

    scale: float
    """How many times the input the job is: 1 without --pages."""
    input_bytes: float
    pages: float
    chunked_pages: float
    chunks: float
    payload_bytes: float
    url_bytes: float
    distinct_chunks: float
    repeated_chunks: float
    """Distinct chunks that occur more than once: only these are kept with their counts."""
    distinct_files: float
    directories: float
    neighborhoods: float
    labels: float
    matches: float
    partitions: float
    largest_partition: float
    """As a share of all."""
    shards: float
    shard_distinct: float
    """Distinct digests of all shards added up, likewise of ranks."""
    rank_distinct: float
    rank_directories: float
    counted_bytes: float
    """Of a digest with its count and length."""
    passes_count: int
    passes_sort: int
    passes_neighborhoods: int
    run_bytes: float
    counts_bytes: float
    labels_bytes: float
    result_bytes: float
    spool_bytes: float
    discover_exchanged: float
    detect_exchanged: float

    @classmethod
    def of(
        cls, job: Job, estimates: Estimates, partitions: list[Partition], empty_shard: float, empty_piece: float
    ) -> "Sizes":
        """Work all sizes out."""
        e = estimates
        scale = job.pages / (e.pages * e.input_bytes) if job.pages is not None else 1.0
        total = e.input_bytes * scale
        pages, chunks = e.pages * total, e.chunks * total
        url_bytes, chunked = e.url_bytes * total, e.pages * total * e.chunked_share
        labels, matches = labelled(job, e, chunks)

        # Partitions of the input, and parts of those that the memory does not hold
        count, largest = count_partitions(partitions, job.ranks, scale)
        collected = (
            chunks * shard_writer.BYTES_PER_CHUNK + pages * shard_writer.BYTES_PER_FILE + 3 * url_bytes
        ) / count
        shards = count * max(1, math.ceil(collected / (job.memory / 2)))
        holders = min(job.ranks, shards)
        shard_distinct = shards * e.chunk_growth.expected(chunks / shards)
        rank_distinct = holders * e.chunk_growth.expected(chunks / holders)
        shard_directories = shards * e.directories.growth.expected(pages / shards)
        rank_directories = holders * e.directories.growth.expected(pages / holders)
        distinct = e.chunk_growth.expected(chunks)
        repeated = distinct * e.repeated_share
        neighborhoods = e.neighborhoods.growth.expected(pages)

        counted = job.width + (per.COUNT_BYTES if chunks < 1 << 32 else per.WIDE_COUNT_BYTES)

        # What a rank does not hold at once goes in passes
        held = job.ranks * min(job.memory, LARGEST_PASS)
        sort_cost = per.COPIES_OF_URL * url_bytes + per.BYTES_PER_SORTED_FILE * pages
        passes = [
            max(1, math.ceil(cost / held))
            for cost in (
                per.BYTES_PER_OBJECT * shard_distinct,
                sort_cost,
                per.BYTES_PER_DIRECTORY * shard_directories,
            )
        ]
        leaving = 1 - 1 / job.ranks
        mean_url, mean_directory = url_bytes / pages, e.directories.length
        file_rows = chunked * (mean_url + per.FILE_ROW_BYTES) + matches * per.MATCH_BYTES
        asked = 0.0 if labels * (job.width + 8) <= job.memory // 8 else shard_distinct * (job.width + 8)
        labels_bytes = labels * (job.width + per.LABEL_BYTES)
        return cls(
            scale=scale,
            input_bytes=total,
            pages=pages,
            chunked_pages=chunked,
            chunks=chunks,
            payload_bytes=e.payload_bytes * total,
            url_bytes=url_bytes,
            distinct_chunks=distinct,
            repeated_chunks=repeated,
            distinct_files=e.file_growth.expected(pages),
            directories=e.directories.growth.expected(pages),
            neighborhoods=neighborhoods,
            labels=labels,
            matches=matches,
            partitions=count,
            largest_partition=largest,
            shards=shards,
            shard_distinct=shard_distinct,
            rank_distinct=rank_distinct,
            rank_directories=rank_directories,
            counted_bytes=counted,
            passes_count=passes[0],
            passes_sort=passes[1],
            passes_neighborhoods=passes[2],
            run_bytes=pages * (job.width + mean_url + per.SHARD_BYTES_PER_FILE)
            + chunks * per.SHARD_BYTES_PER_CHUNK
            + shard_distinct * (job.width + per.SHARD_BYTES_PER_DISTINCT)
            + shard_directories * (mean_directory + 8)
            + shards * empty_shard,
            counts_bytes=repeated * counted + passes[0] * job.ranks * empty_piece,
            labels_bytes=labels_bytes,
            result_bytes=file_rows
            + neighborhoods * (e.neighborhoods.length + per.NEIGHBORHOOD_BYTES)
            + labels_bytes
            + (passes[1] + passes[2]) * job.ranks * empty_piece,
            spool_bytes=chunked * 4 * 8 + matches * per.MATCH_BYTES + shards * empty_piece,
            discover_exchanged=leaving * rank_distinct * counted,
            detect_exchanged=leaving
            * (file_rows + asked + rank_directories * (mean_directory + per.DIRECTORY_ROW_BYTES)),
        )


def count_partitions(partitions: list[Partition], ranks: int, scale: float) -> tuple[float, float]:
    """Cut the input as `hash` does; tell how many partitions there are and the share of the largest."""
    total = sum(p.bytes for p in partitions) * scale
    pieces = share_out(partitions, ranks, int(total))
    return max(1.0, len(pieces) * scale), min(1.0, pieces[0].bytes / total)


def labelled(job: Job, estimates: Estimates, chunks: float) -> tuple[float, float]:
    """Tell how many labels a threshold gives and how many chunks match them, from the counts in the sample.

    A chunk that stands in one unit alone is taken as local: it occurs as often as seen, but there are others like it
    in the rest of the crawl. One seen in several occurs everywhere: its count grows with the crawl.
    """
    scale = chunks / max(1, estimates.sample_chunks)
    counts, units = estimates.distinct_chunks
    local = counts[(units == 1) & (counts > job.threshold)]
    common = counts[(units > 1) & (counts * scale > job.threshold)]
    return len(local) * scale + len(common), float(local.sum() + common.sum()) * scale
