"""The site that a study copies and changes: its pages that have chunks, in the order of the input."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.crawl.pages import Ledger, Limits
from hpcreuse.crawl.partitions import Partition, plan
from hpcreuse.crawl.read import read
from hpcreuse.crawl.types import decide_type, is_textual
from hpcreuse.crawl.urls import directory
from hpcreuse.digest_fields import digest_options
from hpcreuse.errors import CrawlError
from hpcreuse.kernels import digests as dg
from hpcreuse.lsh.originals import Hashing, Objects
from hpcreuse.page.digest import PageDigests, digest_page
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.world import World
from hpcreuse.store.shard import Counted
from hpcreuse.study.fields import SiteFields


class SitePage(NamedTuple):
    """A page with all that decides its chunks."""

    url: str
    payload: bytes
    mime: str
    plain: bool
    content_type: str
    """As declared: in dom mode its charset counts."""

    def digests(self, options: DigestOptions) -> PageDigests:
        """Hash the page and its chunks."""
        return digest_page(self.payload, self.mime, True, self.plain, options, self.content_type)

    def objects(self, hashing: Hashing) -> Objects:
        """Hash its chunks, or itself, both ways."""
        return hashing.objects_of(self.payload, self.mime, self.plain, self.content_type)


@dataclass(frozen=True)
class Site:
    """Where the pages are read from. Every rank reads for itself: a site is small, a crawl need not be."""

    partitions: list[Partition]
    below: str
    options: DigestOptions
    plain: bool
    """Whether pages of plain text are among them."""

    @classmethod
    def open(cls, world: World, fields: SiteFields, plain: bool = True) -> "Site":
        """Collective. Find the input; raises CrawlError when it is not there."""
        below = directory(f"http://{fields.below.rstrip('/')}/") if fields.below else ""
        return cls(world.on_root(plan, fields.site, fields.url_prefix), below, digest_options(fields), plain)

    def pages(self) -> Iterator[SitePage]:
        """Read the pages."""
        for partition in self.partitions:
            for page in read(partition, Ledger(), Limits()):
                mime = decide_type(page.content_type, page.payload, page.url)
                plain = page.plain or mime == "text/plain"
                if not page.payload or not is_textual(mime) or (plain and not self.plain):
                    continue
                if directory(page.url).startswith(self.below):
                    yield SitePage(page.url, page.payload, mime, plain, page.content_type)

    def measure(self) -> "SiteMeasure":
        """Read the pages once and keep what is small: sizes, digests and numbers of chunks."""
        sizes, chunks, files, digests = [], [], bytearray(), bytearray()
        for page in self.pages():
            found = page.digests(self.options)
            sizes.append(len(page.payload))
            chunks.append(len(found.offsets))
            files += found.file
            digests += found.chunks
        self.must_have(len(sizes))
        width = self.options.width
        return SiteMeasure(
            np.array(sizes), np.array(chunks), dg.from_bytes(files, width), dg.from_bytes(digests, width)
        )

    def must_have(self, pages: int) -> None:
        """Raise CrawlError when no page was found."""
        if not pages:
            where = f" below {self.below}" if self.below else ""
            raise CrawlError(f"the site has no page with text{where}: name another, or another --below")


@dataclass(frozen=True)
class SiteMeasure:
    """What a site is made of."""

    sizes: NDArray[np.int64]
    """Bytes of each page."""
    chunks: NDArray[np.int64]
    """Number of chunks of each page."""
    files: dg.Digests
    digests: dg.Digests
    """Of all chunks, page after page."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return len(self.sizes)

    @property
    def chunks_per_page(self) -> float:
        """The mean that mutations are measured in."""
        return float(self.chunks.sum() / self.pages)

    def summary(self) -> dict[str, float | int]:
        """Describe the site as the papers do."""
        return {
            "pages": self.pages,
            "bytes": int(self.sizes.sum()),
            "chunks": int(self.chunks.sum()),
            "distinct_chunks": len(count(self.digests)),
            "chunks_per_page_mean": self.chunks_per_page,
            "chunks_per_page_median": float(np.median(self.chunks)),
            "chunks_per_page_max": int(self.chunks.max()),
        }


def count(digests: dg.Digests) -> Counted:
    """Count equal digests; lengths play no part in studies."""
    each = Counted(digests, np.ones(len(digests), np.int64), np.zeros(len(digests), np.int64))
    return Counted.combine([Counted.empty(digests.shape[1]), each])
