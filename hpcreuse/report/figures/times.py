"""Where the time of each command went, phase by phase."""

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from hpcreuse.figures.style import GREY, KINDS, WIDE

# Shorter ones are drawn but not named
NAMED = 0.07


def draw_times(jobs: Sequence[dict[str, Any]]) -> Figure:
    """Draw a bar for each command, cut into its phases: the mean over ranks, which adds up to the whole."""
    figure = Figure(figsize=(WIDE[0], 0.9 + 0.42 * len(jobs)), layout="constrained")
    axes = figure.subplots()
    longest = max(sum(times["mean"] for times in job["phases"].values()) for job in jobs)
    for place, job in enumerate(jobs):
        left = 0.0
        phases = sorted(job["phases"].items(), key=lambda phase: -phase[1]["mean"])
        colours = [KINDS[number % (len(KINDS) - 1)] for number in range(len(phases))]
        for colour, (name, times) in zip(colours, phases, strict=True):
            width = times["mean"]
            axes.barh(place, width, 0.62, left=left, color=GREY if name == "other" else colour)
            if width > NAMED * longest:
                axes.annotate(name, (left + width / 2, place), ha="center", va="center", fontsize=8, color="#ffffff")
            left += width
        axes.annotate(f" {job['seconds']:.1f} s", (left, place), va="center", fontsize=8.5)
    axes.set_yticks(range(len(jobs)), [job["verb"] for job in jobs])
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.12 * longest or 1), xlabel="seconds, mean over ranks")
    axes.tick_params(axis="y", length=0)
    return figure
