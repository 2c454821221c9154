"""A quilt beside its sources: which words it shares with which of them.

The words come from the run that the result was made of, as `hash --text` kept them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.corpus.spelling import catalog_of, words_of
from hpcreuse.errors import StoreError
from hpcreuse.parallel.world import World
from hpcreuse.store.findings import Findings, export_rows

Gram = tuple[str, ...]


@dataclass(frozen=True)
class Patch:
    """Words in a row that come from one source, or from none."""

    source: int | None
    words: str


def show_quilt(world: World, result: Path, url: str) -> dict[str, Any]:
    """Collective. Describe a quilt of a result: its words by source, and the sources with what they share."""
    findings, row = world.on_root(find_row, result, url)
    found = words_of(world, catalog_of(world, findings), {url, *row["sources"]})
    quilt, k = found[url], findings.header["k"]
    sources = [grams_of(found[source], k) for source in row["sources"]]
    own = grams_of(quilt, k)
    return {
        **row,
        "k": k,
        "patches": [vars(patch) for patch in patches(quilt, sources, k)],
        "source_patches": [[vars(patch) for patch in patches(found[source], [own], k)] for source in row["sources"]],
    }


def find_row(result: Path, url: str) -> tuple[Findings, dict[str, Any]]:
    """Find a quilt in a result by its URL."""
    findings = Findings.open(result, "quilt")
    names = ("url", "grams", "patch_grams", "patchfrac", "sources", "shares")
    for values in export_rows(result, "quilts"):
        if values[0] == url:
            return findings, dict(zip(names, values, strict=True))
    raise StoreError(f"{result} has no quilt {url}: `hpcreuse export {result} quilts` lists those it has")


def grams_of(words: list[str], k: int) -> set[Gram]:
    """Give the grams of a page."""
    return {tuple(words[i : i + k]) for i in range(len(words) - k + 1)}


def owners_of(words: list[str], sources: list[set[Gram]], k: int) -> list[int | None]:
    """Say whose each word is: of the first source, in the order given, that has a gram with it; None for nobody's."""
    owner: list[int | None] = [None] * len(words)
    for number in reversed(range(len(sources))):
        for i in range(len(words) - k + 1):
            if tuple(words[i : i + k]) in sources[number]:
                owner[i : i + k] = [number] * k
    return owner


def patches(words: list[str], sources: list[set[Gram]], k: int) -> list[Patch]:
    """Cut words into patches, by whose they are."""
    cut: list[tuple[int | None, list[str]]] = []
    for one, word in zip(owners_of(words, sources, k), words, strict=True):
        if not cut or cut[-1][0] != one:
            cut.append((one, []))
        cut[-1][1].append(word)
    return [Patch(one, " ".join(run)) for one, run in cut]
