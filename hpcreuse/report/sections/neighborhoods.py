"""The worst neighborhoods, by badness and by number of bad chunks, with pages of theirs and what was found there."""

from hpcreuse.report.blocks import Head, Section, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.contents import read_contents
from hpcreuse.report.given import Given, find_run
from hpcreuse.report.ranking import Top
from hpcreuse.report.survey import Seen, Survey, look_into
from hpcreuse.store.neighborhoods import Neighborhood
from hpcreuse.store.result import Result
from hpcreuse.store.tables import columns, text

TABLE = columns(prefix=str, depth=int, files=int, chunks=int, bad=int, badness=float)
HEADS = (
    Head("neighborhood", "url"),
    Head("files", "number"),
    Head("chunks", "number"),
    Head("bad", "number"),
    Head("badness", "bar"),
    Head("pages of it", "below"),
)
# Of the content that was found in a neighborhood so much is shown
LONGEST = 90


def section(given: Given, book: Book, survey: Survey) -> Section:
    """List them both ways."""
    result = Result.open(given.path)
    rankings = [survey.worst(survey.by_badness), survey.worst(survey.by_bad)]
    seen = {one.prefix: look_into(result, one.prefix) for ranking in rankings for one in ranking[: book.top]}
    found = describe(given, book, seen)
    return Section(
        f"neighborhoods{given.suffix}",
        f"Bad neighborhoods{given.of}",
        "Where copies live. Neighborhoods that hold the same pages as one above them are left out here.",
        [
            listing(book, given, "badness", rankings[0], survey.by_badness, seen, found),
            listing(book, given, "bad-chunks", rankings[1], survey.by_bad, seen, found),
        ],
    )


def describe(given: Given, book: Book, seen: dict[bytes, Seen]) -> dict[bytes, list[str]]:
    """Say of each neighborhood what is copied there: the pages labels come from, else the content found most."""
    wanted = {one.digests[0] for one in seen.values() if one.digests and not one.sources}
    objects = given.header["objects"]
    contents = read_contents(find_run(given, book.given), sorted(wanted), objects) if wanted else {}
    lines: dict[bytes, list[str]] = {}
    for prefix, one in seen.items():
        if one.sources:
            lines[prefix] = [f"from {source}" for source in one.sources]
        elif one.digests:
            content = contents[one.digests[0]]
            short = " ".join(content.text.split())
            cut = f"{short[:LONGEST]} …" if len(short) > LONGEST else short
            lines[prefix] = [cut or f"{objects} {one.digests[0][:12]}"]
    return lines


def listing(
    book: Book,
    given: Given,
    by: str,
    ranking: list[Neighborhood],
    top: Top,
    seen: dict[bytes, Seen],
    found: dict[bytes, list[str]],
) -> TableBlock:
    """Make the table of one ranking."""
    every = [(text(n.prefix), n.depth, n.files, n.chunks, n.bad, n.badness) for n in top.rows()[: book.listed]]
    file = book.table(f"neighborhoods-by-{by}{given.suffix}", TABLE, every)
    has_sources = any(one.sources for one in seen.values())
    heads = (*HEADS, Head("copied from" if has_sources else "found most often", "below"))
    rows = [
        (text(n.prefix), n.files, n.chunks, n.bad, n.badness, within(n, seen[n.prefix]), found.get(n.prefix, []))
        for n in ranking[: book.top]
    ]
    return TableBlock(f"By {by.replace('-', ' ')}", heads, rows, file, "" if rows else "None is bad.")


def within(neighborhood: Neighborhood, seen: Seen) -> list[str]:
    """Give the pages of a neighborhood without what they have all in common."""
    prefix = text(neighborhood.prefix)
    return [f"… {url.partition('://')[2].removeprefix(prefix)}" for url in seen.pages]
