"""What the machine can do at best, in one process: inflate, read, scan, hash, copy, write."""

import ctypes
import mmap
import os
import subprocess
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from isal import isal_zlib

from hpcreuse.crawl.pages import Ledger, Limits
from hpcreuse.crawl.partitions import plan
from hpcreuse.crawl.read import read

# SHA-1 with the file's digest, of chunks alone, or not at all
NO_HASH, CHUNKS, FILES_AND_CHUNKS = range(3)

Page = bytes | memoryview


class Rate(NamedTuple):
    """So many bytes in so many seconds, by the clock and of the processor."""

    bytes: int
    seconds: float
    cpu_seconds: float

    @property
    def megabytes(self) -> float:
        """Megabytes per second."""
        return self.bytes / self.seconds / 1e6

    @property
    def megabytes_of_cpu(self) -> float:
        """Megabytes per second of processor time: what others do on the machine matters less."""
        return self.bytes / self.cpu_seconds / 1e6


def timed(work: Callable[[], int]) -> Rate:
    """Time something that gives the bytes it did."""
    begin, cpu_begin = time.perf_counter(), time.process_time()
    size = work()
    return Rate(size, time.perf_counter() - begin, time.process_time() - cpu_begin)


class Scanner:
    """floor.c, compiled here."""

    def __init__(self) -> None:
        import _hashlib

        folder = Path(tempfile.mkdtemp(prefix="hpcreuse-floor-"))
        library = folder / "floor.so"
        source = Path(__file__).with_name("floor.c")
        subprocess.run([os.environ.get("CC", "gcc"), "-O3", "-shared", "-fPIC", source, "-o", library], check=True)
        self.scan = ctypes.CDLL(str(library)).scan
        self.scan.restype = ctypes.c_long
        self.scan.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_void_p] * 3, ctypes.c_int, ctypes.c_void_p]
        crypto = ctypes.CDLL(_hashlib.__file__)
        names = ("SHA1_Init", "SHA1_Update", "SHA1_Final")
        self.sha1 = tuple(ctypes.cast(getattr(crypto, name), ctypes.c_void_p) for name in names)
        self.sum = ctypes.c_uint(0)
        library.unlink()
        folder.rmdir()

    def __call__(self, page: Page, hashing: int) -> int:
        """Scan one page; give how many chunks it has."""
        functions = self.sha1 if hashing else (None, None, None)
        place = np.frombuffer(page, np.uint8)
        return int(
            self.scan(place.ctypes.data, len(place), *functions, hashing == FILES_AND_CHUNKS, ctypes.byref(self.sum))
        )


@cache
def scanner() -> Scanner:
    """Give the one scanner of this process."""
    return Scanner()


def drain(pages: Iterable[Page]) -> int:
    """Read pages and drop them; give their bytes."""
    return sum(map(len, pages))


def scan_all(pages: Iterable[Page], hashing: int) -> int:
    """Scan and hash pages and drop all; give their bytes."""
    scan, size = scanner(), 0
    for page in pages:
        scan(page, hashing)
        size += len(page)
    return size


def fastwarc_pages(archives: Sequence[Path]) -> Iterator[bytes]:
    """Read the payloads with FastWARC."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for path in archives:
        records = ArchiveIterator(str(path), record_types=WarcRecordType.response, parse_http=True, fsspec_args=False)
        for record in records:
            yield record.reader.read()


def our_pages(archives: Sequence[Path]) -> Iterator[bytes]:
    """Read the payloads with the reader of hpcreuse."""
    for partition in plan(list(map(str, archives)), None):
        for page in read(partition, Ledger(), Limits()):
            yield page.payload


class Members(NamedTuple):
    """An archive in memory, with where each gzip member lies: nothing is left to find out but the content."""

    data: mmap.mmap | bytes
    cuts: list[int]


def find_members(archives: Sequence[Path]) -> list[Members]:
    """Look at archives once, untimed; those that are not gzip have no members."""
    found = []
    for path in archives:
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        cuts, at = [0], 0
        while path.suffix == ".gz" and at < len(data):
            # The only way to learn where a member ends is to inflate it
            inflater = zlib.decompressobj(31)
            while not inflater.eof:
                block = data[at : at + (1 << 16)]
                inflater.decompress(block)
                at += len(block)
            at -= len(inflater.unused_data)
            cuts.append(at)
        found.append(Members(data, cuts))
    return found


def inflate_all(members: Sequence[Members], inflate: Callable[..., bytes]) -> Iterator[bytes]:
    """Inflate member by member."""
    for data, cuts in members:
        view = memoryview(data)
        for first, last in pairwise(cuts):
            yield inflate(view[first:last], 31)


def isal_pages(members: Sequence[Members]) -> Iterator[memoryview]:
    """Inflate with ISA-L, as the reader of hpcreuse does, and find the payload with two searches: no check at all."""
    for record in inflate_all(members, isal_zlib.decompress):
        body = record.index(b"\r\n\r\n", record.index(b"\r\n\r\n") + 4) + 4
        yield memoryview(record)[body:-4]


def copy_all(pages: Sequence[Page]) -> int:
    """Copy pages in memory."""
    room = np.empty(max(map(len, pages)), np.uint8)
    size = 0
    for page in pages:
        room[: len(page)] = np.frombuffer(page, np.uint8)
        size += len(page)
    return size


def write_disk(folder: Path, size: int) -> int:
    """Write so many bytes to a file and wait until the disk has them."""
    block = np.random.default_rng(0).bytes(1 << 24)
    with tempfile.TemporaryFile(dir=folder) as file:
        for first in range(0, size, len(block)):
            file.write(block[: size - first])
        file.flush()
        os.fsync(file.fileno())
    return size
