"""How many rows there are of each small number: sources of quilts, for one."""

from collections import Counter

from matplotlib.figure import Figure

from hpcreuse.figures.style import COLUMN, VIOLET

# Beyond, all are taken together
MOST = 40


def draw_counts(counter: Counter[int], measure: str, what: str) -> Figure:
    """Draw a bar for each number."""
    figure = Figure(figsize=COLUMN, layout="constrained")
    axes = figure.subplots()
    gathered: Counter[int] = Counter()
    for number, count in counter.items():
        gathered[min(number, MOST)] += count
    axes.bar(list(gathered), list(gathered.values()), 0.8, color=VIOLET)
    axes.set(xlabel=measure + (f" ({MOST} or more in the last)" if max(counter) > MOST else ""), ylabel=what)
    # One bar alone would fill the figure
    axes.set_xlim(min(gathered) - 2.5, max(gathered) + 2.5)
    axes.locator_params(axis="x", integer=True)
    axes.locator_params(axis="y", integer=True)
    return figure
