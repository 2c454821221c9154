"""A table as Python sees it: rows one by one, a column as an array, all of it for pandas or Arrow."""

from collections import namedtuple
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import UsageError
from hpcreuse.store import tables, writers

if TYPE_CHECKING:
    import pandas
    import pyarrow

# What a column of a table becomes in NumPy; text and lists stay Python's
_DTYPES: dict[Any, Any] = {int: np.int64, float: np.float64, bool: np.bool_}


class TableView:
    """A table of a run, labels or a result: the rows and the order that `hpcreuse export` gives.

    Nothing is read before it is asked for. Iterating reads in blocks and holds one; all else holds what it gives.
    """

    def __init__(self, path: Path, name: str):
        self.path, self.name = path, name
        self._table = tables.find_table(path, name)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self._table.columns)

    @cached_property
    def _row(self) -> Any:
        # A column may be called as Python calls something else: `class` of phish
        return namedtuple("Row", self.columns, rename=True)

    def __iter__(self) -> Iterator[Any]:
        """Give the rows as named tuples, in the table's order."""
        return map(self._row._make, self._table.rows(self.path))

    def __len__(self) -> int:
        """Count the rows: goes through all of them."""
        return sum(1 for _ in self._table.rows(self.path))

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Give a column as an array: int64, float64, bool, or objects (strings, lists)."""
        if column not in self.columns:
            raise UsageError(f"the table '{self.name}' has no column '{column}': it has {', '.join(self.columns)}")
        number = self.columns.index(column)
        dtype = _DTYPES.get(self._table.columns[number].type, object)
        values = [row[number] for row in self._table.rows(self.path)]
        array = np.empty(len(values), dtype)
        array[:] = values
        return array

    def batches(self) -> "pyarrow.RecordBatchReader":
        """Give the rows as a stream of Arrow batches: what DuckDB and others read without holding all of it."""
        return writers.arrow_batches(self._table.columns, self._table.rows(self.path))

    def arrow(self) -> "pyarrow.Table":
        """Give all of it as an Arrow table; needs `pip install 'hpcreuse[parquet]'`."""
        return self.batches().read_all()

    def pandas(self) -> "pandas.DataFrame":
        """Give all of it as a data frame; needs pandas, but not Arrow."""
        try:
            import pandas
        except ImportError:
            raise UsageError("this needs the package pandas: pip install pandas") from None
        rows = list(self._table.rows(self.path))
        columns = zip(*rows, strict=True) if rows else [()] * len(self.columns)
        return pandas.DataFrame(
            {
                column.name: pandas.Series(list(values), dtype=_DTYPES.get(column.type, object))
                for column, values in zip(self._table.columns, columns, strict=True)
            }
        )

    def __repr__(self) -> str:
        return f"<table {self.name} of {self.path}: {', '.join(self.columns)}>"
