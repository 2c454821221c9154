"""Small archives for tests."""

import io
import random
from collections.abc import Iterable
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


def write_warc(path: Path, pages: Iterable[tuple[str, bytes]], content_type: str = "text/html") -> Path:
    """Write pages as responses to a WARC, one gzip member a record when the name ends so."""
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=path.suffix == ".gz")
        for url, payload in pages:
            head = StatusAndHeaders("200 OK", [("Content-Type", content_type)], protocol="HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(url, "response", payload=io.BytesIO(payload), http_headers=head)
            )
    return path


def first_records(source: Path, out: Path, first: int, last: int) -> Path:
    """Copy records first to last-1 of a per-record gzip archive, bytes as they are."""
    from warcio.archiveiterator import ArchiveIterator

    with source.open("rb") as stream:
        records = ArchiveIterator(stream)
        bounds = []
        for number, record in enumerate(records):
            record.raw_stream.read()
            if number >= first:
                bounds.append(records.get_record_offset())
            if number == last:
                break
    data = source.read_bytes()
    out.write_bytes(data[bounds[0] : bounds[-1]])
    return out


def random_pages(seed: int, count: int) -> list[tuple[str, bytes]]:
    """Make pages of some dozens of sites from a stock of paragraphs: many chunks occur many times."""
    choose = random.Random(seed)
    body = [b"<p>%d %s</p>" % (n, b"word " * (n % 17)) for n in range(300)]
    return [
        (f"http://s{choose.randrange(40)}.example/{seed}/{n}.html", b"".join(choose.choices(body, k=60)))
        for n in range(count)
    ]
