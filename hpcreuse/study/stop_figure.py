"""Badness of neighborhoods with and without stop chunks, as histogram and as distribution (CCR figure 12)."""

from matplotlib.figure import Figure

from hpcreuse.figures.distribution import Spread, draw_spreads
from hpcreuse.figures.style import BLIND, ORANGE
from hpcreuse.study.stopping import Turned

LOOKS = {"removed": ("stop chunks removed", BLIND), "kept": ("stop chunks kept", ORANGE)}


def draw_stop(turned: Turned) -> Figure:
    """Draw the histograms as bars, the distributions as lines above them."""
    figure = Figure(figsize=(6.6, 4.2), layout="constrained")
    axes = figure.subplots()
    spreads = [Spread(turned.histograms[name], colour, label) for name, (label, colour) in LOOKS.items()]
    right = draw_spreads(axes, spreads, turned.bar.value)
    axes.set(xlabel="badness of a neighborhood", ylabel="neighborhoods (bars)")
    axes.set_title("Bad neighborhoods with and without stop chunks")
    right.set_ylabel("share with at most this badness (lines)")
    axes.legend(loc="center right", fontsize=8.5)
    return figure
