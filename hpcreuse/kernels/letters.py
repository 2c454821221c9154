"""What a word is made of: letters, marks and digits of Unicode (METHODS.md section 2)."""

import sys
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray


@cache
def word_characters() -> NDArray[np.uint8]:
    """Give for every code point whether it belongs to words. Takes a tenth of a second, once."""
    kinds = map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))
    return np.fromiter((kind[0] in "LM" or kind == "Nd" for kind in kinds), np.uint8, sys.maxunicode + 1)


def word_class() -> str:
    """Give the same as a character class of a regular expression."""
    member = np.concatenate([[0], word_characters(), [0]]).astype(np.int8)
    firsts, ends = np.flatnonzero(np.diff(member) == 1), np.flatnonzero(np.diff(member) == -1)
    return "".join(f"\\U{first:08x}-\\U{end - 1:08x}" for first, end in zip(firsts, ends, strict=True))
