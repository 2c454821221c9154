"""Near duplicates by MinHash LSH (datasketch): the terms of I-Match, 128 permutations, one process.

python bench/peer/sketch.py articles.jsonl 0.9
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


def main() -> None:
    """Find all pairs, with the time of each step, and print them as one object."""
    path, threshold = Path(sys.argv[1]), float(sys.argv[2])
    times = [time.perf_counter()]
    articles = {record["id"]: terms_of(record["text"]) for record in map(json.loads, path.open())}
    times.append(time.perf_counter())
    sketches = dict(zip(articles, MinHash.bulk(articles.values(), num_perm=PERMUTATIONS), strict=True))
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
