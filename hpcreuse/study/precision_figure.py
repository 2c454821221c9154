"""False and true positives of Nilsimsa over its thresholds, exact hashing beside them (CCR 6.5)."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from hpcreuse.figures.style import BLIND, EXPERT, GREY, THRESHOLD


def draw_precision(found: dict[str, Any]) -> Figure:
    """Draw the false positive rate beside the true positive rate."""
    figure = Figure(figsize=(9.5, 3.9), layout="constrained")
    false, true = figure.subplots(1, 2)
    others, copies = f"{found['others']:,} others", f"{found['copies']:,} copies"
    draw_rate(false, found, "false_positive_rate", f"Others taken for copies, of {others}")
    draw_rate(true, found, "true_positive_rate", f"Copies found, of {copies}")
    published = found["published"]["false_positive_rate"]
    false.plot(
        [int(threshold) for threshold in published],
        list(published.values()),
        linestyle="none",
        marker="x",
        color=GREY,
        label="published, on phish",
    )
    true.set_ylim(0, 1.03)
    false.set_ylim(bottom=0)
    for axes in (false, true):
        axes.legend(fontsize=8)
    return figure


def draw_rate(axes: Axes, found: dict[str, Any], rate: str, title: str) -> None:
    """Draw a rate against the threshold, from exact to fuzzy."""
    rows = found["nilsimsa"]
    axes.plot(
        [row["threshold"] for row in rows],
        [row[rate] for row in rows],
        color=BLIND,
        marker="o",
        markersize=3,
        label="Nilsimsa",
    )
    axes.axhline(found["exact"][rate], color=EXPERT, linestyle="--", label=found["hash"].upper().replace("SHA", "SHA-"))
    at = found["published"]["nilsimsa"]["threshold"]
    axes.axvline(at, color=THRESHOLD, linestyle=":", linewidth=1, label=f"the paper's threshold, {at}")
    axes.invert_xaxis()
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=None))
    axes.set(title=title, xlabel="threshold of Nilsimsa (128: equal digests)")
