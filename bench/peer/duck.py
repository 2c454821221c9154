"""hashlib into Parquet, then SQL in DuckDB: digests are blobs, Parquet is as pyarrow makes it.

Digests as three numbers in uncompressed Parquet were no faster.
"""

import multiprocessing
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pages import Arguments, Outcome, arguments, hashed_pages, report, site

SQL = """
CREATE VIEW chunks AS SELECT * FROM read_parquet('{scratch}/chunks-*.parquet');
CREATE VIEW pages AS SELECT * FROM read_parquet('{scratch}/pages-*.parquet');
CREATE TABLE labels AS SELECT digest, count(*) AS n FROM chunks GROUP BY digest HAVING count(*) > {threshold};
CREATE TABLE ratios AS
    SELECT page, count(*) AS chunks, count(labels.n) AS bad, count(labels.n) / count(*) AS ratio
    FROM chunks LEFT JOIN labels USING (digest) GROUP BY page;
CREATE TABLE sites AS SELECT site, avg(ratio) AS badness FROM ratios JOIN pages USING (page) GROUP BY site;
"""


def hash_archive(number: int, path: str, scratch: Path) -> None:
    """Write the chunks and the pages of one archive."""
    chunks: dict[str, list] = {"page": [], "digest": []}
    pages: dict[str, list] = {"page": [], "url": [], "site": []}
    for place, page in enumerate(hashed_pages(path)):
        key = (number << 32) + place
        chunks["page"] += [key] * len(page.digests)
        chunks["digest"] += page.digests
        for name, value in (("page", key), ("url", page.url), ("site", site(page.url))):
            pages[name].append(value)
    pq.write_table(pa.table(chunks), scratch / f"chunks-{number}.parquet")
    pq.write_table(pa.table(pages), scratch / f"pages-{number}.parquet")


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
    labels = dict(database.execute("SELECT digest, n FROM labels").fetchall())
    pages = database.execute("SELECT url, chunks, bad FROM ratios JOIN pages USING (page)").fetchall()
    sites = dict(database.execute("SELECT site, badness FROM sites").fetchall())
    return Outcome(labels, pages, sites, *moments[0], *moments[1])


if __name__ == "__main__":
    job, out = arguments(__doc__)
    report(out, lambda: run(job))
