"""What all peers do alike: read a WARC with FastWARC, cut pages at <p and <div with `re`, hash chunks with hashlib.

This is the fastest that is to be had from Python without compiled code of one's own: FastWARC is the fastest reader
there is, and the pattern is the faster of several ways to write it. A peer does nothing that the job does not ask for:
files are not hashed whole, sites are the only neighborhoods.
"""

import argparse
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_NEXT_TAG = re.compile(rb"<(?:[pP]|[dD][iI][vV])[ \t>/]")


class PageChunks(NamedTuple):
    """A page and the digests of its chunks, in order."""

    url: str
    digests: list[bytes]


def payloads(path: str) -> Iterator[tuple[str, bytes]]:
    """Give URL and payload of every response of an archive."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for record in ArchiveIterator(path, record_types=WarcRecordType.response, parse_http=True, fsspec_args=False):
        yield record.headers["WARC-Target-URI"], record.reader.read()


def hashed_pages(path: str) -> Iterator[PageChunks]:
    """Give the digests of all chunks, page by page."""
    sha1 = hashlib.sha1
    for url, payload in payloads(path):
        view, digests, start = memoryview(payload), [], 0
        for tag in _NEXT_TAG.finditer(payload, 1):
            end = tag.start()
            digests.append(sha1(view[start:end]).digest())
            start = end
        digests.append(sha1(view[start:]).digest())
        yield PageChunks(url, digests)


def site(url: str) -> str:
    """Give the site of a URL as hpcreuse names it."""
    return re.sub(r":(80|443)?$", "", url.split("/", 3)[2].rpartition("@")[2].lower()) + "/"


class Outcome(NamedTuple):
    """What the job asks for."""

    labels: dict[bytes, int]
    """The chunks above the threshold with their counts."""
    pages: list[tuple[str, int, int]]
    """URL, chunks, bad chunks."""
    sites: dict[str, float]
    """The badness of each site."""
    mean: float
    deviation: float
    site_mean: float
    site_deviation: float


class Arguments(NamedTuple):
    """What a peer is told."""

    archives: list[str]
    threshold: int
    processes: int
    scratch: Path


def arguments(doc: str | None) -> tuple[Arguments, Path]:
    """Read the command line of a peer: the job, and where its outcome goes."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--threshold", type=int, default=20)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--scratch", type=Path, required=True, help="a folder that is there and empty")
    parser.add_argument("--out", type=Path, required=True, help="where the outcome goes, as JSON")
    options = parser.parse_args()
    return Arguments(options.archives, options.threshold, options.processes, options.scratch), options.out


def report(out: Path, work: Callable[[], Outcome | dict[str, int]]) -> None:
    """Do the work; write when it began and ended by the clock of the machine, and what came out, which is not timed."""
    begin = time.time()
    outcome = work()
    times = {"begin": begin, "end": time.time()}
    if isinstance(outcome, Outcome):
        found = {**outcome._asdict(), "labels": {digest.hex(): count for digest, count in outcome.labels.items()}}
    else:
        found = outcome
    out.write_text(json.dumps({**times, "outcome": found}))
