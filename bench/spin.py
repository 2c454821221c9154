"""Spun articles against the plain inverted index of the paper, on the same immutables: the same pairs, how much sooner?

Both start from the same sets of immutables and end with the pairs of a Jaccard similarity of the threshold or more, on
one core. Of hpcreuse that is counting, prefixes, exchange, pairing and comparing (the mutable verifier too); cutting
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


def theirs(sets: Path, out: Path, threshold: float) -> dict[str, Any]:
    """Run the plain index in a process of its own."""
    line = [sys.executable, str(PEER), str(sets), str(out), str(threshold)]
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
        run, out, sets, found = (Path(name, part) for part in ("run", "out", "sets.npz", "pairs.npz"))
        jobs.hpcreuse("hash", *options.input, "--out", run, "--text", ranks=2)
        urls, longest = write_sets(run, options.synonyms, options.min_words, sets)
        turns = {
            "hpcreuse": lambda: ours(run, out, options),
            "index": lambda: theirs(sets, found, options.threshold),
        }
        outcomes = measure.take_turns(turns, options.repeats)
        mine = pairs_of(out)
        plain = sorted(tuple(sorted([urls[a], urls[b]])) for a, b in np.load(found)["pairs"].tolist())
    if mine != plain:
        raise SystemExit(f"the pairs differ: {len(mine)} here, {len(plain)} by the plain index")
    report(where, options, outcomes, len(urls), longest, len(mine))


def report(
    where: dict[str, Any],
    options: argparse.Namespace,
    outcomes: dict[str, list[dict[str, Any]]],
    articles: int,
    longest: int,
    similar: int,
) -> None:
    """Print and write what was measured."""
    join, index = (
        [one[key] for one in outcomes[who]] for who, key in (("hpcreuse", "join_seconds"), ("index", "seconds"))
    )
    whole = [one["seconds"] for one in outcomes["hpcreuse"]]
    ratio, of_whole = measure.ratios(index, join), measure.ratios(index, whole)
    peaks = {who: max(one["peak_resident_bytes"] for one in many) for who, many in outcomes.items()}
    counted, compared = outcomes["index"][-1]["counted"], outcomes["hpcreuse"][-1]["candidates"]
    possible = articles * (articles - 1) / 2
    rates = {
        who: measure.Spread.of([possible / one for one in many]) for who, many in (("hpcreuse", join), ("index", index))
    }
    print(f"{articles:,} articles, {possible:,.0f} pairs of them, {similar} similar, the same by both")
    print(f"the most common immutable is in {longest:,} articles")
    print(
        f"plain index     {measure.Spread.of(index)} s, {rates['index']} pairs/s; {counted:,} pairs counted,", end=" "
    )
    print(f"{counted * 16 / 1e9:.1f} GB if written; peak {peaks['index'] / 1e6:.0f} MB")
    print(
        f"hpcreuse        {measure.Spread.of(join)} s, {rates['hpcreuse']} pairs/s; {compared:,} pairs compared;",
        end=" ",
    )
    print(f"peak {peaks['hpcreuse'] / 1e6:.0f} MB; {measure.Spread.of(whole)} s the whole command")
    print(f"times faster    {ratio}   goal {GOAL}: {GOAL.verdict(ratio.median)}; {of_whole} the whole command")
    found = {
        "articles": articles,
        "most_common_immutable": longest,
        "similar_pairs": similar,
        "synonyms": options.synonyms,
        "threshold": options.threshold,
        "index_seconds": index,
        "index_pairs_counted": counted,
        "hpcreuse_seconds": join,
        "hpcreuse_whole_seconds": whole,
        "hpcreuse_pairs_compared": compared,
        "pairs_per_second": {who: rate._asdict() for who, rate in rates.items()},
        "peak_resident_bytes": peaks,
        "times_faster": ratio._asdict(),
        "times_faster_whole": of_whole._asdict(),
    }
    measure.write_results("spin", where, found)


if __name__ == "__main__":
    main()
