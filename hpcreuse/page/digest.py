"""One page to digests: the whole file and each of its chunks, in order."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.page.chunks import starts_of_markup, starts_of_plain_text
from hpcreuse.page.dom import serialize_dom
from hpcreuse.page.normalize import normalize_whitespace
from hpcreuse.page.options import DigestOptions

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
    new = hashlib.sha1 if options.digest == "sha1" else hashlib.sha256
    file_digest = new(payload).digest()
    if not textual:
        return PageDigests(file_digest, b"", np.empty(0, np.uint32), np.empty(0, np.uint32))
    text = chunked_text(payload, mime, options)
    starts = starts_of_plain_text(text, options) if plain else starts_of_markup(text, options)
    ends = [*starts[1:], len(text)]
    pieces = [text[a:b] for a, b in zip(starts, ends, strict=False)]
    if options.normalize == "whitespace":
        pieces = [normalize_whitespace(piece) for piece in pieces]
    offsets = np.array(starts, np.uint32)
    lengths = np.array(ends[: len(starts)], np.uint32) - offsets
    return PageDigests(file_digest, b"".join([new(piece).digest() for piece in pieces]), offsets, lengths)
