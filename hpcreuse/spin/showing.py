"""A cluster for people to look at: its pages, with the words marked that differ from its first page."""

from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.corpus.rereading import reread_pages
from hpcreuse.corpus.spelling import catalog_of, files_in, spell, words_of
from hpcreuse.errors import StoreError
from hpcreuse.parallel.world import World
from hpcreuse.spin.contents import content_of
from hpcreuse.spin.verifying import KINDS
from hpcreuse.store.findings import Findings, export_rows
from hpcreuse.store.run import ShardInfo
from hpcreuse.store.shard import Shard

Members = dict[int, tuple[str, list[str]]]
"""Of clusters their kinds and URLs."""


def show_cluster(world: World, result: Path, wanted: str, most: int) -> dict[str, Any]:
    """Collective. Describe a cluster by its number or by the URL of a page in it.

    Args:
        most: how many of its pages to describe.
    """
    findings, number, kind, urls, others = world.on_root(find_cluster, result, wanted)
    catalog = catalog_of(world, findings)
    shown = urls[:most]
    selector = findings.header.get("content_tag")
    words = content_words(world, catalog, set(shown), selector) if selector else words_of(world, catalog, set(shown))
    return {
        "cluster": number,
        "kind": kind,
        "pages": len(urls),
        "also_in": others,
        "texts": [
            {"url": url, "parts": differences(words[shown[0]] if place else words[url], words[url])}
            for place, url in enumerate(shown)
        ],
    }


def find_cluster(result: Path, wanted: str) -> tuple[Findings, int, str, list[str], list[int]]:
    """Find a cluster in a result; of a page in several the last kind: spun before near before exact."""
    findings = Findings.open(result, "spin")
    mine: Members = {}
    chosen = {row[0] for row in export_rows(result, "clusters") if wanted in (str(row[0]), row[2])}
    for number, kind, url in export_rows(result, "clusters"):
        if number in chosen:
            mine.setdefault(number, (kind, []))[1].append(url)
    if not mine:
        raise StoreError(
            f"{result} has no cluster {wanted}, nor a page of that URL in one: "
            f"`hpcreuse export {result} clusters` lists those it has"
        )
    number = max(mine, key=lambda one: KINDS.index(mine[one][0]))
    return findings, number, *mine[number], sorted(set(mine) - {number})


def differences(first: list[str], words: list[str]) -> list[dict[str, str]]:
    """Cut words into parts: those that the first page has too, and those that stand instead of others of it."""
    parts = []
    for change, i, last_i, j, last_j in SequenceMatcher(None, first, words, autojunk=False).get_opcodes():
        instead = "" if change == "equal" else " ".join(first[i:last_i])
        parts.append({"change": change, "words": " ".join(words[j:last_j]), "instead": instead})
    return parts


def content_words(world: World, catalog: Catalog, urls: set[str], selector: str) -> dict[str, list[str]]:
    """Collective. Give the words of the content elements of pages, read again from the archives."""
    found: dict[str, list[str]] = {}
    for part in world.map(partial(_content_words_in, urls, selector), catalog.shards):
        for url, words in part:
            found.setdefault(url, words)
    return found


def _content_words_in(wanted: set[str], selector: str, info: ShardInfo) -> list[tuple[str, list[str]]]:
    with Shard.open(info.path) as shard:
        files = sorted(files_in(wanted, shard).values())
    found = []
    for _, page in reread_pages(info.path, files):
        seen = content_of(page, selector)
        found.append((page.url, spell([seen.text if seen else ""])[0]))
    return found
