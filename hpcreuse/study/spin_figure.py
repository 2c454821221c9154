"""What is found of spun articles over the share of words exchanged, and over thresholds; shingles beside immutables."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from hpcreuse.figures.style import BLIND, GREY, ORANGE

TITLES = {
    "one": "one synonym a word",
    "all": "any synonym",
    "phrases": "any synonym, phrases too",
    "spintax": "spintax",
}


def draw_spin(found: dict[str, Any]) -> Figure:
    """Draw recall over the share for each way of spinning, and recall over thresholds for the usual half."""
    rows, at = found["found"], found["threshold"]
    ways = [way for way in TITLES if any(row["spinning"] == way and row["share"] < 1 for row in rows)]
    figure = Figure(figsize=(3.3 * (len(ways) + 1), 3.6), layout="constrained")
    *panels, last = figure.subplots(1, len(ways) + 1, sharey=True, squeeze=False)[0]
    for axes, way in zip(panels, ways, strict=True):
        draw_shares(axes, [row for row in rows if row["spinning"] == way], at)
        axes.set(title=TITLES[way], xlabel="share of mutables exchanged")
    draw_thresholds(last, rows)
    figure.axes[0].set(ylabel="pairs found", ylim=(0, 1.03))
    figure.axes[0].yaxis.set_major_formatter(PercentFormatter(1, decimals=None))
    for axes in (panels[0], last) if panels else (last,):
        axes.legend(fontsize=7)
    return figure


def draw_shares(axes: Axes, rows: list[dict[str, Any]], at: float) -> None:
    """Draw the recall of immutables at one threshold, and of shingles at each of theirs."""
    mine = [row for row in rows if row["method"] == "immutables" and row["threshold"] == at]
    axes.plot([r["share"] for r in mine], [r["recall"] for r in mine], "o-", color=BLIND, label=f"immutables, {at:g}")
    thresholds = sorted({row["threshold"] for row in rows if row["method"] == "shingles"})
    for number, threshold in enumerate(thresholds):
        theirs = [row for row in rows if row["method"] == "shingles" and row["threshold"] == threshold]
        axes.plot(
            [row["share"] for row in theirs],
            [row["recall"] for row in theirs],
            linestyle=("-", "--", "-.", ":")[number % 4],
            color=ORANGE,
            label=f"shingles, {threshold:g}",
        )


def draw_thresholds(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """Draw recall and precision over thresholds, all spinning together."""
    for method, color in (("immutables", BLIND), ("shingles", ORANGE)):
        thresholds = sorted({row["threshold"] for row in rows if row["method"] == method})
        recalls, precisions = [], []
        for threshold in thresholds:
            mine = [row for row in rows if row["method"] == method and row["threshold"] == threshold]
            right, wrong = sum(row["found"] for row in mine), sum(row["wrong"] for row in mine)
            recalls.append(right / max(1, sum(row["pairs"] for row in mine)))
            precisions.append(right / (right + wrong) if right + wrong else 1.0)
        axes.plot(thresholds, recalls, "o-", color=color, markersize=4, label=f"recall, {method}")
        axes.plot(thresholds, precisions, "x:", color=color, markersize=4, label=f"precision, {method}")
    axes.axvline(0.75, color=GREY, linestyle=":", linewidth=1)
    axes.set(title="all together", xlabel="threshold")
