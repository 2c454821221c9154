"""The input cut into partitions, one shard each, without opening anything: `plan` only asks for sizes.

The kind of an archive is found out by the worker that reads it: there may be 100,000 on a slow file system.
"""

import glob
import gzip
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hpcreuse.crawl.containers import is_archive_name
from hpcreuse.errors import CrawlError, UsageError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

FILES_PER_PARTITION = 20_000
# Archives that are compressed record by record can be entered at any record (others are read by one rank)
_ENTERABLE = re.compile(r"\.(warc|arc|wet)\.gz\Z", re.IGNORECASE)
_STATS_AT_ONCE = 16
"""Metadata servers answer slowly but many at a time."""
_BATCH = 256

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Partition:
    """A share of the input that one rank reads and one shard holds."""

    source: str
    """Absolute path of the archive, or of the folder that `names` are in."""
    names: tuple[str, ...]
    """Files of a folder, relative to it; empty for an archive and for a folder that cannot be listed."""
    number: int
    bytes: int
    identity: str
    """Changes when a name, a size or a time of change does: tells whether a shard still fits its input."""
    url_prefix: str
    stop: int
    """Number of the partition that follows on this one; of an archive, numbers are offsets in the file."""
    final: bool = True
    """Nothing of its source follows."""

    @property
    def is_range(self) -> bool:
        """Whether it is a part of an archive, from a byte on or up to one."""
        return not self.names and not (self.number == 0 and self.final)

    def ranges(self, size: int) -> list["Partition"]:
        """Cut it into ranges of about `size` bytes, where its kind allows to enter in the middle."""
        if self.names or self.bytes < 2 * size or not _ENTERABLE.search(self.source):
            return [self]
        count = self.bytes // size
        bounds = [self.number + i * self.bytes // count for i in range(count + 1)]
        return [self.between(low, high) for low, high in pairwise(bounds)]

    def is_unchanged(self) -> bool:
        """Ask the file system whether the input is still what it was when it was planned."""
        if self.names:
            paths = [_join(self.source, name) for name in self.names]
            found = [
                found._replace(name=name) for name, found in zip(self.names, _ask(_size_and_time, paths), strict=True)
            ]
        else:
            # A folder stands for itself only when it could not be listed
            found = [_Found("") if Path(self.source).is_dir() else _size_and_time(self.source)]
        return self.identity == _identity(self.source, found, self.url_prefix)

    def between(self, low: int, high: int) -> "Partition":
        """Give the range from byte low up to high."""
        return replace(self, number=low, stop=high, bytes=high - low, final=self.final and high == self.stop)


class _Found(NamedTuple):
    """A file as the file system described it; size and time are 0 when it did not."""

    name: str
    size: int = 0
    mtime: int = 0


def plan(inputs: Sequence[str], url_prefix: str | None, partition_bytes: int = 256 << 20) -> list[Partition]:
    """Cut the input into partitions, sorted, the same whatever the order the inputs were given in.

    Raises:
        CrawlError: An input does not exist, or a pattern matches nothing.
        UsageError: The URL prefix is none.
    """
    prefix = url_prefix or ""
    if prefix and not prefix.lower().startswith(("http://", "https://")):
        raise UsageError(f"--url-prefix {prefix!r}: a prefix begins with http:// or https://")

    _real_folder.cache_clear()
    folders, files = _sort_out(expand(inputs))
    partitions: list[Partition] = []
    taken: set[str] = set()

    # A folder comes before the folders inside it, so the outermost one names its files.
    for real, folder in sorted(folders.items(), key=lambda item: os.fsencode(item[0])):
        pages: list[_Found] = []
        for found, kind in _walk(folder):
            own = _join(real, found.name)
            if own in taken:
                continue
            taken.add(own)
            if kind == "page":
                pages.append(found)
            else:
                partitions.append(_partition(_join(folder, found.name), found, prefix))
        pages.sort(key=lambda found: os.fsencode(found.name))
        partitions.extend(_slices(folder, pages, prefix, partition_bytes))

    partitions.extend(_partition(found.name, found, prefix) for real, found in files.items() if real not in taken)
    return sorted(partitions, key=lambda part: (os.fsencode(part.source), part.number))


def expand(inputs: Iterable[str]) -> Iterator[str]:
    """Give the paths that the inputs name: lists and patterns opened, every path known to exist."""
    for text in inputs:
        if text.startswith("@"):
            yield from _listed(text[1:])
        elif os.path.lexists(text):
            yield text
        elif glob.has_magic(text):
            matches = glob.glob(text, recursive=True)  # noqa: PTH207 (Path.glob takes no absolute pattern)
            if not matches:
                raise CrawlError(f"{text}: no file matches this pattern")
            yield from matches
        else:
            raise CrawlError(f"{text}: no such file or folder")


def _listed(path: str) -> list[str]:
    """Read a list of paths, one a line; crawls publish theirs compressed."""
    if is_archive_name(path) and os.path.lexists(path):
        raise CrawlError(f"{path} is an archive, not a list: leave out the @")
    try:
        with open(path, "rb") as file:
            content = file.read()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
    except (OSError, EOFError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CrawlError(f"{path}: the list of inputs cannot be read: {reason}") from error
    lines = [os.fsdecode(line.strip()) for line in content.removeprefix(b"\xef\xbb\xbf").splitlines()]
    paths = [line for line in lines if line and not line.startswith("#")]

    with _pool() as pool:
        missing = [line for line, there in zip(paths, pool.map(os.path.lexists, paths), strict=True) if not there]
    if missing:
        few = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise CrawlError(f"{path}: {len(missing)} of {len(paths)} listed files do not exist: {few}")
    return paths


def _sort_out(paths: Iterable[str]) -> tuple[dict[str, str], dict[str, _Found]]:
    """Divide paths into folders and files, each under its real path: one reached twice is taken once."""
    folders: dict[str, str] = {}
    files: dict[str, _Found] = {}
    # Of several names of one file the first in order counts, not the first that was given.
    here = Path.cwd()
    ordered = sorted(
        {os.path.normpath(f"{here}/{path}" if path[:1] != "/" else path) for path in paths}, key=os.fsencode
    )
    for path, (status, real) in zip(ordered, _ask(_look, ordered), strict=True):
        if status is None:
            files.setdefault(real, _Found(path))
        elif stat.S_ISDIR(status.st_mode):
            folders.setdefault(real, path)
        elif stat.S_ISREG(status.st_mode):
            files.setdefault(real, _Found(path, status.st_size, status.st_mtime_ns))
        else:
            raise CrawlError(f"{path}: neither a file nor a folder")
    return folders, files


def _pool() -> "ThreadPoolExecutor":
    # Only rank 0 plans: the others need not load it
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(_STATS_AT_ONCE)


def _ask(question: Callable[[str], Answer], paths: Sequence[str]) -> Iterator[Answer]:
    """Put a question about each path to the file system, many at a time, answers in order."""
    batches = [paths[start : start + _BATCH] for start in range(0, len(paths), _BATCH)]
    with _pool() as pool:
        for answers in pool.map(lambda batch: [question(path) for path in batch], batches):
            yield from answers


def _look(path: str) -> tuple[os.stat_result | None, str]:
    """Ask for a path's status and real path; one request for a file that is no link."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return Path(path).stat(), os.path.realpath(path)
    except OSError:
        return None, os.path.realpath(path)  # gone meanwhile, or a link to nothing: its reader will say so
    folder, _, name = path.rpartition("/")
    return status, _join(_real_folder(folder or "/"), name)


@lru_cache(maxsize=1024)
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder)


def _walk(root: str) -> Iterator[tuple[_Found, str]]:
    """Give everything below a folder as `page`, `archive` or `unlisted` (a folder that cannot be read).

    Links and special files come as pages of size 0: the reader of the folder counts or follows them.
    """
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(_join(root, folder)) as entries:
                for entry in entries:
                    name = _join(folder, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(name)
                    else:
                        regular = entry.is_file(follow_symlinks=False)
                        yield (
                            _describe(name, entry),
                            "archive" if regular and is_archive_name(name) else "page",
                        )
        except OSError:
            yield _Found(folder), "unlisted"


def _describe(name: str, entry: os.DirEntry[str]) -> _Found:
    try:
        status = entry.stat()
    except OSError:
        return _Found(name)
    return _Found(name, status.st_size if stat.S_ISREG(status.st_mode) else 0, status.st_mtime_ns)


def _size_and_time(path: str) -> _Found:
    """Ask for a path as `_describe` and `_look` do, links followed; the name is left empty."""
    try:
        status = Path(path).stat()
    except OSError:
        return _Found("")
    return _Found("", status.st_size if stat.S_ISREG(status.st_mode) else 0, status.st_mtime_ns)


def _join(folder: str, name: str) -> str:
    """Join two paths either of which may be empty."""
    return f"{folder.rstrip('/')}/{name}" if folder and name else folder or name


def _slices(folder: str, pages: Sequence[_Found], prefix: str, partition_bytes: int) -> list[Partition]:
    """Cut the pages of a folder, in order, into partitions that are full but not over full."""
    slices: list[Partition] = []
    start, size = 0, 0
    for here, page in enumerate(pages):
        if here > start and (size + page.size > partition_bytes or here - start == FILES_PER_PARTITION):
            slices.append(_slice(folder, pages[start:here], prefix, len(slices)))
            start, size = here, 0
        size += page.size
    if pages:
        slices.append(replace(_slice(folder, pages[start:], prefix, len(slices)), final=True))
    return slices


def _slice(folder: str, pages: Sequence[_Found], prefix: str, number: int) -> Partition:
    names = tuple(page.name for page in pages)
    size = sum(page.size for page in pages)
    identity = _identity(folder, pages, prefix)
    return Partition(folder, names, number, size, identity, prefix, stop=number + 1, final=False)


def _partition(source: str, found: _Found, prefix: str) -> Partition:
    identity = _identity(source, [found._replace(name="")], prefix)
    return Partition(source, (), 0, found.size, identity, prefix, stop=found.size)


def _identity(source: str, found: Iterable[_Found], prefix: str) -> str:
    """Hash what decides the pages of a partition, as far as it can be known without reading."""
    digest = hashlib.blake2b(os.fsencode(f"{source}\0{prefix}\0"), digest_size=8)
    for file in found:
        digest.update(os.fsencode(f"{file.name}\0{file.size} {file.mtime}\0"))
    return digest.hexdigest()
