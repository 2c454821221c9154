"""WARC of any version, WET included -> pages.

`Page.offset` of a page from an archive that is compressed record by record is the offset of its gzip member
or zstd frame in the file (records that share a member share it): seek there and read on. Where the first
member holds more than one record (a WARC compressed as a whole), and in bz2, lz4 and plain files, it is the
offset in the decompressed stream.
"""

import re
from collections.abc import Iterator

from hpcreuse.crawl.formats import Head
from hpcreuse.crawl.header_text import empty_line, first_line, is_web, unfold
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.payloads import read_pages
from hpcreuse.crawl.streams import Stream
from hpcreuse.kernels import warc_head

_MAGIC = (b"WARC/", b"warc/")
MAX_HEADER = 1 << 20
_NEAR = 1 << 12
# A value runs on over lines that are no field of their own: folded ones, and URLs with a newline inside.
_FIELD = re.compile(
    rb"\n(WARC-Type|WARC-Target-URI|WARC-IP-Address|Content-Length|Content-Type)[ \t]*:[ \t]*"
    rb"([^\r\n]*(?:\r?\n(?![\w-]+[ \t]*:)[^\r\n]+)*)",
    re.IGNORECASE,
)
_REAL = re.compile(
    rb"WARC/\d+\.\d+[ \t]*\r?\n(?:[^\r\n]+\r?\n){0,40}?"
    rb"(?:WARC-Type|WARC-Record-ID|WARC-Date|Content-Length)[ \t]*:",
    re.IGNORECASE,
)
_PAGE_TYPES = (b"response", b"resource", b"conversion")


def read_warc(stream: Stream, archive: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Every page of a WARC; everything else is in the ledger afterwards."""
    return read_pages(stream, _Warc(), archive, ledger, limits)


class _Warc:
    name = "WARC"
    separators = 2

    def parse(self, stream: Stream) -> Head | None:
        usual = warc_head(stream.buf, stream.pos, _NEAR)
        if usual is None:
            return _parse_any(stream)
        size, length, url, content_type, ip = usual
        return Head(size, length, url, content_type, ip, "", True, False, b"\r\n")

    def starts(self, buf: bytes, at: int) -> bool:
        return buf.startswith(_MAGIC, at)

    def find(self, buf: bytes, start: int, end: int) -> int:
        start = max(0, start - 1)
        found = buf.find(b"\nWARC/", start, end + 5)
        small = buf.find(b"\nwarc/", start, end + 5 if found < 0 else found)
        found = found if small < 0 else small
        return found + 1 if found >= 0 else -1

    def looks_real(self, buf: bytes, at: int) -> bool:
        return _REAL.match(buf, at) is not None


def _parse_any(stream: Stream) -> Head | None:
    if stream.buffered() < 5:
        stream.need(5)
    if not stream.buf.startswith(_MAGIC, stream.pos):
        return None
    size = _header_size(stream)
    buf, start = stream.buf, stream.pos
    end = start + (size or min(stream.buffered(), _NEAR))
    fields = {name.lower(): value for name, value in reversed(_FIELD.findall(buf, start, end))}
    kind = first_line(unfold(fields.get(b"warc-type", b""))).lower()
    url = unfold(fields.get(b"warc-target-uri", b""))
    length = first_line(unfold(fields.get(b"content-length", b"")))
    return Head(
        size=size,
        length=int(length) if length.isdigit() and len(length) < 19 else -1,
        url=url,
        content_type=first_line(unfold(fields.get(b"content-type", b""))),
        ip=first_line(unfold(fields.get(b"warc-ip-address", b""))),
        skip=_skipped_kind(kind, url),
        http=kind == b"response",
        shrunk=buf.startswith((b"WARC/0.", b"warc/0."), start),
        newline=b"\r\n" if buf.startswith(b"\r\n", end - 2) else b"\n",
        problem=_problem(stream, size, kind, length),
    )


def _header_size(stream: Stream) -> int:
    """Bytes up to and with the first empty line; 0 when there is none within the limit."""
    for reach in (_NEAR, MAX_HEADER):
        if stream.buffered() < reach:
            size = empty_line(stream.buf, stream.pos, len(stream.buf))
            if size:
                return size
            stream.need(reach)
        size = empty_line(stream.buf, stream.pos, stream.pos + reach)
        if size:
            return size
    return 0


def _skipped_kind(kind: bytes, url: bytes) -> str:
    if kind in _PAGE_TYPES:
        if not url:
            return f"{kind.decode()} without target"
        return "" if is_web(url) else f"{kind.decode()} not http"
    return kind.decode("ascii", "replace")


def _problem(stream: Stream, size: int, kind: bytes, length: bytes) -> str:
    """Why a header is of no use; empty when it is fine."""
    if not size:
        over = stream.buffered() >= MAX_HEADER
        return "WARC header over 1 MiB" if over else "record cut short in its header"
    if stream.buf.find(b"\nWARC/", stream.pos, stream.pos + size) >= 0:
        return "WARC header has no end"
    if not length.isdigit() or len(length) > 18:
        shown = length[:40].decode("ascii", "replace")
        return f"Content-Length is not a length: {shown!r}" if length else "Content-Length is missing"
    if not kind:
        return "WARC-Type is missing"
    return ""
