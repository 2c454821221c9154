"""Figure 14 of TR: path lengths of neighborhoods, all of them and the bad ones."""

from collections import Counter

from matplotlib.figure import Figure

from hpcreuse.figures.style import COLUMN, GREY, THRESHOLD


def draw_prefixes(depths: Counter[int], bad: Counter[int]) -> Figure:
    """Draw how many neighborhoods there are of each path length."""
    figure = Figure(figsize=COLUMN, layout="constrained")
    axes = figure.subplots()
    lengths = sorted(depth for depth, count in depths.items() if count)
    axes.bar(lengths, [depths[depth] for depth in lengths], 0.82, color=GREY, label="all neighborhoods")
    axes.bar(lengths, [bad[depth] for depth in lengths], 0.5, color=THRESHOLD, label="bad ones")
    axes.set(yscale="log", ylim=(0.6, None), xlabel="path length (1 is a whole site)", ylabel="neighborhoods")
    axes.locator_params(axis="x", integer=True)
    axes.legend(fontsize=8)
    return figure
