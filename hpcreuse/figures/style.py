"""How all figures look, and how they are saved: the same bytes for the same numbers."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from hpcreuse.store.atomic import atomic_path

# They tell about their caches and what they leave out of fonts
for name in ("matplotlib", "fontTools"):
    logging.getLogger(name).setLevel(logging.ERROR)

# The papers' colours: expert labels green, blind ones blue, thresholds red
EXPERT, BLIND, THRESHOLD, GREY, ORANGE = "#2a8f3c", "#2b5fb3", "#c8302a", "#9a9a9a", "#d9820f"
# More, for what comes in several kinds; legible on white and, as a page maps them, on black
VIOLET, TEAL = "#7a4fb0", "#1f8a94"
KINDS = (BLIND, ORANGE, EXPERT, VIOLET, TEAL, THRESHOLD, GREY)

# Ready for print: what a paper's column takes, and two of them
COLUMN, WIDE = (5.4, 3.4), (9.0, 3.6)
SUFFIXES = (".svg", ".png", ".pdf")

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
    # Text of a PDF stays text: journals refuse the default
    "pdf.fonttype": 42,
    # Names inside an SVG are made from this: without it each file would differ
    "svg.hashsalt": "hpcreuse",
}

# What each format would note of the day it was made
UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}


def save(draw: Callable[[], Figure], paths: Sequence[Path]) -> list[str]:
    """Draw a figure in our style and save it, without anything that changes from day to day."""
    with matplotlib.rc_context(STYLE):
        figure = draw()
        for path in paths:
            kind = path.suffix[1:]
            with atomic_path(path) as scratch:
                figure.savefig(scratch, format=kind, dpi=150, metadata=UNDATED[kind])
    return [str(path) for path in paths]
