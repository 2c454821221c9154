"""What a study leaves: a folder with its tables, its figures and a record of how it was made."""

import importlib.util
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.errors import StoreError
from hpcreuse.store.atomic import atomic_path
from hpcreuse.store.records import read_record, write_record
from hpcreuse.store.tables import Column, Row
from hpcreuse.store.writers import WRITERS
from hpcreuse.study.fields import OutFields
from hpcreuse.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger(__name__)

FORMAT, VERSION, RECORD = "hpcreuse study", 1, "study.json"


@dataclass(frozen=True)
class Output:
    """The folder of a study; only rank 0 writes."""

    folder: Path
    study: str
    format: str
    draws: bool

    @classmethod
    def prepare(cls, study: str, fields: OutFields) -> "Output":
        """Take the folder if it is new, empty or an earlier output of the same study.

        Raises StoreError for any other: what others made is not ours to mix into.
        """
        folder = fields.out
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"{folder} is a file: choose another --out")
        if folder.is_dir() and any(folder.iterdir()) and _study_in(folder) != study:
            raise StoreError(f"{folder} is not empty and no earlier `study {study}`: choose another --out")
        draws = not fields.no_figures and _can_draw()
        folder.mkdir(parents=True, exist_ok=True)
        output = cls(folder, study, fields.format, draws)
        # At once, so that a study that was killed can be run again
        output.record({}, {})
        return output

    def record(self, options: dict[str, Any], summary: dict[str, Any]) -> None:
        """Write down what was done and what came out; nothing of it depends on the number of ranks."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "creator": f"hpcreuse {__version__}",
            "study": self.study,
            "options": options,
            "summary": summary,
        }
        write_record(self.folder / RECORD, content, indent=2)

    def table(self, name: str, columns: tuple[Column, ...], rows: Iterable[Row]) -> str:
        """Write a table and give its path."""
        path = self.folder / f"{name}.{self.format}"
        with atomic_path(path) as scratch, scratch.open("wb") as out:
            WRITERS[self.format](columns, rows, out)
        return str(path)

    def figure(self, name: str, draw: "Callable[[], Figure]") -> list[str]:
        """Draw a figure, if that can be done, and save it as SVG, PNG and PDF; give the paths."""
        if not self.draws:
            return []
        from hpcreuse.figures.style import SUFFIXES, save

        return save(draw, [self.folder / f"{name}{suffix}" for suffix in SUFFIXES])


def options_record(fields: OutFields) -> dict[str, Any]:
    """Give the options of a study for its record; where it is written to is not one of them."""
    values = {name: value for name, value in asdict(fields).items() if name not in ("out", "format", "no_figures")}
    return {k: str(v) if isinstance(v, Path) else list(v) if isinstance(v, tuple) else v for k, v in values.items()}


def _study_in(folder: Path) -> str:
    try:
        return str(read_record(folder / RECORD).get("study"))
    except (FileNotFoundError, StoreError):
        return ""


def _can_draw() -> bool:
    # Found, not loaded: that takes long, and is only needed in the end
    if importlib.util.find_spec("matplotlib") is None:
        log.warning("no figures are drawn: they need matplotlib (pip install 'hpcreuse[figures]')")
        return False
    return True
