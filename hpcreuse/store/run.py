"""A run: a folder of shards, all made with the same digest options.

RUN/run.json        format, version, creator, digest options, text or not: written before the first shard
RUN/shards/*.h5     one or more parts per partition; the last part of each says so
RUN/shards.json     the shards there are and their sources, written when `hash` is done: one that is lost is missed
RUN/counts/         global counts, kept by `discover`
"""

import hashlib
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hpcreuse.errors import StoreError
from hpcreuse.page.options import DigestOptions
from hpcreuse.store import atomic
from hpcreuse.store.records import read_record, write_record
from hpcreuse.store.shard import Shard
from hpcreuse.version import __version__

FORMAT, VERSION = "hpcreuse run", 1
LISTING_FORMAT = "hpcreuse shards"


@dataclass(frozen=True)
class ShardInfo:
    """What a run's listing keeps of a shard: enough to order it, share it out and recognise it."""

    path: Path
    source: str
    number: int
    part: int
    last: bool
    identity: str
    begin: int
    end: int
    stop: int
    final: bool
    files: int
    chunks: int
    distinct: int
    directories: int
    url_bytes: int
    words: int
    distinct_words: int
    header: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "ShardInfo":
        """Read the header of a shard."""
        with Shard.open(path) as shard:
            header = shard.header
            return cls(
                path=path,
                source=header["source"],
                number=header["number"],
                part=header["part"],
                last=header["last"],
                identity=header["identity"],
                begin=header["begin"],
                end=header["end"],
                stop=header["stop"],
                final=header["final"],
                files=shard.files,
                chunks=shard.chunks,
                distinct=len(shard.file["distinct/count"]),
                directories=len(shard.file["directories_offsets"]) - 1,
                url_bytes=len(shard.file["files/url"]),
                words=len(shard.file["text/word"]) if "text" in shard.file else 0,
                distinct_words=len(shard.file["text/hash"]) if "text" in shard.file else 0,
                header=header,
            )


@dataclass(frozen=True)
class Run:
    """A run that exists."""

    path: Path
    options: DigestOptions
    text: bool = False
    """Whether its shards keep the words of the pages."""

    @classmethod
    def open(cls, path: Path) -> "Run":
        """Open a run made before."""
        if path.is_file():
            raise StoreError(f"{path} is a file, not a run: runs are folders made by `hpcreuse hash`")
        record = path / "run.json"
        try:
            meta = read_record(record)
        except FileNotFoundError:
            raise StoreError(f"{path} is not a run: make one with `hpcreuse hash INPUT... --out {path}`") from None
        if meta.get("format") != FORMAT or meta.get("version") != VERSION:
            raise StoreError(
                f"{path} has format {meta.get('format')} version {meta.get('version')}, "
                f"this hpcreuse reads {FORMAT} version {VERSION}: hash the crawl again"
            )
        return cls(path, DigestOptions.from_record(meta["digest_options"]), bool(meta.get("text")))

    @classmethod
    def create(cls, path: Path, options: DigestOptions, text: bool = False) -> "Run":
        """Open a run to add to it, or make a new one."""
        if (path / "run.json").exists():
            run = cls.open(path)
            if difference := run.options.differences(options):
                raise StoreError(
                    f"{path} was hashed with other options ({difference}): digests made with different options "
                    "never match. Use another --out, or --fresh to throw the run away"
                )
            if run.text != text:
                raise StoreError(
                    f"{path} was hashed {'with' if run.text else 'without'} --text: all of a run has its words or "
                    f"none. {'Add --text' if run.text else 'Leave --text out'}, use another --out, or --fresh to "
                    "throw the run away"
                )
            run.remove_leftovers()
            return run
        cls.must_be_ours(path)
        meta = {
            "format": FORMAT,
            "version": VERSION,
            "creator": f"hpcreuse {__version__}",
            "digest_options": options.record(),
            "text": text,
        }
        (path / "shards").mkdir(parents=True, exist_ok=True)
        write_record(path / "run.json", meta, indent=2)
        return cls(path, options, text)

    @staticmethod
    def must_be_ours(path: Path) -> None:
        """Refuse to make a run of a file, or of a folder with something else in it."""
        if (path / "run.json").exists() or not path.exists():
            return
        # A job killed right at its start leaves folders and temporary files
        if not path.is_dir() or any(p.is_file() and not atomic.is_temporary(p) for p in path.rglob("*")):
            raise StoreError(f"{path} exists and is not a run: choose another --out")

    def must_have_text(self) -> None:
        """Refuse a run that the text methods cannot read."""
        if not self.text:
            raise StoreError(
                f"{self.path} has no text: run `hpcreuse hash INPUT... --out {self.path} --text --fresh` to keep the "
                "words of the pages, or hash into another run with --text"
            )

    def remove_leftovers(self) -> None:
        """Remove what a killed job left half written."""
        for folder in (self.path, self.path / "shards"):
            for scratch in folder.glob(f".*{atomic.TEMPORARY}"):
                scratch.unlink(missing_ok=True)

    def shard_path(self, source: str, number: int, part: int) -> Path:
        """Name a shard after its archive, with enough of a hash that no two archives share a name."""
        stem = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(source).name)[:80]
        key = hashlib.sha1(source.encode("utf-8", "surrogateescape")).hexdigest()[:10]
        return self.path / "shards" / f"{stem}-{key}-{number:012d}-{part:03d}.h5"

    def shard_paths(self) -> list[Path]:
        """List the files of the shards; temporary ones have names that start with a dot."""
        return sorted(p for p in (self.path / "shards").glob("*.h5") if not p.name.startswith("."))

    def record_shards(self, shards: list[ShardInfo], sources: Container[str]) -> None:
        """Write down which shards there are; those of sources that were not hashed now are still expected."""
        try:
            before = self.recorded_shards()
        except StoreError:
            # Damaged: what is there now is all that is known
            before = None
        expected = {name: source for name, source in (before or {}).items() if source not in sources}
        expected |= {shard.path.name: shard.source for shard in shards}
        if expected != before:
            record = {"format": LISTING_FORMAT, "version": VERSION, "shards": dict(sorted(expected.items()))}
            write_record(self.path / "shards.json", record, indent=0)

    def recorded_shards(self) -> dict[str, str] | None:
        """Give the names and sources of the shards that must be there, if `hash` came to its end."""
        try:
            record = read_record(self.path / "shards.json")
        except FileNotFoundError:
            return None
        if (record.get("format"), record.get("version")) != (LISTING_FORMAT, VERSION):
            raise StoreError(f"{self.path / 'shards.json'} is not the list of shards of this version of hpcreuse")
        shards: dict[str, str] = record["shards"]
        return shards

    def in_order(self, shards: list[ShardInfo]) -> list[ShardInfo]:
        """Put shards in the order of the tables: by source, partition, part.

        Raises StoreError when there is none, when one was lost, or a partition lacks a part: its `hash` was
        interrupted.
        """
        if not shards:
            raise StoreError(f"{self.path} holds no shard yet: run `hpcreuse hash INPUT... --out {self.path}`")
        shards = sorted(shards, key=lambda s: (s.source, s.number, s.part))
        for source in incomplete(shards):
            raise StoreError(
                f"{self.path}: the shards of {source} are not complete: run the same `hpcreuse hash` again"
            )
        names = {shard.path.name for shard in shards}
        for name, source in (self.recorded_shards() or {}).items():
            if name not in names:
                raise StoreError(
                    f"{self.path / 'shards' / name} is missing: run `hpcreuse hash {source} --out {self.path}` again"
                )
        return shards


