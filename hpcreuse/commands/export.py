"""hpcreuse export: a table of a run, labels or a result as JSON lines, CSV or Parquet."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, option
from hpcreuse.errors import UsageError

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "write a table of a run (files, chunks, quarantine), of labels (labels, histogram) or of a result"
EXAMPLES = """\
  hpcreuse export run quarantine
  hpcreuse export labels.h5 labels --format csv -o labels.csv
  hpcreuse export result neighborhoods --format parquet -o neighborhoods.parquet
  hpcreuse export result files | jq -c 'select(.target)'
"""


@dataclass(frozen=True)
class Options:
    """What `export` takes."""

    path: Path = argument("a run, labels or a result", metavar="PATH", convert=Path)
    table: str = argument("the name of a table; a wrong one lists those there are", metavar="TABLE")
    format: str | None = option(
        "how to write it (default: as the name of FILE ends, else jsonl)", None, choices=("jsonl", "csv", "parquet")
    )
    output: Path | None = option("where to (default: stdout)", None, metavar="FILE", convert=Path, flag="-o")


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any] | None:
    """Collective. Rank 0 writes, the others wait."""
    from hpcreuse.parallel.phases import Phases

    phases = Phases()
    with phases("export"):
        rows = world.on_root(export, options, shared)
    if options.output is None:
        return None
    return {"out": str(options.output), "table": options.table, "rows": rows, **phases.summary(world)}


def export(options: Options, shared: SharedOptions) -> int:
    """Write the table and give the number of its rows."""
    from hpcreuse.store.atomic import atomic_path
    from hpcreuse.store.tables import find_table
    from hpcreuse.store.targets import must_not_be_ours
    from hpcreuse.store.writers import WRITERS

    if shared.json and options.output is None:
        raise UsageError("--json keeps stdout for the summary: name a file with -o")
    table = find_table(options.path, options.table)
    suffix = options.output.suffix[1:].lower() if options.output else ""
    name = options.format or (suffix if suffix in WRITERS else "jsonl")
    write = WRITERS[name]
    if name == "parquet" and options.output is None and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal: name a file with -o")
    counted = Counting(table.rows(options.path))
    if options.output is None:
        write(table.columns, counted, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        must_not_be_ours(options.output)
        with atomic_path(options.output) as scratch, scratch.open("wb") as out:
            write(table.columns, counted, out)
    return counted.rows


class Counting:
    """Goes through rows and counts them."""

    def __init__(self, rows: Any):
        self.source, self.rows = rows, 0

    def __iter__(self) -> Any:
        for row in self.source:
            self.rows += 1
            yield row


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was written."""
    return [("table", f"{summary['table']}, {summary['rows']:,} rows"), ("file", summary["out"])]
