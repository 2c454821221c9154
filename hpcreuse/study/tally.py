"""What the mutation study adds up: integers, so that sums are the same in whatever order they are taken."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.moments import Threshold
from hpcreuse.reuse.ratios import Limbs, mean_of, ratio, to_limbs

LABELS = ("expert", "blind")

# Columns: how many pages and chunks there are, then for each set of labels
# bad chunks, the two limbs of the pages' ratios, pages above the threshold
PAGES, CHUNKS, FIRST = 0, 1, 2
BAD, HIGH, LOW, FOUND, EACH = 0, 1, 2, 3, 4
COLUMNS = FIRST + EACH * len(LABELS)


def tally(sizes: NDArray[np.int64], hits: Sequence[NDArray[np.bool_]], threshold: Threshold) -> NDArray[np.int64]:
    """Give a row for each text.

    Args:
        sizes: chunks of each text.
        hits: for each set of labels, whether each chunk of all texts is labelled.
    """
    rows = np.zeros((len(sizes), COLUMNS), np.int64)
    rows[:, PAGES], rows[:, CHUNKS] = sizes > 0, sizes
    ends = np.cumsum(sizes)
    for number, hit in enumerate(hits):
        upto = np.concatenate([[0], np.cumsum(hit)])
        bad = upto[ends] - upto[ends - sizes]
        of_labels = rows[:, FIRST + EACH * number :]
        of_labels[:, BAD] = bad
        of_labels[:, HIGH], of_labels[:, LOW] = to_limbs(bad, sizes)
        of_labels[:, FOUND] = threshold.above(ratio(bad, sizes))
    return rows


def pooled_badness(totals: NDArray[np.int64], labels: int) -> NDArray[np.float64]:
    """Give bad chunks of all chunks; NaN where there is none."""
    chunks = totals[..., CHUNKS]
    return np.where(chunks > 0, ratio(totals[..., FIRST + EACH * labels + BAD], chunks), np.nan)


def mean_badness(totals: NDArray[np.int64], labels: int) -> NDArray[np.float64]:
    """Give the mean of the ratios of the pages that are left; NaN where none is."""
    pages, first = totals[..., PAGES], FIRST + EACH * labels
    sums = Limbs(totals[..., first + HIGH], totals[..., first + LOW])
    return np.where(pages > 0, mean_of(sums, np.maximum(pages, 1)), np.nan)


def chunks_per_page(totals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the mean over the pages that are left; 0 where none is."""
    return ratio(totals[..., CHUNKS], totals[..., PAGES])
