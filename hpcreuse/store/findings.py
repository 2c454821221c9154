"""What a method found in a run: tables with fixed columns in fixed order, in a folder that needs the run no more.

    RESULT/result.json               method, provenance, summary; written last
    RESULT/TABLE/part-00000.h5       rows in order; parts follow on each other
    RESULT/NAME                      whatever else a method keeps beside its tables

Everything is written to a temporary folder beside it, which takes its place at the end.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import StoreError
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store import container, result
from hpcreuse.store.columns import Rows, Texts
from hpcreuse.store.result_record import read_result_record
from hpcreuse.store.tables import Column, Row, Table, columns, rows_of, text

FORMAT, VERSION = "hpcreuse findings", 1
BLOCK_ROWS = 1 << 14

# DESIGN.md, "Tables": the tables of each method
TABLES: dict[str, dict[str, tuple[Column, ...]]] = {
    "quilt": {
        "quilts": columns(url=str, grams=int, patch_grams=int, patchfrac=float, sources=list[str], shares=list[float]),
    },
    "imatch": {
        "signatures": columns(url=str, lexicon=int, signature=str),
        "clusters": columns(cluster=int, url=str),
        "matches": columns(url=str, prototype=str, lexicons=list[int]),
        "lexicon": columns(term=str, documents=int, nidf=float, role=str),
    },
    "spin": {
        "filters": columns(filter=str, pages=int),
        "pairs": columns(a=str, b=str, similarity=float, mutable=float, kind=str),
        "clusters": columns(cluster=int, kind=str, url=str),
        "sizes": columns(kind=str, size=int, clusters=int, pages=int, cdf=float),
    },
    "phish": {
        "pages": columns(url=str, chunks=int, matched=int, verdict=str, source=str),
        "truth": columns(**{"url": str, "truth": str, "verdict": str, "class": str}),
        "classes": columns(**{"class": str, "pages": int}),
        "unrendered": columns(url=str, reason=str),
    },
}


def begin(path: Path, method: str) -> Path:
    """Make the temporary folder in which findings grow; throws away what a killed job left in it."""
    return result.begin_folder(path, method, [*TABLES[method], "spool"])


def finish(path: Path, method: str, header: dict[str, Any], summary: dict[str, Any]) -> None:
    """Complete findings and put them in their place."""
    record = {"format": FORMAT, "version": VERSION, "method": method, "header": header, "summary": summary}
    result.finish_folder(path, record, list(TABLES[method]))


def part_path(folder: Path, table: str, number: int) -> Path:
    """Name a part of a table."""
    return folder / table / f"part-{number:05d}.h5"


def write_part(path: Path, rows: Rows) -> None:
    """Write rows as one file."""
    with container.create(path, FORMAT, VERSION, {}) as file:
        for name, column in rows.columns.items():
            if isinstance(column, Texts):
                container.write_ragged(file, name, column.flat)
                container.write_array(file, f"{name}_rows", column.offsets)
            elif isinstance(column, Ragged):
                container.write_ragged(file, name, column)
            else:
                container.write_array(file, name, column)


def read_part(path: Path, types: Mapping[str, Any], first: int = 0, last: int | None = None) -> Rows:
    """Read rows first to last-1 of a file back."""
    with container.open_container(path, FORMAT, VERSION) as file:
        found: dict[str, NDArray | Ragged | Texts] = {}
        for name, kind in types.items():
            if kind == list[str]:
                bounds = file[f"{name}_rows"][first : None if last is None else last + 1]
                flat = container.read_ragged(file, name, int(bounds[0]), int(bounds[-1]))
                found[name] = Texts(flat, bounds - bounds[0])
            elif kind in (str, list[float], list[int]):
                found[name] = container.read_ragged(file, name, first, last)
            else:
                found[name] = file[name][first:last]
        return Rows(found)


def part_rows(path: Path) -> int:
    """Tell how many rows a part has."""
    with container.open_container(path, FORMAT, VERSION) as file:
        if "url_offsets" in file:
            return len(file["url_offsets"]) - 1
        name = min(file)
        return len(file[name]) if f"{name}_offsets" not in file else len(file[f"{name}_offsets"]) - 1


@dataclass(frozen=True)
class Findings:
    """Findings that are complete."""

    path: Path
    method: str
    header: dict[str, Any]
    summary: dict[str, Any]
    part_counts: dict[str, int]

    @classmethod
    def open(cls, path: Path, method: str | None = None) -> "Findings":
        """Open the findings of a method, or of any."""
        if not result.is_result(path):
            raise StoreError(f"{path} is not a result: make one with `hpcreuse {method or 'quilt'}`")
        record = read_result_record(path)
        if record.get("format") == result.FORMAT:
            raise StoreError(f"{path} is a result of `hpcreuse detect`, not of `hpcreuse {method or 'quilt'}`")
        if (record.get("format"), record.get("version")) != (FORMAT, VERSION):
            raise StoreError(
                f"{path} has format {record.get('format')} version {record.get('version')}, "
                f"this needs {FORMAT} version {VERSION}"
            )
        if method not in (None, record["method"]):
            raise StoreError(f"{path} is a result of `hpcreuse {record['method']}`, not of `hpcreuse {method}`")
        return cls(path, record["method"], record["header"], record["summary"], record["parts"])

    def parts(self, table: str) -> list[Path]:
        """List the parts of a table, in order."""
        return result.all_parts(self.path / table, self.part_counts[table], self.method)

    def blocks(self, table: str) -> Iterator[Rows]:
        """Read a table in blocks of rows."""
        types = {column.name: column.type for column in TABLES[self.method][table]}
        for part in self.parts(table):
            rows = part_rows(part)
            for first in range(0, rows, BLOCK_ROWS):
                yield read_part(part, types, first, min(first + BLOCK_ROWS, rows))


def tables_of_method(path: Path) -> tuple[str, dict[str, Table]]:
    """Give the tables of findings, to be exported."""
    method = Findings.open(path).method

    def table(name: str, described: tuple[Column, ...]) -> Table:
        return Table(described, lambda place: export_rows(place, name))

    return f"result of {method}", {name: table(name, described) for name, described in TABLES[method].items()}


def export_rows(path: Path, table: str) -> Iterator[Row]:
    """Give the rows of a table as values."""
    for block in Findings.open(path).blocks(table):
        yield from rows_of(*(values(column) for column in block.columns.values()))


def values(column: NDArray | Ragged | Texts) -> list[Any]:
    """Give a column as Python values."""
    if isinstance(column, Texts):
        flat, bounds = [text(item) for item in column.flat], column.offsets.tolist()
        return [flat[first:last] for first, last in pairwise(bounds)]
    if not isinstance(column, Ragged):
        listed: list[Any] = column.tolist()
        return listed
    if column.values.dtype == np.uint8:
        return [text(item) for item in column]
    flat, bounds = column.values.tolist(), column.offsets.tolist()
    return [flat[first:last] for first, last in pairwise(bounds)]
