"""Every real archive goes through, and nothing that warcio or FastWARC can read is lost.

Where a payload differs from theirs on purpose, `EXCEPTIONS` says why; three rules cover the rest: a block that
does not begin with `HTTP/` is payload as a whole (warcio cuts it at the first empty line); what they give cut or
half decoded stands in the quarantine; and warcio loses the first newline of a body that is called chunked but was
stored joined (the records' payload digests have it; FastWARC refuses such bodies).
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import fastwarc.warc
import pytest
from warcio.archiveiterator import ArchiveIterator

from hpcreuse.crawl.arc import read_arc
from hpcreuse.crawl.header_text import clean_url
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.streams import open_stream, sniff
from hpcreuse.crawl.warc import read_warc

DATA = Path(__file__).parents[2] / "shared" / "data"
ENDINGS = (".arc", ".warc", ".wet")
PAGE_TYPES = ("response", "resource", "conversion")

MENDED = "declared lengths do not lead to the next record line: blocks are mended to end there"
EXCEPTIONS = {
    "42-117-20051212141242-00002-sb-test-har-001.statsbiblioteket.dk.arc": MENDED,
    "get1.ARC": MENDED,
    "get2.ARC": MENDED,
    "2-metadata-1.arc": "warcio takes the lines of a CDX, the block of a metadata record, for records",
    "example-space-in-url.arc": "the length runs over the separator at the end of the file: its newline is not payload",
    "redirect.warc": "CRLF became LF after counting: the separator inside the length is not payload",
    "test.warc": "as ClueWeb: the length runs into the next record, whose header warcio gives as payload",
}


def archives(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((DATA / folder).glob("*"))]
    return [path for path in found if any(end in path.name.lower() for end in ENDINGS)]


@pytest.fixture(autouse=True)
def data_is_there() -> None:
    if not DATA.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the real archives are missing: {DATA}")
        pytest.skip(f"no real archives at {DATA}")


def read(path: Path) -> tuple[list[Page], Ledger]:
    ledger = Ledger()
    with path.open("rb") as raw:
        stream = open_stream(raw)
        reader = read_arc if sniff(stream) == "arc" else read_warc
        return list(reader(stream, str(path), ledger, Limits())), ledger


def digest(payload: bytes) -> str:
    return hashlib.sha1(payload).hexdigest()


def is_web(url: str | None) -> bool:
    return (url or "").strip(" <").lower().startswith(("http:", "https:"))


def by_warcio(path: Path, whole: bool = False) -> Iterator[tuple[str, bytes, int]]:
    """URL, payload (or whole block) and offset of every page, up to where warcio gives up."""
    with path.open("rb") as raw:
        archive = ArchiveIterator(raw, no_record_parse=whole)
        try:
            for record in archive:
                url = record.rec_headers.get_header("WARC-Target-URI") or record.rec_headers.get_header("uri")
                if record.rec_type in PAGE_TYPES and is_web(url):
                    payload = record.raw_stream.read() if whole else record.content_stream().read()
                    yield clean_url(url.encode("utf-8", "surrogateescape")), payload, archive.get_record_offset()
        except Exception:
            return


def by_fastwarc(path: Path) -> Iterator[tuple[str, bytes, int]]:
    """The same from FastWARC, which reads no ARC."""
    kinds = fastwarc.warc.WarcRecordType
    wanted = kinds.response | kinds.resource | kinds.conversion
    with path.open("rb") as raw:
        try:
            for record in fastwarc.warc.ArchiveIterator(raw, record_types=wanted, auto_decode="all"):
                url = record.headers.get("WARC-Target-URI")
                if is_web(url):
                    payload = record.reader.read()
                    yield clean_url(url.encode("utf-8", "surrogateescape")), payload, record.stream_pos
        except Exception:
            return


@pytest.mark.parametrize("path", archives("archives", "aql"), ids=lambda path: path.name)
def test_what_others_can_read_is_a_page_or_listed(path: Path) -> None:
    pages, ledger = read(path)
    ours = {(page.url, digest(page.payload)) for page in pages}
    listed = {entry.url for entry in ledger.quarantined} | {entry.offset for entry in ledger.quarantined}
    whole = {(url, offset): block for url, block, offset in by_warcio(path, whole=True)}
    headless = {place for place, block in whole.items() if block[:5] != b"HTTP/"}
    blocks = {place for place in headless if (place[0], digest(whole[place])) in ours}
    lost = []
    for reader in (by_warcio, by_fastwarc):
        for url, payload, offset in reader(path):
            found = (url, digest(payload)) in ours or (url, offset) in blocks
            if reader is by_warcio:
                found = found or (url, digest(b"\n" + payload)) in ours
            if not found and url not in listed and offset not in listed:
                lost.append((reader.__name__, offset, url, len(payload)))
    if path.name in EXCEPTIONS:
        assert lost, "the exception is out of date"
    else:
        assert not lost


@pytest.mark.parametrize("path", archives("crawl"), ids=lambda path: path.name)
def test_crawls_are_read_exactly_as_warcio_reads_them(path: Path) -> None:
    pages, ledger = read(path)
    ours = Counter((page.url, digest(page.payload), page.offset) for page in pages)
    assert ours == Counter((url, digest(payload), offset) for url, payload, offset in by_warcio(path))
    assert not ledger.quarantined


def test_every_record_of_a_crawl_can_be_found_again_by_its_offset() -> None:
    path = DATA / "crawl" / "webkb1997.warc.gz"
    pages, _ = read(path)
    with path.open("rb") as raw:
        for page in pages[::500]:
            raw.seek(page.offset)
            assert next(read_warc(open_stream(raw), str(path), Ledger(), Limits())) == page
