"""The pages of a run, read again from the archives they came from: content, chunks and words."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hpcreuse.corpus.rereading import reread_pages
from hpcreuse.corpus.spelling import spelled
from hpcreuse.errors import StoreError
from hpcreuse.page.charset import charset
from hpcreuse.page.digest import MARKUP_TYPES, chunked_text
from hpcreuse.page.text import read_text
from hpcreuse.store.run import Run, ShardInfo, fingerprint, run_candidates
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText
from hpcreuse.store.tables import text


@dataclass(frozen=True)
class CrawledPage:
    """A page of the crawl, or why it cannot be shown."""

    url: str
    problem: str = ""
    chunked: bytes = b""
    """The text that its chunks are ranges of."""
    encoding: str = "utf-8"
    chunks: tuple[tuple[int, int], ...] = ()
    """Offset and length of each."""
    is_markup: bool = True
    visible: str = ""
    words: tuple[str, ...] | None = None
    """As the run keeps them, if it does."""
    digests: tuple[bytes, ...] = ()
    """Of its chunks."""


class RunPages:
    """A run whose pages are looked up one by one."""

    def __init__(self, run: Run, shards: list[ShardInfo]):
        self.run, self.shards = run, shards
        self.first_file = np.cumsum([0] + [shard.files for shard in shards])

    @classmethod
    def open(cls, path: Path) -> "RunPages":
        """Open a run."""
        run = Run.open(path)
        return cls(run, run.in_order([ShardInfo.read(shard) for shard in run.shard_paths()]))

    @property
    def fingerprint(self) -> str:
        """Identify the content of the run."""
        return fingerprint(self.shards)

    def numbers(self, urls: Iterable[str]) -> dict[str, int]:
        """Find pages by URL; of several with one URL the first."""
        wanted = dict.fromkeys(urls)
        found: dict[str, int] = {}
        for info, first in zip(self.shards, self.first_file.tolist(), strict=False):
            if len(found) == len(wanted):
                break
            with Shard.open(info.path) as shard:
                listed = shard.strings("files/url")
            blob = listed.values.tobytes()
            for url in wanted:
                if url not in found and (place := find_string(blob, listed.offsets, url.encode())) is not None:
                    found[url] = first + place
        return found

    def page(self, number: int) -> CrawledPage:
        """Read a page by its number in the run's table of files; one whose archive is gone has its words at most."""
        shard_number = int(np.searchsorted(self.first_file, number, side="right")) - 1
        path, file = self.shards[shard_number].path, number - int(self.first_file[shard_number])
        with Shard.open(path) as shard:
            url = shard.strings("files/url", file, file + 1)[0].decode("utf-8", "surrogateescape")
            mime = int(shard.file["files/mime"][file])
            kind = text(shard.strings("mimes", mime, mime + 1)[0])
            words = tuple(spelled(ShardText(shard), file)) if "text" in shard.file else None
            first, last = shard.chunk_start[file : file + 2].tolist()
            digests = tuple(
                shard.file["distinct/digest"][n].tobytes() for n in shard.column("chunks/number", first, last)
            )
            ranges = zip(
                *(shard.column(f"chunks/{n}", first, last).tolist() for n in ("offset", "length")), strict=True
            )
        try:
            ((_, page),) = reread_pages(path, [file])
        except (StoreError, OSError) as error:
            return CrawledPage(url, str(error), words=words)
        markup = not page.plain and kind in MARKUP_TYPES
        return CrawledPage(
            url,
            "",
            chunked_text(page.payload, kind, self.run.options, page.content_type),
            "utf-8" if self.run.options.mode == "dom" else charset(page.payload, page.content_type, markup),
            tuple(ranges),
            markup,
            tidy(read_text(page.payload, kind, page.plain, page.content_type).text),
            words,
            digests,
        )


def tidy(visible: str) -> str:
    """Leave of blanks what keeps words and lines apart."""
    return "\n".join(line for line in (" ".join(line.split()) for line in visible.splitlines()) if line)


def find_string(blob: bytes, offsets: np.ndarray, wanted: bytes) -> int | None:
    """Find a whole string among strings that lie back to back."""
    at = blob.find(wanted)
    while at >= 0:
        place = int(np.searchsorted(offsets, at, side="right")) - 1
        if offsets[place] == at and offsets[place + 1] == at + len(wanted):
            return place
        at = blob.find(wanted, at + 1)
    return None


def find_run(result: Path, recorded: str | None, expected: str | None, given: Path | None) -> RunPages:
    """Open the run that a result was made of: the one given, else the one it names, here or beside it."""
    if given is not None:
        pages = RunPages.open(given)
        if expected not in (None, pages.fingerprint):
            raise StoreError(
                f"{given} is not the run that {result} was made of, or has changed since: name that one, or make the "
                "result anew"
            )
        return pages
    if recorded is None:
        raise StoreError(
            f"{result} was made of a crawl that was not hashed: run `hpcreuse hash INPUT... --text --out RUN` on it, "
            "and name that with --run RUN"
        )
    changed = ""
    for path in run_candidates(result, recorded):
        if (path / "run.json").exists():
            pages = RunPages.open(path)
            if pages.fingerprint == expected:
                return pages
            changed = f"{path} has changed since {result} was made"
    raise StoreError(f"{changed or f'{recorded}, the run of {result}, is not there'}: name its run with --run RUN")
