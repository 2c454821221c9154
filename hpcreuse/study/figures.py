"""How all figures look, and how they are saved: the same bytes for the same numbers."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from hpcreuse.store.atomic import atomic_path

# It tells about its font cache
logging.getLogger("matplotlib").setLevel(logging.ERROR)

# The papers' colours: expert labels green, blind ones blue, thresholds red
EXPERT, BLIND, THRESHOLD, GREY, ORANGE = "#2a8f3c", "#2b5fb3", "#c8302a", "#9a9a9a", "#d9820f"

STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "svg.fonttype": "path",
    # Names inside an SVG are made from this: without it each file would differ
    "svg.hashsalt": "hpcreuse",
}


def save(draw: Callable[[], Figure], paths: Sequence[Path]) -> list[str]:
    """Draw a figure in our style and save it, without anything that changes from day to day."""
    with matplotlib.rc_context(STYLE):
        figure = draw()
        for path in paths:
            kind = path.suffix[1:]
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            with atomic_path(path) as scratch:
                figure.savefig(scratch, format=kind, dpi=150, metadata=metadata)
    return [str(path) for path in paths]
