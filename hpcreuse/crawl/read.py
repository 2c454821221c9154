"""All pages of a partition, whatever it is: content decides first, the name second."""

import json
import lzma
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from hpcreuse.crawl.arc import read_arc
from hpcreuse.crawl.cleaning import recursion_error
from hpcreuse.crawl.containers import DAMAGE, StreamBytes, page_url
from hpcreuse.crawl.jsonl import read_jsonl
from hpcreuse.crawl.mail import HEAD_BYTES, MBOX_NAME, MailFile, is_mail, read_mail
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.partitions import Partition
from hpcreuse.crawl.ranges import read_range
from hpcreuse.crawl.streams import Stream, open_stream, record_form, sniff
from hpcreuse.crawl.tarball import read_tar
from hpcreuse.crawl.tree import cannot_open, read_file, read_tree
from hpcreuse.crawl.wacz import open_warc, read_wacz, warc_members
from hpcreuse.crawl.warc import read_warc
from hpcreuse.crawl.zipfiles import open_zip, read_zip

_COMPRESSED = r"(?:\.(?:gz|bz2|zst|lz4|xz))?\Z"
_NAMES = {
    "warc": re.compile(r"\.(?:warc|wet)" + _COMPRESSED, re.IGNORECASE),
    "arc": re.compile(r"\.arc" + _COMPRESSED, re.IGNORECASE),
    "tar": re.compile(r"\.(?:tar" + _COMPRESSED + r"|tgz|tbz2?|txz|tzst)\Z", re.IGNORECASE),
    "zip": re.compile(r"\.(?:zip|wacz)\Z", re.IGNORECASE),
    "json": re.compile(r"\.(?:jsonl|ndjson)" + _COMPRESSED, re.IGNORECASE),
    "mail": MBOX_NAME,
}
_FIELDS = re.compile(rb'"(?:text|html)"\s*:')
_XZ = b"\xfd7zXZ\x00"


