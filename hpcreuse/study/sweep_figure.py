"""Figure 3 of QUILT: the number of quilts against each parameter, the pivot highlighted."""

from typing import Any

from matplotlib.figure import Figure

from hpcreuse.figures.style import BLIND, GREY, THRESHOLD

PIVOT = {"k": 5, "m": 50, "c": 4, "theta": 0.5}


def draw_sweep(rows: list[dict[str, Any]]) -> Figure:
    """Draw four curves, the shares that the paper found beside ours."""
    figure = Figure(figsize=(12, 3.4), layout="constrained")
    for axes, (name, pivot) in zip(figure.subplots(1, 4, sharey=True), PIVOT.items(), strict=True):
        mine = [row for row in rows if row["parameter"] == name]
        at = [row[name] for row in mine]
        axes.plot(at, [100 * row["published_share"] for row in mine], "--", color=GREY, label="ClueWeb09 (published)")
        axes.plot(at, [100 * row["share"] for row in mine], "o-", color=BLIND, markersize=4, label="this crawl")
        (highlighted,) = [100 * row["share"] for row in mine if row[name] == pivot]
        axes.plot([pivot], [highlighted], "o", color=THRESHOLD, markersize=7, label="pivot")
        axes.set_xlabel(name)
        axes.set_ylim(bottom=0)
    figure.axes[0].set_ylabel("quilts (% of pages)")
    figure.axes[0].legend(fontsize=7)
    return figure
