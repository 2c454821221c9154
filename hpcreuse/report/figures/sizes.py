"""Figure 8 of DSPIN and its like: how many clusters are no larger than so many pages."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from hpcreuse.figures.style import COLUMN, KINDS


def draw_sizes(sizes: Mapping[str, Counter[int]]) -> Figure:
    """Draw the distribution of cluster sizes, a curve for each kind of cluster."""
    figure = Figure(figsize=COLUMN, layout="constrained")
    axes = figure.subplots()
    for colour, (name, counter) in zip(KINDS, sizes.items(), strict=False):
        if not counter:
            continue
        at, counts = (np.array(column) for column in zip(*sorted(counter.items()), strict=True))
        shares = np.cumsum(counts) / counts.sum()
        axes.step([1, *at, 1.15 * at[-1]], [0, *shares, 1], where="post", color=colour, label=name)
    axes.set(xscale="log", ylim=(0, 1.03), xlabel="pages of a cluster", ylabel="share of clusters with at most so many")
    if any(sizes):
        axes.legend(fontsize=8, loc="lower right")
    return figure
