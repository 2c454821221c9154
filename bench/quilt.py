"""Quilts against DuckDB: the same definition as SQL on the same words, the same cores, equal results.

The words of each page, as `hash --text` kept them, are put into a Parquet file first; that is not counted on either
side. Counted are grams, document frequencies, patch grams, candidates and the pairs of candidate and document (SQL has
no greedy cover: the pairs are covered by plain Python here, and that time is told apart and not counted).

    pip install duckdb
    python bench/quilt.py                                    # ../shared/data/crawl/alexa2018-000.warc.gz
    python bench/quilt.py --input crawl.warc.gz --repeats 5 --ranks 2
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import corpus
import jobs
import measure
import numpy as np

from hpcreuse.store.run import Run, ShardInfo
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText

GOAL = measure.Goal(least=3)
K, M, C, THETA = 5, 50, 4, 0.5

SQL = f"""
create temp table grams as
    select distinct page, gram from (
        select page, hash({", ".join(f"lead(word, {i}) over w" for i in range(K))}) as gram,
               lead(word, {K - 1}) over w as last_word
        from read_parquet('{{words}}') window w as (partition by page order by place)
    ) where last_word is not null;
create temp table patch_grams as
    select gram from grams group by gram having count(*) between 2 and {M};
create temp table patches as select page, gram from grams join patch_grams using (gram);
create temp table candidates as
    select page, all_grams.n as grams, own.n as patch_grams
    from (select page, count(*) as n from grams group by page) all_grams
    join (select page, count(*) as n from patches group by page) own using (page)
    where own.n >= {THETA} * all_grams.n;
create temp table pairs as
    select a.page as page, a.gram as gram, b.page as source
    from patches a join candidates using (page) join patches b on a.gram = b.gram and a.page <> b.page;
"""


def write_words(run: Path, path: Path) -> list[str]:
    """Put the words of a run into Parquet; give the URLs of its pages."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    opened, urls, tables, first = Run.open(run), [], [], 0
    for info in opened.in_order([ShardInfo.read(shard) for shard in opened.shard_paths()]):
        with Shard.open(info.path) as shard:
            words = ShardText(shard).words()
            urls += [url.decode("utf-8", "surrogateescape") for url in shard.strings("files/url")]
        page = np.repeat(np.arange(first, first + len(words)), words.lengths)
        place = np.arange(len(page)) - np.repeat(words.offsets[:-1], words.lengths)
        tables.append(pa.table({"page": page, "place": place, "word": words.values}))
        first += len(words)
    pq.write_table(pa.concat_tables(tables), path)
    return urls


def duckdb_quilts(words: Path, threads: int) -> tuple[float, float, list[tuple[int, list[int]]]]:
    """Find quilts with SQL; give the seconds of SQL, those of covering, and the quilts with their sources."""
    import duckdb

    begin = time.perf_counter()
    with duckdb.connect(config={"threads": threads}) as database:
        database.execute(SQL.format(words=words))
        pairs = database.execute("select page, gram, source from pairs").fetchnumpy()
        database.execute("select page from candidates").fetchall()
    queried = time.perf_counter()
    by_page: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for page, gram, source in zip(*(pairs[name].tolist() for name in ("page", "gram", "source")), strict=True):
        by_page[page][source].add(gram)
    found = [(page, cover(by_page[page])) for page in sorted(by_page)]
    quilts = [(page, sources) for page, sources in found if len(sources) >= C]
    return queried - begin, time.perf_counter() - queried, quilts


def cover(left: dict[int, set[int]]) -> list[int]:
    """Cover greedily, ties to the smallest page."""
    sources = []
    while left:
        best = min(left, key=lambda doc: (-len(left[doc]), doc))
        covered = left[best]
        sources.append(best)
        left = {doc: rest for doc in left if (rest := left[doc] - covered)}
    return sources


def ours(run: Path, out: Path, ranks: int) -> dict[str, Any]:
    """Find quilts with hpcreuse."""
    shutil.rmtree(out, ignore_errors=True)
    return jobs.hpcreuse("quilt", run, "--out", out, ranks=ranks)


