"""The folder of a report: figures and tables are written as sections are made, the page at the end."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hpcreuse.errors import StoreError
from hpcreuse.report.blocks import FigureBlock
from hpcreuse.report.given import Given
from hpcreuse.store import atomic
from hpcreuse.store.atomic import atomic_path
from hpcreuse.store.records import read_record, write_record
from hpcreuse.store.tables import Column, Row
from hpcreuse.store.writers import write_csv
from hpcreuse.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT, VERSION, RECORD, PAGE = "hpcreuse report", 1, "report.json", "index.html"


@dataclass(frozen=True)
class Book:
    """Where sections put what they make, and how much of it."""

    folder: Path
    given: Sequence[Given]
    top: int
    """Rows of a list on the page."""
    listed: int
    """Rows of the same list in the file beside it."""

    @classmethod
    def prepare(cls, folder: Path, given: Sequence[Given], top: int, listed: int) -> "Book":
        """Take the folder if it is new, empty or an earlier report; that one's figures and tables go.

        Raises StoreError for any other: what others made is not ours to mix into.
        """
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"{folder} is a file: choose another --out")
        if folder.is_dir() and any(folder.iterdir()) and not is_report(folder):
            raise StoreError(f"{folder} is not empty and no earlier report: choose another --out")
        with atomic.told_of(folder):
            folder.mkdir(parents=True, exist_ok=True)
        # At once, so that a report that was killed can be made again
        write_record(folder / RECORD, {"format": FORMAT, "version": VERSION, "creator": f"hpcreuse {__version__}"})
        for name in ("figures", "tables"):
            atomic.remove(folder / name)
        return cls(folder, given, top, listed)

    def figure(
        self, name: str, draw: "Callable[[], Figure]", caption: str, alt: str = "", wide: bool = False
    ) -> FigureBlock:
        """Draw a figure, save it for papers, and give it for the page."""
        from hpcreuse.figures.style import SUFFIXES, save

        paths = [self.folder / "figures" / f"{name}{suffix}" for suffix in SUFFIXES]
        save(draw, paths)
        return self.shown(name, paths, caption, alt, wide)

    def shown(self, name: str, paths: Sequence[Path], caption: str, alt: str = "", wide: bool = False) -> FigureBlock:
        """Give a figure that lies in the folder, as SVG and maybe more, for the page."""
        from hpcreuse.figures.inline import inline_svg

        (svg,) = [path for path in paths if path.suffix == ".svg"]
        files = {path.suffix[1:]: path.relative_to(self.folder).as_posix() for path in paths}
        return FigureBlock(name, caption, inline_svg(svg.read_text("utf-8"), name, alt or caption), files, wide)

    def table(self, name: str, columns: tuple[Column, ...], rows: Iterable[Row]) -> str:
        """Write a table as CSV and give its path from the page."""
        path = self.folder / "tables" / f"{name}.csv"
        with atomic_path(path) as scratch, scratch.open("wb") as out:
            write_csv(columns, rows, out)
        return path.relative_to(self.folder).as_posix()


def is_report(folder: Path) -> bool:
    """Tell whether a folder is an earlier report."""
    try:
        return read_record(folder / RECORD).get("format") == FORMAT
    except (FileNotFoundError, StoreError):
        return False
