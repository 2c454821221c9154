"""A quilt beside its sources: which words it shares with which of them.

The words come from the run that the result was made of, as `hash --text` kept them.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.errors import StoreError
from hpcreuse.parallel.world import World
from hpcreuse.store.findings import Findings, export_rows
from hpcreuse.store.run import ShardInfo
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText

Gram = tuple[str, ...]


@dataclass(frozen=True)
class Patch:
    """Words in a row that come from one source, or from none."""

    source: int | None
    words: str


def show_quilt(world: World, result: Path, url: str) -> dict[str, Any]:
    """Collective. Describe a quilt of a result: its words by source, and the sources with what they share."""
    header, row = world.on_root(find_row, result, url)
    catalog = Catalog.open(world, Path(header["run"]))
    world.on_root(must_be_the_run, catalog, header, result)
    wanted = {url, *row["sources"]}
    found: dict[str, list[str]] = {}
    for part in world.map(partial(words_in, wanted), catalog.shards):
        for name, words in part:
            found.setdefault(name, words)
    quilt, k = found[url], header["k"]
    sources = [grams_of(found[source], k) for source in row["sources"]]
    own = grams_of(quilt, k)
    return {
        **row,
        "k": k,
        "patches": [vars(patch) for patch in patches(quilt, sources, k)],
        "source_patches": [[vars(patch) for patch in patches(found[source], [own], k)] for source in row["sources"]],
    }


def find_row(result: Path, url: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Find a quilt in a result by its URL."""
    findings = Findings.open(result, "quilt")
    names = ("url", "grams", "patch_grams", "patchfrac", "sources", "shares")
    for values in export_rows(result, "quilts"):
        if values[0] == url:
            return findings.header, dict(zip(names, values, strict=True))
    raise StoreError(f"{result} has no quilt {url}: `hpcreuse export {result} quilts` lists those it has")


def must_be_the_run(catalog: Catalog, header: dict[str, Any], result: Path) -> None:
    """Refuse a run that is no longer the one the result was made of."""
    if catalog.fingerprint != header["run_fingerprint"]:
        raise StoreError(f"{header['run']} has changed since {result} was made: run `hpcreuse quilt` again")


def words_in(wanted: set[str], info: ShardInfo) -> list[tuple[str, list[str]]]:
    """Give the words of those pages that a shard has; of several with one URL the first."""
    with Shard.open(info.path) as shard:
        found: dict[str, int] = {}
        for place, url in enumerate(shard.strings("files/url")):
            name = url.decode("utf-8", "surrogateescape")
            if name in wanted:
                found.setdefault(name, place)
        text = ShardText(shard)
        return [(name, spelled(text, place)) for name, place in found.items()]


def spelled(text: ShardText, place: int) -> list[str]:
    """Give the words of a page as they are written."""
    numbers = text.numbers(place, place + 1).values.tolist()
    spelling = {number: text.spellings(number, number + 1)[0].decode() for number in set(numbers)}
    return [spelling[number] for number in numbers]


def grams_of(words: list[str], k: int) -> set[Gram]:
    """Give the grams of a page."""
    return {tuple(words[i : i + k]) for i in range(len(words) - k + 1)}


def patches(words: list[str], sources: list[set[Gram]], k: int) -> list[Patch]:
    """Cut words into patches: a word belongs to the first source, in the order given, that has a gram with it."""
    owner: list[int | None] = [None] * len(words)
    for number in reversed(range(len(sources))):
        for i in range(len(words) - k + 1):
            if tuple(words[i : i + k]) in sources[number]:
                owner[i : i + k] = [number] * k
    cut: list[tuple[int | None, list[str]]] = []
    for one, word in zip(owner, words, strict=True):
        if not cut or cut[-1][0] != one:
            cut.append((one, []))
        cut[-1][1].append(word)
    return [Patch(one, " ".join(run)) for one, run in cut]
