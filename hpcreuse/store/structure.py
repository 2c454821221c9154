"""What must hold inside our files beyond checksums: orders, sums, and numbers that point to what is there.

Each function yields what is wrong, for arrays that are known to be as they were written: a finding is a bug of
the program that wrote them, or a file put together by someone else.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

import h5py
import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.store import container
from hpcreuse.store.shard import INDEX_BITS, Shard

BLOCK_ROWS = 1 << 18


def of_shard(file: h5py.File) -> Iterator[str]:
    """Check a shard."""
    if wrong := list(_shard_lengths(file)):
        yield from wrong
        return
    yield from _ragged(file, "files/url", "directories", "archives", "mimes")
    yield from _ragged(file, "quarantine/archive", "quarantine/url", "quarantine/reason")
    yield from _rising_digests(file["distinct/digest"])
    for numbers, strings in (("directory", "directories"), ("archive", "archives"), ("mime", "mimes")):
        yield from _below(file[f"files/{numbers}"], len(file[f"{strings}_offsets"]) - 1)
        yield from _rising_strings(file, strings)
    starts = file["files/chunk_start"][:]
    if starts[0] != 0 or starts[-1] != len(file["chunks/number"]) or (np.diff(starts) < 0).any():
        yield "files/chunk_start does not rise from 0 to the number of chunks"
    yield from _below(file["chunks/number"], len(file["distinct/digest"]))
    if not list(_below(file["chunks/number"], len(file["distinct/digest"]))):
        yield from _distinct_counts(file)
    if not np.array_equal(file["distinct/index"][:], _prefix_index(file["distinct/digest"])):
        yield "distinct/index does not fit the digests"
    yield from _url_order(file)
    yield from _shard_header(Shard(file))
    if "text" in file:
        yield from _text(file)


def _shard_lengths(file: h5py.File) -> Iterator[str]:
    files = ("offset", "length", "directory", "archive", "mime", "by_url")
    yield from _same_length(file, "files/digest", {f"files/{name}": 0 for name in files})
    yield from _same_length(file, "files/digest", {"files/url_offsets": 1, "files/chunk_start": 1})
    yield from _same_length(file, "chunks/number", {"chunks/offset": 0, "chunks/length": 0})
    yield from _same_length(file, "distinct/digest", {"distinct/count": 0, "distinct/length": 0})
    strings = ("archive", "url", "reason")
    yield from _same_length(file, "quarantine/offset", {f"quarantine/{name}_offsets": 1 for name in strings})
    for name in ("directories", "archives", "mimes", "quarantine/archive", "quarantine/url", "quarantine/reason"):
        yield from _present(file, name, f"{name}_offsets")
    yield from _present(file, "files/url", "distinct/index")


def _distinct_counts(file: h5py.File) -> Iterator[str]:
    """Count the chunks of each distinct digest, and find their shortest."""
    count = np.zeros(len(file["distinct/digest"]), np.int64)
    shortest = np.full(len(count), np.iinfo(np.uint32).max, np.uint32)
    for rows in _blocks(len(file["chunks/number"])):
        numbers = file["chunks/number"][rows]
        count += np.bincount(numbers, minlength=len(count))
        np.minimum.at(shortest, numbers, file["chunks/length"][rows])
    if not np.array_equal(count, file["distinct/count"][:]):
        yield "distinct/count is not how often the digests occur among the chunks"
    elif not np.array_equal(shortest, file["distinct/length"][:]):
        yield "distinct/length is not the shortest length of the chunks"


def _prefix_index(digests: h5py.Dataset) -> NDArray[np.int64]:
    """Count how many digests lie below each prefix."""
    below = np.zeros((1 << INDEX_BITS) + 1, np.int64)
    for rows in _blocks(len(digests)):
        prefixes = (dg.prefixes(digests[rows]) >> np.uint64(64 - INDEX_BITS)).astype(np.int64)
        below[1:] += np.bincount(prefixes, minlength=1 << INDEX_BITS)
    return np.cumsum(below)


def _url_order(file: h5py.File) -> Iterator[str]:
    order = file["files/by_url"][:].astype(np.int64)
    if not np.array_equal(np.sort(order), np.arange(len(order))):
        yield "files/by_url does not name every file once"
        return
    urls = list(container.read_ragged(file["files"], "url"))
    if any(urls[a] > urls[b] for a, b in pairwise(order.tolist())):
        yield "files/by_url is not the order of the URLs"


def _text(file: h5py.File) -> Iterator[str]:
    """Check the words of a shard's pages."""
    names = ("languages", "domains", "addresses")
    wrong = [*_same_length(file, "files/digest", {f"text/{name}_number": 0 for name in names})]
    wrong += _same_length(file, "files/digest", {"text/links": 0, "text/link_words": 0, "text/word_start": 1})
    wrong += _same_length(file, "text/hash", {"text/spelling_offsets": 1})
    strings = [f"text/{name}{end}" for name in names for end in ("", "_offsets")]
    wrong += _present(file, "text/word", "text/spelling", *strings)
    yield from wrong
    if wrong:
        return
    yield from _ragged(file, "text/spelling", *(f"text/{name}" for name in names))
    for name in names:
        yield from _below(file[f"text/{name}_number"], len(file[f"text/{name}_offsets"]) - 1)
        yield from _rising_strings(file, f"text/{name}")
    hashes, starts = file["text/hash"][:], file["text/word_start"][:]
    if (hashes[1:] < hashes[:-1]).any():
        yield "text/hash is not sorted"
    if starts[0] != 0 or starts[-1] != len(file["text/word"]) or (np.diff(starts) < 0).any():
        yield "text/word_start does not rise from 0 to the number of words"
    yield from _below(file["text/word"], len(hashes))


