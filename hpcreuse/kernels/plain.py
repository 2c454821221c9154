"""The kernels in plain Python: what the compiled ones must equal, and what serves where no compiler was."""

import hashlib
import re
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_SPACES = re.compile(rb"[ \t]+")


@cache
def _delimiter(tags: tuple[str, ...], tag_ends: bytes) -> re.Pattern[bytes]:
    names = b"|".join(re.escape(tag.encode()) for tag in tags)
    return re.compile(rb"<(?:" + names + rb")(?=[" + re.escape(tag_ends) + rb"])", re.IGNORECASE)


def tag_starts(payload: bytes, tags: tuple[str, ...], tag_ends: bytes) -> NDArray[np.uint32]:
    """Give the offsets of `<tag` in any case where a character of `tag_ends` follows."""
    return np.array([match.start() for match in _delimiter(tags, tag_ends).finditer(payload)], np.uint32)


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
