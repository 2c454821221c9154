"""One page to digests: the whole file and each of its chunks, in order."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import range_digests
from hpcreuse.page.chunks import starts_of_markup, starts_of_plain_text
from hpcreuse.page.dom import serialize_dom
from hpcreuse.page.options import DigestOptions

HASHES = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}
NO_CHUNKS = np.empty(0, np.uint32)
MARKUP_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class PageDigests(NamedTuple):
    """H(f) and the chunk hash vector H(c_f) with where each chunk lies in the text that was chunked."""

    file: bytes
    chunks: bytes
    offsets: NDArray[np.uint32]
    lengths: NDArray[np.uint32]


def chunked_text(payload: bytes, mime: str, options: DigestOptions) -> bytes:
    """Give the text whose byte ranges the chunks are: the payload, or in dom mode its serialisation."""
    if options.mode == "dom" and mime in MARKUP_TYPES:
        return serialize_dom(payload)
    return payload


def digest_page(payload: bytes, mime: str, textual: bool, plain: bool, options: DigestOptions) -> PageDigests:
    """Hash a file whole and, when it is textual, chunk by chunk."""
    file_digest = HASHES[options.digest](payload).digest()
    if not textual:
        return PageDigests(file_digest, b"", NO_CHUNKS, NO_CHUNKS)
    text = chunked_text(payload, mime, options)
    starts = starts_of_plain_text(text, options) if plain else starts_of_markup(text, options)
    lengths = np.empty_like(starts)
    lengths[:-1] = starts[1:] - starts[:-1]
    lengths[-1:] = len(text) - starts[-1:]
    chunks = range_digests(text, starts, options.normalize == "whitespace", options.digest)
    return PageDigests(file_digest, chunks, starts, lengths)