def _shard_header(shard: Shard) -> Iterator[str]:
    payload = sum(int(shard.column("files/length", rows.start, rows.stop).sum()) for rows in _blocks(shard.files))
    if payload != shard.header["payload_bytes"]:
        yield f"the files have {payload} bytes, the header says {shard.header['payload_bytes']}"
    quarantined = len(shard.file["quarantine/offset"])
    if quarantined != shard.header["quarantined"]:
        yield f"{quarantined} records are quarantined, the header says {shard.header['quarantined']}"


def of_piece(file: h5py.File) -> Iterator[str]:
    """Check a piece of the counts."""
    wrong = list(_same_length(file, "digest", {"count": 0, "length": 0}))
    yield from wrong
    if not wrong:
        yield from _rising_digests(file["digest"])
        yield from _at_least(file["count"], 1)


def of_labels(file: h5py.File) -> Iterator[str]:
    """Check labels."""
    wrong = list(_same_length(file, "digest", {"count": 0, "length": 0, "source": 0}))
    wrong += _same_length(file, "histogram/duplicates", {"histogram/objects": 0})
    wrong += _present(file, "sources", "sources_offsets")
    yield from wrong
    if not wrong:
        yield from _rising_digests(file["digest"])
        yield from _ragged(file, "sources")
        yield from _rising_strings(file, "sources")
        yield from _below(file["source"], len(file["sources_offsets"]) - 1)
        if (np.diff(file["histogram/duplicates"][:]) <= 0).any():
            yield "histogram/duplicates does not rise"
        yield from _at_least(file["histogram/objects"], 1)


def of_filter(file: h5py.File) -> Iterator[str]:
    """Check a filter."""
    wrong = _present(file, "bits")
    yield from wrong
    if not wrong and (file["bits"].ndim != 2 or not file["bits"].size):
        yield "the array bits has not the shape of a filter"


def of_part(file: h5py.File) -> Iterator[str]:
    """Check a part of a result: of files, or of neighborhoods."""
    key, others = ("url", {"chunks": 0, "bad": 0}) if "matches" in file else ("prefix", {"chunks": 0, "bad": 0})
    main = "number" if key == "url" else "files"
    others |= {"url_offsets": 1, "matches_offsets": 1} if key == "url" else {"prefix_offsets": 1, "badness": 0}
    wrong = [*_same_length(file, main, others), *_present(file, key)]
    yield from wrong
    if wrong:
        return
    yield from _ragged(file, key)
    for rows in _blocks(len(file[main])):
        if (file["bad"][rows] > file["chunks"][rows]).any() or (file["bad"][rows] < 0).any():
            yield "there are more bad chunks than chunks"
            break
    yield from _file_rows(file) if key == "url" else _neighborhood_rows(file)


def of_findings(file: h5py.File) -> Iterator[str]:
    """Check a part of what a method found: all columns have as many rows."""
    rows = {}
    for name in file:
        if name.endswith(("_offsets", "_rows")) and name.rpartition("_")[0] in file:
            continue
        bounds = next((f"{name}{end}" for end in ("_rows", "_offsets") if f"{name}{end}" in file), None)
        rows[name] = len(file[bounds]) - 1 if bounds else len(file[name])
        if f"{name}_offsets" in file:
            yield from _ragged(file, name)
    if len(set(rows.values())) > 1:
        yield f"the columns have different numbers of rows: {', '.join(f'{n} {r}' for n, r in rows.items())}"


