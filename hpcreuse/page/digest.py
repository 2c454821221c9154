"""One page to digests: the whole file and each of its chunks, in order."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import normalize_ranges, page_digests
from hpcreuse.page.chunks import starts_of_markup, starts_of_plain_text
from hpcreuse.page.dom import serialize_dom
from hpcreuse.page.options import DigestOptions

NO_CHUNKS = np.empty(0, np.uint32)
MARKUP_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class PageDigests(NamedTuple):
    """H(f) and the chunk hash vector H(c_f) with where each chunk lies in the text that was chunked."""

    file: bytes
    chunks: bytes
    offsets: NDArray[np.uint32]
    lengths: NDArray[np.uint32]


def chunked_text(payload: bytes, mime: str, options: DigestOptions, content_type: str = "") -> bytes:
    """Give the text whose byte ranges the chunks are: the payload, or in dom mode its serialisation."""
    if options.mode == "dom" and mime in MARKUP_TYPES:
        return serialize_dom(payload, content_type)
    return payload


class CutPage(NamedTuple):
    """A page that is ready to be hashed: its payload, and the text whose ranges from `starts` on are its chunks."""

    payload: bytes
    text: bytes
    starts: NDArray[np.uint32]

    def normalized(self) -> "CutPage":
        """Give it with the whitespace of each chunk normalised."""
        return CutPage(self.payload, *normalize_ranges(self.text, self.starts))

    def lengths(self) -> NDArray[np.uint32]:
        """Give the lengths of the chunks."""
        return np.diff(self.starts, append=np.uint32(len(self.text)))


def cut_page(
    payload: bytes, mime: str, textual: bool, plain: bool, options: DigestOptions, content_type: str = ""
) -> CutPage:
    """Find the chunks of a page; one that is not textual has none.

    Args:
        mime: what the page is, whatever the server declared.
        content_type: what it declared: in dom mode its charset counts.
    """
    if not textual:
        return CutPage(payload, b"", NO_CHUNKS)
    text = chunked_text(payload, mime, options, content_type)
    return CutPage(payload, text, starts_of_plain_text(text, options) if plain else starts_of_markup(text, options))


def digest_pages(pages: list[CutPage], options: DigestOptions) -> list[PageDigests]:
    """Hash pages whole and chunk by chunk: some at a time, which is faster than one by one."""
    normalized = options.normalize == "whitespace"
    ready = [page.normalized() for page in pages] if normalized else pages
    return [
        PageDigests(file, chunks, page.starts, page.lengths() if normalized else lengths)
        for page, (file, chunks, lengths) in zip(pages, page_digests(ready, options.digest), strict=True)
    ]


def digest_page(
    payload: bytes, mime: str, textual: bool, plain: bool, options: DigestOptions, content_type: str = ""
) -> PageDigests:
    """Hash a file whole and, when it is textual, chunk by chunk: `cut_page` says what is asked for."""
    return digest_pages([cut_page(payload, mime, textual, plain, options, content_type)], options)[0]
