"""Histograms of shares, one for each kind: similarities of pairs, patch fractions of quilts."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hpcreuse.figures.style import COLUMN, KINDS


def draw_shares(counts: Mapping[str, NDArray[np.int64]], measure: str, what: str) -> Figure:
    """Draw bars on top of each other, of the bins between the first and the last that hold any."""
    figure = Figure(figsize=COLUMN, layout="constrained")
    axes = figure.subplots()
    bins = len(next(iter(counts.values())))
    below = np.zeros(bins, np.int64)
    places = (np.arange(bins) + 0.5) / bins
    for colour, (name, numbers) in zip(KINDS, counts.items(), strict=False):
        axes.bar(places, numbers, 0.9 / bins, bottom=below, color=colour, label=name)
        below = below + numbers
    filled = np.flatnonzero(below)
    low = 0.0 if not len(filled) else max(0.0, (filled[0] - 1) / bins)
    axes.set(xlim=(low, 1), xlabel=measure, ylabel=what)
    axes.locator_params(axis="y", integer=True)
    if len(counts) > 1:
        axes.legend(fontsize=8, loc="upper left")
    return figure
