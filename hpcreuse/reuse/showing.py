"""From a digest back to content: which chunks and files have it, and what it says."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.corpus.rereading import NO_LIMITS
from hpcreuse.crawl.read import reread, split_member
from hpcreuse.errors import StoreError, UsageError
from hpcreuse.kernels import digests as dg
from hpcreuse.kernels import normalize_whitespace
from hpcreuse.page.digest import chunked_text
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.store.run import ShardInfo
from hpcreuse.store.shard import Shard
from hpcreuse.store.tables import text

SHORTEST_PREFIX = 8


@dataclass(frozen=True)
class Place:
    """Where a digest stands; position is -1 for a whole file."""

    digest: str
    url: str
    position: int
    archive: str
    offset: int
    chunk_offset: int
    length: int
    mime: str
    url_prefix: str


def show(world: World, run: Path, digest: str) -> dict[str, Any]:
    """Collective. Find a digest, or a prefix of one, in all shards, and read its content from the archive."""
    wanted = digest.lower()
    phases = Phases()
    with phases("open"):
        catalog = Catalog.open(world, run)
        options = catalog.run.options
        world.on_root(must_be_digest, wanted, options)
    with phases("search"):
        found = world.map(partial(places_in, wanted), catalog.shards)
        places = [place for part in found for place in part]
    with phases("read"):
        shown = world.on_root(describe, run, wanted, places, options)
    return {**shown, **phases.summary(world)}


def must_be_digest(wanted: str, options: DigestOptions) -> None:
    """Refuse what cannot be a digest of this run."""
    if not SHORTEST_PREFIX <= len(wanted) <= 2 * options.width or set(wanted) - set("0123456789abcdef"):
        raise UsageError(
            f"'{wanted}' is not a {options.digest} digest: {2 * options.width} hex digits, "
            f"or the first {SHORTEST_PREFIX} or more of them"
        )


def places_in(wanted: str, info: ShardInfo) -> list[Place]:
    """Find where a digest stands in one shard."""
    low = wanted.ljust(2 * info_width(info), "0")
    high = wanted.ljust(2 * info_width(info), "f")
    with Shard.open(info.path) as shard:
        ends = dg.from_bytes(bytes.fromhex(low + high), shard.width)
        first, last = shard.cut_distinct(ends)
        digests = shard.column("distinct/digest", first, last + 1)
        numbers = [int(first) + n for n, d in enumerate(digests) if d.tobytes().hex().startswith(wanted)]
        chunks = np.flatnonzero(np.isin(shard.column("chunks/number"), numbers))
        files = np.searchsorted(shard.chunk_start, chunks, side="right") - 1
        places = [_chunk_place(shard, int(f), int(c), int(first), digests) for f, c in zip(files, chunks, strict=True)]
        file_digests = shard.column("files/digest")
        head = np.frombuffer(bytes.fromhex(wanted[: len(wanted) // 2 * 2]), np.uint8)
        for file in np.flatnonzero((file_digests[:, : len(head)] == head).all(axis=1)).tolist():
            if file_digests[file].tobytes().hex().startswith(wanted):
                length = int(shard.column("files/length", file, file + 1)[0])
                places.append(_place(shard, file, -1, file_digests[file].tobytes().hex(), 0, length))
        return places


def info_width(info: ShardInfo) -> int:
    """Give the bytes of a digest of a shard."""
    return DigestOptions.from_record(info.header["digest_options"]).width


def _chunk_place(shard: Shard, file: int, chunk: int, first: int, digests: dg.Digests) -> Place:
    number, offset, length = (int(shard.file[f"chunks/{name}"][chunk]) for name in ("number", "offset", "length"))
    position = chunk - int(shard.chunk_start[file])
    return _place(shard, file, position, digests[number - first].tobytes().hex(), offset, length)


def _place(shard: Shard, file: int, position: int, digest: str, offset: int, length: int) -> Place:
    archive, mime = (int(shard.file[f"files/{name}"][file]) for name in ("archive", "mime"))
    return Place(
        digest=digest,
        url=text(shard.strings("files/url", file, file + 1)[0]),
        position=position,
        archive=shard.strings("archives", archive, archive + 1)[0].decode("utf-8", "surrogateescape"),
        offset=int(shard.file["files/offset"][file]),
        chunk_offset=offset,
        length=length,
        mime=text(shard.strings("mimes", mime, mime + 1)[0]),
        url_prefix=shard.header["url_prefix"],
    )


def describe(run: Path, wanted: str, places: list[Place], options: DigestOptions) -> dict[str, Any]:
    """Put together what is known of a digest, with its content."""
    digests = sorted({place.digest for place in places})
    if not digests:
        raise StoreError(f"{run} holds neither a chunk nor a file with the digest {wanted}")
    if len(digests) > 1:
        raise StoreError(f"{len(digests)} digests begin with {wanted}: {', '.join(digests[:5])} ...")
    content, problem = read_content(places, options)
    return {
        "digest": digests[0],
        "chunks": sum(place.position >= 0 for place in places),
        "files": sum(place.position < 0 for place in places),
        "length": min(place.length for place in places),
        "content": content,
        "problem": problem,
        "places": [asdict(place) for place in places],
    }


def read_content(places: list[Place], options: DigestOptions) -> tuple[bytes | None, str]:
    """Read the content from the first place whose archive still has it; say what is in the way if none has."""
    problem = ""
    for place in places[:20]:
        try:
            page = reread(place.archive, place.offset, place.url, NO_LIMITS, place.url_prefix)
        except OSError as error:
            problem = f"{place.archive} cannot be read: {error.strerror}"
            continue
        if page is None and not Path(split_member(place.archive)[0]).exists():
            problem = f"{place.archive} does not exist any more: put it back"
            continue
        if page is None:
            problem = f"{place.archive} has no page {place.url} at {place.offset} any more"
            continue
        content = page.payload
        if place.position >= 0:
            text = chunked_text(page.payload, place.mime, options, page.content_type)
            content = text[place.chunk_offset :][: place.length]
        if place.digest == content_digest(content, place.position >= 0, options):
            return content, ""
        problem = f"{place.archive} has changed: {place.url} is not what was hashed"
    return None, problem


def content_digest(content: bytes, is_chunk: bool, options: DigestOptions) -> str:
    """Hash content the way it was hashed for the run."""
    if is_chunk and options.normalize == "whitespace":
        content = normalize_whitespace(content)
    return hashlib.new(options.digest, content).hexdigest()


def first_places(wanted: Sequence[str], objects: str, path: Path) -> dict[str, Place]:
    """Find one place of each of several digests of chunks or files, of those that a shard has."""
    with Shard.open(path) as shard:
        digests = dg.from_bytes(bytes.fromhex("".join(wanted)), shard.width)
        if objects == "file":
            there = shard.column("files/digest")
            files = [np.flatnonzero((there == digest).all(axis=1)) for digest in digests]
            return {
                name: _place(shard, int(at[0]), -1, name, 0, int(shard.file["files/length"][at[0]]))
                for name, at in zip(wanted, files, strict=True)
                if len(at)
            }
        numbers = shard.column("chunks/number")
        found = {}
        for name, digest, number in zip(wanted, digests, shard.cut_distinct(digests).tolist(), strict=True):
            row = shard.column("distinct/digest", number, number + 1)
            if len(row) and (row[0] == digest).all():
                chunk = int(np.argmax(numbers == number))
                file = int(np.searchsorted(shard.chunk_start, chunk, side="right")) - 1
                found[name] = _chunk_place(shard, file, chunk, number, row)
        return found
