"""The inverted index as the paper has it: for every immutable all pairs of the articles that have it, counted.

Reads sets from a .npz (values, offsets), writes the pairs that are similar enough to another, and prints its time and
memory as JSON. Two ways to count:

pairs     as the paper writes it: every posting list gives its pairs, equal pairs are brought together by sorting, some
          millions at a time, and their ones added up
counters  the kindest way: an article at a time, a pair costs one addition in an array; nothing is sorted or kept

    python bench/peer/postings.py pairs sets.npz pairs.npz 0.75
"""

import json
import resource
import sys
import time
from collections.abc import Iterator

import numpy as np

# Pairs that are sorted at a time
SOME = 1 << 24


class Index:
    """Posting lists: of each element the sets that have it, in order."""

    def __init__(self, values: np.ndarray, offsets: np.ndarray):
        self.offsets, self.sizes = offsets, np.diff(offsets)
        _, self.element = np.unique(values, return_inverse=True)
        order = np.argsort(self.element, kind="stable")
        self.postings = np.repeat(np.arange(len(self.sizes)), self.sizes)[order]
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(self.element))])
        # Where each entry stands in its posting list: partners are those behind it
        self.place = np.empty(len(order), np.int64)
        self.place[order] = np.arange(len(order))

    def similar(self, a: np.ndarray, b: np.ndarray, shared: np.ndarray, threshold: float) -> np.ndarray:
        """Give the pairs that reach the threshold."""
        good = shared / np.maximum(1, self.sizes[a] + self.sizes[b] - shared) >= threshold
        return np.stack([np.broadcast_to(a, good.shape)[good], b[good]], 1)


def by_pairs(index: Index, threshold: float) -> tuple[np.ndarray, int]:
    """Give the pairs that reach the threshold, and how many were counted."""
    sets = len(index.sizes)
    keys, counts, counted = np.empty(0, np.int64), np.empty(0, np.int64), 0
    for some in emitted(index):
        counted += len(some)
        new, ones = np.unique(some, return_counts=True)
        keys, counts = np.concatenate([keys, new]), np.concatenate([counts, ones])
        order = np.argsort(keys)
        keys, counts = keys[order], counts[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        keys, counts = keys[first], np.add.reduceat(counts, first)
    return index.similar(keys // sets, keys % sets, counts, threshold), counted


def emitted(index: Index) -> Iterator[np.ndarray]:
    """Give the pairs of all posting lists as numbers, some millions at a time."""
    waiting, length = [], 0
    for first, last in zip(index.starts[:-1].tolist(), index.starts[1:].tolist(), strict=True):
        if last - first > 1:
            members = index.postings[first:last]
            i, j = np.triu_indices(last - first, 1)
            waiting.append(members[i] * len(index.sizes) + members[j])
            length += len(i)
        if length > SOME:
            yield np.concatenate(waiting)
            waiting, length = [], 0
    if waiting:
        yield np.concatenate(waiting)


def by_counters(index: Index, threshold: float) -> tuple[np.ndarray, int]:
    """Give the pairs that reach the threshold, and how many were counted."""
    found, counted = [np.empty((0, 2), np.int64)], 0
    everyone = np.arange(len(index.sizes))
    for number in everyone.tolist():
        entries = slice(index.offsets[number], index.offsets[number + 1])
        lists = zip((index.place[entries] + 1).tolist(), index.starts[index.element[entries] + 1].tolist(), strict=True)
        partners = np.concatenate([index.postings[:0], *(index.postings[first:last] for first, last in lists)])
        counted += len(partners)
        shared = np.bincount(partners, minlength=len(everyone))
        found.append(index.similar(np.array(number), everyone, shared, threshold))
    return np.concatenate(found), counted


def main() -> None:
    """Measure."""
    way, source, out, threshold = sys.argv[1:]
    sets = np.load(source)
    values, offsets = sets["values"], sets["offsets"]
    begin, cpu = time.perf_counter(), time.process_time()
    count = {"pairs": by_pairs, "counters": by_counters}[way]
    pairs, counted = count(Index(values, offsets), float(threshold))
    measured = {
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
        "peak_resident_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "counted": counted,
    }
    np.savez(out, pairs=pairs)
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
