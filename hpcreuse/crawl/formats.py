"""What the readers of WARC and ARC share: a record's header, and what a format must be able to tell."""

from typing import NamedTuple, Protocol

from hpcreuse.crawl.streams import Stream


class Head(NamedTuple):
    """A record's header, as far as readers care."""

    size: int
    """Bytes of the header itself, its closing empty line included."""
    length: int
    url: bytes
    content_type: bytes
    ip: bytes
    skip: str
    """The kind to count when the record is no page by definition; empty for a page."""
    http: bool
    """The block is an HTTP message (or should be one)."""
    shrunk: bool
    """Lengths of this version are not to be trusted: blocks may be cut or extended to the next record."""
    newline: bytes
    problem: str = ""
    """Why the record cannot be read at all."""


class Format(Protocol):
    """What WARC and ARC differ in."""

    name: str
    separators: int
    """Newlines that a writer puts behind a block."""

    def parse(self, stream: Stream) -> Head | None:
        """The header at `stream.pos`; None when no record starts there."""

    def starts(self, buf: bytes, at: int) -> bool:
        """Whether a record starts at a place where one is expected."""

    def find(self, buf: bytes, start: int, end: int) -> int:
        """The next place in a window that may be a record start, newline before it; -1 if none."""

    def looks_real(self, buf: bytes, at: int) -> bool:
        """Whether a place found in arbitrary bytes is a record start beyond doubt."""
