"""Where the chunks of a page begin (METHODS.md steps 1-2; CCR 3.2)."""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import TagScanner
from hpcreuse.page.options import DigestOptions

# The authors' matcher ends a tag name at space, tab, `>` or `/`; HTML allows three more
TAG_ENDS = {"authors": b" \t>/", "html": b" \t>/\n\r\f"}

# A line keeps its newline; a paragraph keeps the blank lines after it: nothing is lost between chunks
PLAIN_CUTS = {
    "line": re.compile(rb"\n"),
    "paragraph": re.compile(rb"(?<=\S)[^\S\n]*\n(?:[^\S\n]*\n)+(?:[^\S\n]*\Z)?"),
}


@cache
def _scanner(tags: tuple[str, ...], tag_ends: str) -> TagScanner:
    return TagScanner(tags, TAG_ENDS[tag_ends])


def starts_of_markup(text: bytes, options: DigestOptions) -> NDArray[np.uint32]:
    """Give the offsets where chunks start: 0 and every delimiter tag; none in an empty text."""
    starts: NDArray[np.uint32] = _scanner(options.tags, options.tag_ends).starts(text)
    return starts


def starts_of_plain_text(text: bytes, options: DigestOptions) -> NDArray[np.uint32]:
    """Give the offsets where chunks of text without markup start, as `--plain` says."""
    if not text:
        return np.empty(0, np.uint32)
    if options.plain == "whole":
        return np.zeros(1, np.uint32)
    ends = [match.end() for match in PLAIN_CUTS[options.plain].finditer(text)]
    return np.array([0] + [end for end in ends if end < len(text)], np.uint32)
