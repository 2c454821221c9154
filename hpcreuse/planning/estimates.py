"""From the sample to the whole: totals by the share of bytes, distinct things by their growth."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import CrawlError
from hpcreuse.planning.growth import Growth, PerKey, per_key
from hpcreuse.planning.sample import Sample, key_of

# Fewer blocks than this say little about growth: then every page is a unit of its own
FEWEST_UNITS = 8


@dataclass(frozen=True)
class Names:
    """Distinct strings (directories, neighborhoods): how they grow with pages, and their mean length."""

    growth: Growth
    length: float


@dataclass(frozen=True)
class Estimates:
    """What the sample says about a crawl of any size; totals are per byte of input."""

    input_bytes: int
    pages: float
    chunks: float
    payload_bytes: float
    url_bytes: float
    pages_error: float
    """Standard error as a share of the estimate, likewise of the others below."""
    chunks_error: float
    payload_error: float
    chunked_share: float
    """Share of the pages that have chunks: only these take part in detection."""
    largest_payload: int
    chunk_growth: Growth
    file_growth: Growth
    directories: Names
    neighborhoods: Names
    distinct_chunks: PerKey
    """How often and how widely spread each distinct chunk of the sample is."""
    sample_chunks: int

    @property
    def repeated_share(self) -> float:
        """Share of the distinct chunks that occur more than once: under Heaps' law it stays as the crawl grows."""
        return float(np.mean(self.distinct_chunks.counts > 1))

    @classmethod
    def of(cls, sample: Sample, extrapolate: bool) -> "Estimates":
        """Estimate; refuses a sample without pages.

        Args:
            extrapolate: for a number of pages that is given, not for the input: errors are then those per page.
        """
        read, pages, chunks = sample.bytes_read, sample.column("pages"), sample.chunks
        if not read or not pages.sum():
            raise CrawlError(
                f"no page was found in a sample of {read:,} of {sample.input_bytes:,} bytes: "
                "`hpcreuse hash` would list why under quarantine; a larger --sample may find some"
            )
        payload = sample.column("payload_bytes")
        unit = units_of_pages(sample)
        units = int(unit.max()) + 1
        counts = np.array([c for block in sample.blocks for c in block.chunk_counts], np.int64)
        keys = np.concatenate([keys for block in sample.blocks for keys in block.chunks])
        files = np.frombuffer(b"".join(f for block in sample.blocks for f in block.files), ">u8").astype(np.uint64)
        return cls(
            input_bytes=sample.input_bytes,
            pages=pages.sum() / read,
            chunks=chunks.sum() / read,
            payload_bytes=payload.sum() / read,
            url_bytes=sample.column("url_bytes").sum() / read,
            pages_error=relative_error(pages, sample, extrapolate),
            chunks_error=relative_error(chunks, sample, extrapolate),
            payload_error=relative_error(payload, sample, extrapolate),
            chunked_share=float(np.mean(counts > 0)),
            largest_payload=int(sample.column("largest_payload").max()),
            chunk_growth=Growth.of(keys, np.repeat(unit, counts), units, len(keys)),
            file_growth=Growth.of(files, unit, units, len(files)),
            directories=names(sample, unit, units, all_prefixes=False),
            neighborhoods=names(sample, unit, units, all_prefixes=True),
            distinct_chunks=per_key(keys, np.repeat(unit, counts)),
            sample_chunks=len(keys),
        )


def units_of_pages(sample: Sample) -> NDArray[np.int64]:
    """Number the unit of growth of each page: its block, or itself when there are few blocks."""
    pages = sample.column("pages").astype(np.int64)
    filled = np.cumsum(pages > 0) - 1
    if (pages > 0).sum() >= FEWEST_UNITS:
        return np.repeat(filled, pages)
    return np.arange(pages.sum())


def relative_error(values: NDArray[np.float64], sample: Sample, extrapolate: bool) -> float:
    """Give the standard error of a ratio estimate as a share of it (Cochran, Sampling Techniques, 6.4)."""
    base = sample.column("pages" if extrapolate else "input_bytes")
    rest = 1.0 if extrapolate else max(0.0, 1 - sample.bytes_read / sample.input_bytes)
    count = int((base > 0).sum())
    if count < 2 or not values.sum():
        return float(rest > 0)
    residuals = values - values.sum() / base.sum() * base
    return float(math.sqrt(rest * count / (count - 1) * (residuals**2).sum()) / values.sum())


def names(sample: Sample, unit: NDArray[np.int64], units: int, all_prefixes: bool) -> Names:
    """Follow the directories of pages, or all neighborhoods they lie in."""
    keys: list[int] = []
    where: list[int] = []
    lengths: dict[int, int] = {}
    known: dict[str, list[int]] = {}
    parents = [d for block in sample.blocks for d in block.directories]
    for parent, number in zip(parents, unit.tolist(), strict=True):
        if parent not in known:
            prefixes = prefixes_of(parent) if all_prefixes else [parent]
            known[parent] = [key_of(prefix) for prefix in prefixes]
            lengths.update(zip(known[parent], map(len, prefixes), strict=True))
        keys += known[parent]
        where += [number] * len(known[parent])
    growth = Growth.of(np.array(keys, np.uint64), np.array(where, np.int64), units, len(parents))
    return Names(growth, sum(lengths.values()) / len(lengths))


def prefixes_of(directory: str) -> list[str]:
    """Give every neighborhood a directory lies in."""
    parts = directory.split("/")[:-1]
    return ["/".join(parts[:depth]) + "/" for depth in range(1, len(parts) + 1)]
