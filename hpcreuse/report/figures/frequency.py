"""Figures 1, 2 and 11 of CCR: how many distinct objects occur how often, and from where on they are labelled."""

import numpy as np
from matplotlib.figure import Figure

from hpcreuse.figures.style import BLIND, COLUMN, GREY, THRESHOLD
from hpcreuse.store.counts import Histogram

# Points closer than this, in shares of a decade, cannot be told apart: one is drawn
NEAR = 0.02


def draw_frequency(histogram: Histogram, threshold: int | None, objects: str) -> Figure:
    """Draw a point for each number of duplicates."""
    figure = Figure(figsize=COLUMN, layout="constrained")
    axes = figure.subplots()
    drawn = thinned(histogram)
    duplicates, counts = drawn.duplicates, drawn.objects
    labelled = duplicates > threshold if threshold is not None else np.zeros(len(duplicates), bool)
    looks = ((~labelled, GREY, "below" if labelled.any() else ""), (labelled, BLIND, "above the threshold"))
    for marked, colour, name in looks:
        if marked.any():
            axes.scatter(duplicates[marked], counts[marked], s=16, color=colour, linewidths=0, label=name)
    if threshold is not None and threshold > 0:
        axes.axvline(threshold, color=THRESHOLD, linestyle=":", label=f"threshold {threshold:,}")
        axes.legend(fontsize=8)
    axes.set(xscale="log", yscale="log")
    axes.set(xlabel=f"duplicates of a {objects}", ylabel=f"distinct {objects}s with so many")
    return figure


def thinned(histogram: Histogram) -> Histogram:
    """Leave out points that would lie on others."""
    cells = np.stack([np.log10(histogram.duplicates) / NEAR, np.log10(histogram.objects) / NEAR]).astype(np.int64)
    _, first = np.unique(cells, axis=1, return_index=True)
    first.sort()
    return Histogram(histogram.duplicates[first], histogram.objects[first])
