"""Where the time went: the commands that made what was given, phase by phase."""

from collections.abc import Sequence
from typing import Any

from hpcreuse.parallel.progress import size
from hpcreuse.report.blocks import Head, Section, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.given import Given
from hpcreuse.report.wording import seconds
from hpcreuse.store.tables import columns

TABLE = columns(path=str, verb=str, ranks=int, phase=str, mean_seconds=float, max_seconds=float)


def section(given: Sequence[Given], book: Book) -> Section | None:
    """Show the cost of each command that is known."""
    jobs = [(one, job) for one in given for job in one.jobs if job.get("phases")]
    if not jobs:
        return None
    from hpcreuse.report.figures.times import draw_times

    rows = [
        (str(one.path), job["verb"], job["ranks"], phase, times["mean"], times["max"])
        for one, job in jobs
        for phase, times in job["phases"].items()
    ]
    file = book.table("times", TABLE, rows)
    part = Section("times", "Time", "Where the time of each command went, as it measured itself.")
    latest = [job for _, job in jobs[-2 * book.top :]]
    part.blocks.append(
        book.figure("times", lambda: draw_times(latest), "Time per phase, the mean over ranks.", wide=True)
    )
    heads = (Head("command"), Head("made", "url"), Head("ranks", "number"), Head("time"), Head("memory"), Head("ended"))
    part.blocks.append(TableBlock("Commands", heads, [row_of(one, job) for one, job in jobs[-2 * book.top :]], file))
    return part


def row_of(one: Given, job: dict[str, Any]) -> tuple:
    """Give a row of the table."""
    memory = f"{size(job['peak_resident_bytes'])} in a rank" if "peak_resident_bytes" in job else ""
    return job["verb"], str(one.path), job["ranks"], seconds(job["seconds"]), memory, job["ended"]
