"""Badness against the number of mutations: means over runs, their errors, and where they fall to a threshold."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.store.tables import Row
from hpcreuse.study import tally
from hpcreuse.study.mutations import MUTATIONS


@dataclass(frozen=True)
class Curve:
    """One mutation, of pages or of the neighborhood, seen with one set of labels."""

    mutation: str
    of: str
    labels: str
    mutations: list[int]
    chunks_per_page: float
    """Of the site as it was: the unit of the relative number of mutations."""
    badness: NDArray[np.float64]
    """The mean over runs; NaN where no page is left in any."""
    error: NDArray[np.float64]
    """Its standard error."""
    pages: NDArray[np.float64]
    """How many are left, and what is left of them."""
    chunks_left: NDArray[np.float64]
    found: NDArray[np.float64]
    """How many pages are above the threshold."""

    @property
    def relative(self) -> NDArray[np.float64]:
        """The numbers of mutations in means of chunks per page."""
        return np.array(self.mutations) / self.chunks_per_page

    def tolerance(self, threshold: float) -> tuple[float, bool]:
        """Give the relative number of mutations at which badness falls to a threshold, and whether it does at all."""
        x, y = self.relative, self.badness
        known = np.flatnonzero(~np.isnan(y))
        below = known[y[known] <= threshold]
        if not len(below):
            return float(x[known[-1]]), False
        at = int(below[0])
        if at == 0:
            return 0.0, True
        share = (y[at - 1] - threshold) / (y[at - 1] - y[at])
        return float(x[at - 1] + share * (x[at] - x[at - 1])), True

    def rows(self) -> Iterator[Row]:
        """Give the curve as rows of a table; where no page is left there is nothing to tell."""
        values = zip(
            self.mutations,
            self.relative.tolist(),
            self.badness.tolist(),
            self.error.tolist(),
            self.pages.tolist(),
            self.chunks_left.tolist(),
            self.found.tolist(),
            strict=True,
        )
        return ((self.mutation, self.of, self.labels, *row) for row in values if row[4])


def curves(totals: NDArray[np.int64], numbers: list[int], chunks_per_page: float, badness: str) -> list[Curve]:
    """Make the curves from sums by mutation, run and number of mutations."""
    found = []
    for kind, mutation in enumerate(MUTATIONS):
        sums = totals[kind]
        for of in ("page", "neighborhood"):
            measure = tally.pooled_badness if (of, badness) == ("neighborhood", "pooled") else tally.mean_badness
            for number, labels in enumerate(tally.LABELS):
                mean, error = mean_and_error(measure(sums, number))
                curve = Curve(
                    mutation=mutation,
                    of=of,
                    labels=labels,
                    mutations=numbers,
                    chunks_per_page=chunks_per_page,
                    badness=mean,
                    error=error,
                    pages=sums[..., tally.PAGES].mean(axis=0),
                    chunks_left=tally.chunks_per_page(sums).mean(axis=0),
                    found=sums[..., tally.FIRST + tally.EACH * number + tally.FOUND].mean(axis=0),
                )
                found.append(curve)
    return found


def mean_and_error(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the mean over the runs in which something is left, and its standard error; of one run that is 0."""
    there = ~np.isnan(values)
    runs = there.sum(axis=0)
    mean = np.where(runs, np.sum(values, axis=0, where=there) / np.maximum(runs, 1), np.nan)
    squares = np.sum((values - mean) ** 2, axis=0, where=there)
    return mean, np.sqrt(squares / np.maximum(runs - 1, 1) / np.maximum(runs, 1))
