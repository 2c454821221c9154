"""PySpark as most guides show it: an RDD of archives, a Python generator of rows, DataFrames from there on.

The same session and the same work as spark.py; what differs is how rows leave Python: one by one, without Arrow.
"""

from collections.abc import Iterator

from pages import Arguments, Outcome, arguments, hashed_pages, report, site
from pyspark.sql import SparkSession
from spark import CHUNKS, finish, start

Row = tuple[int, str | None, str | None, bytearray]


def hash_archive(numbered: tuple[int, str]) -> Iterator[Row]:
    """Turn an archive into rows of chunks; page and site go with the page's first chunk only."""
    number, path = numbered
    for place, page in enumerate(hashed_pages(path)):
        key, first, *rest = (number << 32) + place, *page.digests
        yield key, page.url, site(page.url), bytearray(first)
        for digest in rest:
            yield key, None, None, bytearray(digest)


def run(job: Arguments, session: SparkSession) -> Outcome:
    """Do the whole job."""
    archives = session.sparkContext.parallelize(list(enumerate(job.archives)), len(job.archives))
    return finish(session.createDataFrame(archives.flatMap(hash_archive), CHUNKS), job.threshold)


if __name__ == "__main__":
    job, out = arguments(__doc__)
    session = start(job)
    report(out, lambda: run(job, session))
    session.stop()
