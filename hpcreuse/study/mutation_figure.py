"""Figures 4 to 10 of CCR: badness of pages and of the neighborhood as chunks are added, deleted and changed."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hpcreuse.figures.style import BLIND, EXPERT, ORANGE, THRESHOLD
from hpcreuse.study.curves import Curve

COLOURS = {"expert": EXPERT, "blind": BLIND}
MUTATED = {"add": "added chunks", "delete": "deleted chunks", "change": "random changes"}
TITLES = {"page": "Pages", "neighborhood": "Neighborhood"}

# The papers leave smaller error bars out
SMALLEST_ERROR = 0.01


def draw_mutation(curves: list[Curve], threshold: float) -> Figure:
    """Draw pages in the first row, the neighborhood in the second, a mutation in each column."""
    figure = Figure(figsize=(15, 7.4), layout="constrained")
    panels = figure.subplots(2, 4)
    for row, of in enumerate(TITLES):
        for column, mutation in enumerate(MUTATED):
            mine = [curve for curve in curves if (curve.of, curve.mutation) == (of, mutation)]
            draw_badness(panels[row, column], mine, threshold)
    draw_found(panels[0, 3], [curve for curve in curves if (curve.of, curve.mutation) == ("page", "change")])
    draw_legend(panels[1, 3], threshold)
    return figure


def draw_badness(axes: Axes, curves: list[Curve], threshold: float) -> None:
    """Draw badness against mutations per page, and where it falls to the threshold."""
    mutation, of = curves[0].mutation, curves[0].of
    axes.axhline(threshold, color=THRESHOLD, linestyle=":")
    for curve in curves:
        colour = COLOURS[curve.labels]
        axes.plot(curve.relative, curve.badness, color=colour, marker="o", markersize=2.5)
        wide = curve.error >= SMALLEST_ERROR
        axes.errorbar(
            curve.relative[wide], curve.badness[wide], curve.error[wide], color=colour, linestyle="none", capsize=2
        )
        tolerance, falls = curve.tolerance(threshold)
        if falls:
            axes.axvline(tolerance, color=colour, linestyle=":", linewidth=1)
            # The expert's stands to the right of its line, the blind one's to the left of its own
            right = curve.labels == "expert"
            axes.annotate(
                f"{tolerance:.1f} \N{MULTIPLICATION SIGN}",
                (tolerance, 0.97 if right else 0.9),
                xytext=(3 if right else -3, 0),
                textcoords="offset points",
                ha="left" if right else "right",
                color=colour,
                fontweight="bold",
            )
    if mutation == "delete":
        draw_chunks_left(axes, curves[0])
    axes.set(ylim=(0, 1.03), xlim=(0, float(curves[0].relative[-1]) * 1.02), title=f"{TITLES[of]}: {MUTATED[mutation]}")
    axes.set_xlabel(f"{MUTATED[mutation]} per page (cpp)")
    axes.set_ylabel("mean badness of a page" if of == "page" else "badness of the neighborhood")
    add_absolute(axes, curves[0])


def draw_chunks_left(axes: Axes, curve: Curve) -> None:
    """Draw how many chunks the pages have that are left (figure 5)."""
    right = axes.twinx()
    right.plot(curve.relative, curve.chunks_left, color=ORANGE, linestyle="--", linewidth=1.1)
    right.set_ylim(0, None)
    right.set_ylabel("chunks of a page that is left", color=ORANGE)
    right.tick_params(axis="y", colors=ORANGE)
    right.spines["right"].set_visible(True)
    right.spines["right"].set_color(ORANGE)


def add_absolute(axes: Axes, curve: Curve) -> None:
    """Give the number of mutations itself along the top."""
    unit = curve.chunks_per_page

    def absolute(relative: Any) -> Any:
        return relative * unit

    def relative(absolute: Any) -> Any:
        return absolute / unit

    top = axes.secondary_xaxis("top", functions=(absolute, relative))
    top.tick_params(labelsize=7.5, colors="#555555", pad=1)


def draw_found(axes: Axes, curves: list[Curve]) -> None:
    """Draw how many pages are still above the threshold (figure 7)."""
    for curve in curves:
        axes.plot(curve.relative, curve.found, color=COLOURS[curve.labels], marker="o", markersize=2.5)
    axes.set(xlim=(0, float(curves[0].relative[-1]) * 1.02), title="Pages found after random changes")
    axes.set_ylim(0, None)
    axes.set_xlabel("random changes per page (cpp)")
    axes.set_ylabel("pages above the threshold")
    add_absolute(axes, curves[0])


def draw_legend(axes: Axes, threshold: float) -> None:
    """Say what the lines are, in the panel that is left over."""
    axes.axis("off")
    axes.plot([], [], color=EXPERT, marker="o", markersize=3, label="expert L: all chunks of the site")
    axes.plot([], [], color=BLIND, marker="o", markersize=3, label="blind L: discovered in copies of it")
    axes.plot([], [], color=THRESHOLD, linestyle=":", label=f"threshold {threshold:g}")
    axes.plot([], [], color=ORANGE, linestyle="--", label="chunks per page")
    axes.plot([], [], color="none", label="cpp: mean of chunks per page; along the top:\nmutations per page")
    axes.legend(loc="center left", fontsize=10)
