"""Bars lying down: what a row of filters leaves (DSPIN figure 6), counts by kind."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from hpcreuse.figures.style import BLIND, COLUMN


def draw_bars(names: Sequence[str], counts: Sequence[int], unit: str, colours: Sequence[str] = ()) -> Figure:
    """Draw a bar for each count, the first on top, the number beside it."""
    figure = Figure(figsize=(COLUMN[0], 0.8 + 0.34 * len(names)), layout="constrained")
    axes = figure.subplots()
    places = range(len(names))
    axes.barh(places, counts, 0.66, color=list(colours) or BLIND)
    most = max(counts, default=0)
    for place, count in zip(places, counts, strict=True):
        axes.annotate(f" {count:,}", (count, place), va="center", fontsize=8.5)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.16 * most or 1), xlabel=unit)
    axes.tick_params(axis="y", length=0)
    return figure
