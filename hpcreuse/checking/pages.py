"""The pages to check: of files and archives, or as they come on a pipe."""

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple, cast

from hpcreuse.crawl.arc import read_arc
from hpcreuse.crawl.pages import Ledger, Limits, Page, Quarantined
from hpcreuse.crawl.partitions import plan
from hpcreuse.crawl.read import read
from hpcreuse.crawl.streams import open_stream, sniff
from hpcreuse.crawl.warc import read_warc

STDIN = "-"
READ = 1 << 16

# First bytes of archives, compressed or not; anything else is pages
_ARCHIVE = re.compile(rb"\s*WARC/|\s*filedesc:|\x1f\x8b|BZh|\x04\x22\x4d\x18|\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_DECIDING = 16


class Unreadable(NamedTuple):
    """Something that should have been a page."""

    place: Quarantined


def pages_of(inputs: Sequence[str], url_prefix: str | None, limits: Limits) -> Iterator[Page | Unreadable]:
    """Give the pages of files, archives and folders in order, and what could not be read where it stood."""
    for partition in plan(inputs, url_prefix):
        ledger = Ledger()
        yield from _with_losses(read(partition, ledger, limits), ledger)


def pages_of_pipe(pipe: BinaryIO, limits: Limits) -> Iterator[Page | Unreadable]:
    """Give the pages of a WARC or ARC stream, or pages that are separated by NUL, each as soon as it is there.

    Args:
        pipe: unbuffered, so that it gives what there is without waiting for more.
    """
    head = b""
    while len(head) < _DECIDING and b"\0" not in head and (part := pipe.read(READ)):
        head += part
    if not _ARCHIVE.match(head):
        yield from _separated(head, pipe, limits)
        return
    ledger = Ledger()
    stream = open_stream(cast(BinaryIO, _Rejoined(head, pipe)))
    reader = read_arc if sniff(stream) == "arc" else read_warc
    yield from _with_losses(reader(stream, STDIN, ledger, limits), ledger)


def _with_losses(pages: Iterator[Page], ledger: Ledger) -> Iterator[Page | Unreadable]:
    """Give what the ledger lists as soon as it does."""
    for page in pages:
        yield from map(Unreadable, ledger.quarantined)
        ledger.quarantined.clear()
        yield page
    yield from map(Unreadable, ledger.quarantined)


def _separated(head: bytes, pipe: BinaryIO, limits: Limits) -> Iterator[Page | Unreadable]:
    """Cut at NUL; what follows the last one is a page too, unless it is empty."""
    number, waiting = 0, head
    while True:
        *whole, waiting = waiting.split(b"\0")
        for payload in whole:
            number += 1
            yield _page(number, payload, limits)
        if len(waiting) > limits.max_payload:
            # It will be refused: keep no more of it
            waiting = waiting[: limits.max_payload + 1]
        part = pipe.read(READ)
        if not part:
            break
        waiting += part
    if waiting:
        yield _page(number + 1, waiting, limits)


def _page(number: int, payload: bytes, limits: Limits) -> Page | Unreadable:
    name = f"{STDIN}#{number}"
    if len(payload) > limits.max_payload:
        return Unreadable(Quarantined(STDIN, number, name, f"payload is over the limit of {limits.max_payload} bytes"))
    return Page(name, payload, "", STDIN, number)


class _Rejoined:
    """A pipe with its first bytes put back."""

    def __init__(self, head: bytes, pipe: BinaryIO):
        self._head, self._pipe = head, pipe

    def seekable(self) -> bool:
        return False

    def read(self, size: int) -> bytes:
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        return self._pipe.read(size)
