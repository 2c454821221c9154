"""The kernels in plain Python: what the compiled ones must equal, and what serves where no compiler was."""

import bisect
import hashlib
import re
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.letters import word_class

_TABS_TO_SPACES = bytes.maketrans(b"\t", b" ")

# Elements that stand apart from the text around them: block elements, cells, breaks, form fields
BLOCKS = tuple(
    """address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html iframe legend li main menu nav noframes
    object ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead title tr
    ul video""".split()
)
_BLOCK_TAG = re.compile(rb"(?=</?(?:" + "|".join(BLOCKS).encode() + rb")(?![A-Za-z0-9]))", re.IGNORECASE)
_LOW_64 = (1 << 64) - 1


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
    data = data.translate(_TABS_TO_SPACES)
    # Halving runs is faster than a regular expression, and takes no memory per run
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.translate(None, b"\r\n").strip()


def normalize_ranges(text: bytes, starts: NDArray[np.uint32]) -> tuple[bytes, NDArray[np.uint32]]:
    """Normalise each range of a text that begins at `starts`; give the ranges joined, and where each begins now."""
    ranges = [normalize_whitespace(piece) for piece in cut(text, starts)]
    return b"".join(ranges), np.cumsum([0, *map(len, ranges)])[:-1].astype(np.uint32)


def page_digests(
    pages: list[tuple[bytes, bytes, NDArray[np.uint32]]], digest: str
) -> list[tuple[bytes, bytes, NDArray[np.uint32]]]:
    """Hash payloads whole, and the ranges of their texts that begin at `starts`, each up to the next or to the end.

    A page is (payload, text, starts). Gives for each the digest of the payload, those of the ranges joined, and the
    lengths of the ranges.
    """
    new = hashlib.sha1 if digest == "sha1" else hashlib.sha256
    found = []
    for payload, text, starts in pages:
        ranges = cut(text, starts)
        lengths = np.array([len(piece) for piece in ranges], np.uint32)
        found.append((new(payload).digest(), b"".join([new(piece).digest() for piece in ranges]), lengths))
    return found


def cut(text: bytes, starts: NDArray[np.uint32]) -> list[bytes]:
    """Cut a text into the ranges that begin at `starts`; what stands before the first is left out."""
    return [text[first:last] for first, last in pairwise([*starts.tolist(), len(text)])]


def separate_blocks(page: bytes) -> bytes:
    """Put a space before every start and end tag of a block element."""
    return _BLOCK_TAG.sub(b" ", page)


@cache
def word_pattern() -> re.Pattern[str]:
    """Give what finds words."""
    return re.compile(f"[{word_class()}]+")


def word_hash(word: bytes) -> int:
    """Hash a word: FNV-1a over its bytes, mixed by the finaliser of SplitMix64."""
    h = 0xCBF29CE484222325
    for byte in word:
        h = (h ^ byte) * 0x100000001B3 & _LOW_64
    return _mix(h)


def _mix(h: int) -> int:
    """The finaliser of SplitMix64."""
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & _LOW_64
    h = (h ^ h >> 27) * 0x94D049BB133111EB & _LOW_64
    return h ^ h >> 31


class WordTable:
    """The distinct words seen so far, numbered in the order in which they came."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def nbytes(self) -> int:
        """Memory taken."""
        return 150 * len(self.numbers)

    def add(self, text: bytes) -> NDArray[np.uint32]:
        """Give the numbers of the words of a text (valid UTF-8, lower-cased), in order."""
        numbers = self.numbers
        words = word_pattern().findall(text.decode())
        return np.array([numbers.setdefault(word, len(numbers)) for word in words], np.uint32)

    def vocabulary(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint64]]:
        """Give the hashes of all words, their texts back to back, and where each text ends."""
        words = [word.encode() for word in self.numbers]
        return (
            np.array([word_hash(word) for word in words], np.uint64),
            np.frombuffer(b"".join(words), np.uint8),
            np.cumsum([len(word) for word in words], dtype=np.uint64),
        )


_SEEDS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)


def signatures(
    starts: NDArray[np.int64],
    places: NDArray[np.uint32],
    terms: NDArray[np.uint64],
    marks: NDArray[np.uint64],
    spare: NDArray[np.int64],
    subsets: int,
    least: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hash the subsets of each document's terms: two 64-bit numbers per document and subset, and how many terms.

    Args:
        starts: where the terms of each document start, and where the last end.
        places: of each term of a document its place in `terms`, rising.
        terms: the different terms, sorted.
        marks: bit k of a term says whether it belongs to subset k.
        spare: the order in which a term is taken into subsets of fewer than `least`; negative when it never is.
    """
    found = np.empty((len(starts) - 1, subsets, 2), np.uint64)
    sizes = np.empty((len(starts) - 1, subsets), np.int64)
    for document, (first, last) in enumerate(pairwise(starts.tolist())):
        here = places[first:last].tolist()
        spares = sorted((place for place in here if spare[place] >= 0), key=lambda place: int(spare[place]))
        for subset in range(subsets):
            chosen = {place for place in here if int(marks[place]) >> subset & 1}
            chosen |= set(spares[: max(0, least - len(chosen))])
            left, right = _SEEDS
            for place in sorted(chosen):
                term = int(terms[place])
                left, right = _mix(left + term & _LOW_64), _mix(right ^ term)
            found[document, subset], sizes[document, subset] = (left, right), len(chosen)
    return found, sizes


def unit_starts(offsets: NDArray[np.int64], lengths: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Tell at which words units start, going through each page from its first word.

    Args:
        offsets: where the words of each page start, and where the last end.
        lengths: how many words the longest phrase that starts at a word has; 0 for none.
    """
    starts = np.zeros(len(lengths), bool)
    for at, end in pairwise(offsets.tolist()):
        while at < end:
            starts[at] = True
            at += max(1, int(lengths[at]))
    return starts


def overlaps(
    a_values: NDArray[np.uint64],
    a_offsets: NDArray[np.int64],
    a_places: NDArray[np.int64],
    b_values: NDArray[np.uint64],
    b_offsets: NDArray[np.int64],
    b_places: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count what pairs of sets share: set a_places[i] of the first with set b_places[i] of the second.

    Sets are sorted and without repeats.
    """
    shared = []
    for a, b in zip(a_places.tolist(), b_places.tolist(), strict=True):
        first = a_values[a_offsets[a] : a_offsets[a + 1]]
        second = b_values[b_offsets[b] : b_offsets[b + 1]]
        shared.append(len(set(first.tolist()) & set(second.tolist())))
    return np.array(shared, np.int64)


def find_sorted(table: NDArray[np.uint8], queries: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Give for each query its row in a sorted table of distinct digests, or -1; queries may stand in any order."""
    found = np.full(len(queries), -1, np.int64)
    for number, query in enumerate(queries):
        key = query.tobytes()
        place = bisect.bisect_left(range(len(table)), key, key=lambda row: table[row].tobytes())
        if place < len(table) and table[place].tobytes() == key:
            found[number] = place
    return found
