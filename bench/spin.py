"""Spun articles against the plain inverted index of the paper, on the same immutables: the same pairs, how much sooner?

Both start from the same sets of immutables and end with the pairs of a Jaccard similarity of the threshold or more, on
one core. The index is counted in two ways (see peer/postings.py): as the paper writes it, and in the kindest way there
is. Of hpcreuse that is counting, prefixes, exchange, pairing and comparing (the mutable verifier too); cutting
words into units, clusters and tables are not counted on either side; the whole command is told apart.

    scripts/install-wordnet.sh
    python bench/spin.py                                   # ../shared/data/crawl/webkb1997.warc.gz, WordNet
    python bench/spin.py --input crawl.warc.gz --synonyms synonyms.tsv --repeats 5
"""

import argparse
import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import corpus
import jobs
import measure
import numpy as np

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.spin.dictionary import Dictionary
from hpcreuse.spin.thesauri import read_synonyms
from hpcreuse.spin.units import cut_units
from hpcreuse.store.run import Run, ShardInfo
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText

GOAL = measure.Goal(least=10)
COUNTED = ("count", "prefix", "exchange", "pair", "compare")
WAYS = ("pairs", "counters")
NAMES = {"hpcreuse": "hpcreuse", "pairs": "index of the paper", "counters": "index, counters only"}
PEER = Path(__file__).parent / "peer" / "postings.py"


def write_sets(run: Path, synonyms: str, min_words: int, path: Path) -> tuple[list[str], int]:
    """Write the immutables of every article that differs from all before it; give their URLs, and the longest list."""
    dictionary, opened = Dictionary.compile(read_synonyms(synonyms)), Run.open(run)
    urls, parts, seen = [], [], set()
    for info in opened.in_order([ShardInfo.read(shard) for shard in opened.shard_paths()]):
        with Shard.open(info.path) as shard:
            words, digests = ShardText(shard).words(), shard.column("files/digest")
            names = [url.decode("utf-8", "surrogateescape") for url in shard.strings("files/url")]
        kept = []
        for page in np.flatnonzero(words.lengths >= min_words).tolist():
            if (digest := digests[page].tobytes()) not in seen:
                seen.add(digest)
                kept.append(page)
        urls += [names[page] for page in kept]
        parts.append(cut_units(words.take(np.array(kept, np.int64)), dictionary).immutables)
    sets = Ragged.concatenate(parts)
    np.savez(path, values=sets.values, offsets=sets.offsets)
    return urls, int(np.unique(sets.values, return_counts=True)[1].max())


def theirs(way: str, sets: Path, out: Path, threshold: float) -> dict[str, Any]:
    """Run the plain index in a process of its own."""
    line = [sys.executable, str(PEER), way, str(sets), str(out), str(threshold)]
    measured: dict[str, Any] = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    return measured


def ours(run: Path, out: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run hpcreuse on one rank; all pairs that are similar by their immutables come out."""
    found = jobs.hpcreuse(
        *("spin", run, "--out", out, "--synonyms", options.synonyms, "--threshold", str(options.threshold)),
        *("--mutable-threshold", "0", "--min-words", str(options.min_words), "--link-density", "0"),
        *("--language", "any"),
        ranks=1,
    )
    return {**found, "join_seconds": sum(found["phases"][name]["max"] for name in COUNTED if name in found["phases"])}


def pairs_of(result: Path) -> list[tuple[str, str]]:
    """Read the pairs that are no exact duplicates."""
    line = [str(jobs.BIN / "hpcreuse"), "export", str(result), "pairs"]
    rows = map(json.loads, subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines())
    return sorted((row["a"], row["b"]) for row in rows if row["kind"] != "exact")


def main() -> None:
    """Measure, compare, write results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", nargs="+", type=Path, default=[corpus.SHARED / "webkb1997.warc.gz"])
    parser.add_argument("--synonyms", default="wordnet")
    parser.add_argument("--threshold", type=float, default=0.75)
    parser.add_argument("--min-words", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    where = measure.machine()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, out, sets = folder / "run", folder / "out", folder / "sets.npz"
        jobs.hpcreuse("hash", *options.input, "--out", run, "--text", ranks=2)
        urls, longest = write_sets(run, options.synonyms, options.min_words, sets)
        ways = {way: partial(theirs, way, sets, folder / f"{way}.npz", options.threshold) for way in WAYS}
        outcomes = measure.take_turns({"hpcreuse": partial(ours, run, out, options), **ways}, options.repeats)
        mine = pairs_of(out)
        for way in WAYS:
            plain = np.load(folder / f"{way}.npz")["pairs"].tolist()
            if mine != sorted(tuple(sorted([urls[a], urls[b]])) for a, b in plain):
                raise SystemExit(f"the pairs differ: {len(mine)} here, {len(plain)} by the plain index, {way}")
    articles = len(urls)
    print(
        f"{articles:,} articles, {articles * (articles - 1) // 2:,} pairs of them, {len(mine)} similar, by all the same"
    )
    print(f"the most common immutable is in {longest:,} articles")
    found = {"articles": articles, "most_common_immutable": longest, "similar_pairs": len(mine)}
    settings = {"synonyms": options.synonyms, "threshold": options.threshold}
    measure.write_results("spin", where, {**found, **settings, **compare(outcomes, articles)})


def compare(outcomes: dict[str, list[dict[str, Any]]], articles: int) -> dict[str, Any]:
    """Print who took how long, and give it for the results."""
    possible, join = articles * (articles - 1) / 2, [one["join_seconds"] for one in outcomes["hpcreuse"]]
    seconds = {"hpcreuse": join, **{way: [one["seconds"] for one in outcomes[way]] for way in WAYS}}
    looked_at = {who: many[-1].get("counted", many[-1].get("candidates")) for who, many in outcomes.items()}
    table: dict[str, Any] = {}
    for who, many in outcomes.items():
        rate = measure.Spread.of([possible / one for one in seconds[who]])
        peak = max(one["peak_resident_bytes"] for one in many)
        ratio = measure.ratios(seconds[who], join)
        print(
            f"{NAMES[who]:<22}{measure.Spread.of(seconds[who])} s, {rate} pairs/s, peak {peak / 1e6:.0f} MB,", end=" "
        )
        print(f"{looked_at[who]:,} pairs looked at" + (f"; hpcreuse {ratio} times faster" if who in WAYS else ""))
        table[who] = {
            "seconds": seconds[who],
            "pairs_per_second": rate._asdict(),
            "peak_resident_bytes": peak,
            "pairs_looked_at": looked_at[who],
            "times_slower": ratio._asdict(),
        }
    whole = [one["seconds"] for one in outcomes["hpcreuse"]]
    goal = table["pairs"]["times_slower"]["median"]
    print(f"the whole command     {measure.Spread.of(whole)} s, WordNet read and words cut into units")
    print(f"goal, against the paper's index: {GOAL}: {GOAL.verdict(goal)}")
    return {"measured": table, "whole_seconds": whole, "goal": {"times_faster": goal, "met": GOAL.met(goal)}}


if __name__ == "__main__":
    main()
