"""What people see: pairs and tables that line up, in colour on a terminal and plain in a log file."""

from collections.abc import Sequence
from typing import Any

from hpcreuse.parallel.progress import size

# Nobody asks where less than this went
SHORT_SECONDS = 0.1


def print_pairs(pairs: Sequence[tuple[str, Any]], summary: dict[str, Any]) -> None:
    """Print names and values in two columns, and where the time went below."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    lines = [*pairs, *time_lines(summary)]
    width = max((len(name) for name, _ in lines), default=0) + 2
    for name, value in lines:
        line = Text.assemble((f"{name:<{width}}", "bold"), value)
        line.rstrip()
        console.print(line)


def time_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say how long each phase took and how much memory the largest rank had, unless it was over at once."""
    if "phases" not in summary or (summary["ranks"] == 1 and summary["seconds"] < SHORT_SECONDS):
        return []
    phases = ", ".join(
        f"{name} {times['max']:.1f}" for name, times in summary["phases"].items() if times["max"] >= 0.05
    )
    ranks = "1 rank" if summary["ranks"] == 1 else f"{summary['ranks']} ranks"
    return [
        ("time", f"{summary['seconds']:.1f} s on {ranks}" + (f" ({phases})" if phases else "")),
        ("memory", f"{size(summary['peak_resident_bytes'])} at most in a rank"),
    ]


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; numbers are right-aligned."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        numeric = all(row[number].replace(",", "").replace(".", "").replace("%", "").strip().isdigit() for row in rows)
        table.add_column(column, justify="right" if numeric and rows else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)