def grow(sizes: list[int], ranks: int, repeats: int) -> dict[str, Any]:
    """Find quilts in ever more pages of the corpus."""
    with tempfile.TemporaryDirectory() as name:
        runs = {str(size): Path(name, f"run-{size}") for size in sizes}
        for size, run in runs.items():
            jobs.hpcreuse("hash", *corpus.archives(int(size)), "--out", run, "--text", ranks=ranks)
        turns = {size: partial(ours, run, Path(name, "out"), ranks) for size, run in runs.items()}
        measured = measure.take_turns(turns, repeats)
    table = {}
    for size, outcomes in measured.items():
        pages, seconds = outcomes[0]["pages"], [one["seconds"] for one in outcomes]
        peak = max(one["peak_resident_bytes"] for one in outcomes) / 1e6
        per_page = measure.Spread.of([1e6 * one / pages for one in seconds])
        print(f"{pages:>8,} pages   {measure.Spread.of(seconds)} s   {per_page} µs a page   peak {peak:.0f} MB")
        table[size] = {"pages": pages, "seconds": seconds, "peak_megabytes": peak}
    return table


def main() -> None:
    """Measure, compare, write results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", nargs="+", type=Path, default=[corpus.SHARED / "alexa2018-000.warc.gz"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--ranks", type=int, default=2, help="ranks of hpcreuse, threads of DuckDB")
    parser.add_argument("--growth", nargs="*", type=int, default=[1000, 2000, 4000], help="also on so many pages")
    options = parser.parse_args()
    where = measure.machine()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, out, words = folder / "run", folder / "out", folder / "words.parquet"
        jobs.hpcreuse("hash", *options.input, "--out", run, "--text", ranks=options.ranks)
        urls = write_words(run, words)
        outcomes = measure.take_turns(
            {
                "hpcreuse": lambda: ours(run, out, options.ranks),
                "duckdb": lambda: duckdb_quilts(words, options.ranks),
            },
            options.repeats,
        )
        line = [jobs.BIN / "hpcreuse", "export", out, "quilts"]
        rows = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=True).stdout.splitlines()
    quilts = [(row["url"], row["sources"]) for row in map(json.loads, rows)]
    theirs = [(urls[page], [urls[source] for source in sources]) for page, sources in outcomes["duckdb"][-1][2]]
    if sorted(quilts) != sorted(theirs):
        raise SystemExit(f"the results differ: {len(quilts)} quilts here, {len(theirs)} by SQL")
    ours_seconds = [one["seconds"] for one in outcomes["hpcreuse"]]
    walls = [one["wall_seconds"] for one in outcomes["hpcreuse"]]
    sql = [seconds for seconds, _, _ in outcomes["duckdb"]]
    ratio, with_start = measure.ratios(sql, ours_seconds), measure.ratios(sql, walls)
    print(f"{len(quilts)} quilts of {len(urls)} pages, the same by SQL")
    print(f"hpcreuse        {measure.Spread.of(ours_seconds)} s, {measure.Spread.of(walls)} s with the start of MPI")
    print(f"DuckDB          {measure.Spread.of(sql)} s (and {outcomes['duckdb'][-1][1]:.2f} s to cover, not counted)")
    print(f"times faster    {ratio}   goal {GOAL}: {GOAL.verdict(ratio.median)}; {with_start} with the start of MPI")
    found = {
        "pages": len(urls),
        "quilts": len(quilts),
        "ranks": options.ranks,
        "hpcreuse_seconds": ours_seconds,
        "hpcreuse_wall_seconds": walls,
        "duckdb_seconds": sql,
        "times_faster": ratio._asdict(),
        "times_faster_with_start": with_start._asdict(),
        "peak_resident_bytes": max(one["peak_resident_bytes"] for one in outcomes["hpcreuse"]),
    }
    found["growth"] = grow(options.growth, options.ranks, options.repeats)
    measure.write_results("quilt", where, found)


if __name__ == "__main__":
    main()
