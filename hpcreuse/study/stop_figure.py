"""Badness of neighborhoods with and without stop chunks, as histogram and as distribution (CCR figure 12)."""

import numpy as np
from matplotlib.figure import Figure

from hpcreuse.study.figures import BLIND, ORANGE, THRESHOLD
from hpcreuse.study.stopping import BINS, Turned

LOOKS = {"removed": ("stop chunks removed", BLIND), "kept": ("stop chunks kept", ORANGE)}


def draw_stop(turned: Turned) -> Figure:
    """Draw the histograms as bars, the distributions as lines above them."""
    figure = Figure(figsize=(6.6, 4.2), layout="constrained")
    axes = figure.subplots()
    right = axes.twinx()
    edges = np.arange(BINS) / BINS
    for number, (name, (label, colour)) in enumerate(LOOKS.items()):
        counts = turned.histograms[name]
        axes.bar(edges + (number + 0.5) / (2 * BINS), counts, 0.45 / BINS, color=colour, alpha=0.75, label=label)
        right.plot(edges + 1 / BINS, np.cumsum(counts) / max(1, counts.sum()), color=colour, linewidth=1.3)
    axes.axvline(turned.bar.value, color=THRESHOLD, linestyle=":", label=f"threshold {turned.bar.value:.3f}")
    axes.set(yscale="log", xlim=(0, 1), xlabel="badness of a neighborhood", ylabel="neighborhoods (bars)")
    axes.set_title("Bad neighborhoods with and without stop chunks")
    right.set(ylim=(0, 1.03), ylabel="share with at most this badness (lines)")
    right.spines["right"].set_visible(True)
    axes.legend(loc="center right", fontsize=8.5)
    return figure
