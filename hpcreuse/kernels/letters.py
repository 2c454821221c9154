"""What a word is made of: letters, marks and digits of Unicode (METHODS.md section 2)."""

import sys
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

# Letters, marks and decimal digits
WORD_CATEGORIES = frozenset("Lu Ll Lt Lm Lo Mn Mc Me Nd".split())

# Planes 4 to 13 have no characters, 15 and 16 are for private use
PLANES = (0, 1, 2, 3, 14)


@cache
def word_characters() -> NDArray[np.uint8]:
    """Give for every code point whether it belongs to words. Takes a fiftieth of a second, once."""
    found = np.zeros(sys.maxunicode + 1, np.uint8)
    for plane in PLANES:
        points = range(plane << 16, (plane + 1) << 16)
        members = map(WORD_CATEGORIES.__contains__, map(unicodedata.category, map(chr, points)))
        found[points.start : points.stop] = np.fromiter(members, np.uint8, len(points))
    return found


def word_class() -> str:
    """Give the same as a character class of a regular expression."""
    member = np.concatenate([[0], word_characters(), [0]]).astype(np.int8)
    firsts, ends = np.flatnonzero(np.diff(member) == 1), np.flatnonzero(np.diff(member) == -1)
    return "".join(f"\\U{first:08x}-\\U{end - 1:08x}" for first, end in zip(firsts, ends, strict=True))
