"""Figures 1 to 3 of CCR: how far copies stand out among a crawl, and what share of a site is discovered."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hpcreuse.figures.style import BLIND, EXPERT, GREY, THRESHOLD
from hpcreuse.store.counts import Histogram
from hpcreuse.store.tables import Row
from hpcreuse.study.discovering import Injected

MARKERS = ("o", "s", "D", "v", "P", "X")


def draw_injection(
    injected: list[Injected], backgrounds: dict[str, Histogram], copies: tuple[int, ...], curve: list[Row]
) -> Figure:
    """Draw the three panels."""
    by_kind = {(each.objects, each.kind): each for each in injected}
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    files, chunks, share = figure.subplots(1, 3)
    draw_frequency(files, by_kind["file", "whole"], backgrounds["file"], copies, "Files, site copied whole")
    draw_frequency(
        chunks, by_kind["chunk", "partial"], backgrounds["chunk"], copies, "Chunks, each page with its own ads"
    )
    draw_curve(share, curve, copies)
    return figure


def draw_frequency(axes: Axes, each: Injected, background: Histogram, copies: tuple[int, ...], title: str) -> None:
    """Draw how many objects occur how often: the crawl grey, the copies above it (figures 1 and 2)."""
    if len(background.duplicates):
        axes.scatter(background.duplicates, background.objects, s=7, color=GREY, label="crawl", linewidths=0)
    for number, marker in zip(copies, MARKERS * len(copies), strict=False):
        found = Histogram.of(each.counts(number)[each.per_copy > 0])
        passes = found.duplicates > each.threshold
        last = number == copies[-1]
        axes.scatter(
            found.duplicates,
            found.objects,
            s=26 if last else 16,
            marker="^" if last else marker,
            facecolors=["black" if p else "none" for p in passes] if last else [BLIND if p else "none" for p in passes],
            edgecolors="black" if last else BLIND,
            linewidths=0.8,
            label=f"d = {number:,}",
        )
    axes.axvline(each.threshold, color=THRESHOLD, linestyle=":", label=f"threshold {each.threshold:,}")
    axes.set(xscale="log", yscale="log", xlabel=f"duplicates of a {each.objects}", title=title)
    axes.set_ylabel(f"distinct {each.objects}s with so many")
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3)


def draw_curve(axes: Axes, curve: list[Row], copies: tuple[int, ...]) -> None:
    """Draw the share of chunks discovered against the number of copies (figure 3)."""
    rows = [row for row in curve if row[:2] == ("chunk", "partial")]
    d = [row[2] for row in rows]
    axes.plot(d, [100 * row[9] for row in rows], color=BLIND, label="of all chunks")
    axes.plot(d, [100 * row[6] for row in rows], color=EXPERT, linestyle="--", label="of distinct chunks")
    for number in copies:
        axes.axvline(number, color=THRESHOLD, linestyle=":", linewidth=0.9)
    axes.set(xscale="log", ylim=(-3, 103), title="Share of the site's chunks discovered")
    axes.set(xlabel="copies of the site, d", ylabel="discovered, %")
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2)