def _file_rows(file: h5py.File) -> Iterator[str]:
    yield from _ragged(file, "matches")
    before: tuple[bytes, int] | None = None
    for rows in _blocks(len(file["number"])):
        keys = list(
            zip(
                container.read_ragged(file, "url", rows.start, rows.stop),
                file["number"][rows].tolist(),
                strict=True,
            )
        )
        if any(a >= b for a, b in pairwise([before, *keys] if before else keys)):
            yield "the files are not in the order of their URLs"
            break
        before = keys[-1]
    for rows in _blocks(len(file["number"])):
        matches = container.read_ragged(file, "matches", rows.start, rows.stop)
        if not np.array_equal(matches.lengths, file["bad"][rows]):
            yield "a file has not as many matches as bad chunks"
            break
        rising = np.diff(matches.values["position"].astype(np.int64)) > 0
        first = np.zeros(len(matches.values), bool)
        first[matches.offsets[:-1][matches.lengths > 0]] = True
        if not (rising | first[1:]).all():
            yield "the matches of a file are not in the order of their positions"
            break


def _neighborhood_rows(file: h5py.File) -> Iterator[str]:
    yield from _rising_strings(file, "prefix")
    yield from _at_least(file["files"], 1)
    badness = file["badness"][:]
    if not ((badness >= 0) & (badness <= 1)).all():
        yield "a badness is not between 0 and 1"


def _blocks(rows: int) -> Iterator[slice]:
    for first in range(0, rows, BLOCK_ROWS):
        yield slice(first, min(first + BLOCK_ROWS, rows))


def _present(file: h5py.File, *names: str) -> list[str]:
    return [f"the array {name} is missing" for name in names if name not in file]


def _same_length(file: h5py.File, main: str, others: Mapping[str, int]) -> list[str]:
    """Tell which arrays are missing or have not as many rows as the main one, and so many more."""
    if missing := _present(file, main, *others):
        return missing
    rows = len(file[main])
    return [
        f"the array {name} has {len(file[name])} rows, not {rows + more}"
        for name, more in others.items()
        if len(file[name]) != rows + more
    ]


def _ragged(file: h5py.File, *names: str) -> Iterator[str]:
    """Offsets rise from 0 to the end of the values."""
    for name in names:
        offsets, place, good = file[f"{name}_offsets"], 0, True
        good = len(offsets) > 0 and offsets[0] == 0 and offsets[len(offsets) - 1] == len(file[name])
        for rows in _blocks(len(offsets)):
            block = offsets[rows]
            good = good and block[0] >= place and not (np.diff(block) < 0).any()
            place = block[-1]
        if not good:
            yield f"{name}_offsets does not rise from 0 to the end of {name}"


def _rising_digests(digests: h5py.Dataset) -> Iterator[str]:
    """Digests are sorted and distinct."""
    before = digests[:0]
    for rows in _blocks(len(digests)):
        block = np.concatenate([before, digests[rows]])
        keys = dg.prefixes(block)
        tied = np.flatnonzero(keys[1:] == keys[:-1]).tolist()
        if (keys[1:] < keys[:-1]).any() or any(block[i].tobytes() >= block[i + 1].tobytes() for i in tied):
            yield f"{digests.name[1:]} is not sorted, or not distinct"
            return
        before = block[-1:]


def _rising_strings(file: h5py.File, name: str) -> Iterator[str]:
    """Strings are sorted and distinct."""
    before: list[bytes] = []
    for rows in _blocks(len(file[f"{name}_offsets"]) - 1):
        block = [*before, *container.read_ragged(file, name, rows.start, rows.stop)]
        if any(a >= b for a, b in pairwise(block)):
            yield f"{name} is not sorted, or not distinct"
            return
        before = block[-1:]


def _below(numbers: h5py.Dataset, limit: int) -> Iterator[str]:
    """Numbers point to what is there."""
    for rows in _blocks(len(numbers)):
        if (numbers[rows] >= limit).any():
            yield f"{numbers.name[1:]} points beyond the {limit} that there are"
            return


def _at_least(numbers: h5py.Dataset, least: int) -> Iterator[str]:
    for rows in _blocks(len(numbers)):
        if (numbers[rows] < least).any():
            yield f"{numbers.name[1:]} has numbers below {least}"
            return
