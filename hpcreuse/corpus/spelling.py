"""The words of a few pages of a run as they are written, for people to look at."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.errors import StoreError
from hpcreuse.kernels import WordTable
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.world import World
from hpcreuse.store.findings import Findings
from hpcreuse.store.run import ShardInfo
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText


def catalog_of(world: World, findings: Findings) -> Catalog:
    """Collective. Open the run that findings were made of, which must still be the same."""
    catalog = Catalog.open(world, Path(findings.header["run"]))
    world.on_root(must_be_the_run, catalog, findings)
    return catalog


def must_be_the_run(catalog: Catalog, findings: Findings) -> None:
    """Refuse a run that is no longer the one the result was made of."""
    if catalog.fingerprint != findings.header["run_fingerprint"]:
        raise StoreError(
            f"{findings.header['run']} has changed since {findings.path} was made: "
            f"run `hpcreuse {findings.method}` again"
        )


def words_of(world: World, catalog: Catalog, urls: set[str]) -> dict[str, list[str]]:
    """Collective. Give the words of pages by URL; of several with one URL the first."""
    found: dict[str, list[str]] = {}
    for part in world.map(partial(_words_in, urls), catalog.shards):
        for url, words in part:
            found.setdefault(url, words)
    return found


def spell(texts: Sequence[str]) -> list[list[str]]:
    """Cut texts into words as `hash --text` does."""
    table = WordTable()
    numbers = [table.add(text.lower().encode("utf-8", "replace")).tolist() for text in texts]
    _, blob, ends = table.vocabulary()
    spelled = [word.decode() for word in Ragged(blob, np.concatenate([[0], ends.astype(np.int64)]))]
    return [[spelled[number] for number in each] for each in numbers]


def files_in(wanted: set[str], shard: Shard) -> dict[str, int]:
    """Find pages of a shard by URL; of several with one URL the first."""
    found: dict[str, int] = {}
    for place, url in enumerate(shard.strings("files/url")):
        name = url.decode("utf-8", "surrogateescape")
        if name in wanted:
            found.setdefault(name, place)
    return found


def _words_in(wanted: set[str], info: ShardInfo) -> list[tuple[str, list[str]]]:
    return words_in_shard(wanted, info.path)


def words_in_shard(wanted: set[str], path: Path) -> list[tuple[str, list[str]]]:
    """Give the words of those pages that a shard has."""
    with Shard.open(path) as shard:
        text = ShardText(shard)
        return [(name, spelled(text, place)) for name, place in files_in(wanted, shard).items()]


def spelled(text: ShardText, place: int) -> list[str]:
    """Give the words of a page of a shard."""
    numbers: list[Any] = text.numbers(place, place + 1).values.tolist()
    spelling = {number: text.spellings(number, number + 1)[0].decode() for number in set(numbers)}
    return [spelling[number] for number in numbers]
