"""Rows out as JSON lines, CSV or Parquet, streamed."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, get_origin

from hpcreuse.errors import UsageError
from hpcreuse.store.tables import Column, Row

if TYPE_CHECKING:
    import pyarrow

BLOCK_ROWS = 10_000


def write_jsonl(columns: tuple[Column, ...], rows: Iterable[Row], out: BinaryIO) -> None:
    """Write an object a line."""
    names = [f"{json.dumps(column.name)}: " for column in columns]
    encoders = [_ENCODERS.get(column.type, json.dumps) for column in columns]
    for block in blocks(rows):
        lines = [
            "{" + ", ".join([n + e(v) for n, e, v in zip(names, encoders, row, strict=True)]) + "}\n" for row in block
        ]
        out.write("".join(lines).encode())


_ENCODERS: dict[Any, Callable[[Any], str]] = {
    int: str,
    float: repr,
    bool: lambda value: "true" if value else "false",
}


def write_csv(columns: tuple[Column, ...], rows: Iterable[Row], out: BinaryIO) -> None:
    """Write a header and a line a row; lists as JSON, booleans as true and false."""
    flags = [number for number, column in enumerate(columns) if column.type is bool]
    lists = [number for number, column in enumerate(columns) if get_origin(column.type) is list]
    out.write((",".join(column.name for column in columns) + "\n").encode())
    for block in blocks(rows):
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        for row in block:
            cells = list(row)
            for number in flags:
                cells[number] = "true" if cells[number] else "false"
            for number in lists:
                cells[number] = json.dumps(cells[number])
            writer.writerow(cells)
        out.write(buffer.getvalue().encode("utf-8", "backslashreplace"))


def write_parquet(columns: tuple[Column, ...], rows: Iterable[Row], out: BinaryIO) -> None:
    """Write Parquet in row groups."""
    batches = arrow_batches(columns, rows)
    import pyarrow.parquet as pq

    with pq.ParquetWriter(out, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def arrow_batches(columns: tuple[Column, ...], rows: Iterable[Row]) -> "pyarrow.RecordBatchReader":
    """Give rows as a stream of Arrow batches."""
    try:
        import pyarrow as pa
    except ImportError:
        raise UsageError("this needs the package pyarrow: pip install 'hpcreuse[parquet]'") from None
    types: dict[Any, Any] = {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        list[str]: pa.list_(pa.string()),
        list[float]: pa.list_(pa.float64()),
        list[int]: pa.list_(pa.int64()),
    }
    schema = pa.schema([(column.name, types[column.type]) for column in columns])

    def batch(block: list[Row]) -> "pyarrow.RecordBatch":
        values = zip(*block, strict=True)
        return pa.record_batch([pa.array(v, f.type) for v, f in zip(values, schema, strict=True)], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, map(batch, blocks(rows, 10 * BLOCK_ROWS)))


def blocks(rows: Iterable[Row], size: int = BLOCK_ROWS) -> Iterator[list[Row]]:
    """Take rows in lists of bounded length."""
    stream = iter(rows)
    while block := list(islice(stream, size)):
        yield block


WRITERS = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet}
