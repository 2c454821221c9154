"""Quilts: pages stitched together from patches of others, beside their sources."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.spelling import words_in_shard
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.quilt.showing import Gram, grams_of, patches
from hpcreuse.report.blocks import ExamplesBlock, FactsBlock, FigureBlock, Quilted, Section
from hpcreuse.report.book import Book
from hpcreuse.report.given import Given, find_run
from hpcreuse.report.ranking import BINS, Top, bin_rows, binned, greatest
from hpcreuse.report.wording import percent
from hpcreuse.store.columns import Texts
from hpcreuse.store.findings import TABLES, Findings
from hpcreuse.store.run import Run
from hpcreuse.store.tables import columns, text

# On the page: quilts with their words, sources that are named and coloured, characters of a quilt
SHOWN, NAMED, LONGEST = 5, 8, 1_600
# Words of a patch, at its head and its tail
HEAD, TAIL = 16, 10
# Pages are looked for in so many shards
MOST_SHARDS = 400

Row = tuple[str, int, int, float, list[str], list[float]]
COUNTS = columns(sources=int, quilts=int)
BINNED = columns(at_least=float, below=float, quilts=int)


def section(given: Given, book: Book) -> Section:
    """Show the quilts with the greatest share of patches."""
    header = given.header
    sources, shares, rows = read_quilts(Findings.open(given.path, "quilt"), book.listed)
    part = Section(
        f"quilts{given.suffix}",
        f"Quilted pages{given.of}",
        f"Pages of which at least {header['theta']:g} of the {header['k']}-grams stand in other documents too (no more "
        f"than {header['m']}), and which need {header['c']} or more of these to be covered.",
        [FactsBlock(facts(given))],
    )
    if rows:
        file = book.table(f"quilts{given.suffix}", TABLES["quilt"]["quilts"], rows)
        part.blocks.append(beside_sources(given, book, rows, file))
        part.blocks += figures(given, book, sources, shares)
    return part


def facts(given: Given) -> list[tuple[str, Any]]:
    """Say how many there are."""
    summary, foreign = given.summary, given.header["foreign"]
    share = percent(summary["quilts"], summary["pages"])
    return [
        ("quilts", f"{summary['quilts']:,} of {summary['pages']:,} pages ({share})"),
        ("sources of one, mean", f"{summary['mean_sources']:.1f}"),
        ("patch grams", summary["patch_grams"]),
        ("sources may be", "any document" if foreign == "none" else f"of another {foreign}"),
    ]


def figures(given: Given, book: Book, sources: Counter[int], shares: NDArray[np.int64]) -> list[FigureBlock]:
    """Draw how many sources quilts have, and how much of them is patches."""
    from hpcreuse.report.figures.counts import draw_counts
    from hpcreuse.report.figures.shares import draw_shares

    names = [f"quilt-{what}{given.suffix}" for what in ("sources", "shares")]
    book.table(names[0], COUNTS, sorted(sources.items()))
    book.table(names[1], BINNED, bin_rows(shares))
    return [
        book.figure(
            names[0],
            lambda: draw_counts(sources, "sources of a quilt", "quilts"),
            "How many documents it takes to cover the patches of a quilt.",
        ),
        book.figure(
            names[1],
            lambda: draw_shares({"quilts": shares}, "share of patch grams (patchfrac)", "quilts"),
            "How much of a quilt stands in other documents, too.",
        ),
    ]


def read_quilts(findings: Findings, wanted: int) -> tuple[Counter[int], NDArray[np.int64], list[Row]]:
    """Go through all quilts: how many sources they have, how much of them is patches, and the first of them."""
    counter: Counter[int] = Counter()
    shares, top = np.zeros(BINS, np.int64), Top(wanted)
    for block in findings.blocks("quilts"):
        found = block.columns
        sources, fraction, grams = found["sources"], found["patchfrac"], found["patch_grams"]
        assert isinstance(sources, Texts) and isinstance(fraction, np.ndarray) and isinstance(grams, np.ndarray)
        counter.update(np.diff(sources.offsets).tolist())
        shares += binned(fraction)
        top.add(
            [
                ((float(fraction[place]), int(grams[place])), row_of(found, place))
                for place in greatest(wanted, fraction, grams).tolist()
            ]
        )
    return counter, shares, top.rows()


def row_of(found: dict, place: int) -> Row:
    """Give a row of the table."""
    sources: Texts = found["sources"]
    shares: Ragged = found["shares"]
    first, last = (int(end) for end in sources.offsets[place : place + 2])
    begin, end = (int(end) for end in shares.offsets[place : place + 2])
    return (
        text(found["url"][place]),
        int(found["grams"][place]),
        int(found["patch_grams"][place]),
        float(found["patchfrac"][place]),
        [text(sources.flat[number]) for number in range(first, last)],
        shares.values[begin:end].tolist(),
    )


def beside_sources(given: Given, book: Book, rows: Sequence[Row], file: str) -> ExamplesBlock:
    """Show the first quilts with their words by source, if the run is there."""
    shown = rows[: min(SHOWN, book.top)]
    run = find_run(given, book.given)
    words = {} if run is None else find_words(run, {url for row in shown for url in (row[0], *row[4][:NAMED])})
    k = given.header["k"]
    quilts = [
        Quilted(
            row[0],
            row[3],
            list(zip(row[4][:NAMED], row[5][:NAMED], strict=True)),
            patchwork(words, row, k),
            max(0, len(row[4]) - NAMED),
        )
        for row in shown
    ]
    note = "" if words else "The run with the words of the pages is not here: name it as well to see the patches."
    return ExamplesBlock("quilts", "Quilts beside their sources", quilts, file, note)


def find_words(run: Run, wanted: set[str]) -> dict[str, list[str]]:
    """Find the words of pages."""
    found: dict[str, list[str]] = {}
    if not run.text:
        return found
    for path in run.shard_paths()[:MOST_SHARDS]:
        missing = wanted - set(found)
        if not missing:
            break
        found |= dict(words_in_shard(missing, path))
    return found


def patchwork(words: dict[str, list[str]], row: Row, k: int) -> list[tuple[int | None, str]]:
    """Cut the words of a quilt into patches, up to a length that can be read."""
    if row[0] not in words:
        return []
    none: set[Gram] = set()
    sources = [grams_of(words[url], k) if url in words else none for url in row[4][:NAMED]]
    shown: list[tuple[int | None, str]] = []
    length = 0
    for patch in patches(words[row[0]], sources, k):
        if length > LONGEST:
            shown.append((None, "…"))
            break
        words_of = patch.words.split()
        cut = [*words_of[:HEAD], "…", *words_of[-TAIL:]] if len(words_of) > HEAD + TAIL + 4 else words_of
        shown.append((patch.source, " ".join(cut)))
        length += len(shown[-1][1])
    return shown
