"""Pages of a run read again from their archives, by the backreferences of its files."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from hpcreuse.crawl.pages import Limits, Page
from hpcreuse.crawl.read import reread_all
from hpcreuse.errors import StoreError
from hpcreuse.page.options import DigestOptions
from hpcreuse.store.shard import Shard

# A payload that is in the run was let in once: let it in again
NO_LIMITS = Limits(max_payload=1 << 40, max_components=1 << 30, max_repeats=1 << 30, max_run_repeats=1 << 30)


def reread_pages(path: Path, files: Sequence[int]) -> Iterator[tuple[int, Page]]:
    """Give files of a shard, by rising numbers, with their pages; the order is that of the archives.

    Raises StoreError when an archive is gone, or is not what was hashed.
    """
    with Shard.open(path) as shard:
        options = DigestOptions.from_record(shard.header["digest_options"])
        archives, prefix = list(shard.strings("archives")), shard.header["url_prefix"]
        number, offset, digest = (shard.column(f"files/{name}") for name in ("archive", "offset", "digest"))
        urls = shard.strings("files/url")
    for archive, chosen in groupby(files, lambda file: archives[number[file]].decode("utf-8", "surrogateescape")):
        wanted = list(chosen)
        places = [(int(offset[file]), urls[file].decode("utf-8", "surrogateescape")) for file in wanted]
        for place, page in reread_all(archive, places, NO_LIMITS, prefix):
            if page is None:
                raise StoreError(
                    f"{archive} has no page {places[place][1]} at {places[place][0]}, or cannot be read: the archives "
                    "that the run was made of are read again, and must be where they were"
                )
            if hashlib.new(options.digest, page.payload).digest() != digest[wanted[place]].tobytes():
                raise StoreError(f"{archive} has changed: {page.url} is not what was hashed. Hash it again")
            yield wanted[place], page
