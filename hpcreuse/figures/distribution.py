"""How shares are spread between 0 and 1: a histogram as bars, the distribution as lines above (CCR figures 12, 13)."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from hpcreuse.figures.style import THRESHOLD


@dataclass(frozen=True)
class Spread:
    """A histogram of shares in bins of equal width."""

    counts: NDArray[np.int64]
    colour: str
    label: str


def draw_spreads(axes: Axes, spreads: list[Spread], threshold: float) -> Axes:
    """Draw histograms side by side, their distributions on an axis of their own, and the threshold; give that axis."""
    right = axes.twinx()
    for number, spread in enumerate(spreads):
        bins = len(spread.counts)
        edges = np.arange(bins) / bins
        width = 0.9 / len(spreads) / bins
        places = edges + (number + 0.5) / (len(spreads) * bins)
        axes.bar(places, spread.counts, width, color=spread.colour, alpha=0.75, label=spread.label)
        distribution = np.cumsum(spread.counts) / max(1, spread.counts.sum())
        right.plot(np.append(0, edges + 1 / bins), np.append(0, distribution), color=spread.colour, linewidth=1.3)
    axes.axvline(threshold, color=THRESHOLD, linestyle=":", label=f"threshold {threshold:.3f}")
    # Nothing has no logarithm
    axes.set(yscale="log" if any(spread.counts.any() for spread in spreads) else "linear", xlim=(0, 1))
    right.set(ylim=(0, 1.03), ylabel="share with at most this (lines)")
    right.spines["right"].set_visible(True)
    return right
