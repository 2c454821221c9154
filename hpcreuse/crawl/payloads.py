"""The block of a record -> a page, or an entry in the quarantine."""

from collections.abc import Iterator

from hpcreuse.crawl.encodings import Undecodable
from hpcreuse.crawl.formats import Format
from hpcreuse.crawl.header_text import clean_url, clean_value
from hpcreuse.crawl.http import read_response
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.records import Records
from hpcreuse.crawl.streams import Stream


def read_pages(stream: Stream, form: Format, archive: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Every page of an archive; everything else is in the ledger afterwards."""
    for head, offset, start, end in Records(stream, form, archive, ledger, limits):
        url = clean_url(head.url)
        content_type = head.content_type
        if head.http:
            try:
                payload, declared = read_response(stream.buf, start, end, limits.max_payload)
            except Undecodable as reason:
                ledger.quarantine(archive, offset, url, str(reason))
                continue
            content_type = declared or _unless_http(content_type)
        else:
            payload = stream.buf[start:end]
        plain = not head.http and content_type[:10].lower() == b"text/plain"
        yield Page(url, payload, clean_value(content_type), archive, offset, clean_value(head.ip), plain)


def _unless_http(content_type: bytes) -> bytes:
    """The record's own type, unless it only says that the block is an HTTP message."""
    return b"" if content_type[:16].lower() == b"application/http" else content_type
