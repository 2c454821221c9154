"""The demo's crawl as WARC files, with the odd records that real crawls have."""

import random
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from hpcreuse.demo.pages import Capture
from hpcreuse.demo.phish import Phish
from hpcreuse.demo.sites import Group, plant
from hpcreuse.demo.texts import Texts

SEED = 2019
# Shares of the archives: of different size, so that ranks have to share work
SHARES = (30, 22, 17, 13, 10, 8)
BEGIN = datetime(2019, 4, 1, 12, tzinfo=UTC)

PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
IMAGE = Capture("http://college.example/img/pixel.gif", PIXEL, "image/gif")
LOOP = Capture("http://nightsky.example/next/next/next/next/next/index.html", b"<html><p>One page, many URLs\n")
DAMAGED_URL = "http://birdwatch.example/2005/02/damaged.html"


@dataclass(frozen=True)
class Crawl:
    """What was written, and what should come of it."""

    archives: list[Path]
    groups: list[Group]
    copies: list[str]
    """URLs of all pages in neighborhoods that must be found bad."""
    files: int
    skipped: dict[str, int]
    quarantined: int
    sites: int
    payload_bytes: int
    texts: Texts
    phish: Phish
    quoted_chunk: str
    """Digest of the wiki paragraph that an honest site quotes."""


def make_crawl(folder: Path, seed: int = SEED) -> Crawl:
    """Write a crawl; the same seed gives the same bytes."""
    planted = plant(seed)
    captures = [*planted.captures, IMAGE]
    # A crawler goes from site to site: what is copied lies in many archives, so counts must be global
    random.Random(seed).shuffle(captures)
    folder.mkdir(parents=True)
    archives, skipped, first = [], Counter[str](), 0
    for number in range(len(SHARES)):
        last = len(captures) * sum(SHARES[: number + 1]) // sum(SHARES)
        path = folder / f"crawl-{number:05d}.warc.gz"
        with Archive(path, seed + number) as archive:
            archive.add_pages(captures[first:last])
            if number == 0:
                archive.add_odd_records(captures[0])
        archives.append(path)
        skipped += archive.skipped
        first = last
    return Crawl(
        archives=archives,
        groups=planted.groups,
        copies=planted.copies,
        files=len(captures),
        skipped=dict(sorted(skipped.items())),
        quarantined=2,
        sites=len({capture.url.split("/")[2] for capture in captures}),
        payload_bytes=sum(len(capture.payload) for capture in captures),
        texts=planted.texts,
        phish=planted.phish,
        quoted_chunk=sha1(planted.quote.encode()).hexdigest(),
    )


class Archive:
    """One WARC file; its dates and record numbers depend on the seed alone."""

    def __init__(self, path: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.date = BEGIN
        self.skipped: Counter[str] = Counter()
        self.file = path.open("wb")
        self.writer = WARCWriter(self.file, gzip=True)
        self._write("warcinfo", "", b"software: hpcreuse demo\r\nformat: WARC File Format 1.0\r\n")
        self.skipped["warcinfo"] += 1

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def add_pages(self, captures: Sequence[Capture]) -> None:
        """Write pages as responses."""
        for capture in captures:
            self._write("response", capture.url, capture.payload, [("Content-Type", capture.content_type)])

    def add_odd_records(self, known: Capture) -> None:
        """Write what is no page (four kinds) and what cannot become one (two records)."""
        self._write("request", known.url, b"GET / HTTP/1.1\r\nHost: college.example\r\n\r\n")
        self._write("metadata", known.url, b"hopsFromSeed: LL\r\nfetchTimeMs: 112\r\n")
        self._write("revisit", known.url, b"", [("Content-Type", known.content_type)])
        self._write("response", "dns:college.example", b"20190401120000\ncollege.example. 300 IN A 192.0.2.7\n")
        self.skipped += Counter(("request", "metadata", "revisit", "response not http"))
        broken = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + self.rng.randbytes(200)
        self._write("response", DAMAGED_URL, broken, [("Content-Type", "text/html"), ("Content-Encoding", "gzip")])
        self.add_pages([LOOP])

    def _write(self, kind: str, url: str, block: bytes, http: list[tuple[str, str]] | None = None) -> None:
        """Write one record; with HTTP headers the block is the payload of a response."""
        self.date += timedelta(seconds=1)
        headers = {
            "WARC-Record-ID": f"<urn:uuid:{uuid.UUID(int=self.rng.getrandbits(128), version=4)}>",
            "WARC-Date": self.date.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        if url.startswith("dns:"):
            headers["Content-Type"] = "text/dns"
        status = StatusAndHeaders("200 OK", http, protocol="HTTP/1.1") if http is not None else None
        self.writer.write_record(
            self.writer.create_warc_record(
                url, kind, payload=BytesIO(block), length=len(block), warc_headers_dict=headers, http_headers=status
            )
        )
