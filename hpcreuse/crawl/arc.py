"""ARC, versions 1 and 2 -> pages. `Page.offset` means the same as in `warc.py`.

A record is one line, `URL IP date type length` (version 2 has five more fields before the length), and its
block. Nothing quotes the blanks that URLs contain, so lines are read from the right.
"""

import re
from collections.abc import Iterator

from hpcreuse.crawl.formats import Head
from hpcreuse.crawl.header_text import is_web
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.payloads import read_pages
from hpcreuse.crawl.streams import Stream

MAX_LINE = 1 << 14
_DATE = re.compile(rb"\d{12,18}")
_START = rb"[A-Za-z][A-Za-z0-9+.-]{0,40}:[^\r\n]{0,16384}? \d{14} [^\r\n]{0,4096}\d[ \t]*\r?\n"
_RECORD = re.compile(_START)
_RECORD_LINE = re.compile(rb"\n(?=" + _START + rb")")
# A line that was meant as a header, whatever became of its length.
_MEANT = re.compile(
    rb"([A-Za-z][A-Za-z0-9+.-]{0,40}:[^\r\n]{0,16384}) (\S*) (\d{12,18}) ([^\r\n]*?) ?(\S*)[ \t]*(?:\r?\n|$)"
)
# What a record may begin with where no newline stands before it: a length that is one too long must not
# make `ttp://` a record.
_SCHEMES = (b"http://", b"https://", b"dns:", b"filedesc:", b"ftp://")
_NO_TYPE = (b"no-type", b"-", b"unknown")


def read_arc(stream: Stream, archive: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Every page of an ARC; everything else is in the ledger afterwards."""
    return read_pages(stream, _Arc(), archive, ledger, limits)


class _Arc:
    name = "ARC"
    separators = 1

    def parse(self, stream: Stream) -> Head | None:
        line_end = stream.buf.find(b"\n", stream.pos, stream.pos + MAX_LINE)
        if line_end < 0:
            stream.need(MAX_LINE)
            line_end = stream.buf.find(b"\n", stream.pos, stream.pos + MAX_LINE)
        cut = line_end < 0
        end = min(len(stream.buf), stream.pos + MAX_LINE) if cut else line_end + 1
        line = stream.buf[stream.pos : end]
        fields = _fields(line)
        if fields is None:
            return None
        url, ip, kind, length = fields
        number = int(length) if length.isdigit() and len(length) < 19 else -1
        shown = length[:40].decode("ascii", "replace")
        problem = "" if number >= 0 else f"ARC length is not a length: {shown!r}"
        return Head(
            size=len(line),
            length=number,
            url=url,
            content_type=b"" if kind in _NO_TYPE else kind,
            ip=ip,
            skip="" if is_web(url) else _scheme(url),
            http=True,
            shrunk=True,
            newline=b"\r\n" if line.endswith(b"\r\n") else b"\n",
            problem="record cut short in its header" if cut else problem,
        )

    def starts(self, buf: bytes, at: int) -> bool:
        if at and buf[at - 1] != 10 and not buf.startswith(_SCHEMES, at):
            return False
        return _MEANT.match(buf, at) is not None

    def find(self, buf: bytes, start: int, end: int) -> int:
        found = _RECORD_LINE.search(buf, max(0, start - 1), end + MAX_LINE)
        return found.end() if found is not None and found.end() < end else -1

    def looks_real(self, buf: bytes, at: int) -> bool:
        return _RECORD.match(buf, at) is not None


def _fields(line: bytes) -> tuple[bytes, bytes, bytes, bytes] | None:
    """URL, IP, type and length of a header line; None when it is none."""
    text = line.rstrip()
    for count in (4, 9):
        parts = text.rsplit(b" ", count)
        if len(parts) == count + 1 and _DATE.fullmatch(parts[2]) and b":" in parts[0]:
            return parts[0], parts[1], parts[3], parts[-1]
    match = _MEANT.fullmatch(line)
    return (match[1], match[2], match[4], match[5]) if match is not None else None


def _scheme(url: bytes) -> str:
    return url.partition(b":")[0].lower().decode("ascii", "replace")
