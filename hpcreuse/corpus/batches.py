"""Pages as they are hashed: some at a time, each with its type and its digests."""

from collections.abc import Iterator
from typing import NamedTuple

from hpcreuse.crawl.pages import Page
from hpcreuse.crawl.types import decide_type, is_textual
from hpcreuse.page.digest import PageDigests, cut_page, digest_pages
from hpcreuse.page.options import DigestOptions

# Pages are hashed side by side: enough of them to keep all lanes busy, few enough to stay in a cache (measured)
BATCH_BYTES = 4 << 20


class Digested(NamedTuple):
    """A page and what `hash` makes of it."""

    page: Page
    mime: str
    plain: bool
    """Whether it is text without markup."""
    digests: PageDigests


def next_batch(pages: Iterator[Page], size: int = BATCH_BYTES) -> list[Page]:
    """Read pages until they have so many bytes; none at the end."""
    batch, got = [], 0
    for page in pages:
        batch.append(page)
        got += len(page.payload)
        if got >= size:
            break
    return batch


def digest_batch(batch: list[Page], options: DigestOptions) -> list[Digested]:
    """Decide what pages are and hash them whole and chunk by chunk."""
    mimes = [decide_type(page.content_type, page.payload, page.url) for page in batch]
    plain = [page.plain or mime == "text/plain" for page, mime in zip(batch, mimes, strict=True)]
    ready = [
        cut_page(page.payload, mime, is_textual(mime), is_plain, options, page.content_type)
        for page, mime, is_plain in zip(batch, mimes, plain, strict=True)
    ]
    return list(map(Digested, batch, mimes, plain, digest_pages(ready, options)))
