"""PySpark on one machine: local[N], DataFrames, hashing in Python workers fed and emptied through Arrow.

Tuned as for a small machine: as many shuffle partitions as cores, the hashed chunks kept in memory because they are
used twice, labels broadcast, no web interface. Start-up of the JVM and the session is before the clock.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pages import Arguments, Outcome, arguments, hashed_pages, report, site
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

CHUNKS = "page long, url string, site string, digest binary"
ROWS = 1 << 16


def start(job: Arguments) -> SparkSession:
    """Start the session, and a Python worker per core, so that the clock does not see it."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master(f"local[{job.processes}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", str(job.processes))
        .config("spark.sql.inMemoryColumnarStorage.compressed", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", str(ROWS))
        .config("spark.local.dir", str(job.scratch))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    session.range(job.processes, numPartitions=job.processes).mapInArrow(lambda batches: batches, "id long").count()
    return session


def hash_archives(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn numbered archives into rows of chunks; page and site go with the page's first chunk only."""
    for batch in batches:
        for number, path in zip(batch["number"].to_pylist(), batch["path"].to_pylist(), strict=True):
            pages, urls, sites, digests = [], [], [], []
            for place, page in enumerate(hashed_pages(path)):
                rest = [None] * (len(page.digests) - 1)
                pages += [(number << 32) + place] * len(page.digests)
                urls += [page.url, *rest]
                sites += [site(page.url), *rest]
                digests += page.digests
                if len(pages) >= ROWS:
                    yield to_batch(pages, urls, sites, digests)
                    pages, urls, sites, digests = [], [], [], []
            yield to_batch(pages, urls, sites, digests)


def to_batch(pages: list, urls: list, sites: list, digests: list) -> pa.RecordBatch:
    """Pack rows."""
    columns = {
        "page": pa.array(pages, pa.int64()),
        "url": pa.array(urls, pa.string()),
        "site": pa.array(sites, pa.string()),
        "digest": pa.array(digests, pa.binary()),
    }
    return pa.RecordBatch.from_pydict(columns)


def moments(table: DataFrame, column: str) -> tuple[float, float]:
    """Give mean and population deviation."""
    row = table.agg(f.avg(column), f.stddev_pop(column)).first()
    return row[0], row[1]


def run(job: Arguments, session: SparkSession) -> Outcome:
    """Do the whole job."""
    archives = session.createDataFrame(list(enumerate(job.archives)), "number long, path string")
    chunks = archives.repartitionByRange(len(job.archives), "number").mapInArrow(hash_archives, CHUNKS)
    return finish(chunks, job.threshold)


def finish(chunks: DataFrame, threshold: int) -> Outcome:
    """Count chunks, label, and do what follows from there."""
    chunks = chunks.persist()
    labels = chunks.groupBy("digest").count().where(f.col("count") > threshold).persist()
    ratios = (
        chunks.join(f.broadcast(labels), "digest", "left")
        .groupBy("page")
        .agg(
            f.max("url").alias("url"),
            f.max("site").alias("site"),
            f.count("*").alias("chunks"),
            f.count("count").alias("bad"),
        )
        .withColumn("ratio", f.col("bad") / f.col("chunks"))
        .persist()
    )
    sites = ratios.groupBy("site").agg(f.avg("ratio").alias("badness")).persist()
    found = {bytes(row["digest"]): row["count"] for row in labels.collect()}
    pages = [tuple(row) for row in ratios.select("url", "chunks", "bad").collect()]
    by_site = {row["site"]: row["badness"] for row in sites.collect()}
    return Outcome(found, pages, by_site, *moments(ratios, "ratio"), *moments(sites, "badness"))


if __name__ == "__main__":
    job, out = arguments(__doc__)
    session = start(job)
    report(out, lambda: run(job, session))
    session.stop()
