"""A range of an archive: the records that begin in it, found without reading what comes before.

Only archives compressed record by record can be entered in the middle: a gzip member that inflates to the head of
a record is taken for one. A page may hold an archive itself and mislead this, so a range says where it found its
first record and where the first behind it: whoever puts ranges together must see that they meet.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from hpcreuse.crawl.arc import read_arc
from hpcreuse.crawl.compression import gzip_codec
from hpcreuse.crawl.members import Broken, inflate
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.rawfile import Input
from hpcreuse.crawl.streams import open_stream, record_form, sniff
from hpcreuse.crawl.tree import cannot_open
from hpcreuse.crawl.warc import read_warc

_READERS = {"warc": read_warc, "arc": read_arc}
_GLANCE = 4096


def read_range(path: str, start: int, stop: int | None, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the pages whose records begin from byte `start` up to `stop`; no stop means up to the end.

    The ledger tells where the first record stands, and the first that was left to the next range. The first range
    of an archive that cannot be entered in the middle reads all of it and leaves nothing to the others.
    """
    try:
        ledger.begin = ledger.end = Path(path).stat().st_size
        raw = open(path, "rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        if start == 0:
            ledger.begin = 0
            ledger.quarantine(path, 0, "", cannot_open(error))
        return
    with raw:
        first = first_record(raw, start) if start else 0
        if first is None:
            return
        ledger.begin = first
        if stop is not None and first >= stop:
            ledger.end = first
            return
        raw.seek(first)
        stream = open_stream(raw)
        stream.limit = stop
        reader = _READERS.get(sniff(stream), read_warc)
        yield from reader(stream, path, ledger, limits)
        if stream.reached is not None:
            ledger.end = stream.reached


def first_record(raw: BinaryIO, start: int) -> int | None:
    """Find the first gzip member at or behind a byte that begins with a record; None when there is none."""
    raw.seek(start)
    source, codec = Input(raw, start), gzip_codec()
    while source.find(codec.magic):
        view = source.view()
        try:
            head = inflate(codec, codec.new(bytes(view[:16])), view, _GLANCE)
        except Broken:
            head = b""
        if record_form(head):
            return source.offset
        source.advance(1)
    return None
