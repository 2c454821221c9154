"""The kernels of I-Match's terms in plain Python, and what copies strings in another order."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def gather(
    values: NDArray[np.uint8], starts: NDArray[np.int64], offsets: NDArray[np.int64], out: NDArray[np.uint8]
) -> None:
    """Copy string i, which starts at starts[i] in `values`, to offsets[i] up to offsets[i + 1] in `out`."""
    # Each byte's place: where its string starts in the source, plus its place within the string
    places = np.repeat(starts - offsets[:-1], np.diff(offsets))
    places += np.arange(len(places))
    out[:] = values[places]


def page_terms(
    starts: NDArray[np.int64], words: NDArray[np.uint32], chosen: NDArray[np.uint8], least: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """Find the different chosen words of each page, rising; none of pages with fewer than `least`.

    Gives in how many pages each word was found, where what was found of each page starts and the last ends, and what
    was found as places among the words that were found at all.
    """
    pages = [{word for word in words[a:b].tolist() if chosen[word]} for a, b in pairwise(starts.tolist())]
    found = [sorted(page) if len(page) >= least else [] for page in pages]
    counts = np.zeros(len(chosen), np.int64)
    for page in found:
        counts[page] += 1
    places = np.cumsum(counts > 0) - 1
    listed = np.array([word for page in found for word in page], np.int64)
    ends = np.cumsum([0, *map(len, found)]).astype(np.int64)
    return counts, ends, places[listed].astype(np.uint32)
