"""I-Match against MinHash LSH (datasketch) on articles with known plagiarised pairs: precision, recall, time, memory.

Both read the same JSON lines, take the same terms and run in one process; times are without the start of Python.
hpcreuse also writes a run, its lexicon, signatures and clusters to disk; a second row has a narrower band than the
default, which finds more. datasketch sketches in bulk, and term by term as its documentation shows it. The corpus
grows by copies of all articles whose words have a mark of their own, so that copies share nothing and known pairs
grow as articles do.

    pip install datasketch
    python bench/imatch.py                                   # ../shared/data/neardup/articles_1000
    python bench/imatch.py --copies 1 10 50 --repeats 5
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import jobs
import measure

ARTICLES = measure.ROOT.parent / "shared" / "data" / "neardup" / "articles_1000.train"
GOAL = measure.Goal(least=5)
PEER = Path(__file__).parent / "peer" / "sketch.py"
WORD = re.compile(r"[^\W_]+")

BAND = ["--band", "0.2", "0.5"]
OURS, BANDED = "hpcreuse", f"hpcreuse {' '.join(BAND)}"
BULK, SHOWN = "datasketch in bulk", "datasketch as its documentation shows"

# Term by term takes ten times as long: not for the largest
MOST_UPDATED = 10

Pair = frozenset[str]


def write_articles(source: Path, copies: int, path: Path) -> set[Pair]:
    """Write articles so many times over as JSON lines; give the pairs that are known."""
    lines = [line.split(" ", 1) for line in source.read_text(errors="replace").splitlines()]
    known = [line.split() for line in source.with_suffix(".truth").read_text().splitlines()]
    with path.open("w") as out:
        for copy in range(copies):
            mark = "".join(chr(ord("a") + int(digit)) for digit in str(copy)) if copy else ""
            for name, text in lines:
                marked = WORD.sub(lambda word, mark=mark: word[0] + mark, text) if mark else text
                out.write(json.dumps({"id": f"{name}.{copy}", "text": marked}) + "\n")
    return {frozenset(f"{name}.{copy}" for name in pair) for pair in known for copy in range(copies)}


def ours(articles: Path, folder: Path, options: list[str]) -> dict[str, Any]:
    """Find near duplicates with hpcreuse; pairs are documents of one cluster."""
    for name in ("run", "near"):
        shutil.rmtree(folder / name, ignore_errors=True)
    hashed = jobs.hpcreuse("hash", articles, "--text", "--out", folder / "run", ranks=1)
    found = jobs.hpcreuse("imatch", folder / "run", "--out", folder / "near", *options, ranks=1)
    line = [jobs.BIN / "hpcreuse", "export", folder / "near", "clusters"]
    rows = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=True).stdout.splitlines()
    clusters: dict[int, list[str]] = {}
    for row in map(json.loads, rows):
        clusters.setdefault(row["cluster"], []).append(row["url"].rpartition("/")[2])
    pairs = [(a, b) for names in clusters.values() for i, a in enumerate(names) for b in names[:i]]
    return {
        "seconds": hashed["seconds"] + found["seconds"],
        "steps": {"hash": hashed["seconds"], "imatch": found["seconds"]},
        "wall_seconds": hashed["wall_seconds"] + found["wall_seconds"],
        "peak_resident_bytes": max(hashed["peak_resident_bytes"], found["peak_resident_bytes"]),
        "pairs": pairs,
    }


def theirs(articles: Path, threshold: float, way: str) -> dict[str, Any]:
    """Find near duplicates with datasketch, sketching in `bulk` or by `update`."""
    line = [sys.executable, str(PEER), str(articles), str(threshold), way]
    found: dict[str, Any] = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    return found


def judge(pairs: list[tuple[str, str]], known: set[Pair]) -> dict[str, float]:
    """Hold pairs against those that are known."""
    found = {frozenset(pair) for pair in pairs}
    true = len(found & known)
    return {"pairs": len(found), "precision": true / len(found) if found else 1.0, "recall": true / len(known)}


def compare(copies: int, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measure one size in turns; give a row of results."""
    articles = folder / "articles.jsonl"
    known = write_articles(options.articles, copies, articles)
    turns = {
        OURS: partial(ours, articles, folder, options.options.split()),
        BANDED: partial(ours, articles, folder, BAND),
        BULK: partial(theirs, articles, options.threshold, "bulk"),
    }
    if copies <= MOST_UPDATED:
        turns[SHOWN] = partial(theirs, articles, options.threshold, "update")
    outcomes = measure.take_turns(turns, options.repeats)
    row: dict[str, Any] = {"copies": copies, "known": len(known)}
    for name, each in outcomes.items():
        judged = judge(each[-1]["pairs"], known)
        seconds, peak = [one["seconds"] for one in each], max(one["peak_resident_bytes"] for one in each)
        steps = {step: measure.Spread.of([one["steps"][step] for one in each]) for step in each[0]["steps"]}
        listed = {step: spread._asdict() for step, spread in steps.items()}
        row[name] = {**judged, "seconds": seconds, "steps": listed, "peak_resident_bytes": peak}
        shares = f"precision {judged['precision']:.3f}  recall {judged['recall']:.3f}"
        parts = ", ".join(f"{step} {spread.median:.3g}" for step, spread in steps.items())
        print(f"{name:<38}{measure.Spread.of(seconds)!s:>20} s  {peak / 1e6:>5.0f} MB  {shares}  {parts}")
    for peer in (BULK, SHOWN):
        if peer in outcomes:
            print(f"  than {peer}:")
            row[peer] |= times_faster(outcomes[OURS], outcomes[peer], row[OURS]["precision"] >= row[peer]["precision"])
    print()
    return row


def times_faster(mine: list[dict[str, Any]], peers: list[dict[str, Any]], precise: bool) -> dict[str, Any]:
    """Print how many times faster we are than a peer: from files to pairs, and the methods alone."""
    whole = measure.ratios([one["seconds"] for one in peers], [one["seconds"] for one in mine])
    # When the terms are known
    alone = measure.ratios(
        [one["steps"]["sketch"] + one["steps"]["match"] for one in peers], [one["steps"]["imatch"] for one in mine]
    )
    for title, ratio in (("from files", whole), ("method alone", alone)):
        verdict = "met" if GOAL.met(ratio.median) and precise else "NOT MET"
        print(f"    {title:<14}{ratio!s:>20} times faster   goal {GOAL} at equal precision: {verdict}")
    named = {"times_faster": whole, "times_faster_alone": alone}
    return {name: {**ratio._asdict(), "met": GOAL.met(ratio.median) and precise} for name, ratio in named.items()}


def main() -> None:
    """Measure, print, write results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=Path, default=ARTICLES, help="a .train file with a .truth beside it")
    parser.add_argument("--copies", nargs="+", type=int, default=[1, 10, 50], help="so many times the articles")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threshold", type=float, default=0.9, help="Jaccard similarity for LSH")
    parser.add_argument("--options", default="", help='of imatch, as "--band 0.2 0.5"')
    options = parser.parse_args()
    where, rows = measure.machine(), []
    with tempfile.TemporaryDirectory() as name:
        for copies in options.copies:
            print(f"articles {copies} times over:")
            rows.append(compare(copies, options, Path(name)))
    measure.write_results("imatch", where, {"threshold": options.threshold, "options": options.options, "rows": rows})


if __name__ == "__main__":
    main()
