"""Figures 1 to 3 of IMATCH: recall by the number of lexicons, and how long signatures survive changes."""

from typing import Any

from matplotlib.figure import Figure

from hpcreuse.figures.style import BLIND, EXPERT, GREY, ORANGE, THRESHOLD

BAG_COLOURS = {2: BLIND, 5: EXPERT, 10: THRESHOLD}


def draw_recall(recall: list[dict[str, Any]], table1: list[dict[str, Any]], stability: list[dict[str, Any]]) -> Figure:
    """Draw two panels, the published values beside ours."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(
        [row["lexicons"] for row in recall], [row["recall"] for row in recall], "o-", color=BLIND, label="this run"
    )
    for name, colour in (("honeypot", GREY), ("cluster", ORANGE)):
        at, values = [row["lexicons"] for row in table1], [row[name] for row in table1]
        left.plot(at, values, "s--", color=colour, markersize=4, label=f"{name} spam (published)")
    left.set_title("Recall of near duplicates")
    left.set_xlabel("further lexicons")
    left.set_ylim(0, 1.02)
    left.legend(fontsize=8)
    for bag, colour in BAG_COLOURS.items():
        rows = [row for row in stability if row["lexicons"] == bag]
        at = [row["changes"] for row in rows]
        right.plot(at, [row["formula"] for row in rows], "-", color=colour, label=f"bag {bag}, formula")
        shares, errors = [row["share"] for row in rows], [2 * row["error"] for row in rows]
        right.errorbar(at, shares, errors, fmt="o", color=colour, markersize=4, capsize=2)
    right.set_title("Signatures that survive (dots: simulated, ± 2 errors)")
    right.set_xlabel("insertions and deletions")
    right.set_ylim(0, 1.02)
    right.legend(fontsize=8)
    return figure
