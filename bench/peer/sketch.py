"""Near duplicates by MinHash LSH (datasketch): the terms of I-Match, 128 permutations, one process.

python bench/peer/sketch.py articles.jsonl 0.9 bulk      # or update: term by term, as its documentation shows it
"""

import json
import re
import resource
import sys
import time
from itertools import pairwise
from pathlib import Path

from datasketch import MinHash, MinHashLSH

PERMUTATIONS = 128
WORD = re.compile(r"[^\W_]+")


def terms_of(text: str) -> set[bytes]:
    """Give the different terms of an article: at least 4 characters, at most one digit."""
    words = {word for word in WORD.findall(text.lower()) if len(word) >= 4}
    return {word.encode() for word in words if sum(map(str.isdecimal, word)) <= 1}


def sketched(terms: set[bytes]) -> MinHash:
    """Sketch an article as the documentation does."""
    sketch = MinHash(num_perm=PERMUTATIONS)
    for term in terms:
        sketch.update(term)
    return sketch


def main() -> None:
    """Find all pairs, with the time of each step, and print them as one object."""
    path, threshold, bulk = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "bulk"
    times = [time.perf_counter()]
    articles = {record["id"]: terms_of(record["text"]) for record in map(json.loads, path.open())}
    times.append(time.perf_counter())
    listed = MinHash.bulk(articles.values(), num_perm=PERMUTATIONS) if bulk else map(sketched, articles.values())
    sketches = dict(zip(articles, listed, strict=True))
    times.append(time.perf_counter())
    index = MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    pairs = []
    for name, sketch in sketches.items():
        pairs += [(name, other) for other in index.query(sketch)]
        index.insert(name, sketch)
    times.append(time.perf_counter())
    steps = dict(zip(("terms", "sketch", "match"), (b - a for a, b in pairwise(times)), strict=True))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": times[-1] - times[0], "steps": steps, "peak_resident_bytes": peak, "pairs": pairs}))


if __name__ == "__main__":
    main()
