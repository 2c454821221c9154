"""hashlib into Parquet, then SQL in DuckDB.

One process per core hashes archives and writes Parquet: a table of chunks (page number, digest) and one of pages. The
digest is written as two 64-bit and one 32-bit number, which DuckDB groups faster than 20-byte blobs. DuckDB then runs
on as many threads.
"""

import multiprocessing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pages import Arguments, Outcome, arguments, hashed_pages, report, site

DIGEST = np.dtype([("a", "<u8"), ("b", "<u8"), ("c", "<u4")])

SQL = """
CREATE TABLE chunks AS SELECT page, a, b, c FROM read_parquet('{scratch}/chunks-*.parquet');
CREATE TABLE labels AS SELECT a, b, c, count(*) AS n FROM chunks GROUP BY ALL HAVING count(*) > {threshold};
CREATE TABLE ratios AS
    SELECT page, count(*) AS chunks, count(labels.n) AS bad, count(labels.n) / count(*) AS ratio
    FROM chunks LEFT JOIN labels USING (a, b, c) GROUP BY page;
CREATE TABLE sites AS
    SELECT site, avg(ratio) AS badness FROM ratios JOIN read_parquet('{scratch}/pages-*.parquet') USING (page)
    GROUP BY site;
"""


def hash_archive(number: int, path: str, scratch: Path) -> None:
    """Write the chunks and the pages of one archive."""
    digests, counts, urls = [], [], []
    for page in hashed_pages(path):
        digests += page.digests
        counts.append(len(page.digests))
        urls.append(page.url)
    table = np.frombuffer(b"".join(digests), DIGEST)
    pages = (number << 32) + np.arange(len(urls))
    columns = {name: np.ascontiguousarray(table[name]) for name in DIGEST.names}
    write(scratch / f"chunks-{number}.parquet", {"page": np.repeat(pages, counts), **columns})
    write(scratch / f"pages-{number}.parquet", {"page": pages, "url": urls, "site": [site(url) for url in urls]})


def write(path: Path, columns: dict[str, Any]) -> None:
    """Write Parquet without what costs time and saves nothing: digests neither compress nor repeat enough."""
    arrays = {
        name: pa.array(values if isinstance(values, np.ndarray) else list(values)) for name, values in columns.items()
    }
    pq.write_table(pa.table(arrays), path, compression="none", use_dictionary=False, write_statistics=False)


def run(job: Arguments) -> Outcome:
    """Do the whole job."""
    with multiprocessing.get_context("fork").Pool(job.processes) as pool:
        tasks = [(number, path, job.scratch) for number, path in enumerate(job.archives)]
        pool.starmap(hash_archive, tasks, chunksize=1)
    database = duckdb.connect(config={"threads": job.processes})
    database.execute(SQL.format(scratch=job.scratch, threshold=job.threshold))
    moments = [
        database.execute(f"SELECT avg({column}), stddev_pop({column}) FROM {table}").fetchone()
        for table, column in (("ratios", "ratio"), ("sites", "badness"))
    ]
    labels = database.execute("SELECT a, b, c, n FROM labels").fetchnumpy()
    keys = np.empty(len(labels["n"]), DIGEST)
    for name in DIGEST.names:
        keys[name] = labels[name]
    pages = database.execute(
        f"SELECT url, chunks, bad FROM ratios JOIN read_parquet('{job.scratch}/pages-*.parquet') USING (page)"
    ).fetchall()
    sites = dict(database.execute("SELECT site, badness FROM sites").fetchall())
    named = dict(zip((key.tobytes() for key in keys), map(int, labels["n"]), strict=True))
    return Outcome(named, pages, sites, *moments[0], *moments[1])


if __name__ == "__main__":
    job, out = arguments(__doc__)
    report(out, lambda: run(job))
