"""Figures 12 and 13 of TR: badness of neighborhoods (or the ratio of files) as histogram and distribution."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hpcreuse.figures.distribution import Spread, draw_spreads
from hpcreuse.figures.style import BLIND, COLUMN


def draw_badness(counts: NDArray[np.int64], threshold: float, what: str, measure: str) -> Figure:
    """Draw the histogram as bars, the distribution as a line above them."""
    figure = Figure(figsize=COLUMN, layout="constrained")
    axes = figure.subplots()
    draw_spreads(axes, [Spread(counts, BLIND, what)], threshold)
    axes.set(xlabel=measure, ylabel=f"{what} (bars)")
    axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return figure
