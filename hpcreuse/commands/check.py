"""hpcreuse check: pages against labels, one JSON line each: the crawler's call."""

import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hpcreuse.commands.shared import ReadFields, SharedOptions
from hpcreuse.config import argument, number, option, whole_number
from hpcreuse.digest_fields import AskedDigestFields, asked_options
from hpcreuse.errors import UsageError

if TYPE_CHECKING:
    from hpcreuse.checking.pages import Unreadable
    from hpcreuse.crawl.pages import Page

HELP = "hold pages against labels: a JSON line for each with url, chunks, matched, contains, verdict and sources"
EXAMPLES = """\
  hpcreuse check page.html saved-site/ --labels wikipedia.h5
  zcat new.warc.gz | hpcreuse check - --labels wikipedia.h5 --file-threshold 0.5
  printf '<p>one</p>\\0<p>two</p>' | hpcreuse check - --labels isi-geocities
  hpcreuse check new.warc.gz --labels wikipedia.filter --exact wikipedia.h5
"""

# One process answers at once; whole crawls go through `hash` and `detect`
NEEDS_MPI = False


@dataclass(frozen=True)
class Options(AskedDigestFields, ReadFields):
    """What `check` takes."""

    pages: tuple[str, ...] = argument(
        "files, folders, WARC and all that `hash` takes; - for a WARC stream or NUL-separated pages on stdin",
        metavar="PAGE",
        many=True,
    )
    labels: str = option(
        "labels, a filter (`label --compact`), a digest list, or a published one such as isi-geocities",
        metavar="LABELS",
    )
    exact: Path | None = option(
        "the labels that the filter was made of: asked about what it lets through", None, metavar="LABELS", convert=Path
    )
    file_threshold: float = option(
        "a page is copied when a larger share of its chunks matches", 0.0, metavar="X", convert=number
    )
    stop: tuple[str, ...] = option("stop chunks, as for `detect`", (), metavar="FILE", many=True)
    min_length: int = option("chunks that are shorter, in bytes, are stop chunks", 0, metavar="N", convert=whole_number)
    output: Path | None = option("where to (default: stdout)", None, metavar="FILE", convert=Path, flag="-o")


def run(world: None, options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Check page by page; each line is out before the next page is looked at."""
    from hpcreuse.checking.label_set import LabelSet
    from hpcreuse.checking.pages import Unreadable
    from hpcreuse.corpus.inputs import must_be_crawls

    if shared.json and options.output is None:
        raise UsageError("--json keeps stdout for the summary: name a file with -o")
    must_be_crawls(options.pages)
    labels = LabelSet.open(
        options.labels,
        exact=options.exact,
        stop=options.stop,
        min_length=options.min_length,
        threshold=options.file_threshold,
        options=asked_options(options),
    )
    verdicts: dict[str, int] = {}
    with open_output(options.output) as out:
        for page in pages(options):
            if isinstance(page, Unreadable):
                line = unreadable(page)
            else:
                line = labels.check_typed(page.payload, page.url, page.content_type, page.plain).record()
            verdicts[line["verdict"]] = verdicts.get(line["verdict"], 0) + 1
            out.write(json.dumps(line) + "\n")
            out.flush()
    return {
        "out": None if options.output is None else str(options.output),
        "labels": len(labels),
        "pages": sum(verdicts.values()),
        "verdicts": verdicts,
        "input_quarantined": verdicts.get("unreadable", 0),
    }


def pages(options: Options) -> "Iterator[Page | Unreadable]":
    """Give the pages to check."""
    from hpcreuse.checking.pages import STDIN, pages_of, pages_of_pipe
    from hpcreuse.commands.jobs import read_limits

    limits = read_limits(options)
    if STDIN not in options.pages:
        yield from pages_of(options.pages, options.url_prefix, limits)
    elif len(options.pages) > 1:
        raise UsageError("- is the whole input: name no other page beside it")
    else:
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as pipe:
            yield from pages_of_pipe(pipe, limits)


def unreadable(page: "Unreadable") -> dict[str, Any]:
    """Say of a page that it could not be read, and why."""
    place = page.place
    url = place.url or place.archive
    nothing = {"url": url, "chunks": 0, "matched": 0, "contains": 0.0, "verdict": "unreadable", "sources": []}
    return {**nothing, "reason": place.reason}


@contextlib.contextmanager
def open_output(path: Path | None) -> Iterator[IO[str]]:
    """Open the file to write to, which appears when it is complete, or stdout."""
    from hpcreuse.store.atomic import atomic_path
    from hpcreuse.store.targets import must_not_be_ours

    if path is None:
        yield sys.stdout
    else:
        must_not_be_ours(path)
        with atomic_path(path) as scratch, scratch.open("w", encoding="utf-8") as out:
            yield out


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say how many pages were what, unless the lines themselves went to the terminal."""
    if summary["out"] is None:
        return []
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(summary["verdicts"].items()))
    return [("pages", f"{summary['pages']:,}: {counts}"), ("file", summary["out"])]