def read(partition: Partition, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the pages of a partition; what cannot be read and what a loop made is quarantined."""
    ledger.begin, ledger.end = partition.number, partition.stop
    if partition.is_range:
        stop = None if partition.final else partition.stop
        pages = read_range(partition.source, partition.number, stop, ledger, limits)
    elif partition.names:
        pages = read_tree(partition.source, partition.names, partition.url_prefix, ledger, limits)
    else:
        pages = read_archive(partition.source, partition.url_prefix, ledger, limits)
    for page in pages:
        if reason := recursion_error(page.url, limits):
            ledger.quarantine(page.archive, page.offset, page.url, reason)
        else:
            yield page


def read_archive(path: str, url_prefix: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the pages of one file, uncleaned; a file that is no archive is a page itself."""
    try:
        raw = _open(path)
    except OSError as error:
        ledger.quarantine(path, 0, "", cannot_open(error))
        return
    with raw:
        before = len(ledger.quarantined) + ledger.skipped.total()
        found = False
        try:
            for page in _dispatch(raw, path, url_prefix, ledger, limits):
                found = True
                yield page
        except DAMAGE as error:
            ledger.quarantine(path, 0, "", f"cannot be read: {error or type(error).__name__}")
        if not found and before == len(ledger.quarantined) + ledger.skipped.total():
            # An archive with nothing in it may be whole, but whoever put it there should know.
            ledger.quarantine(path, 0, "", "no record found in this file")


def reread(archive: str, offset: int, url: str, limits: Limits, url_prefix: str | None = None) -> Page | None:
    """Find one page again by its backreference; None when it is not there any more."""
    return next(page for _, page in reread_all(archive, [(offset, url)], limits, url_prefix))


def reread_all(
    archive: str, places: Sequence[tuple[int, str]], limits: Limits, url_prefix: str | None = None
) -> Iterator[tuple[int, Page | None]]:
    """Find pages of an archive again by offset and URL; give each with its number, None when it is not there any more.

    Goes straight to the record where the archive allows it, and reads the archive once for all others.
    """
    path, member = split_member(archive)
    left: dict[tuple[int, str], list[int]] = {}
    for number, (offset, url) in enumerate(places):
        if offset == 0 and not member and _may_be_file(path, url, url_prefix):
            yield number, next(read_file(path, url, Ledger(), limits), None)
        elif page := _record_at(path, member, archive, offset, url, limits):
            yield number, page
        else:
            left.setdefault((offset, url), []).append(number)
    if not left:
        return
    mbox = next(iter(left))[1].rpartition("/")[0]
    if not member and _may_be_file(path, mbox, url_prefix):
        pages = read_file(path, mbox, Ledger(), limits)
    else:
        pages = read_archive(path, url_prefix or "", Ledger(), limits)
    for page in pages:
        for number in left.pop((page.offset, page.url), []) if page.archive == archive else ():
            yield number, page
        if not left:
            return
    for numbers in left.values():
        yield from ((number, None) for number in numbers)


def _open(path: str) -> BinaryIO:
    if Path(path).is_dir():
        # The plan could not list this folder: asking again gives the reason.
        os.scandir(path).close()
    raw: BinaryIO = open(path, "rb")  # noqa: SIM115 (the caller closes it)
    if raw.read(len(_XZ)) == _XZ:
        # Streams do not know this compression; to them it is a plain file.
        raw.close()
        return cast(BinaryIO, lzma.LZMAFile(path))
    raw.seek(0)
    return raw


def _dispatch(raw: BinaryIO, path: str, url_prefix: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the pages of an open file by the reader for its kind."""
    stream = open_stream(raw)
    kind = _kind(stream, path)
    if kind == "warc":
        return read_warc(stream, path, ledger, limits)
    if kind == "arc":
        return read_arc(stream, path, ledger, limits)
    if kind in ("tar", "json"):
        for damage in stream.passed:
            ledger.quarantine(path, damage.offset, "", damage.reason)
        reader = read_tar if kind == "tar" else read_jsonl
        return reader(StreamBytes(stream), path, url_prefix, ledger, limits)
    if kind == "zip":
        return _read_zip(raw, path, url_prefix, ledger, limits)
    folder, _, name = path.rpartition("/")
    url = page_url(folder, name, url_prefix)
    if kind == "mail":
        file = MailFile(path, "" if MBOX_NAME.search(path) else url, page_url(path, "", url_prefix))
        return read_mail(StreamBytes(stream), file, ledger, limits)
    return read_file(path, url, ledger, limits)


def _kind(stream: Stream, path: str) -> str:
    """Decide what a file is: an archive by its content or, when that is damaged, by its name."""
    named = next((kind for kind, pattern in _NAMES.items() if pattern.search(path)), "")
    found = sniff(stream)
    if found == "json" and named != "json" and not _is_json_lines(stream):
        found = ""
    if found == "zip" and (stream.codec or named not in ("zip", "")):
        found = ""
    if found in ("", "warc") and not record_form(stream.peek(4096)) and is_mail(stream.peek(HEAD_BYTES), path):
        found = "mail"
    return found or named


def _is_json_lines(stream: Stream) -> bool:
    """Tell JSON lines of pages from a script or a JSON file that is a page itself, by the first line."""
    head = stream.peek(1 << 20)
    line, newline, _ = head.partition(b"\n")
    if not _FIELDS.search(line):
        return False
    if not newline and len(head) == 1 << 20:
        return True
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _read_zip(raw: BinaryIO, path: str, url_prefix: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    container = open_zip(raw, path, ledger)
    if container is None:
        return
    with container:
        if path.lower().endswith(".wacz") or warc_members(container):
            yield from read_wacz(container, path, ledger, limits)
        else:
            yield from read_zip(container, path, url_prefix, ledger, limits)


def split_member(archive: str) -> tuple[str, str]:
    """Divide `path.wacz!member`; a path may have a `!` of its own."""
    parts = archive.split("!")
    for count in range(len(parts), 0, -1):
        path = "!".join(parts[:count])
        if Path(path).is_file():
            return path, "!".join(parts[count:])
    return archive, ""


def _may_be_file(path: str, url: str, url_prefix: str | None) -> bool:
    """Tell whether a URL is that of a whole file, of whatever folder above it."""
    *above, _ = parts = path.split("/")
    for depth in range(1, len(above) + 1):
        inside = "/".join(parts[depth:])
        if url == page_url(parts[depth - 1], inside, url_prefix or ""):
            return True
    return False


def _record_at(path: str, member: str, archive: str, offset: int, url: str, limits: Limits) -> Page | None:
    """Read on from an offset; None when the page does not begin there."""
    try:
        with _open(path) as raw:
            source = open_warc(raw, member) if member else raw
            source.seek(offset)
            stream = open_stream(source)
            reader = {"warc": read_warc, "arc": read_arc}.get(sniff(stream))
            for page in reader(stream, archive, Ledger(), limits) if reader else ():
                # Records compressed together share an offset: the page may be the second or third.
                if page.offset != offset:
                    return None
                if page.url == url:
                    return page
    except DAMAGE:
        pass
    return None