def partitions_of(shards: list[ShardInfo]) -> dict[tuple[str, int], list[ShardInfo]]:
    """Put the parts of each partition together, by source and number, in order."""
    groups: dict[tuple[str, int], list[ShardInfo]] = {}
    for shard in sorted(shards, key=lambda s: (s.source, s.number, s.part)):
        groups.setdefault((shard.source, shard.number), []).append(shard)
    return groups


def is_whole(parts: list[ShardInfo]) -> bool:
    """Tell whether all parts of a partition are there."""
    numbers, lasts = [shard.part for shard in parts], [shard.last for shard in parts]
    return numbers == list(range(len(parts))) and lasts == [False] * (len(parts) - 1) + [True]


class Stretch(Protocol):
    """A part of a source, as it was found."""

    @property
    def begin(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def final(self) -> bool: ...


def is_chain(last_parts: Sequence[Stretch]) -> bool:
    """Tell whether the partitions of a source follow on each other without gap or overlap, up to the end.

    Ranks that read ranges of one archive each looked for the first record of theirs: where one range ends,
    the next must begin, or one of them took something for a record that is none.
    """
    place = 0
    for shard in last_parts:
        if shard.begin != place:
            return False
        place = shard.end
    return last_parts[-1].final


def incomplete(shards: list[ShardInfo]) -> list[str]:
    """Name the sources of which shards are missing."""
    groups = partitions_of(shards)
    broken = [source for (source, _), parts in groups.items() if not is_whole(parts)]
    chains: dict[str, list[ShardInfo]] = {}
    for (source, _), parts in groups.items():
        chains.setdefault(source, []).append(parts[-1])
    return broken or [source for source, chain in chains.items() if not is_chain(chain)]


def fingerprint(shards: list[ShardInfo]) -> str:
    """Identify the content of a run: changes whenever a shard is added, removed or made anew."""
    lines = [f"{s.source}\0{s.number}\0{s.part}\0{s.identity}\0{s.files}\0{s.chunks}" for s in shards]
    return hashlib.sha1("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def run_candidates(result: Path, recorded: str) -> list[Path]:
    """Say where the run of a result may be: where it was named from, or beside the result, if both have moved."""
    beside = result.resolve().parent
    return list(dict.fromkeys((Path(recorded), beside / recorded, beside / Path(recorded).name)))
