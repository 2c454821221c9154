"""The inverted index as the paper has it: for every immutable all pairs of the articles that have it, counted.

Reads sets from a .npz (values, offsets), writes the pairs that are similar enough to another, and prints its time and
memory as JSON. Generous to the method: a pair costs one addition in an array of its article, nothing is sorted, sent or
written, where the paper's jobs write N * (N - 1) / 2 pairs of every posting list and sort them all.

    python bench/peer/postings.py sets.npz pairs.npz 0.75
"""

import json
import resource
import sys
import time

import numpy as np


def similar_pairs(values: np.ndarray, offsets: np.ndarray, threshold: float) -> tuple[np.ndarray, int]:
    """Give the pairs of sets with a Jaccard similarity of the threshold or more, and how many pairs were counted."""
    sizes = np.diff(offsets)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    _, element = np.unique(values, return_inverse=True)
    order = np.argsort(element, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(element))])
    postings = owner[order]
    # Where each entry stands in its posting list: partners are those behind it
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    found, counted = [np.empty((0, 2), np.int64)], 0
    for number in range(len(sizes)):
        entries = slice(offsets[number], offsets[number + 1])
        lists = zip((place[entries] + 1).tolist(), starts[element[entries] + 1].tolist(), strict=True)
        partners = np.concatenate([postings[:0], *(postings[first:last] for first, last in lists)])
        counted += len(partners)
        shared = np.bincount(partners, minlength=len(sizes))
        similar = np.flatnonzero(shared / np.maximum(1, sizes[number] + sizes - shared) >= threshold)
        found.append(np.stack([np.full(len(similar), number), similar], 1))
    return np.concatenate(found), counted


def main() -> None:
    """Measure."""
    source, out, threshold = sys.argv[1:]
    sets = np.load(source)
    begin, cpu = time.perf_counter(), time.process_time()
    pairs, counted = similar_pairs(sets["values"], sets["offsets"], float(threshold))
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
