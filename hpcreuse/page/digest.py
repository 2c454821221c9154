"""One page to digests: the whole file and each of its chunks, in order."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import page_digests
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


def digest_page(
    payload: bytes, mime: str, textual: bool, plain: bool, options: DigestOptions, content_type: str = ""
) -> PageDigests:
    """Hash a file whole and, when it is textual, chunk by chunk.

    Args:
        mime: what the page is, whatever the server declared.
        content_type: what it declared: in dom mode its charset counts.
    """
    if not textual:
        text, starts = b"", NO_CHUNKS
    else:
        text = chunked_text(payload, mime, options, content_type)
        starts = starts_of_plain_text(text, options) if plain else starts_of_markup(text, options)
    file, chunks, lengths = page_digests(payload, text, starts, options.normalize == "whitespace", options.digest)
    return PageDigests(file, chunks, starts, lengths)
