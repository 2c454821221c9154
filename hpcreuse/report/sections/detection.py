"""Detection: how much of files and neighborhoods is copied, and from where on they are targets."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.fixed import to_fixed
from hpcreuse.report.blocks import FactsBlock, Head, Section, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.given import Given
from hpcreuse.report.ranking import BINS, Top, bin_rows, binned, greatest
from hpcreuse.report.survey import Survey
from hpcreuse.report.wording import percent
from hpcreuse.store.result import Result, read_files
from hpcreuse.store.tables import columns, text

BINNED = columns(at_least=float, below=float, number=int)
FILES = columns(url=str, chunks=int, bad=int, contains=float)
DEPTHS = columns(depth=int, neighborhoods=int, bad=int)


def section(given: Given, book: Book, survey: Survey) -> Section:
    """Show how badness is spread."""
    summary = given.summary
    ratios, targets = look_at_files(Result.open(given.path), book.listed)
    part = Section(
        f"detection{given.suffix}",
        f"Detection: how much is copied{given.of}",
        "The ratio of a file is the share of its chunks that are labelled; the badness of a neighborhood, every URL "
        + (
            "prefix, is the mean over its files."
            if given.header["badness"] == "mean"
            else "prefix, that of all its chunks."
        )
        + " Above the threshold they are targets.",
        [FactsBlock(facts(summary, given.header))],
    )
    part.blocks.append(
        spread(book, f"badness{given.suffix}", survey.badness, summary["neighborhood_threshold"], "neighborhoods")
    )
    part.blocks.append(spread(book, f"ratios{given.suffix}", ratios, summary["file_threshold"], "files"))
    part.blocks.append(prefixes(book, given, survey))
    if targets:
        file = book.table(f"target-files{given.suffix}", FILES, targets)
        heads = (Head("URL", "url"), Head("chunks", "number"), Head("bad", "number"), Head("ratio", "bar"))
        part.blocks.append(TableBlock("Target files with most bad chunks", heads, targets[: book.top], file))
    return part


def facts(summary: dict[str, Any], header: dict[str, Any]) -> list[tuple[str, Any]]:
    """Say what was found."""

    def found(part: str, whole: str) -> str:
        return f"{summary[part]:,} of {summary[whole]:,} ({percent(summary[part], summary[whole])})"

    def bar(kind: str) -> str:
        mean, deviation, value = (summary[f"{kind}_{name}"] for name in ("mean", "deviation", "threshold"))
        fixed = header.get(f"{kind}_threshold") is not None
        why = "fixed" if fixed else f"mean {mean:.3f} + {header['sigma']:g} * {deviation:.3f}"
        return f"{value:.4f} ({why})"

    return [
        ("labels", summary["labels"]),
        (f"bad {summary['objects']}s", found("bad_chunks", "chunks")),
        ("target files", found("target_files", "files")),
        ("threshold of files", bar("file")),
        ("bad neighborhoods", found("bad_neighborhoods", "neighborhoods")),
        ("threshold of neighborhoods", bar("neighborhood")),
    ]


def look_at_files(result: Result, wanted: int) -> tuple[NDArray[np.int64], list[tuple]]:
    """Go through all files: a histogram of their ratios, and the targets with most bad chunks."""
    ratios, top = np.zeros(BINS, np.int64), Top(wanted)
    least, bar = result.header["min_chunks"], result.header["file_threshold_fixed"]
    for part in result.parts("files"):
        for block in read_files(part):
            contains = block.bad / np.maximum(block.chunks, 1)
            ratios += binned(contains)
            target = (to_fixed(contains) > bar) & (block.chunks >= least)
            rows = [
                (text(block.url[place]), int(block.chunks[place]), int(block.bad[place]), float(contains[place]))
                for place in greatest(wanted, np.where(target, block.bad, -1), contains).tolist()
                if target[place]
            ]
            top.add([((row[2], row[3]), row) for row in rows])
    return ratios, top.rows()


def spread(book: Book, name: str, counts: NDArray[np.int64], threshold: float, what: str) -> Any:
    """Draw histogram and distribution, and keep the bins."""
    from hpcreuse.report.figures.badness import draw_badness

    measure = "badness of a neighborhood" if what == "neighborhoods" else "ratio of a file: bad chunks of all"
    book.table(name, BINNED, bin_rows(counts))
    return book.figure(
        name,
        lambda: draw_badness(counts, threshold, what, measure),
        f"{measure.capitalize()}: how many {what} (bars) and which share of them has at most so much (line), "
        "with the threshold above which they are targets.",
        alt=f"Histogram and distribution of the {measure}, threshold {threshold:.3f}",
    )


def prefixes(book: Book, given: Given, survey: Survey) -> Any:
    """Draw the path lengths of neighborhoods."""
    from hpcreuse.report.figures.prefixes import draw_prefixes

    name = f"prefix-lengths{given.suffix}"
    depths = sorted(depth for depth, count in survey.depths.items() if count)
    book.table(name, DEPTHS, ((d, survey.depths[d], survey.target_depths[d]) for d in depths))
    return book.figure(
        name,
        lambda: draw_prefixes(survey.depths, survey.target_depths),
        "Path lengths of neighborhoods: 1 is a whole site, each folder one more.",
        alt=f"Number of neighborhoods of each path length from 1 to {depths[-1] if depths else 1}, all and bad ones",
    )
