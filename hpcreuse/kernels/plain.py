"""The kernels in plain Python: what the compiled ones must equal, and what serves where no compiler was."""

import hashlib
import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_SPACES = re.compile(rb"[ \t]+")


class TagScanner:
    """Finds delimiter tags: `<name` in any case, followed by one of some characters."""

    def __init__(self, tags: tuple[str, ...], tag_ends: bytes):
        names = b"|".join(re.escape(tag.encode()) for tag in tags)
        self.tag = re.compile(rb"<(?:" + names + rb")(?=[" + re.escape(tag_ends) + rb"])", re.IGNORECASE)

    def starts(self, page: bytes) -> NDArray[np.uint32]:
        """Give the offsets where chunks start: 0 and every delimiter tag; none in an empty page."""
        tags = [match.start() for match in self.tag.finditer(page, 1)]
        return np.array([0, *tags] if page else [], np.uint32)


def normalize_whitespace(data: bytes) -> bytes:
    """Make runs of spaces and tabs one space, remove CR and LF, trim the ends, in this order."""
    return _SPACES.sub(b" ", data).translate(None, b"\r\n").strip()


def range_digests(data: bytes, starts: NDArray[np.uint32], normalize: bool, digest: str) -> bytes:
    """Hash the ranges that begin at `starts`, each up to the next one, the last up to the end; digests joined."""
    new = hashlib.sha1 if digest == "sha1" else hashlib.sha256
    bounds = [*starts.tolist(), len(data)]
    pieces = [data[first:last] for first, last in pairwise(bounds)]
    if normalize:
        pieces = [normalize_whitespace(piece) for piece in pieces]
    return b"".join([new(piece).digest() for piece in pieces])
