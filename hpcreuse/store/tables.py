"""The tables people take out (DESIGN.md, "Tables"): fixed columns, fixed order, read in blocks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from hpcreuse.errors import StoreError, UsageError

Row = tuple[Any, ...]

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"


class Column(NamedTuple):
    """A column of a table: its name and the type of its values."""

    name: str
    type: Any
    """str, int, float, bool, list[str], list[int] or list[float]."""


@dataclass(frozen=True)
class Table:
    """A table that can be read row by row, in its fixed order."""

    columns: tuple[Column, ...]
    rows: Callable[[Path], Iterator[Row]]


def columns(**types: Any) -> tuple[Column, ...]:
    """Describe columns by keyword."""
    return tuple(Column(name, type_) for name, type_ in types.items())


def tables_of(path: Path) -> tuple[str, dict[str, Table]]:
    """Tell what lies at a path and which tables it has."""
    from hpcreuse.store import findings, labels_tables, result_tables, run_tables
    from hpcreuse.store.result import is_result
    from hpcreuse.store.result_record import read_result_record

    if (path / "run.json").exists():
        return "run", run_tables.TABLES
    if is_result(path):
        if read_result_record(path).get("format") == findings.FORMAT:
            return findings.tables_of_method(path)
        return "result", result_tables.TABLES
    if is_hdf5(path):
        return "file of labels", labels_tables.TABLES
    if path.exists():
        raise StoreError(f"{path} is neither a run, nor labels, nor a result of hpcreuse")
    raise StoreError(f"{path} does not exist")


def is_hdf5(path: Path) -> bool:
    """Tell by its first bytes whether something is an HDF5 file."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(HDF5_MAGIC)) == HDF5_MAGIC


def find_table(path: Path, name: str) -> Table:
    """Give a table by name."""
    kind, tables = tables_of(path)
    if name not in tables:
        raise UsageError(f"{path} is a {kind} and has no table '{name}': it has {', '.join(tables)}")
    return tables[name]


def text(data: bytes) -> str:
    """Decode for people and tools; bytes that are not UTF-8 (file names) are written as \\xNN."""
    return data.decode("utf-8", "backslashreplace")


def hex_of(digests: Any) -> list[str]:
    """Write digests as lower-case hex."""
    width = 2 * digests.shape[1]
    digits = digests.tobytes().hex()
    return [digits[i : i + width] for i in range(0, len(digits), width)]


def rows_of(*block_columns: Sequence[Any]) -> Iterator[Row]:
    """Turn the columns of a block into rows."""
    return zip(*block_columns, strict=True)
