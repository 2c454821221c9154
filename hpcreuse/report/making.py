"""A report of what was given: sections for what is there, in the order of the chain."""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.report.blocks import FigureBlock, Section
from hpcreuse.report.book import PAGE, Book
from hpcreuse.report.given import Given, look_at
from hpcreuse.report.sections import (
    citation,
    crawl,
    detection,
    labels,
    near,
    neighborhoods,
    overview,
    phish,
    provenance,
    quilts,
    spun,
    studies,
    times,
)
from hpcreuse.report.survey import Survey
from hpcreuse.store.result import Result

log = logging.getLogger(__name__)

METHODS = {"quilt": quilts, "imatch": near, "spin": spun, "phish": phish, "study": studies}


@dataclass(frozen=True)
class ReportJob:
    """Of what, to where, and how much of it."""

    paths: Sequence[Path]
    out: Path
    title: str
    top: int
    listed: int
    command: str


def make_report(job: ReportJob) -> dict[str, Any]:
    """Make a report; give a summary."""
    begin = time.monotonic()
    given = look_at(job.paths)
    book = Book.prepare(job.out, given, job.top, max(job.top, job.listed))
    sections = [overview.section(given), *found(given, book)]
    sections += [part for part in (times.section(given, book),) if part is not None]
    sections += [provenance.section(given, job.command), citation.section(given)]
    # Only now: what it loads is of no use when something is wrong with the paths
    from hpcreuse.report.page import write_page

    page = job.out / PAGE
    write_page(page, job.title, [part for part in sections if part.blocks])
    return {
        "out": str(job.out),
        "page": str(page),
        "page_bytes": page.stat().st_size,
        "sections": [part.key for part in sections],
        "figures": sorted(block.name for part in sections for block in part.blocks if isinstance(block, FigureBlock)),
        "tables": sorted(path.name for path in (job.out / "tables").glob("*.csv")),
        "seconds": round(time.monotonic() - begin, 3),
    }


def found(given: Sequence[Given], book: Book) -> Iterator[Section]:
    """Make the sections of what was given, in the order of the chain."""
    of = {kind: [one for one in given if one.kind == kind] for kind in ("run", "labels", "result", *METHODS)}
    for one in of["run"]:
        yield crawl.section(one, book)
        if not of["labels"] and not of["result"] and (part := labels.frequencies_of_run(one, book)):
            yield part
    # A result keeps its labels: those that were not given themselves are shown from there
    for one in of["labels"] or of["result"]:
        yield labels.section(one, book)
    for one in of["result"]:
        survey = Survey.of(Result.open(one.path), book.listed)
        yield detection.section(one, book, survey)
        yield neighborhoods.section(one, book, survey)
    for kind, module in METHODS.items():
        for one in of[kind]:
            yield module.section(one, book)
