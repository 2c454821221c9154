"""Figures depend on nothing but their numbers."""

from pathlib import Path

from matplotlib.figure import Figure

from hpcreuse.figures.style import save


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    def draw() -> Figure:
        figure = Figure(figsize=(2, 2))
        axes = figure.subplots()
        axes.plot([1, 2, 3], [3, 1, 2], label="x")
        axes.legend()
        return figure

    one, two = ([tmp_path / f"{name}.{kind}" for kind in ("svg", "png", "pdf")] for name in ("one", "two"))
    save(draw, one)
    save(draw, two)
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
