"""Tables of a run: files, chunks, quarantine, in order of archive and offset."""

import heapq
from collections.abc import Callable, Iterator
from pathlib import Path

from hpcreuse.store.run import Run, ShardInfo
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText
from hpcreuse.store.tables import Row, Table, columns, hex_of, rows_of, text

BLOCK_FILES = 4096

# What orders a run's rows: archive and offset
Keyed = tuple[tuple[bytes, int], Row]


def files(path: Path) -> Iterator[Row]:
    """Give the rows of `files`."""
    return in_order(path, file_rows)


def chunks(path: Path) -> Iterator[Row]:
    """Give the rows of `chunks`."""
    return in_order(path, chunk_rows)


def quarantine(path: Path) -> Iterator[Row]:
    """Give the rows of `quarantine`."""
    return in_order(path, quarantine_rows)


def texts(path: Path) -> Iterator[Row]:
    """Give the rows of `texts`, of a run hashed with `--text`."""
    Run.open(path).must_have_text()
    return in_order(path, text_rows)


def in_order(path: Path, rows: Callable[[Shard], Iterator[Keyed]]) -> Iterator[Row]:
    """Go through all shards in order of archive; those whose archives interleave (folders) are merged."""
    run = Run.open(path)
    shards = run.in_order([ShardInfo.read(p) for p in run.shard_paths()])
    for group in overlapping(shards):
        streams = [opened(shard.path, rows) for shard in group]
        merged = streams[0] if len(group) == 1 else heapq.merge(*streams, key=lambda keyed: keyed[0])
        for _, row in merged:
            yield row


def opened(path: Path, rows: Callable[[Shard], Iterator[Keyed]]) -> Iterator[Keyed]:
    """Open a shard only when its first row is asked for."""
    with Shard.open(path) as shard:
        yield from rows(shard)


def overlapping(shards: list[ShardInfo]) -> Iterator[list[ShardInfo]]:
    """Group shards so that archives of different groups do not interleave.

    Parts of one archive follow on each other and need no merging.
    """

    def extent(shard: ShardInfo) -> tuple[bytes, bytes]:
        with Shard.open(shard.path) as opened_shard:
            names = [*opened_shard.strings("archives"), *opened_shard.strings("quarantine/archive")]
            source = shard.source.encode("utf-8", "surrogateescape")
            return min(names, default=source), max(names, default=source)

    ranked = sorted(((*extent(shard), shard) for shard in shards), key=lambda e: (e[0], e[2].number, e[2].part))
    group: list[ShardInfo] = []
    reach = b""
    for low, high, shard in ranked:
        follows = group and low == reach and high == reach and shard.source == group[-1].source
        if group and (low > reach or follows):
            yield group
            group, reach = [], b""
        group.append(shard)
        reach = max(reach, high)
    if group:
        yield group


def file_rows(shard: Shard) -> Iterator[Keyed]:
    """Give the rows of `files` of one shard."""
    archives, mimes = list(shard.strings("archives")), [text(m) for m in shard.strings("mimes")]
    names = [text(archive) for archive in archives]
    for first in range(0, shard.files, BLOCK_FILES):
        last = min(first + BLOCK_FILES, shard.files)
        archive = shard.column("files/archive", first, last).tolist()
        offset = shard.column("files/offset", first, last).tolist()
        counts = shard.chunk_start[first + 1 : last + 1] - shard.chunk_start[first:last]
        rows = rows_of(
            [text(url) for url in shard.strings("files/url", first, last)],
            hex_of(shard.column("files/digest", first, last)),
            shard.column("files/length", first, last).tolist(),
            counts.tolist(),
            [mimes[m] for m in shard.column("files/mime", first, last)],
            [names[a] for a in archive],
            offset,
        )
        keys = zip((archives[a] for a in archive), offset, strict=True)
        yield from zip(keys, rows, strict=True)


def chunk_rows(shard: Shard) -> Iterator[Keyed]:
    """Give the rows of `chunks` of one shard."""
    archives = list(shard.strings("archives"))
    digests = shard.column("distinct/digest")
    for first in range(0, shard.files, BLOCK_FILES):
        last = min(first + BLOCK_FILES, shard.files)
        urls = [text(url) for url in shard.strings("files/url", first, last)]
        archive = shard.column("files/archive", first, last).tolist()
        offset = shard.column("files/offset", first, last).tolist()
        starts = shard.chunk_start[first : last + 1]
        begin, end = int(starts[0]), int(starts[-1])
        hashes = hex_of(digests[shard.column("chunks/number", begin, end)])
        places = shard.column("chunks/offset", begin, end).tolist()
        lengths = shard.column("chunks/length", begin, end).tolist()
        bounds = (starts - begin).tolist()
        for number, url in enumerate(urls):
            key = (archives[archive[number]], offset[number])
            for position, chunk in enumerate(range(bounds[number], bounds[number + 1])):
                yield key, (url, position, hashes[chunk], places[chunk], lengths[chunk])


def text_rows(shard: Shard) -> Iterator[Keyed]:
    """Give the rows of `texts` of one shard."""
    words = ShardText(shard)
    archives = list(shard.strings("archives"))
    keys = zip(
        (archives[a] for a in shard.column("files/archive")),
        shard.column("files/offset").tolist(),
        strict=True,
    )
    named = []
    for name in ("languages", "domains", "addresses"):
        numbers, strings = words.names(name)
        named.append([text(strings[number]) for number in numbers])
    rows = rows_of(
        [text(url) for url in shard.strings("files/url")],
        (words.word_start[1:] - words.word_start[:-1]).tolist(),
        words.column("links").tolist(),
        words.column("link_words").tolist(),
        *named,
    )
    yield from zip(keys, rows, strict=True)


def quarantine_rows(shard: Shard) -> Iterator[Keyed]:
    """Give the rows of `quarantine` of one shard."""
    archives = shard.strings("quarantine/archive")
    offsets = shard.column("quarantine/offset").tolist()
    urls, reasons = shard.strings("quarantine/url"), shard.strings("quarantine/reason")
    rows = rows_of(map(text, archives), offsets, map(text, urls), map(text, reasons))  # type: ignore[arg-type]
    keys = zip(archives, offsets, strict=True)
    yield from sorted(zip(keys, rows, strict=True), key=lambda keyed: keyed[0])


TABLES = {
    "files": Table(columns(url=str, digest=str, length=int, chunks=int, mime=str, archive=str, offset=int), files),
    "chunks": Table(columns(url=str, position=int, digest=str, offset=int, length=int), chunks),
    "texts": Table(
        columns(url=str, words=int, links=int, link_words=int, language=str, domain=str, address=str), texts
    ),
    "quarantine": Table(columns(archive=str, offset=int, url=str, reason=str), quarantine),
}
